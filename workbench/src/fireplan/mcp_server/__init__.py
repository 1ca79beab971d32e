"""Questions of assistants and other programs, over the Model Context Protocol (``fireplan mcp``).

It needs the extra ``mcp``, changes nothing, reads no file that is named, and uses no network.
"""

from fireplan.mcp_server.serving import serve, server

__all__ = ["serve", "server"]
