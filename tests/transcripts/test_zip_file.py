"""ZIP archives of JSON: read as one object, and written anew only where something changed."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest

from foldproof.errors import TranscriptError
from foldproof.transcripts import zip_file
from foldproof.transcripts.json_text import Unread
from foldproof.transcripts.zip_file import members_in, repacked


def packed(**members: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.json" if "." not in name else name, text)
    return out.getvalue()


def test_json_members_are_read_by_name_and_others_left_alone() -> None:
    archive = packed(header='{"a": 1}', **{"readme.txt": "no JSON"})
    assert members_in(archive) == {"header.json": {"a": 1}}


def test_what_changed_is_written_and_the_rest_is_as_it_was() -> None:
    archive = packed(a='{"n": 1.50}', b='{"n": 2}', **{"c.txt": "text"})
    before = members_in(archive)
    after = repacked(archive, before | {"b.json": {"n": "é"}}, before)
    with zipfile.ZipFile(io.BytesIO(after)) as read:
        assert read.namelist() == ["a.json", "b.json", "c.txt"]
        assert read.read("a.json") == b'{"n": 1.50}'
        assert json.loads(read.read("b.json")) == {"n": "é"}
        assert read.read("c.txt") == b"text"


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (packed(a="[")[:-10], "cannot be read"),
        (b"PK\x03\x04" + b"\0" * 40, "cannot be read"),
        (packed(a='{"n"'), r"\$\.a\.json: not JSON"),
        (packed(a=b'"\xff"'), r"\$\.a\.json: not UTF-8"),
    ],
)
def test_what_is_wrong_is_one_error_with_the_member(archive: bytes, said: str) -> None:
    with pytest.raises(TranscriptError, match=said):
        members_in(archive)


def test_a_flipped_bit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = bytearray(packed(a=json.dumps(list(range(500)))))
    archive[80] ^= 0xFF
    with pytest.raises(TranscriptError, match=r"cannot be unpacked|not JSON"):
        members_in(bytes(archive))
    monkeypatch.setattr(zip_file, "_LARGEST", 10)
    with pytest.raises(TranscriptError, match="unpacks to"):
        members_in(packed(a="[" + "1," * 100 + "1]"))


def test_a_method_that_python_cannot_read_is_named() -> None:
    archive = bytearray(packed(a="[1]"))
    for at in (archive.find(b"PK\x03\x04") + 8, archive.find(b"PK\x01\x02") + 10):  # the method, in both headers
        archive[at : at + 2] = (99).to_bytes(2, "little")
    with pytest.raises(TranscriptError, match=r"\$\.a\.json: packed by a method"):
        members_in(bytes(archive))


def damaged(archive: bytes, name: str) -> bytes:
    """Return an archive with a byte of a member's packed data flipped."""
    broken = bytearray(archive)
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        start = read.getinfo(name).header_offset + 30 + len(name)
    broken[start + 4] ^= 0xFF
    return bytes(broken)


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (packed(a="[1]", b="[2", c="[3]"), "not JSON"),
        (packed(a="[1]", b=b'"\xff"', c="[3]"), "not UTF-8"),
        (damaged(packed(a="[1]", b=json.dumps(list(range(99))), c="[3]"), "b.json"), "cannot be unpacked|not JSON"),
    ],
)
def test_a_member_that_cannot_be_read_says_why_and_hides_no_other(archive: bytes, said: str) -> None:
    members = members_in(archive)
    assert (members["a.json"], members["c.json"]) == ([1], [3])
    assert isinstance(members["b.json"], Unread)
    assert re.search(said, members["b.json"])


def test_of_members_of_one_name_the_last_counts() -> None:
    assert members_in(twice("a.json", "[1]", "[2]")) == {"a.json": [2]}


def twice(name: str, *texts: str) -> bytes:
    """Return an archive in which several members have one name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"{number}{name[1:]}", text)
    return (
        out.getvalue().replace(b"0" + name[1:].encode(), name.encode()).replace(b"1" + name[1:].encode(), name.encode())
    )
