"""A server that answers questions from assistants and other programs (Model Context Protocol).

The command is ``fireplan mcp`` and needs the extra ``mcp``. The server changes nothing, reads no
file that a question names, and uses no network.
"""

from fireplan.mcp_server.serving import serve, server

__all__ = ["serve", "server"]
