"""Formats of another package, which is really installed on the path."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import foldproof, json_lines

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message
from foldproof.transcripts import detect, dump, formats, load, parse, registry

MODULE = """
from foldproof.messages import Message
from foldproof.transcripts import Format, Reading


class Diary:
    format = Format("diary", "a diary of an agent", shape="{diary: [[role, text], ...]}")

    def recognise(self, value):
        return "a diary" if isinstance(value, dict) and isinstance(value.get("diary"), list) else None

    def read(self, value):
        messages = tuple(Message(role=role, content=text) for role, text in value["diary"])
        return (Reading(messages, tuple(range(len(messages)))),)

    def write(self, value, edits):
        (edit,) = edits
        return {"diary": [[entry.message.role, entry.message.text] for entry in edit.entries]}


class Clumsy(Diary):
    format = Format("clumsy", "fails")

    def recognise(self, value):
        return "clumsy" if value["clumsy"] else None

    def read(self, value):
        return () if value["clumsy"] == "nothing" else 1 / 0


class Grabby(Diary):
    format = Format("openai_chat", "takes over a name")


half = Format("half", "no codec")
"""
OFFERED = {
    "diary": "diaries:Diary",
    "openai_chat": "diaries:Grabby",
}
WRONG = {
    "half": "diaries:half",
    "misnamed": "diaries:Diary",
    "not-there": "diaries_of_nobody:Diary",
}
DIARY = {"diary": [["user", "fee?"], ["assistant", "It is $190.25."]]}


def install(folder: Path, offered: dict[str, str]) -> None:
    metadata = folder / "diaries-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: diaries\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in offered.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[foldproof.formats]", *lines, ""]))
    (folder / "diaries.py").write_text(MODULE)


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder on the path, and nothing remembered of what was offered before or after."""
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (registry._offered, registry._loaded):
        cached.cache_clear()
    yield tmp_path
    for cached in (registry._offered, registry._loaded):
        cached.cache_clear()
    sys.modules.pop("diaries", None)


def test_a_format_of_a_package_is_found_read_written_and_listed(forgotten: Path) -> None:
    install(forgotten, OFFERED)
    assert detect(DIARY) == "diary"
    path = forgotten / "run.json"
    path.write_text(json.dumps(DIARY))
    conversation = load(path)
    assert (conversation.format, conversation.messages[1].text) == ("diary", "It is $190.25.")
    dump(conversation.replace([Message(role="user", content="x")]), path)
    assert json.loads(path.read_text()) == {"diary": [["user", "x"]]}
    assert [known.name for known in formats()].count("openai_chat") == 1
    assert formats()[-1].name == "diary"
    assert parse([{"role": "user", "content": "a"}], format="openai_chat").format == "openai_chat"


def test_the_command_knows_it_too(forgotten: Path) -> None:
    install(forgotten, OFFERED)
    path = forgotten / "run.json"
    path.write_text(json.dumps(DIARY))
    environment = {"PYTHONPATH": str(forgotten)}
    (report,) = json_lines(foldproof("audit", path, "--json", env=environment).stdout)
    assert report["format"] == "diary"
    assert (
        foldproof("formats", "--why", path, env=environment).stdout.decode() == f"{path}: diary, because of a diary\n"
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [("half", "has no format"), ("misnamed", "calls itself 'diary'"), ("not-there", "cannot be loaded")],
)
def test_one_that_cannot_be_loaded_says_so_and_hinders_nothing_that_is_known(
    name: str, said: str, forgotten: Path
) -> None:
    install(forgotten, {name: WRONG[name]})
    known: Any = [{"role": "user", "content": "a"}]
    assert detect(known) == "openai_chat"
    with pytest.raises(UsageError, match=said):
        parse(DIARY, format=name)
    with pytest.raises(TranscriptError, match=f"no known format.*{said}"):
        detect({"hello": 1})
    listed = formats()[-1]
    assert (listed.name, listed.can_read, said in listed.description) == (name, False, True)


def test_what_goes_wrong_in_one_is_an_error_of_the_file_that_names_the_package(forgotten: Path) -> None:
    install(forgotten, {"clumsy": "diaries:Clumsy"})
    with pytest.raises(TranscriptError, match=r"clumsy \(diaries:Clumsy\) could not read it: ZeroDivisionError"):
        parse({"clumsy": "division"})
    with pytest.raises(TranscriptError, match=r"read no conversation"):
        parse({"clumsy": "nothing"})
    with pytest.raises(TranscriptError, match=r"could not say whether this is one of its documents: KeyError"):
        parse({"hello": 1})


def test_nothing_is_imported_for_a_file_that_is_known(forgotten: Path) -> None:
    install(forgotten, OFFERED)
    parse([{"role": "user", "content": "a"}])
    assert "diaries" not in sys.modules
    with pytest.raises(TranscriptError, match="no known format"):
        detect({"hello": 1})
    assert "diaries" in sys.modules
