"""Set-up: an engagement becomes the same values as a scenario file does, and one routine stages those.

Engagements: every asset is a chit, men stand in infantry bases spread over their ground, and there
is no terrain. Scenario files are turned into these values in ``scenario``.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

import attrs

from fireplan_core import Engagement, Part, Place, Sight, Staging, kept, record
from fireplan_miniatures_1943.bases import (
    METRES_PER_YARD,
    Base,
    BaseProfile,
    footprint,
    in_a_row,
    spread,
    stance_of,
)
from fireplan_miniatures_1943.charts import OTHER
from fireplan_miniatures_1943.chits import (
    ChartPosition,
    Chit,
    ChitSetup,
    Marker,
    chart_line,
    chit_of,
)
from fireplan_miniatures_1943.terrain import Segment, Terrain

NOT_PRINTED = {"reconstructed": "reconstructed", "user": "the user's"}
"""Say how a chart that is not the printed one is called."""


@record
class Phases:
    """The turn of a scenario file: which sides have a turn of their own, in order, and whether the chart is filled.

    Without sides there are no movement phases and one fire phase for all. ``axis`` rolls for air
    superiority with its modifier before play, against the other side (S.a, S.b); nobody does where
    it is empty.
    """

    order: tuple[str, ...] = kept(
        (), "the sides that have a turn of their own, in their order", "6.2.d"
    )
    filled: bool = kept(True, "whether the request chart is filled", "S.e")
    axis: str = kept(
        "", "the side that rolls for air superiority with its modifier", "S.a", among="side"
    )
    modifier: int = kept(0, "the Axis modifier for air superiority", "S.b")


@attrs.frozen
class BaseSetup:
    """A base as it comes on the table."""

    id: str
    side: str
    place: Place
    men: int
    profile: BaseProfile
    start: Base


@attrs.frozen(kw_only=True)
class TableSetup:
    """Say what comes on a table, and by part what its figures rest on there."""

    chits: tuple[ChitSetup, ...]
    bases: tuple[BaseSetup, ...]
    terrain: tuple[Segment, ...] = ()
    phases: Phases = Phases()  # noqa: RUF009 - frozen
    notes: Mapping[str, tuple[str, ...]]


def stage_part(part: Part, staging: Staging, setup: TableSetup) -> None:
    """Stage the slots and facts of one part, and note what they rest on."""
    for note in (*setup.notes.get(part.word, ()), *_notes(part, setup)):
        staging.note(note)
    slot = {"delays": ChartPosition(), "areas": Marker()}.get(part.word)
    for chit in setup.chits:
        staging.mission(chit.id, part.word, slot, chit, side=chit.side, target=chit.target)
    if part.word == "delays":
        staging.share(part.word, setup.phases)
    if part.word == "resolution":
        for base in setup.bases:
            staging.unit(
                base.id,
                base.side,
                base.place,
                strength=base.men,
                slot=base.start,
                facts=base.profile,
            )
        staging.share(part.word, Terrain(segments=setup.terrain))
        for segment in setup.terrain:
            staging.feature(segment.kind, outline=segment.drawn)


class Staged(Part):
    """A part that stages engagements as scenario files are staged."""

    def stage(self, staging: Staging) -> None:
        """Stage this part's side of an engagement."""
        stage_part(self, staging, from_engagement(self, staging))


def _notes(part: Part, setup: TableSetup) -> Iterator[str]:
    """Yield what the figures of a part rest on, by its options and charts."""
    match part.word:
        case "requests":
            renewed = part.options["supply"] == "renewed"
            again = "real chits are not used up: one whose marker is gone may be placed again"
            yield (
                again
                if renewed
                else "a real chit is one marker of the whole game; dummies alone come back (6.1.g)"
            )
        case "delays":
            yield f"a game turn is taken as {part.options['turn_minutes']} minutes (the rules say a few)"
        case "areas" if any(chit.kind is Chit.AIR_STRIKE for chit in setup.chits):
            yield f"air strikes are taken as {part.options['strip_width']} yards wide"
        case "resolution" if kind := NOT_PRINTED.get(part.charts["area_weapons"].provenance):
            yield f"the Area Weapons Chart is {kind}"


