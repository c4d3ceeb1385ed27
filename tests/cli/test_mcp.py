"""The MCP server as a process of its own, driven by the official client."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it comes with mcp, without types
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from tests.archive.builders import kept, said
from tests.cli.running import COMMAND, first_line_of, foldproof, hashes, rest_of, run, started

import foldproof as fp
from foldproof.archive import recall, recall_tools
from foldproof.cli import main
from foldproof.messages import RECALLED, Message, recalled_messages

RUN = Path(__file__).parents[2] / "examples" / "data" / "airline_booking.json"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
_Result = TypeVar("_Result")


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Message]:
    """An archive with one real run folded into it and a long span, and the frame of the run."""
    path = tmp_path_factory.mktemp("mcp") / "a.db"
    with fp.SqliteArchive(path) as archive:
        visit = fp.SummarizeOldest(0, retain="archive").visit(fp.load(RUN).messages, archive=archive)
        kept(archive, *said(*(f"row {index} " + "on and on " * 50 for index in range(300))))
    return path, visit.messages[1]


def connected(path: Path, use: Callable[[Client], Awaitable[_Result]], *options: str, mode: str = "auto") -> _Result:
    """Start a server over an archive, let a client use it, and end both."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "foldproof", "mcp", str(path), *options])

    async def talk() -> _Result:
        async with Client(server, mode=mode, read_timeout_seconds=60) as client:
            return await use(client)

    return asyncio.run(talk())


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_finds_two_tools_that_only_read(mode: str, folded: tuple[Path, Message]) -> None:
    async def use(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.name == "foldproof"
        assert "window" in (client.instructions or "")
        tools = (await client.list_tools()).tools
        written = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in tools
        ]
        assert tuple(written) == recall_tools("mcp")
        for tool in tools:
            Draft202012Validator.check_schema(tool.input_schema)
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint

    connected(folded[0], use, mode=mode)


def test_calls_give_what_python_gives(folded: tuple[Path, Message]) -> None:
    path, frame = folded
    calls: list[tuple[str, dict[str, object]]] = [
        ("recall_expand", {"frame": frame.text}),
        ("recall_search", {"query": "HAT136 economy", "limit": 3}),
    ]

    async def use(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    results = connected(path, use)
    with fp.SqliteArchive(path, read_only=True) as archive:
        assert [text_of(result) for result in results] == [recall(archive, name, asked) for name, asked in calls]
        assert recalled_messages(text_of(results[0])) == tuple(archive.expand(frame))
    assert not any(result.is_error for result in results)


def test_what_a_model_types_wrong_is_an_error_that_says_what_to_write(folded: tuple[Path, Message]) -> None:
    wrong: list[tuple[str, dict[str, object]]] = [
        ("recall_expand", {}),
        ("recall_expand", {"frame": "ffffffffff"}),
        ("recall_expand", {"frame": ["a"], "offset": "x"}),
        ("recall_search", {"query": "no such word anywhere"}),
        ("recall_everything", {}),
    ]

    async def use(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(name, arguments) for name, arguments in wrong]

    for result in connected(folded[0], use):
        assert result.is_error
        assert text_of(result).startswith(f"{RECALLED} Nothing was recalled: ")


def test_what_is_too_much_for_one_reply_is_asked_for_again(folded: tuple[Path, Message]) -> None:
    path, _ = folded
    with fp.SqliteArchive(path, read_only=True) as archive:
        address = archive.addresses()[-1]
        span = archive.expand(address)

    async def use(client: Client) -> list[Message]:
        found: list[Message] = []
        while len(found) < len(span):
            result = await client.call_tool("recall_expand", {"frame": address, "offset": len(found)})
            text = text_of(result)
            assert len(text) <= 5_000
            page = recalled_messages(text)
            assert page
            found += page
            assert (f"{len(span) - len(found)} more;" in text.partition("\n")[0]) == (len(found) < len(span))
        return found

    assert connected(path, use, "--budget", "5000") == list(span)


def test_calls_at_once_each_get_their_own_answer(folded: tuple[Path, Message]) -> None:
    async def use(client: Client) -> list[CallToolResult]:
        calls = [client.call_tool("recall_search", {"query": f'"row {index} on"'}) for index in range(40)]
        return list(await asyncio.gather(*calls))

    for index, result in enumerate(connected(folded[0], use)):
        messages = recalled_messages(text_of(result))
        assert messages is not None
        assert [message.text.partition(" on")[0] for message in messages] == [f"row {index}"]


def test_what_is_archived_while_it_runs_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        kept(archive, *said("early needle"))

        async def use(client: Client) -> list[bool]:
            before = await client.call_tool("recall_search", {"query": "late needle"})
            kept(archive, *said("late needle"))
            after = await client.call_tool("recall_search", {"query": "late needle"})
            return [bool(before.is_error), bool(after.is_error)]

        assert connected(path, use) == [True, False]


def test_an_archive_that_is_damaged_is_an_error_and_the_server_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        whole, broken = kept(archive, *said("whole")), kept(archive, *said("hello " * 900))
    path.write_bytes(path.read_bytes().replace(b"hello hello", b"jello hello"))

    async def use(client: Client) -> list[CallToolResult]:
        return [await client.call_tool("recall_expand", {"frame": address}) for address in (broken, whole)]

    first, second = connected(path, use)
    assert (first.is_error, second.is_error) == (True, False)
    assert "is damaged" in text_of(first)


def test_serving_changes_nothing(folded: tuple[Path, Message]) -> None:
    path, frame = folded
    before = hashes(path.parent)

    async def use(client: Client) -> None:
        await client.call_tool("recall_expand", {"frame": frame.text})

    connected(path, use)
    after = hashes(path.parent)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.db", "there is no such file"),
        ("text.json", "is no archive"),
        (".", "is a folder"),
        ("-", "name its file"),
    ],
)
def test_an_archive_that_is_not_there_is_one_line(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text("[]" * 300)
    ran = foldproof("mcp", name, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    (line,) = ran.stderr.decode().splitlines()
    assert says in line
    assert not (tmp_path / "none.db").exists()


def test_the_server_ends_when_its_client_leaves(folded: tuple[Path, Message]) -> None:
    with started("mcp", folded[0]) as process:
        out, err = process.communicate(json.dumps(HELLO).encode() + b"\n", timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1]  # and nothing else on standard output


def test_what_is_no_message_is_passed_over(folded: tuple[Path, Message]) -> None:
    lines = b"\xff\xfe garbage\n{}\n\n" + json.dumps(HELLO).encode() + b"\n"
    ran = run(*COMMAND, "mcp", folded[0], input=lines, stdout=subprocess.PIPE)
    assert ran.returncode == 0
    assert [json.loads(line).get("id") for line in ran.stdout.splitlines()][-1] == 1
    assert b"Traceback" not in ran.stderr


def test_an_interrupt_ends_it(folded: tuple[Path, Message]) -> None:
    with started("mcp", folded[0]) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        assert first_line_of(process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert rest_of(process.stderr) == b""


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, folded: tuple[Path, Message]) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    ran = CliRunner().invoke(main, ["mcp", str(folded[0])])
    assert (ran.exit_code, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert "pip install 'foldproof[mcp]'" in line


def test_nothing_of_the_sdk_is_imported_before_it_serves() -> None:
    code = "import sys; from foldproof.cli import mcp; assert not {'mcp', 'anyio'} & set(sys.modules)"
    ran = run(sys.executable, "-c", code)
    assert (ran.returncode, ran.stderr) == (0, b"")
