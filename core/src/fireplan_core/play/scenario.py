"""A scenario: a setup with the rules it is played by; nothing here changes during play."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs

from fireplan_core.parts import Parts
from fireplan_core.scenario.setup import Setup
from fireplan_core.sentences import Sentences
from fireplan_core.steps.part import Modifier, StepDef
from fireplan_core.steps.questions import Question


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Scenario(Setup):
    """Everything that a table is played on: the setup, the parts, their steps, questions, modifiers and sentences."""

    parts: Parts
    steps: Mapping[str, StepDef]
    questions: Mapping[str, Question[Any]]
    modifiers: tuple[Modifier, ...]
    sentences: Sentences

    @cached_property
    def places_apart(self) -> bool:
        """Return whether every strike concerns its place alone, so that places may be solved one at a time."""
        return not self.mobile and all(part.places_apart for part in self.parts)

    @classmethod
    def of(
        cls,
        setup: Setup,
        parts: Parts,
        steps: Mapping[str, StepDef],
        questions: Mapping[str, Question[Any]],
        modifiers: tuple[Modifier, ...],
        sentences: Sentences,
    ) -> Scenario:
        """Return the scenario of a setup played by these rules."""
        facts = {field.name: getattr(setup, field.name) for field in attrs.fields(Setup)}
        return cls(parts=parts, steps=steps, questions=questions, modifiers=modifiers, sentences=sentences, **facts)
