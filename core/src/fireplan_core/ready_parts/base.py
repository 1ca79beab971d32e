"""Say what ready parts share: rules by the name of what is done, the facts of an asset, throws, hands of cards."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Literal, TypeVar

import attrs

from fireplan_core.chance import Chance, Die
from fireplan_core.files import entry, flag, near
from fireplan_core.record import Place
from fireplan_core.setups.setup import SightOfTarget
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.decks import Cards
from fireplan_core.steps.effects import NOTHING, Effect, Effects, push, step
from fireplan_core.steps.part import Keeps, Part, StepDef
from fireplan_core.steps.questions import Refusal
from fireplan_core.steps.view import View

K = TypeVar("K", bound=Hashable)


def figure(name: str, times: int = 1) -> Any:
    """Return what a ready part may have for a figure: an option of the game, or one of its numbers, so many times.

    As in ``radius = figure("blast")``.
    """
    return property(
        lambda part: part.options[name] if name in part.options else part.number(name) * times
    )


@attrs.frozen(kw_only=True)
class Battery:
    """Say what does not change about an asset and its observer.

    It comes from the engagement or a scenario file's ``[[battery]]``; every ready part knows it:
    ``view.facts(mission, Battery)``.
    """

    id: str = entry("a name of its own", "a")
    side: Literal["firer", "target"] = entry("whose it is", "firer")
    target: str = entry("where it is wanted to fire, if not at the target of all", "")
    guns: int = entry("how many tubes", 12, range=(1, 500))
    calibre_mm: int = entry("bore in millimetres", 105, range=(20, 914))
    range_m: int = entry("metres from the guns to the target", 6000, range=(0, 100_000))
    observer_m: int = entry("metres from the observer to the target", 500, range=(0, 10_000))
    sight: SightOfTarget = entry("what the observer sees", "clear")
    identified: bool = entry("whether the observer knows who is there", default=True)
    night: bool = flag("whether it is night")


def within(view: View, place: Place, north_m: int, far_m: int) -> bool:
    """Return whether a place lies within so many metres of the point that far north of the centre of the target."""
    (x, y), (east, south) = view.frame.metres(place), view.frame.metres(view.scenario.centre)
    return (x - east) ** 2 + (y - south + north_m) ** 2 <= far_m**2


def read_off(table: Mapping[int, K], total: int) -> K:
    """Return what a table says of a sum; beyond the table its first or last entry."""
    return table[min(max(total, min(table)), max(table))]


_NAMES = set[str]()
"""The names by which ready parts know rules: a part may be given those of the others of its game as well."""


class Ready(Part):
    """A part to configure.

    ``cites`` gives the game's rule for each name in ``needs`` (of the class and its bases), for some in ``may`` if they
    have rules of their own, and for any other that is told by figures alone. A step that a game writes itself cites its
    rule directly. ``least`` says how small the figures may be that a game writes into its class. ``draws`` names the
    rolls that are cards instead of dice, each with its deck: ``{"accuracy": "fate"}``. ``keeps`` adds to what the bases
    keep. Raises ValueError with every rule that is not named, every misspelt name, and every figure that is missing or
    too small.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    may: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[Mapping[str, str]] = {}
    least: ClassVar[Mapping[str, int]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _NAMES.update(cls.needs, cls.may)
        found = [vars(kind)["keeps"] for kind in reversed(cls.__mro__) if "keeps" in vars(kind)]
        kinds = {
            of: [kind for one in found for kind in getattr(one, of)]
            for of in attrs.fields_dict(Keeps)
        }
        cls.keeps = Keeps(**{of: tuple(dict.fromkeys(some)) for of, some in kinds.items()})

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        super().__init__(game, options, charts)
        own = type(self)
        needed, known = (
            {name for kind in own.__mro__ for name in vars(kind).get(of, ())}
            for of in ("needs", "may")
        )
        missing, left = sorted(needed - set(self.cites)), (needed | known) - set(self.cites)
        faults = (
            [f"{own.__name__}.cites must name a rule for {', '.join(missing)}"] if missing else []
        )
        odd = ((name, near(name, sorted(left), 0.7)) for name in sorted(set(self.cites) - _NAMES))
        faults += [
            f"{own.__name__}.cites: no step has a {name}; did you mean {like}?"
            for name, like in odd
            if like
        ]
        bounds = {
            name: least
            for kind in reversed(own.__mro__)
            for name, least in vars(kind).get("least", {}).items()
        }
        for name, least in sorted(bounds.items()):
            figure = getattr(own, name, None)
            if figure is None or (isinstance(figure, int) and figure < least):
                got = "it is missing" if figure is None else f"got {figure}"
                faults.append(f"{own.__name__}.{name}: expected {least} or more, {got}")
        if faults:
            raise ValueError("; ".join(faults))

    def steps(self) -> Mapping[str, StepDef]:
        """Return the steps, each with the game's own rule in place of the name that the ready part knows it by."""
        return {
            name: attrs.evolve(found, cite=self.rule(found.cite))
            for name, found in super().steps().items()
        }

    def rule(self, name: str) -> str:
        """Return the game's rule for what is done.

        Of ``astray/land`` the second counts where the first has none.
        """
        return next((self.cites[one] for one in name.split("/") if one in self.cites), name)

    def stage(self, staging: Staging) -> None:
        """Stage what this part keeps of every asset, and what it knows of it."""
        fight = staging.engagement
        seen, guns = fight.observer, fight.asset
        battery = Battery(
            guns=guns.guns,
            calibre_mm=guns.calibre_mm,
            range_m=guns.range_m,
            observer_m=seen.distance_m,
            sight=seen.sight,
            identified=fight.target.identified,
            night=fight.situation.night,
        )
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=battery)
            self.stage_mission(staging, mission)

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage what this part keeps of one asset; nothing by default."""

    def thrown(
        self,
        chance: Chance,
        view: View,
        roll: str,
        dice: Mapping[str, Die],
        reads: Callable[[int], K],
    ) -> tuple[K, Effects]:
        """Return what ``reads`` makes of a throw (or card, if ``draws`` says so) with its modifiers, and what follows.

        No dice at all are read as 0.
        """
        if roll in self.draws:
            drm = chance.drm(roll)
            return Cards(view, self.draws[roll]).draw(chance, roll, lambda face: reads(face + drm))
        if not dice:
            return reads(0), NOTHING
        fell = chance.dice(roll, **dice)
        return (fell.total + chance.drm(fell)).look_up(reads), NOTHING


class Hand(Ready):
    """Each side holds ``hand`` cards of the deck ``deck``: ``class Calls(Hand, AskAndFire)``.

    Of a card in a hand ``kind_of`` says all that the rules ever ask (high or low): the less, the
    smaller the game. Parts that look into the same hands have one such base in common. Only its
    side sees a hand, so ask about it with ``@orders(..., secret=True)``.
    """

    needs: ClassVar[tuple[str, ...]] = ("hand",)
    deck: ClassVar[str]
    hand: int

    def kind_of(self, face: Any) -> Any:
        """Return of which kind a card of that face is in a hand."""
        raise NotImplementedError

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Give each side a hand, beside what the part keeps of an asset."""
        super().stage_mission(staging, mission)
        for side in (staging.firer, staging.target_side):
            staging.hand(self.deck, side, side)

    def filled(self, view: View, side: str) -> Effects:
        """Return that a side fills its hand; ask it thereafter, in the same effects."""
        lacking = self.hand - sum(count for _, count in Cards(view, self.deck).pile(side))
        return Effects(*(push(self.deal, side) for _ in range(lacking)))

    @step(cite="hand")
    def deal(self, chance: Chance, view: View, side: str) -> Effects:
        """Deal a card."""
        return Effects(Cards(view, self.deck).draw(chance, "deal", self.kind_of, into=side)[1])

    def play(self, view: View, side: str, kind: Any, then: Effect, cite: str) -> Effects | Refusal:
        """Return that a side plays a card of that kind, and what follows.

        Refused where it holds none.
        """
        cards = Cards(view, self.deck)
        held = (
            kinds
            for kinds, _ in cards.pile(side)
            if {self.kind_of(face) for face in kinds} == {kind}
        )
        card = next(held, None)
        return (
            Refusal.of(cite, "no_such_card")
            if card is None
            else Effects(cards.move(side, card), then)
        )
