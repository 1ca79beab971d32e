"""``fireplan play``: a prompted game in the terminal, with the players' own dice; works over a pipe."""

from __future__ import annotations

from pathlib import Path

from fireplan import api, table
from fireplan.api import catalogue_for, gathered, outside, refuse, refusing
from fireplan.cli._open import sit
from fireplan.cli._options import DiceSeed, HouseRules, ScenarioName, Several
from fireplan.cli._print import say_line


def play(
    scenario: ScenarioName = None,
    /,
    *,
    game: str | None = None,
    option: Several = None,
    journal: Path | None = None,
    seed: DiceSeed = None,
    rules: HouseRules = None,
) -> None:
    """Play at the table: legal orders numbered, your own dice typed in, every ruling with its rule.

    :param game: Play an engagement with this game.
    :param option: NAME=VALUE of the game, any number of them, laid over those of the scenario.
    :param journal: The file every input is written to; by default one made of the title. 'fireplan resume' continues
        it.
    """
    installed = catalogue_for(scenario, game)
    faults = outside("seed", seed, 0)
    wrong = [text for text in option or () if "=" not in text]
    if wrong:
        faults.append(f"--option: expected NAME=VALUE, got {', '.join(wrong)}.")
    pairs = (text.partition("=") for text in option or () if text not in wrong)
    options = {name: table.option_value(value) for name, _, value in pairs}
    laid = gathered(faults, api.house_rules, rules) or ()
    opening = gathered(faults, api.opened, installed, scenario, game, laid, options)
    refuse(faults)
    head, found, _ = opening
    path = journal or _free_path(found.title)
    with refusing():
        session = table.begin(path, installed, head, laid)
    say_line(f"journal: {path}")
    if laid:
        say_line(f"house rules: {', '.join(head.house_rules)}")
    sit(session, seed)


def _free_path(title: str) -> Path:
    """Return a name made of the title that is not taken yet."""
    stem = "".join(c if c.isalnum() else "_" for c in title.lower()).strip("_")[:40] or "table"
    number = 1
    while (path := Path(f"{stem}_{number}.fireplan")).exists():
        number += 1
    return path
