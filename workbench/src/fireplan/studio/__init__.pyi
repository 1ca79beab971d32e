from fireplan.studio._alone import Answer as Answer
from fireplan.studio._alone import alone as alone
from fireplan.studio._app import studio as studio
from fireplan.studio._safety import LOOPBACK as LOOPBACK
from fireplan.studio._safety import Settings as Settings
from fireplan.studio._server import Server as Server
from fireplan.studio._studio import Studio as Studio
