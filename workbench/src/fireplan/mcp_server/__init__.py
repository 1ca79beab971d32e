"""The referee: questions of other programs answered over the Model Context Protocol (``fireplan mcp``), read-only.

It needs the extra ``mcp``. Whatever is asked stands on the front door; no file of the machine is
read by a name that was asked for, and no network is used.
"""

from fireplan.mcp_server.serving import serve, server

__all__ = ["serve", "server"]
