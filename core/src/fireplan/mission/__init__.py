"""Missions: observers, requests, delays, areas and resolution; the neutral records and how a game hands itself over.

This is what the author of a game imports. Nothing here knows a particular game, and nothing here runs a table.
"""

from fireplan.mission._cycle import Cycle
from fireplan.mission._engagement import (
    Asset,
    Engagement,
    Firer,
    Observer,
    OwnTroops,
    Situation,
    Target,
)
from fireplan.mission._game import (
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
)
from fireplan.mission._neutral import FINAL, Intent, Mission, Reason, Severity, Sight, Stage, Unit
from fireplan.mission._part import WORDS, Modifier, Part, Question, StepDef
from fireplan.mission._procedure import (
    REFEREE,
    Ask,
    Event,
    Form,
    Order,
    Pending,
    Put,
    Refusal,
    Slot,
    Step,
    Then,
    ask,
    push,
    put,
    step,
    tell,
)
from fireplan.mission._record import (
    Atom,
    Place,
    ProcedureError,
    RecordView,
    check_atom,
    defaults,
    record,
)
from fireplan.mission._scenario import MissionSetup, Parts, Scenario, UnitSetup
from fireplan.mission._staging import CannotStageError, Staging
from fireplan.mission._view import View
from fireplan.mission.areas import Areas
from fireplan.mission.delays import Clock, Delays
from fireplan.mission.observers import Observers
from fireplan.mission.requests import Requests
from fireplan.mission.resolution import Resolution

__all__ = [
    "CORE_API",
    "FINAL",
    "REFEREE",
    "WORDS",
    "Areas",
    "Ask",
    "Asset",
    "Atom",
    "CannotStageError",
    "Charts",
    "Clock",
    "Cycle",
    "Delays",
    "Engagement",
    "Event",
    "Firer",
    "Form",
    "Game",
    "GameSpec",
    "Intent",
    "Mission",
    "MissionSetup",
    "Modifier",
    "Observer",
    "Observers",
    "Option",
    "Options",
    "Order",
    "OwnTroops",
    "Part",
    "Parts",
    "Pending",
    "Place",
    "ProcedureError",
    "Put",
    "Question",
    "Reason",
    "RecordView",
    "Refusal",
    "Requests",
    "Resolution",
    "RuleSpec",
    "Scenario",
    "ScenarioFile",
    "ScenarioForm",
    "Severity",
    "Sight",
    "Situation",
    "Slot",
    "Stage",
    "Staging",
    "Step",
    "StepDef",
    "Target",
    "Then",
    "Unit",
    "UnitSetup",
    "View",
    "ask",
    "check_atom",
    "defaults",
    "hookimpl",
    "hookspec",
    "push",
    "put",
    "record",
    "step",
    "tell",
]
