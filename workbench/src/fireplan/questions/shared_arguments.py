"""Arguments that several questions share although they have no base class in common."""

from typing import Any

from fireplan.questions.opening import LONGEST
from fireplan.questions.question import asks
from fireplan_core.setups.setup import LONGEST_WATCH

CONDITION = (
    "A condition on the next roll or event of this name: contact=4,2 (its dice), contact=6 (their"
    " total), access=red, fall (it happens), fall=no, initiative: couplets=3 (a field of the event)."
)


def asks_house_rules() -> Any:
    """Return the field of a question class that takes house rules."""
    return asks(
        "Apply house rules to the game: Python files or importable modules that define the hooks"
        " (docs/how_to/house_rules.md).",
        (),
        local=True,
    )


def asks_stager() -> Any:
    """Return the field for the game that stages a question's engagement."""
    return asks("The game that stages the engagement.", named="game")


def asks_minutes() -> Any:
    """Return the field for the length of the watch in minutes."""
    return asks(
        "Watch for this many minutes instead of the engagement's own.",
        range=(1, LONGEST_WATCH),
        unit="min",
    )


def asks_moments_ahead() -> Any:
    """Return the field for the number of moments that a search looks ahead."""
    return asks(
        "Look this many moments ahead instead of the scenario's own.",
        range=(1, LONGEST),
        unit="moments",
    )


def asks_reference(what: str) -> Any:
    """Return the field for reference figures; ``what`` is its help text."""
    return asks(
        f"{what}: a file of tables [[figure]] with yardstick, value, source and by (minutes), or a"
        " line: 'delivered = 80 % by 10: Field trials, 1944'.",
        (),
        repeated=True,
    )
