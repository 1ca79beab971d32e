"""The changes that a seat can make at a table, and standard orders for sides that nobody plays."""

from collections.abc import Callable, Mapping, Sequence

from fireplan import table
from fireplan.errors import InputError
from fireplan_core import Ask
from fireplan_core.chance import Face, Faces, RandomFaces
from fireplan_core.sentences import capitalized
from fireplan_studio.limits import over
from fireplan_studio.open_session import OpenSession
from fireplan_studio.refusals import REFUSED, RequestRefusedError


def make_change(opened: OpenSession, side: str, kind: str, form: Mapping[str, str]) -> None:
    """Make a change sent by a seat: an order, dice, an undo, a request for an undo, or a reveal.

    ``kind`` is the kind of change, and ``form`` has the fields sent. Raises ``RequestRefusedError``
    if the seat may not make the change, if the input is not valid, or for an unknown kind.
    """
    session = opened.session
    allowed: dict[str, tuple[object, str]] = {
        "undo": (
            opened.takes_back(side),
            opened.no_undo(side) or "This seat has nothing to take back now.",
        ),
        "ask": (opened.may_ask(side), "No other side has an order to take back now."),
        "reveal": (
            opened.may_reveal(side),
            "Until the game is over, only the referee may reveal what is hidden.",
        ),
    }
    if kind in allowed and not allowed[kind][0]:
        raise RequestRefusedError(REFUSED, allowed[kind][1])
    dice = [form.get(f"die{n}", "") for n in range(sum(key.startswith("die") for key in form))]
    changes: dict[str, Callable[[], object]] = {
        "order": lambda: _order(opened, side, form.get("order", "")),
        "dice": lambda: _dice(opened, side, dice),
        "undo": session.undo,
        "ask": lambda: opened.undo_requests.update({len(session.rows): side}),
        "reveal": session.reveal,
    }
    if kind not in changes:
        raise RequestRefusedError(
            404, "A table accepts only orders, dice, undos, requests to undo and reveals."
        )
    changes[kind]()


def _order(opened: OpenSession, side: str, text: str) -> None:
    viewer = table.Viewer(opened.session, side)
    try:
        refusal = viewer.give(viewer.read_order(text))
    except InputError as error:
        raise RequestRefusedError(REFUSED, str(error)) from error
    if refusal is not None:
        raise RequestRefusedError(REFUSED, f"Refused: {refusal}")


def _dice(opened: OpenSession, side: str, faces: list[str]) -> None:
    """Enter the faces typed for the remaining dice of a roll; the studio rolls dice left empty.

    Raises ``RequestRefusedError`` if no dice are due from this seat, for the wrong number of dice,
    or for an impossible face.
    """
    session, event = opened.session, opened.session.throw_due
    if event is None or opened.view(side).form.kind != "dice":
        raise RequestRefusedError(REFUSED, "No roll is waiting for dice from this seat.")
    dice = event.faces[len(session.faces) :]
    if len(faces) != len(dice):
        raise RequestRefusedError(REFUSED, f"Dice needed: {len(dice)}; dice entered: {len(faces)}.")
    viewer = table.Viewer(session, side)
    shown = opened.view(side).form.dice[len(session.faces) :]
    faces = [_card(viewer, text) for text in faces]
    session.throw(
        [
            _face(die, text, opened.dice, seen.faces)
            for die, text, seen in zip(dice, faces, shown, strict=True)
        ]
    )


def give_standard_orders(opened: OpenSession) -> None:
    """Answer for the sides that nobody plays, and roll the dice that only they see.

    Nothing is entered beyond the limit of inputs.
    """
    side, session = opened.solo, opened.session
    while side and (waits := session.table.waits_for) is not None:
        if over("inputs", len(session.rows) + 1):
            return
        if isinstance(waits, Ask) and waits.who != side:
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        elif not isinstance(waits, Ask) and waits.seen_by not in ("", side):
            dice = waits.faces[len(session.faces) :]
            session.throw([(opened.dice.face(die), False) for die in dice])
        else:
            return


def _card(viewer: table.Viewer, text: str) -> str:
    """Return the number of the card that a text names; any other text is returned unchanged.

    Raises ``RequestRefusedError`` if no card fits, or if several different cards do.
    """
    try:
        card = viewer.read_card(text) if text.strip() else None
    except InputError as error:
        words = capitalized(str(error))
        raise RequestRefusedError(REFUSED, words if words.endswith("?") else f"{words}.") from error
    return text if card is None else str(card)


def _face(die: Faces, text: str, rolled: RandomFaces, shown: Sequence[str]) -> tuple[Face, bool]:
    """Return the face typed, or a rolled face if nothing was typed, and whether it was typed.

    ``rolled`` rolls the die. ``shown`` lists the faces that look possible to the seat; a card among
    them may be in another side's hand. Raises ``RequestRefusedError`` for a face that cannot come
    up.
    """
    if not text:
        return rolled.face(die), False
    for face, _ in die.weights:
        if str(face) == text.strip():
            return face, True
    if text.strip() in shown:
        raise RequestRefusedError(REFUSED, f"{die.label} {text.strip()} is not in the deck now.")
    if die.label in ("card", "chit"):  # cards and chits are drawn; only dice have faces
        raise RequestRefusedError(
            REFUSED, f"{text[:20]!r} cannot be drawn; possible: {', '.join(shown)}."
        )
    raise RequestRefusedError(
        REFUSED, f"{die.label} has no face {text[:20]!r}; its faces are {', '.join(shown)}."
    )
