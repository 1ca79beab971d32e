"""Facts of an engagement that change nothing in a game, with the game's own notes on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from fireplan.analysis.answers import Comparison
from fireplan.analysis.phrasing import joined_words

MOST_TRIED = 2
"""The maximum number of changed facts for which an answer reports the effect of each."""
_NOTED = {"guns": ("guns", "tubes"), "men": (" men ", "company")}
"""The words by which a game's notes mention a fact."""


@attrs.frozen
class IdleFacts:
    """The changed facts without effect on a game's figures.

    ``words`` is a phrase that says so, and ``notes`` are the game's own notes on these facts.
    """

    facts: tuple[str, ...]
    words: str
    notes: tuple[str, ...]

    @property
    def why(self) -> str:
        """Return the game's notes on these facts, or "the game has no note on it"."""
        return "; ".join(self.notes) or "the game has no note on it"

    def __str__(self) -> str:
        return f"{self.words}: {self.why}"


def idle_facts(comparison: Comparison, without: Mapping[str, Comparison]) -> dict[str, IdleFacts]:
    """Map each game to the changed facts that have no effect on its figures, if any.

    ``without`` maps each changed fact to the comparison in which only this fact has its old value.
    """
    still: dict[str, list[str]] = {}
    for fact, before in without.items():
        for key, game in comparison.games.items():
            if key in before.games and before.games[key].measures == game.measures:
                still.setdefault(key, []).append(fact)
    return {
        key: IdleFacts(tuple(names), _nothing(names), notes_on(comparison.games[key].notes, names))
        for key, names in still.items()
    }


def with_idle_facts(comparison: Comparison, idle: Mapping[str, IdleFacts]) -> Comparison:
    """Return a comparison whose titles list the facts that change nothing."""
    games = {
        key: attrs.evolve(game, title=f"{game.title} ({idle[key].words})") if key in idle else game
        for key, game in comparison.games.items()
    }
    return attrs.evolve(comparison, games=games)


def notes_on(notes: Iterable[str], facts: Iterable[str]) -> tuple[str, ...]:
    """Return those of a game's notes that mention one of these facts."""
    words = {word for name in facts for word in _NOTED.get(name, (name.replace("_", " "),))}
    return tuple(note for note in notes if any(word in note for word in words))


def _nothing(names: Sequence[str]) -> str:
    """Return a phrase saying that these facts change nothing."""
    said = joined_words([name.replace("_", " ") for name in names])
    plural = len(names) > 1 or said.endswith("s")
    return f"{said} {'change' if plural else 'changes'} nothing"
