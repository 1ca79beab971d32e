"""Hints for installing a game that is missing, or a library that comes with an extra."""

from __future__ import annotations

from fireplan_core.extras import contents

SHIPPED = ("game", "engagement", "scenario", "playthrough")
"""The kinds of names that are, or may begin with, the key of a game."""

ELSEWHERE = {
    "film": "fireplan-studio",
    "serve": "fireplan-studio",
    "site": "fireplan-studio",
    "open": "fireplan-studio",
    "check": "fireplan-kit",
    "new": "fireplan-kit",
    "tables": "fireplan-kit",
}
"""Maps commands of other distributions (group ``fireplan.commands``) to their distribution."""
QUESTIONS_ELSEWHERE = {"check": "fireplan-kit"}
"""Maps questions from fireplan's other distributions to the distribution that provides them."""


def needs(distribution: str, missing: str | None = None, what: str = "This") -> str:
    """Return a sentence that names the extra to install for a missing distribution.

    ``what`` is the feature that needs it. ``missing`` is the module's name, if it differs from the
    distribution's. Raise ``LookupError`` if no extra installs it.
    """
    extra = next((extra for extra, brought in contents() if brought == distribution), None)
    if extra is None:
        raise LookupError(f"no extra of fireplan installs {distribution}")
    reason = f"{what} needs the extra {extra!r} ({missing or distribution} is missing)"
    return f"{reason}: pip install 'fireplan[{extra}]'."
