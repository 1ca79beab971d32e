"""The base class of ready parts, the facts about an asset, and hands of cards."""

from collections.abc import Callable, Hashable, Mapping
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin

import attrs

from fireplan_core.chance import Chance, Die
from fireplan_core.files import entry, flag, near
from fireplan_core.setups.setup import SightOfTarget
from fireplan_core.setups.staging import Staging
from fireplan_core.space import Place
from fireplan_core.steps.decks import Cards
from fireplan_core.steps.effects import NOTHING, Effect, Effects, push, step
from fireplan_core.steps.part import Keeps, Part, StepDef
from fireplan_core.steps.questions import Refusal
from fireplan_core.steps.view import View

K = TypeVar("K", bound=Hashable)


class _FromGame(property):
    """A property that reads a figure from an option or number of the game.

    Its ``repr`` is the call that makes it, such as ``figure('blast')``.
    """

    def __init__(self, read: Callable[[Any], Any], call: str) -> None:
        super().__init__(read)
        self._call = call

    def __repr__(self) -> str:
        return self._call


def figure(name: str, times: int = 1) -> Any:
    """Return a class attribute that reads its value from an option or a number of the game.

    An example is ``radius = figure("blast")``. A number is multiplied by ``times``; an option is
    not.

    >>> from fractions import Fraction
    >>> class Signals(FixedDelay):
    ...     cites = {"moment": "2", "delay": "2.1"}
    ...     minutes, delay = Fraction(2), figure("turns_of_delay")
    >>> Signals("my_game", {"turns_of_delay": 3}, {}).delay
    3
    """
    return _FromGame(
        lambda part: part.options[name] if name in part.options else part.number(name) * times,
        f"figure({name!r})" if times == 1 else f"figure({name!r}, {times})",
    )


def figures(cells: Mapping[str, tuple[K, ...]]) -> Any:
    """Return a class attribute that reads a table from numbers of the game.

    ``cells`` maps the name of each number to the keys of the table that have it, such as
    ``shifts = figures({"shift_low": (1, 2, 3), "shift_high": (4, 5, 6)})``.

    >>> from fractions import Fraction
    >>> class Signals(Track):
    ...     cites = {"moment": "2", "delay": "2.1"}
    ...     minutes, boxes = Fraction(2), 4
    ...     moves = figures({"slow": (1, 2, 3), "fast": (4, 5, 6)})
    >>> Signals("my_game", {}, {"numbers": {"slow": 1, "fast": 2}}).moves
    {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2}
    """
    return _FromGame(
        lambda part: {key: part.number(cell) for cell, keys in cells.items() for key in keys},
        f"figures({cells!r})",
    )


def decided(option: str, values: Mapping[str, Any]) -> Any:
    """Return a class attribute whose value depends on the value of an option of the game.

    >>> from fractions import Fraction
    >>> class Signals(FixedDelay):
    ...     cites = {"moment": "2", "delay": "2.1"}
    ...     minutes, delay = Fraction(2), decided("link", {"radio": 1, "runner": 4})
    >>> Signals("my_game", {"link": "runner"}, {}).delay
    4
    """
    return _FromGame(lambda part: values[part.options[option]], f"decided({option!r}, {values!r})")


@attrs.frozen(kw_only=True)
class Battery:
    """The fixed facts about an asset and its observer.

    They come from the engagement or from ``[[battery]]`` in a scenario file. Every ready part can
    read them: ``view.facts(mission, Battery)``.

    >>> Battery(guns=4, calibre_mm=155).range_m
    6000
    """

    id: str = entry("a unique name", "a")
    side: Literal["firer", "target"] = entry("the side that owns it", "firer")
    target: str = entry("its own target, if different from the scenario's", "")
    guns: int = entry("number of tubes", 12, range=(1, 500))
    calibre_mm: int = entry("calibre in millimetres", 105, range=(20, 914))
    range_m: int = entry("metres from the guns to the target", 6000, range=(0, 100_000))
    observer_m: int = entry("metres from the observer to the target", 500, range=(0, 10_000))
    sight: SightOfTarget = entry("what the observer sees", "clear")
    identified: bool = entry("whether the observer has identified the target", default=True)
    night: bool = flag("whether it is night")


def is_within(view: View, place: Place, north_m: int, far_m: int) -> bool:
    """Return whether a place lies within ``far_m`` metres of a point north of the target's centre.

    ``north_m`` is the distance from the centre to the point, in metres.

    >>> from fireplan_core import View
    >>> from fireplan_core.play import Catalogue, find_scenario, opening
    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> view = View(opening(scenario).values.get, scenario, "requests")
    >>> is_within(view, scenario.centre, 500, 300), is_within(view, scenario.centre, 500, 600)
    (False, True)
    """
    (x, y), (east, south) = view.frame.metres(place), view.frame.metres(view.scenario.centre)
    return (x - east) ** 2 + (y - south + north_m) ** 2 <= far_m**2


