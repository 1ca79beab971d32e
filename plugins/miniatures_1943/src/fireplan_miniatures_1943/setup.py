"""Setup: engagements and scenario files become a ``TableSetup``, which one function stages.

In an engagement every asset is a chit, men are in infantry bases spread over their ground, and
there is no terrain. ``scenario`` converts scenario files.
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
    ChitMarker,
    ChitSetup,
    chart_line,
    chit_of,
)
from fireplan_miniatures_1943.terrain import Terrain, TerrainPiece

NOT_PRINTED = {"reconstructed": "reconstructed", "user": "the user's"}
"""Maps each provenance other than the printed chart to its name in notes."""


@record
class Phases:
    """The turn of a scenario file: the sides that take turns, in order.

    Without sides there are no movement phases, and one fire phase for all. The side ``axis`` rolls
    for air superiority with its modifier before play (S.a, S.b); if ``axis`` is empty there is no
    roll.
    """

    order: tuple[str, ...] = kept((), "the sides that take turns, in their order", "6.2.d")
    filled: bool = kept(True, "whether the request chart has been filled", "S.e")
    axis: str = kept(
        "", "the side that rolls for air superiority with its modifier", "S.a", among="side"
    )
    modifier: int = kept(0, "the Axis modifier for air superiority", "S.b")


@attrs.frozen
class BaseSetup:
    """A base at the start of play."""

    id: str
    side: str
    place: Place
    men: int
    profile: BaseProfile
    start: Base


@attrs.frozen(kw_only=True)
class TableSetup:
    """A whole table at the start of play.

    ``chits`` has each chit with its position on the request chart; ``notes`` maps a part's word to
    the notes of that part.
    """

    chits: tuple[tuple[ChitSetup, ChartPosition], ...]
    bases: tuple[BaseSetup, ...]
    terrain: tuple[TerrainPiece, ...] = ()
    phases: Phases = Phases()  # noqa: RUF009 - frozen
    notes: Mapping[str, tuple[str, ...]]


def stage_part(part: Part, staging: Staging, setup: TableSetup) -> None:
    """Stage the slots, facts and notes of one part of the game."""
    for note in (*setup.notes.get(part.word, ()), *_notes(part, setup)):
        staging.note(note)
    for chit, position in setup.chits:
        slot = {"delays": position, "areas": ChitMarker()}.get(part.word)
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
    """Base class for parts that stage engagements in the same way as scenario files."""

    def stage(self, staging: Staging) -> None:
        """Stage the records, facts and notes of this part for an engagement."""
        stage_part(self, staging, from_engagement(self, staging))


def _notes(part: Part, setup: TableSetup) -> Iterator[str]:
    """Yield the assumptions that follow from a part's options and charts."""
    match part.word:
        case "requests":
            renewed = part.options["supply"] == "renewed"
            yield (
                "real chits are not used up: one whose marker is gone may be placed again"
                if renewed
                else "a real chit is one marker for the whole game; only dummies return (6.1.g)"
            )
        case "delays":
            yield f"a game turn counts as {part.options['turn_minutes']} minutes (the rules say a few)"
        case "areas" if any(chit.kind is Chit.AIR_STRIKE for chit, _ in setup.chits):
            yield f"air strikes count as {part.options['strip_width']} yards wide"
        case "resolution" if kind := NOT_PRINTED.get(part.charts["area_weapons"].provenance):
            yield f"the Area Weapons Chart is {kind}"


def chart_notes(part: Part, nationality: str) -> Iterator[str]:
    """Yield notes on a nationality's line of the request chart."""
    line, boxes = chart_line(part, nationality)
    if line == OTHER:
        yield f"the request chart has no line for {nationality!r}, so the line {OTHER!r} is used"
    if kind := NOT_PRINTED.get(part.charts["request_chart"].provenance):
        count = "1 progress box" if boxes == 1 else f"{boxes} progress boxes"
        yield f"the request chart is {kind}: {line}, {count}"


# --- engagements ----------------------------------------------------------------------------------
def from_engagement(part: Part, staging: Staging) -> TableSetup:
    """Return the table setup for an engagement, using a part's options, charts and numbers."""
    engagement = staging.engagement
    nationality = engagement.firer.nationality
    line, boxes = chart_line(part, nationality)
    sight = declared_sight(engagement)
    bases, notes = _bases(part, staging)
    observer = engagement.observer.kind
    off_table = f"an observer of kind {observer} is not a base on the ground, so barrages are blind"
    return TableSetup(
        chits=tuple(
            (
                ChitSetup(
                    id=asset,
                    kind=chit_of(asset, part.options["chit"]),
                    line=line,
                    boxes=boxes,
                    sight=sight,
                ),
                ChartPosition(),
            )
            for asset in staging.assets
        ),
        bases=bases,
        notes={
            "observers": () if observer in ("forward", "none") else (off_table,),
            "delays": tuple(chart_notes(part, nationality)),
            "areas": (
                f"bases count as {part.options['base']} yards; the rules leave their size open",
            ),
            "resolution": notes,
        },
    )


def declared_sight(engagement: Engagement) -> Sight:
    """Return the line of sight from friendly bases to the target area (6.2.b, 6.2.c)."""
    observer = engagement.observer
    on_table = observer.kind == "forward"
    ground = on_table and observer.sight == "clear"
    return Sight(
        ground=ground,
        burst=on_table and observer.sight != "none",
        known_enemy=ground and engagement.target.identified,
    )


def _bases(part: Part, staging: Staging) -> tuple[tuple[BaseSetup, ...], tuple[str, ...]]:
    """Return the bases of an engagement, and notes on them.

    The target's bases are spread over its ground; the firer's own bases are in a row.
    """
    target, own = staging.engagement.target, staging.engagement.own_troops
    base_men = part.number("men_per_base")
    frontage, depth = footprint(part.options["base"])
    metres = frontage * METRES_PER_YARD, depth * METRES_PER_YARD
    profile = BaseProfile(personnel=True, length=depth, width=frontage)

    def bases(
        name: str, side: str, men: int, points: Iterable[tuple[Fraction, Fraction]], start: Base
    ) -> None:
        for number, (east, south) in enumerate(points):
            place = staging.at(float(east), float(south))
            count = min(base_men, men - number * base_men)
            setups.append(BaseSetup(f"{name} {number + 1}", side, place, count, profile, start))

    setups: list[BaseSetup] = []
    points, fit = spread(
        -(-target.men // base_men), Fraction(target.frontage_m), Fraction(target.depth_m), metres
    )
    bases("base", staging.target_side, target.men, points, stance_of(target.posture, target.cover))
    notes = (
        []
        if target.posture != "dug_in"
        else ["dug-in bases count as hastily dug in, which is as good as prone"]
    )
    if not fit:
        notes.append("the target's bases overlap: its frontage and depth are too small for them")
    if own is not None:
        row = in_a_row(-(-own.men // base_men), metres[0])
        bases(
            "own base",
            staging.firer,
            own.men,
            [(east, -Fraction(own.distance_m)) for east in row],
            Base(),
        )
        notes.append("the firer's own men count as standing in the open")
    return tuple(setups), tuple(notes)
