"""`foldproof mcp`: an MCP server on standard input and output, with the two tools that recall what was folded."""

from __future__ import annotations

import asyncio
import os
import signal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import click

from foldproof.archive import BUDGET, SqliteArchive, recall_tools
from foldproof.archive.recalling import Mistake, answer
from foldproof.cli.archives import archive_at
from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import recalled_text

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_INTERRUPTED: Final = 130
_INSTRUCTIONS: Final = (
    "Earlier messages of the conversation may have left the window; a message that says where the originals were "
    "archived stands for them. These tools bring them back. Look here before you state a detail that you no longer see."
)


@click.command("mcp", short_help="Serve expand and search to an agent over MCP.")
@click.argument("path", metavar="DB", type=click.Path())
@click.option(
    "--budget",
    type=click.IntRange(min=4_000),
    default=BUDGET,
    show_default=True,
    metavar="N",
    help="Give at most N characters at a time.",
)
def command(*, path: str, budget: int) -> int:
    """Serve the tools recall_expand and recall_search over the archive DB, on standard input and output.

    Whoever is connected may read all of DB, and change nothing: give each agent an archive of its own. It ends when
    the client closes standard input. It needs the extra `mcp`: pip install 'foldproof[mcp]'.
    """
    try:
        from mcp.server.stdio import stdio_server
    except ImportError as error:
        raise UsageError(f"foldproof mcp needs an extra ({error}): pip install 'foldproof[mcp]'") from error

    async def serve(server: Server[Any]) -> None:
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    with archive_at(path) as archive:
        # A thread waits for standard input, and no exception ends that. Nothing is written here, so nothing is lost.
        signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
        asyncio.run(serve(_server(archive, budget)))
    return 0


def _server(archive: SqliteArchive, budget: int) -> Server[Any]:
    from mcp import types
    from mcp.server.lowlevel import Server

    reads = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    tools = [types.Tool.model_validate({**tool, "annotations": reads}) for tool in recall_tools("mcp")]

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        text, failed = await asyncio.to_thread(_answered, archive, asked.name, asked.arguments, budget)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    return Server(
        "foldproof",
        version=version("foldproof"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _answered(archive: SqliteArchive, name: str, arguments: dict[str, Any] | None, budget: int) -> tuple[str, bool]:
    """Return what to send, and whether it is an error. What goes wrong is marked too: no word of it is evidence."""
    try:
        return answer(archive, name, arguments, budget=budget), False
    except Mistake as mistake:
        return str(mistake), True
    except (TranscriptError, UsageError) as error:
        return recalled_text((), about=f"Nothing was recalled: {error}"), True
