"""A game in play: the state and its agenda, the loop, orders and dice as inputs, the journal, the catalogue of games.

The core owns the loop here; the rules are steps of the parts. Nothing here computes odds.
"""

from typing import TYPE_CHECKING

from fireplan._lazy import lazily

if TYPE_CHECKING:
    from fireplan.table._chronicle import LogLine as LogLine
    from fireplan.table._follow import follow as follow
    from fireplan.table._forecast import Prospect as Prospect
    from fireplan.table._forecast import ahead as ahead
    from fireplan.table._forecast import forecast as forecast
    from fireplan.table._head import Head as Head
    from fireplan.table._head import HeadError as HeadError
    from fireplan.table._head import make_head as make_head
    from fireplan.table._head import opened as opened
    from fireplan.table._journal import Journal as Journal
    from fireplan.table._journal import JournalError as JournalError
    from fireplan.table._journal import Row as Row
    from fireplan.table._playthrough import SUFFIX as SUFFIX
    from fireplan.table._playthrough import Playthrough as Playthrough
    from fireplan.table._playthrough import PlaythroughError as PlaythroughError
    from fireplan.table._playthrough import option_value as option_value
    from fireplan.table._playthrough import read_playthrough as read_playthrough
    from fireplan.table._playthrough import shipped_playthroughs as shipped_playthroughs
    from fireplan.table._playthrough_play import Difference as Difference
    from fireplan.table._playthrough_play import complete_playthrough as complete_playthrough
    from fireplan.table._playthrough_play import replay_playthrough as replay_playthrough
    from fireplan.table._playthrough_play import write_playthrough as write_playthrough
    from fireplan.table._seals import Seal as Seal
    from fireplan.table._seals import commitments as commitments
    from fireplan.table._seals import sealed as sealed
    from fireplan.table._seals import verify as verify
    from fireplan.table._session import GivenInput as GivenInput
    from fireplan.table._session import Session as Session
    from fireplan.table._session import offered as offered
    from fireplan.table._sides import Eyes as Eyes
    from fireplan.table._sides import believed as believed
    from fireplan.table._sides import sides_of as sides_of
    from fireplan.table._store import begin as begin
    from fireplan.table._store import broken_seals as broken_seals
    from fireplan.table._store import reopen as reopen
    from fireplan.table._views import AssetSeen as AssetSeen
    from fireplan.table._views import DieSeen as DieSeen
    from fireplan.table._views import OrderSeen as OrderSeen
    from fireplan.table._views import SideView as SideView
    from fireplan.table._views import Situation as Situation
    from fireplan.table._views import SlotSeen as SlotSeen
    from fireplan.table._views import Spot as Spot
    from fireplan.table._views import UnitSeen as UnitSeen
    from fireplan.table._views import Viewer as Viewer
    from fireplan.table._views import Wanted as Wanted
    from fireplan.table._views import as_data as as_data
    from fireplan.table._views import view_of as view_of
    from fireplan.table._words import Words as Words
    from fireplan.table._words import WordsError as WordsError
else:
    __all__, __getattr__, __dir__ = lazily(
        __name__,
        {
            "._playthrough": ("SUFFIX", "Playthrough", "PlaythroughError", "option_value", "read_playthrough", "shipped_playthroughs"),
            "._chronicle": ("LogLine",),
            "._sides": ("Eyes", "believed", "sides_of"),
            "._follow": ("follow",),
            "._forecast": ("Prospect", "ahead", "forecast"),
            "._head": ("Head", "HeadError", "make_head", "opened"),
            "._journal": ("Journal", "JournalError", "Row"),
            "._playthrough_play": ("Difference", "complete_playthrough", "replay_playthrough", "write_playthrough"),
            "._seals": ("Seal", "commitments", "sealed", "verify"),
            "._session": ("Session", "GivenInput", "offered"),
            "._store": ("begin", "broken_seals", "reopen"),
            "._views": (
                "AssetSeen",
                "DieSeen",
                "OrderSeen",
                "SideView",
                "Situation",
                "SlotSeen",
                "Spot",
                "UnitSeen",
                "Viewer",
                "Wanted",
                "as_data",
                "view_of",
            ),
            "._words": ("Words", "WordsError"),
        },
    )
