"""Answers as links: what a link remembers of its answer, and what is said where it comes out otherwise."""

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version

from fireplan_core.play import Catalogue


def remembered(catalogue: Catalogue, games: Iterable[str], told: str) -> tuple[str, ...]:
    """Return what a link remembers: the versions that gave the answer, and a mark of all its fractions as ``told``."""
    versions = (f"{key}-{catalogue[key].version}" for key in sorted({*games}))
    mark = hashlib.sha256(told.encode()).hexdigest()[:12]
    return f"fireplan-{version('fireplan')}", *versions, *([f"figures-{mark}"] if told else [])


def differs(then: Sequence[str], now: Sequence[str]) -> str:
    """Return how an answer stands to the one that a link remembers, in words; empty where it remembers none."""
    if not then:
        return ""
    before, after = ([each for each in some if each not in other] for some, other in ((then, now), (now, then)))
    if not any(each.startswith("figures-") for each in then):
        return "Other versions than where this link was made." if before else "The same versions as where it was made."
    if not any(each.startswith("figures-") for each in before):
        return "The same fractions as where this link was made."
    was, is_ = (", ".join(each for each in some if not each.startswith("figures-")) for some in (before, after))
    why = f"it was made with {was}, here is {is_}" if was or is_ else "a game was changed under the same version"
    return f"Other fractions than where this link was made: {why}."
