"""The recipe of a scenario, from which another process can stage it again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from fireplan_core.game import ScenarioFile
from fireplan_core.play.catalogue import Catalogue, ModuleReference, Variation, loaded
from fireplan_core.setups.setup import Engagement


@attrs.frozen
class Recipe:
    """The origin of a scenario: games, content, options, numbers, parts and house rules.

    ``charts`` maps the names of replaced charts to the name and text of the user's file.
    """

    catalogue: Catalogue
    key: str
    content: Engagement | ScenarioFile
    options: Mapping[str, Any]
    numbers: Mapping[str, str]
    parts: Mapping[str, str]
    charts: Mapping[str, tuple[str, str]]
    rules: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        key: str,
        content: Engagement | ScenarioFile,
        variation: Variation,
    ) -> Recipe:
        """Return the recipe of a scenario that is staged with these arguments.

        The function that records which numbers are read (``Variation.note``) is not part of it.
        """
        own = Catalogue()
        own.games = {game: catalogue[game] for game in {key, *variation.parts.values()}}
        return cls(
            own,
            key,
            content,
            dict(variation.options),
            dict(variation.numbers),
            dict(variation.parts),
            {
                name: (Path(str(file)).name, Path(str(file)).read_text(encoding="utf-8"))
                for name, file in variation.charts.items()
            },
            tuple(map(ModuleReference.of, variation.rules)),
        )

    @contextmanager
    def variation(self) -> Iterator[Variation]:
        """Yield the changes to the game, with the charts in a folder that is deleted afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            charts = {}
            for number, (name, (file, text)) in enumerate(self.charts.items()):
                charts[name] = Path(folder) / str(number) / file
                charts[name].parent.mkdir()
                charts[name].write_text(text, encoding="utf-8")
            rules = tuple(map(loaded, self.rules))
            yield Variation(self.options, charts, self.numbers, self.parts, rules)
