"""The studio: the comparison and the table in a browser, on one's own machine, without any network.

``studio`` makes the application; ``fireplan serve`` runs it. It needs the extra ``web``.
"""

from fireplan.studio._app import studio
from fireplan.studio._safety import LOOPBACK, Settings
from fireplan.studio._server import Server
from fireplan.studio._studio import Studio

__all__ = ["LOOPBACK", "Server", "Settings", "Studio", "studio"]