def read_off(table: Mapping[int, K], total: int) -> K:
    """Return a table's entry for a sum.

    A sum beyond the table uses its first or last entry.
    """
    return table[min(max(total, min(table)), max(table))]


@attrs.frozen
class Stated:
    """The rule for a figure of a ready part, given as a name in ``cites``, and the figure's bounds.

    The rule ``aim/fire`` means ``aim`` if ``cites`` has that name, otherwise ``fire``. A figure
    with a minimum must be set.

    >>> Stated("fall", least=1).least
    1
    """

    rule: str
    least: int | None = None
    most: int | None = None

    def wrong(self, figure: Any) -> str:
        """Return the fault of a figure, or an empty string.

        The figure may be missing, no whole number, or out of bounds.
        """
        if isinstance(figure, str | float):
            return f"expected a whole number, got {figure!r}"
        whole = isinstance(figure, int)
        if self.least is not None and (figure is None or (whole and figure < self.least)):
            got = "it is missing" if figure is None else f"got {figure}"
            return f"expected {self.least} or more, {got}"
        if self.most is not None and whole and figure > self.most:
            return f"expected {self.most} or less, got {figure}"
        return ""


_NAMES = set[str]()
"""All rule names in ready parts; a part's ``cites`` may also contain names from other parts."""


class Ready(Part):
    """A part that a game configures with class attributes.

    ``cites`` maps each name in ``needs`` (of the class and its bases) to the game's rule, and may
    also contain names in ``may``. If a game writes a step itself, the step cites its rule directly.
    The annotation of a figure gives the rule that states it, and its bounds: ``hit: Annotated[int,
    Stated("strike", least=1)]``. ``draws`` maps rolls to decks, for rolls that draw a card instead
    of throwing dice: ``{"accuracy": "fate"}``. ``modified`` names the rolls to which modifiers
    apply.
    ``keeps`` adds records to those of the bases. Raises ValueError listing every missing rule,
    every misspelt name, and every figure that is missing, too small or too large.

    >>> class Signals(FixedDelay):
    ...     cites, delay = {"moment": "2"}, 3
    >>> Signals("my_game", {}, {})
    Traceback (most recent call last):
    ValueError: Signals.cites must name a rule for delay
    """

    needs: ClassVar[tuple[str, ...]] = ()
    may: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[Mapping[str, str]] = {}
    modified: ClassVar[tuple[str, ...]] = ()
    stated: ClassVar[Mapping[str, Stated]] = {}
    """The rule and the bounds of each figure, of the class and its bases, by the figure's name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _NAMES.update(cls.needs, cls.may)
        all_keeps = [vars(kind)["keeps"] for kind in reversed(cls.__mro__) if "keeps" in vars(kind)]
        records = {
            field: [record for keeps in all_keeps for record in getattr(keeps, field)]
            for field in attrs.fields_dict(Keeps)
        }
        cls.keeps = Keeps(
            **{field: tuple(dict.fromkeys(classes)) for field, classes in records.items()}
        )
        cls.stated = {
            name: stated
            for kind in reversed(cls.__mro__)
            if issubclass(kind, Ready)
            for name, hint in get_annotations(kind, eval_str=True).items()
            if (stated := _stated(hint)) is not None
        }

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        super().__init__(game, options, charts)
        own = type(self)
        needed, optional = (
            {name for kind in own.__mro__ for name in vars(kind).get(attribute, ())}
            for attribute in ("needs", "may")
        )
        missing, unused = sorted(needed - set(self.cites)), (needed | optional) - set(self.cites)
        faults = (
            [f"{own.__name__}.cites must name a rule for {', '.join(missing)}"] if missing else []
        )
        unknown = (
            (name, near(name, sorted(unused), 0.7)) for name in sorted(set(self.cites) - _NAMES)
        )
        faults += [
            f"{own.__name__}.cites: no step uses the name {name}; did you mean {similar}?"
            for name, similar in unknown
            if similar
        ]
        faults += [
            f"{own.__name__}.{name}: {wrong}"
            for name, stated in sorted(own.stated.items())
            if (wrong := stated.wrong(getattr(own, name, None)))
        ]
        if faults:
            raise ValueError("; ".join(faults))

    def steps(self) -> Mapping[str, StepDef]:
        """Return the part's steps by full name, with the game's own rules cited."""
        return {
            name: attrs.evolve(definition, cite=self.rule(definition.cite))
            for name, definition in super().steps().items()
        }

    def rule(self, name: str) -> str:
        """Return the game's rule for a name in ``cites``; any other text is returned unchanged.

        For ``astray/land``, it is the rule for ``astray`` or, if there is none, for ``land``.
        """
        return next((self.cites[part] for part in name.split("/") if part in self.cites), name)

    def stage(self, staging: Staging) -> None:
        """Stage the part's records, and the facts about every asset."""
        engagement = staging.engagement
        observer, guns = engagement.observer, engagement.asset
        battery = Battery(
            guns=guns.guns,
            calibre_mm=guns.calibre_mm,
            range_m=guns.range_m,
            observer_m=observer.distance_m,
            sight=observer.sight,
            identified=engagement.target.identified,
            night=engagement.situation.night,
        )
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=battery)
            self.stage_mission(staging, mission)

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage the part's records for an asset; by default there are none."""

    def thrown(
        self,
        chance: Chance,
        view: View,
        roll: str,
        dice: Mapping[str, Die],
        reads: Callable[[int], K],
    ) -> tuple[K, Effects]:
        """Throw dice, or draw a card if ``draws`` names the roll.

        Return ``reads(sum)`` and any further effects, such as those of the draw. The sum includes
        the modifiers; without dice it is 0.
        """
        if roll in self.draws:
            drm = chance.drm(roll)
            return Cards(view, self.draws[roll]).draw(chance, roll, lambda face: reads(face + drm))
        if not dice:
            return reads(0), NOTHING
        throw = chance.dice(roll, **dice)
        return (throw.total + chance.drm(throw)).look_up(reads), NOTHING


