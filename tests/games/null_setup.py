"""The null game on a table: its catalogue, its outpost, an engagement, and changed plugins."""

import datetime as dt
import types

import attrs
import null_game

from fireplan_core import Engagement, Firer, Target
from fireplan_core.play import Catalogue, Variation, find_scenario, stage_engagement

ENGAGEMENT = Engagement(
    title="t",
    date=dt.date(1944, 1, 1),
    firer=Firer(nationality="x"),
    target=Target(nationality="y", frontage_m=10, depth_m=10),
)


def null_catalogue(plugin=null_game):
    """Return a catalogue with one game: the null game, or a plugin that changes it."""
    catalogue = Catalogue()
    catalogue.admit(plugin)
    return catalogue


def staged(engagement=ENGAGEMENT, plugin=null_game, rules=()):
    """Return an engagement staged by the null game, or by a plugin that changes it."""
    return stage_engagement(null_catalogue(plugin), "null", engagement, Variation(rules=rules))


def against(**target):
    """Return the engagement with some facts of its target changed."""
    return attrs.evolve(ENGAGEMENT, target=attrs.evolve(ENGAGEMENT.target, **target))


def outpost():
    """Return the scenario that the null game ships."""
    return find_scenario(null_catalogue(), "null/outpost")[0]


def plugin_with(**hooks):
    """Return a plugin that describes the null game, with these hooks added or replaced."""
    return types.SimpleNamespace(**{"fireplan_game": null_game.fireplan_game, **hooks})
