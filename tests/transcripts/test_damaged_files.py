"""Real files with something wrong in them: cut short, rows missing, rows in another order, rows nobody knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.test_real_files import FILES, name_of

from foldproof.errors import TranscriptError
from foldproof.transcripts import Conversation, load_all, read_text

LARGEST = 150_000  # bytes: what is larger shows nothing new, and takes long
SMALL = [path for path in FILES if path.stat().st_size <= LARGEST]
LINES = [path for path in SMALL if path.suffix in (".jsonl", ".responses")]
MANY = [path for path in LINES if len(path.read_text(encoding="utf-8").splitlines()) > 1]


def read(data: bytes | str, path: Path) -> list[Conversation] | str:
    """What was read, or the one line of the error."""
    try:
        return list(read_text(data, name=path.name))
    except TranscriptError as error:
        if "\n" in str(error) or not str(error).startswith(path.name):
            pytest.fail(f"no line that names the file: {error}")
        return str(error)


def places(found: list[Conversation]) -> list[str]:
    return [damage.path for conversation in found for damage in conversation.damage]


def loads(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("path", SMALL, ids=name_of)
def test_a_file_that_is_cut_short_is_read_as_far_as_it_goes_or_refused(path: Path) -> None:
    data = path.read_bytes()
    for tenth in range(1, 10):
        cut = data[: len(data) * tenth // 10]
        found = read(cut, path)
        last = cut.rstrip(b"\n").rpartition(b"\n")[2]
        if isinstance(found, list) and path.suffix != ".md" and not loads(last):
            number = cut.count(b"\n") + 1
            assert any(place.startswith(f"line {number}") for place in places(found)), (tenth, places(found))


@pytest.mark.parametrize("path", MANY, ids=name_of)
def test_a_row_that_is_missing_or_swapped_is_read_around_or_refused(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    before = sum(len(one.messages) for one in load_all(path))
    for at in range(min(len(lines), 30)):
        found = read("\n".join(lines[:at] + lines[at + 1 :]), path)
        if isinstance(found, list) and at:
            assert sum(len(one.messages) for one in found) <= before + 1  # what was one reply may fall in two
        swapped = [*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]]
        read("\n".join(swapped), path)


@pytest.mark.parametrize("path", MANY, ids=name_of)
def test_a_row_of_the_wrong_kind_is_reported_with_its_place_or_refused(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for odd in ("7", '"text"', "null"):
        at = len(lines) // 2
        found = read("\n".join([*lines[:at], odd, *lines[at:]]), path)
        if isinstance(found, list):
            assert any(place.startswith(f"line {at + 1}") for place in places(found)), (odd, places(found))


def objects(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """Every object of a document that says what it is."""
    found: list[dict[str, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found += [one] if isinstance(one.get("type"), str) else []
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


@pytest.mark.parametrize("path", [path for path in MANY if path.stat().st_size <= 20_000], ids=name_of)
def test_a_type_that_nobody_knows_is_reported_or_loses_nothing(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    before = sum(len(one.messages) for one in load_all(path))
    for at in (at for at, line in enumerate(lines) if line.strip()):
        row = json.loads(lines[at])
        for one in objects(row)[:5]:
            known, one["type"] = one["type"], "of_a_newer_version"
            found = read("\n".join([*lines[:at], json.dumps(row), *lines[at + 1 :]]), path)
            one["type"] = known
            if isinstance(found, list) and not any(place.startswith(f"line {at + 1}") for place in places(found)):
                assert one is not row, (at, known)  # a row of an unknown type is always reported
                assert sum(len(conversation.messages) for conversation in found) >= before, (at, known)