def _stated(hint: Any) -> Stated | None:
    """Return the rule and bounds in an annotation, or None if it has none.

    An example is ``Annotated[int, Stated("fall")]``.
    """
    inner = get_args(hint)[0] if get_origin(hint) is ClassVar else hint
    return next((each for each in get_args(inner)[1:] if isinstance(each, Stated)), None)


class Hand(Ready):
    """A part whose sides hold hands of cards: ``class Calls(Hand, AskAndFire)``.

    Each side holds ``hand`` cards from the deck ``deck``. ``kind_of`` returns every fact that the
    rules ever ask about a card in a hand, e.g. high or low; the fewer kinds there are, the fewer
    states the game has. Parts that use the same hands share one such base class. Other sides cannot
    see a hand, so questions about it need ``@orders(..., secret=True)``.

    >>> class Calls(Hand, AskAndFire):
    ...     cites = dict.fromkeys(("hand", "requested", "fire", "cancel", "sight"), "3.1")
    ...     deck, hand = "fate", 4
    ...
    ...     def kind_of(self, face):
    ...         return "high" if face > 40 else "low"
    >>> Calls("my_game", {}, {}).kind_of(52)
    'high'
    """

    needs: ClassVar[tuple[str, ...]] = ("hand",)
    deck: ClassVar[str]
    hand: Annotated[int, Stated("hand", least=1)]

    def kind_of(self, face: Any) -> Any:
        """Return the kind of a card in a hand, given the card's face."""
        raise NotImplementedError

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage each side's hand, and the part's records for an asset."""
        super().stage_mission(staging, mission)
        for side in (staging.firer, staging.target_side):
            staging.hand(self.deck, side, side)

    def filled(self, view: View, side: str) -> Effects:
        """Return the effects of dealing cards to a side until its hand is full.

        Ask questions about the hand only after these effects.
        """
        missing = self.hand - sum(count for _, count in Cards(view, self.deck).pile(side))
        return Effects(*(push(self.deal, side) for _ in range(missing)))

    @step(cite="hand")
    def deal(self, chance: Chance, view: View, side: str) -> Effects:
        """Deal one card into a side's hand."""
        return Effects(Cards(view, self.deck).draw(chance, "deal", self.kind_of, into=side)[1])

    def play(self, view: View, side: str, kind: Any, then: Effect, cite: str) -> Effects | Refusal:
        """Return the effects of a side playing a card of this kind, followed by ``then``.

        If the side does not hold such a card, return a refusal.
        """
        cards = Cards(view, self.deck)
        matching = (
            kinds
            for kinds, _ in cards.pile(side)
            if {self.kind_of(face) for face in kinds} == {kind}
        )
        card = next(matching, None)
        if card is None:
            return Refusal.of(cite, "no_such_card")
        return Effects(cards.move(side, card), then)