def chart_notes(part: Part, nationality: str) -> Iterator[str]:
    """Yield what the progress boxes of a nationality's line rest on, where they are the chart's."""
    line, boxes = chart_line(part, nationality)
    if line == OTHER:
        yield f"the request chart has no line for {nationality!r}: the line {OTHER!r} is used"
    if kind := NOT_PRINTED.get(part.charts["request_chart"].provenance):
        yield f"the request chart is {kind}: {line}, progress boxes: {boxes}"


# --- engagements ----------------------------------------------------------------------------------
def from_engagement(part: Part, staging: Staging) -> TableSetup:
    """Return what an engagement puts on the table.

    The part that is staged brings options, charts and numbers.
    """
    engagement = staging.engagement
    nationality = engagement.firer.nationality
    line, boxes = chart_line(part, nationality)
    sight = declared_sight(engagement)
    bases, notes = _bases(part, staging)
    observer = engagement.observer.kind
    off_table = f"an observer of kind {observer} is no base on the ground: barrages are blind"
    return TableSetup(
        chits=tuple(
            ChitSetup(
                id=asset,
                kind=chit_of(asset, part.options["chit"]),
                line=line,
                boxes=boxes,
                sight=sight,
            )
            for asset in staging.assets
        ),
        bases=bases,
        notes={
            "observers": () if observer in ("forward", "none") else (off_table,),
            "delays": tuple(chart_notes(part, nationality)),
            "areas": (
                f"bases are taken as {part.options['base']} yards; base sizes are free by the rules",
            ),
            "resolution": notes,
        },
    )


def declared_sight(engagement: Engagement) -> Sight:
    """Return what friendly bases on the table see of the whole target area (6.2.b, 6.2.c)."""
    observer = engagement.observer
    on_table = observer.kind == "forward"
    ground = on_table and observer.sight == "clear"
    return Sight(
        ground=ground,
        burst=on_table and observer.sight != "none",
        known_enemy=ground and engagement.target.identified,
    )


def _bases(part: Part, staging: Staging) -> tuple[tuple[BaseSetup, ...], tuple[str, ...]]:
    """Return bases of 20 men spread over the target, the firer's own in a row at their place.

    And their notes.
    """
    target, own = staging.engagement.target, staging.engagement.own_troops
    a_base = part.number("men_per_base")
    frontage, depth = footprint(part.options["base"])
    metres = frontage * METRES_PER_YARD, depth * METRES_PER_YARD
    profile = BaseProfile(personnel=True, length=depth, width=frontage)

    def bases(
        name: str, side: str, men: int, points: Iterable[tuple[Fraction, Fraction]], start: Base
    ) -> None:
        for number, (east, south) in enumerate(points):
            place = staging.at(float(east), float(south))
            a_few = min(a_base, men - number * a_base)
            found.append(BaseSetup(f"{name} {number + 1}", side, place, a_few, profile, start))

    found: list[BaseSetup] = []
    points, fit = spread(
        -(-target.men // a_base), Fraction(target.frontage_m), Fraction(target.depth_m), metres
    )
    bases("base", staging.target_side, target.men, points, stance_of(target.posture, target.cover))
    notes = (
        []
        if target.posture != "dug_in"
        else ["dug-in bases are taken as hastily dug in, which counts as prone"]
    )
    if not fit:
        notes.append("the target's bases overlap: it is denser than bases can stand")
    if own is not None:
        row = in_a_row(-(-own.men // a_base), metres[0])
        bases(
            "own base",
            staging.firer,
            own.men,
            [(east, -Fraction(own.distance_m)) for east in row],
            Base(),
        )
        notes.append("the firer's own men are taken as standing in the open")
    return tuple(found), tuple(notes)
