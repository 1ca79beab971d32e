"""The core of fireplan: define a game, and run one mission to its end.

This is what the author of a game imports: the five words (``Observers``, ``Requests``, ``Delays``, ``Areas``,
``Resolution``), the neutral mission and its ``cycle``, what a step may answer, scenarios and how they are staged.
Nothing here knows a particular game. Beside it stand the packages ``chance``, ``space``, ``files``, ``ledger``,
``blocks`` and ``play``.
"""

from fireplan_core import cycle as cycle
from fireplan_core.areas import Areas
from fireplan_core.delays import Delays
from fireplan_core.game import (
    CORE_API,
    Charts,
    Game,
    GameSpec,
    Option,
    Options,
    RuleSpec,
    ScenarioFile,
    ScenarioForm,
    hookimpl,
    hookspec,
    options_from_csv,
)
from fireplan_core.mission import (
    FINAL,
    MISSION_EVENTS,
    REFEREE,
    FireKind,
    Intent,
    Mission,
    Reason,
    Severity,
    Shot,
    Sight,
    Stage,
    Unit,
)
from fireplan_core.numbers import Named, find_numbers, numbers_of, under, watched_charts, with_numbers
from fireplan_core.observers import Observers
from fireplan_core.parts import Parts, PartTypes, parts_of
from fireplan_core.play.scenario import Scenario
from fireplan_core.record import (
    AT_PLACES,
    COUNT,
    Atom,
    ByPlace,
    Place,
    ProcedureError,
    RecordView,
    check_atom,
    defaults,
    kept,
    record,
    told,
)
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.scenario.clock import Clock
from fireplan_core.scenario.engagement import (
    Asset,
    Cover,
    Engagement,
    Firer,
    Observer,
    OwnTroops,
    Posture,
    Quality,
    Situation,
    Target,
)
from fireplan_core.scenario.setup import Feature, MissionSetup, Setup, UnitSetup
from fireplan_core.scenario.staging import CannotStageError, Staging
from fireplan_core.steps.effects import (
    Ask,
    Effect,
    Effects,
    Event,
    Pending,
    Step,
    Update,
    ask,
    emit,
    optional,
    push,
    required,
    step,
    update,
    within,
)
from fireplan_core.steps.part import WORDS, Keeps, Modifier, Part, SecretNote, StepDef
from fireplan_core.steps.questions import Form, Order, Question, Refusal, Slot, orders
from fireplan_core.steps.view import View

__all__ = [
    "AT_PLACES", "CORE_API", "COUNT", "FINAL", "MISSION_EVENTS", "REFEREE", "WORDS", "Areas", "Ask", "Asset", "Atom",
    "ByPlace", "CannotStageError", "Charts", "Clock", "Cover", "Delays", "Effect", "Effects", "Engagement", "Event",
    "Feature",
    "FireKind", "Firer", "Form", "Game", "GameSpec", "Intent", "Keeps", "Mission", "MissionSetup", "Modifier", "Named",
    "Observer", "Observers", "Option", "Options", "Order", "OwnTroops", "Part", "PartTypes", "Parts", "Pending",
    "Place", "Posture", "ProcedureError", "Quality", "Question", "Reason", "RecordView", "Refusal", "Requests",
    "Resolution", "RuleSpec", "Scenario", "ScenarioFile", "ScenarioForm", "SecretNote", "Setup", "Severity", "Shot",
    "Sight", "Situation", "Slot", "Stage", "Staging", "Step", "StepDef", "Target", "Unit", "UnitSetup", "Update",
    "View", "ask", "check_atom", "cycle", "defaults", "emit", "find_numbers", "hookimpl", "hookspec", "kept",
    "numbers_of", "optional", "options_from_csv", "orders", "parts_of", "push", "record",
    "required", "step", "told", "under", "update", "watched_charts", "with_numbers", "within",
]  # fmt: skip
