"""The prompt for dice and cards."""

import re
import secrets  # noqa: TID251 - a seed for dice the program rolls; each face is journalled as it fell
from collections.abc import Sequence

from fireplan import table
from fireplan.cli.prompt.commands import Commands
from fireplan.cli.prompt.orders import either, prospect_line
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import RESULTS
from fireplan.errors import InputError
from fireplan_core.chance import ChanceError, Face, RandomFaces

_FACE = re.compile("-?[0-9]{1,9}")
REPEATED = 4
"""Maximum number of results that are listed again if they are the same as the last time."""


class DicePrompt:
    """The prompt that announces a throw and asks for its dice; an empty line rolls a die.

    ``seed`` is the seed of the dice that the program rolls; None means random dice.
    """

    def __init__(self, keyboard: SharedKeyboard, commands: Commands, seed: int | None) -> None:
        self._session, self._terminal = keyboard.session, keyboard.terminal
        self._keyboard, self._commands = keyboard, commands
        self._words = table.Words(self._session.scenario)
        self._rolled = RandomFaces(secrets.randbits(64) if seed is None else seed)
        self._mistaken = False
        """True after an impossible face: the throw has been announced already."""
        self._listed: dict[tuple[str, str], list[str]] = {}
        """The results listed last for each side and throw."""
        self._examples: dict[bool, str] = {}
        """A card as it may be typed, with dice and without: the same throughout the game."""

    def throw(self) -> None:
        """Ask for the next die of the pending throw; enter the faces typed.

        An empty line rolls the die. The throw is announced before its first die. A die with only
        one possible face is entered without asking.
        """
        waits = self._session.table.waits_for
        form = self._keyboard.viewer.form()
        if not self._session.faces and not self._mistaken:
            self._announce(form)
        self._mistaken = False
        die = form.dice[len(self._session.faces)]
        if len(set(die.faces)) == 1 and self._session.die is not None:
            self._terminal.say(f"  {self._die(die.label)}: {die.faces[0]}, its only face")
            self._fall(self._rolled.face(self._session.die), typed=False)
            return
        prompt, possible = self._request(form, die)
        line = None
        while line is None and self._session.table.waits_for is waits:
            line = self._commands.line(prompt, possible)
        if line is None or self._session.die is None:
            return
        if line == "":
            rolled = self._rolled.face(self._session.die)
            if die.cards:
                self._say_drawn(rolled)
            else:
                verb = "drew" if form.verb == "Draw" else "rolled"
                self._terminal.say(f"  {verb} {rolled}")
            self._fall(rolled, typed=False)
        elif die.cards:
            self._enter_card(line)
        else:
            self._enter(line, die.faces)

    def roll(self) -> None:
        """Have the program roll the next die of the throw that is due."""
        if self._session.die is not None:
            self._session.face(self._rolled.face(self._session.die), typed=False)

    def _request(self, form: table.Prompt, die: table.DieSeen) -> tuple[str, tuple[str, ...]]:
        """Return the prompt for a die or a card, and the inputs that are possible."""
        named = self._die(die.label)
        if not die.cards:
            label = "drawn" if form.verb == "Draw" else named
            return f"{label} ({_faces(die.faces)}): ", die.faces
        card = die.cards[len(die.cards) // 2]
        typed = "-".join(map(str, card.dice)) or card.text
        example = self._examples.setdefault(bool(card.dice), typed)
        possible = tuple(card.text for card in die.cards)
        if not card.name:
            return f"dice (such as {example}): ", possible
        signs = sorted({card.sign for card in die.cards if card.sign})
        marked = f"; add {either(signs)} if it is marked so" if signs else ""
        return f"{named} (its dice, such as {example}, its name, or both{marked}): ", possible

    def _announce(self, form: table.Prompt) -> None:
        """Print the purpose of the dice, their modifiers and their possible results."""
        subject = f" ({form.question})" if form.question else ""
        # A draw needs no label.
        drawn = form.verb == "Draw" or any(die.cards for die in form.dice)
        labels = "" if drawn else ", ".join(self._die(die.label) for die in form.dice)
        waits = self._session.throw_due
        action = form.roll if waits is None else self._words.action(waits)
        what = f"{action[:1].upper()}{action[1:]}{subject}"
        self._terminal.say(f"\n{what}: {labels}" if labels else f"\n{what}")
        if form.modifiers:
            heading = form.number or "modifiers included below"
            self._terminal.say(f"  {heading}: {'; '.join(form.modifiers)}")
        if form.certain:
            self._terminal.say(f"  in any case: {form.certain}")
        results = [f"  {prospect_line(prospect)}" for prospect in form.prospects]
        key = self._keyboard.side, what
        if len(results) > REPEATED and self._listed.get(key) == results:
            self._terminal.say("  the results are those listed last time ('more' lists them)")
            self._terminal.some([], results)
            return
        self._listed[key] = results
        self._terminal.some(results, shown=RESULTS)

    def _die(self, label: str) -> str:
        """Return the game's name for a die of the throw that is due."""
        waits = self._session.throw_due
        return label.replace("_", " ") if waits is None else self._words.die(waits.name, label)

    def _say_drawn(self, face: Face) -> None:
        """Print which card was drawn."""
        waits = self._session.throw_due
        if waits is not None:
            verb = "drew" if self._words.verb(waits) == "draw" else "rolled"
            self._terminal.say(f"  {verb} {self._words.cards.face(waits, face)}")

    def _enter_card(self, line: str) -> None:
        """Enter the card that a line names, or print why there is no such card."""
        try:
            card = self._keyboard.viewer.read_card(line)
        except InputError as error:
            self._terminal.reply(error)
            self._mistaken = True
            return
        if card is not None:
            self._say_drawn(card)
            self._fall(card, typed=True)

    def _enter(self, line: str, faces: Sequence[str]) -> None:
        """Enter the faces in a line, up to the first impossible one.

        ``faces`` are the possible faces of the first die.
        """
        waits = self._session.table.waits_for
        is_one = line.casefold() in map(str.casefold, faces)
        for text in [line] if is_one else re.split(r"[\s,]+", line):
            if self._session.table.waits_for is not waits:
                self._terminal.reply(f"the throw is complete without {text}")
                return
            face = next((face for face in faces if face.casefold() == text.casefold()), text)
            if not self._fall(int(face) if _FACE.fullmatch(face) else face, typed=True):
                return

    def _fall(self, face: int | str, *, typed: bool) -> bool:
        """Enter a die of the throw; return whether the face was possible."""
        die = self._session.die
        try:
            self._session.face(face, typed=typed)
        except ChanceError as error:
            label = "" if die is None else die.label
            why = str(error).removeprefix(f"{label}: ")
            drawn = self._keyboard.viewer.form().verb == "Draw"
            self._terminal.reply(why if drawn else f"{self._die(label)}: {why}")
            self._mistaken = True
            return False
        if result := "" if self._session.faces else self._keyboard.viewer.fell(whole=False):
            self._terminal.say(f"  {result}")
        self._keyboard.news(spare=True)
        return True


def _faces(faces: tuple[str, ...]) -> str:
    joined = " to " if faces[0].startswith("-") else "-"
    return (
        f"{faces[0]}{joined}{faces[-1]}"
        if all(face.lstrip("-").isdigit() for face in faces)
        else ", ".join(faces)
    )
