"""The server: tools over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from fireplan.errors import InputError, shown, unknown
from fireplan.mcp_server.tools import tools
from fireplan.mcp_server.worker import Worker

SECONDS = 30
"""Default time limit for one answer, in seconds."""
WAITING = 64
"""Maximum number of questions waiting at once."""
LONGEST_FAULT = 2_000
"""Maximum length of one fault, in characters; it may quote the question."""
INSTRUCTIONS = (
    "A referee for the artillery of wargames. Begin with games and scenarios; position gives the line of an opening,"
    " legal and why_not judge orders there, odds answers from it on. Chances are exact fractions unless an answer says"
    " exact: false. Rule numbers are those of each game's rulebook."
)


def server(seconds: float = SECONDS) -> Server[Any]:
    """Return the server, given a time limit for each answer in seconds."""
    worker = Worker(seconds)

    async def listed(_context: Any, _asked: Any) -> ListToolsResult:
        hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        return ListToolsResult(
            tools=[
                Tool(
                    name=name,
                    description=tool.description,
                    input_schema=dict(tool.schema),
                    annotations=hints,
                )
                for name, tool in tools().items()
            ]
        )

    async def called(_context: Any, asked: Any) -> CallToolResult:
        try:
            return _answered(await _ask(worker, asked.name, asked.arguments or {}))
        except InputError as error:
            return _refused(error)

    @asynccontextmanager
    async def alive(_server: Any) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            worker.close()

    return Server(
        "fireplan",
        version=version("fireplan"),
        instructions=INSTRUCTIONS,
        lifespan=alive,
        on_list_tools=listed,
        on_call_tool=called,
    )


async def _ask(worker: Worker, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if name not in tools():
        raise unknown("tool", name[:LONGEST_FAULT], tools())
    given = {key: value for key, value in arguments.items() if value is not None}
    if anyio.to_thread.current_default_thread_limiter().statistics().tasks_waiting >= WAITING:
        raise InputError(
            f"{WAITING} questions are already waiting: ask again when some of them have been answered."
        )
    return await anyio.to_thread.run_sync(worker.ask, name, given, abandon_on_cancel=True)


def _answered(data: dict[str, Any]) -> CallToolResult:
    text = json.dumps(data, ensure_ascii=False, default=str)
    plain = json.loads(text)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=plain)


def _refused(error: InputError) -> CallToolResult:
    faults = [
        shown(fault if len(fault) <= LONGEST_FAULT else f"{fault[:LONGEST_FAULT]} ...")
        for fault in error.faults
    ]
    text = TextContent(type="text", text="\n".join(faults))
    return CallToolResult(content=[text], structured_content={"faults": faults}, is_error=True)


def serve(seconds: float = SECONDS) -> None:
    """Answer questions on standard input and output until the input ends.

    ``seconds`` is the time limit for one answer.
    """

    async def run() -> None:
        made = server(seconds)
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            send, readable = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tasks.start_soon(_relay, read, send, write)
            await made.run(readable, write, made.create_initialization_options())

    anyio.run(run)


async def _relay(read: Any, send: Any, write: Any) -> None:
    """Pass messages from ``read`` to ``send``.

    Answer unreadable messages, which the server would ignore, through ``write``.
    """
    async with send:
        async for message in read:
            if isinstance(message, Exception):
                await write.send(SessionMessage(_unreadable(message)))
            else:
                await send.send(message)


def _unreadable(error: Exception) -> JSONRPCError:
    """Return the answer to a message that is not a request, with the message's id if it has one."""
    text = error.errors()[0]["input"] if isinstance(error, ValidationError) else None
    try:
        message = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        message = None
    number = message.get("id") if isinstance(message, dict) else None
    if isinstance(number, bool) or not isinstance(number, int | str):
        number = None
    message = (
        "Expected a request of the Model Context Protocol, as one line of JSON in Unicode text."
    )
    return JSONRPCError(
        jsonrpc="2.0", id=number, error=ErrorData(code=PARSE_ERROR, message=message)
    )
