"""The check on other scenarios: the checks on odds, applied to random engagements and options."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs

from fireplan.solver import TooLargeError
from fireplan_core import CannotStageError, Engagement
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Variation
from fireplan_kit import laws
from fireplan_kit.bench import Bench
from fireplan_kit.check import TOO_LARGE, Flaw, Flaws

STAGED, TRIED, MOMENTS = 3, 30, 5
"""Number of engagements drawn, attempts to stage them, and moments followed."""
TRAJECTORIES = 500
"""Number of sampled missions on each engagement."""
NUMBERS = {
    "men": (8, 30, 80),
    "frontage_m": (20, 80, 150),
    "distance_m": (30, 90, 250),
    "guns": (4, 12),
}
"""Maps each numeric fact to the values it may take, small enough that most draws can be solved."""
HELD: Mapping[str, Callable[[Bench], Flaws]] = {
    "the sums of chances": laws.mass_is_one,
    "sampled play": partial(laws.exact_agrees_with_sampled, trajectories=TRAJECTORIES),
    "the frequency of events": laws.every_event_is_solved,
    "the three evaluations of steps": laws.evaluations_agree_in_play,
}


def drawn_scenarios_agree(bench: Bench) -> Flaws:
    """Check that play and the exact chain also agree on random engagements with random options.

    A scenario that is too large to compare is noted, and does not count as a flaw.
    """
    faults: Flaws = []
    drawn = list(islice(_drawn(bench), STAGED))
    if not drawn:
        bench.notes.append(f"none of {TRIED} engagements drawn at random can be staged")
    for changes, other in drawn:
        for number, law in enumerate(HELD.values()):
            try:
                flaws = law(other)
            except TooLargeError as error:
                left_out = ", ".join([*HELD][number:])
                bench.notes.append(f"{TOO_LARGE}{left_out} not compared on {changes}: {error}")
                break
            faults += [Flaw(f"{changes}: {flaw}", getattr(flaw, "cite", "")) for flaw in flaws]
    return faults


def _drawn(bench: Bench) -> Iterator[tuple[str, Bench]]:
    """Yield (changes in words, bench) for random variations that can be staged."""
    for changes, engagement, variation in drawn_variations(bench):
        with suppress(CannotStageError, ValueError):
            yield (
                changes,
                Bench(
                    bench.catalogue,
                    bench.key,
                    engagement,
                    variation,
                    at_most=MOMENTS,
                ),
            )


def drawn_variations(bench: Bench) -> Iterator[tuple[str, Engagement, Variation]]:
    """Yield (changes in words, engagement, variation) for random variations of the engagement.

    Some of the variations cannot be staged.
    """
    for seed in range(TRIED):
        faces = RandomFaces(seed)
        options = {
            o.name: o.values[faces.below(len(o.values))] for o in bench.installed.game.options
        }
        engagement, changes = _changed(bench.engagement, faces)
        changes += [
            f"{o.name}={options[o.name]}"
            for o in bench.installed.game.options
            if options[o.name] != o.default
        ]
        yield ", ".join(changes), engagement, Variation(options=options)


def _changed(engagement: Engagement, faces: RandomFaces) -> tuple[Engagement, list[str]]:
    """Return the engagement with about half of its facts redrawn, and the changes in words.

    One redrawn engagement in three has no own troops.
    """
    topics: dict[str, Any] = {}
    words: list[str] = []
    for field in attrs.fields(Engagement):
        topic = getattr(engagement, field.name)
        if not attrs.has(type(topic)):
            continue
        drawn = {
            name: choices[faces.below(len(choices))]
            for name, hint in get_type_hints(type(topic)).items()
            if (choices := _choices(name, hint)) and faces.below(2)
        }
        topics[field.name] = attrs.evolve(topic, **drawn)
        words += [f"{field.name}.{name}={value}" for name, value in drawn.items()]
    if not faces.below(3):
        topics["own_troops"] = None
        words = [word for word in words if not word.startswith("own_troops.")]
        words.append("no own troops")
    return attrs.evolve(engagement, **topics), words


def _choices(name: str, hint: Any) -> Sequence[Any]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return (False, True) if hint is bool else NUMBERS.get(name, ())
