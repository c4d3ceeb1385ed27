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


def with_method(archive: bytes, name: str, method: int) -> bytes:
    """Return an archive that says a member is packed by another method."""
    changed = bytearray(archive)
    for mark, offset, behind in ((b"PK\x03\x04", 8, 30), (b"PK\x01\x02", 10, 46)):
        at = changed.find(mark)
        while changed[at + behind : at + behind + len(name)] != name.encode():
            at = changed.find(mark, at + 1)
        changed[at + offset : at + offset + 2] = method.to_bytes(2, "little")
    return bytes(changed)


def streamed(**members: str) -> bytes:
    """Return an archive whose sizes stand behind the members, as one that was written to a pipe."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

    out = Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.json", text)
    return out.getvalue()


NAMED = {"r\u00e9sum\u00e9.txt": b"words"}


@pytest.mark.parametrize(
    "archive",
    [
        damaged(packed(a="[1]", **{"b.txt": b"words" * 50}), "b.txt"),
        with_method(packed(a="[1]", **{"b.txt": b"words" * 50}), "b.txt", 93),
        streamed(a="[1]", b="[2]"),
        packed(a="[1]", **NAMED),
        packed(a="[1]", **{"r1sum1.txt": b"words"}).replace(b"r1sum1", b"r\x82sum\x82"),
    ],
    ids=["damaged", "another method", "streamed", "name in UTF-8", "name of other bytes"],
)
def test_members_that_stay_are_copied_as_they_were_packed(archive: bytes) -> None:
    before = members_in(archive)
    after = repacked(archive, before | {"a.json": [9]}, before)
    assert members_in(after) == before | {"a.json": [9]}
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(io.BytesIO(after)) as new:
        one, other = old.infolist()[1], new.infolist()[1]
        assert (one.filename, one.CRC, one.compress_type) == (other.filename, other.CRC, other.compress_type)
        assert packed_data(archive, one) == packed_data(after, other)


def packed_data(archive: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes that a member was packed as: behind its header of 30 bytes, its name and its extra fields."""
    at = info.header_offset
    start = at + 30 + sum(int.from_bytes(archive[at + to : at + to + 2], "little") for to in (26, 28))
    return archive[start : start + info.compress_size]


def test_members_of_one_name_stay_and_are_not_written() -> None:
    archive = packed(b="[3]")
    both = twice("a.json", "[1]", "[2]")
    before = members_in(both)
    with zipfile.ZipFile(io.BytesIO(both)) as old:
        assert [info.filename for info in old.infolist()] == ["a.json", "a.json"]
    with pytest.raises(TranscriptError, match=r"\$\.a\.json: the archive holds several members of this name"):
        repacked(both, {"a.json": [9]}, before)
    with zipfile.ZipFile(io.BytesIO(repacked(both, before, before))) as new:
        assert [new.read(info) for info in new.infolist()] == [b"[1]", b"[2]"]
    with pytest.raises(TranscriptError, match=r"\$\.b\.json: cannot be written as JSON"):
        repacked(archive, {"b.json": object()}, members_in(archive))


def test_a_member_whose_header_is_damaged_is_named() -> None:
    archive = packed(a="[1]", b="[2]")
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        at = read.getinfo("b.json").header_offset
    broken = archive[:at] + b"????" + archive[at + 4 :]
    before = members_in(broken)
    assert isinstance(before["b.json"], Unread)
    with pytest.raises(TranscriptError, match=r"\$\.b\.json: its header is damaged"):
        repacked(broken, before | {"a.json": [9]}, before)
