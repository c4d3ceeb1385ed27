"""A ZIP archive of JSON files as one object, member by member, and back."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from copy import copy

from foldproof.errors import TranscriptError
from foldproof.transcripts.json_text import Json, Unread, new_text, parse_json

_LARGEST = 1 << 31  # bytes of all members together; more than this is no log that anybody means to read at once
_HEADER = 30  # bytes ahead of the name of a member
_UTF8 = 0x800  # the flag that says the name is UTF-8
_FAILURES = (
    zipfile.BadZipFile,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # and NotImplementedError
    struct.error,
    zlib.error,
    lzma.LZMAError,
)


def members_in(packed: bytes) -> dict[str, Json]:
    """Return the JSON members of an archive by name; of those of one name the last.

    A member that cannot be read (no JSON, damaged, packed in a way that this Python does not know, such as Zstandard
    before 3.14) is an `Unread` that says why.

    Raises:
        TranscriptError: the archive is damaged, unpacks to more than 2 GiB, or none of its members can be read.
    """
    with _opened(packed) as archive:
        infos = {info.filename: info for info in archive.infolist() if info.filename.endswith(".json")}
        size = sum(info.file_size for info in infos.values())
        if size > _LARGEST:
            raise TranscriptError(f"the archive unpacks to {size:,} bytes; expected at most {_LARGEST:,}")
        members = {name: _member(archive, info) for name, info in infos.items()}
    if members and all(isinstance(member, Unread) for member in members.values()):
        name, cause = next(iter(members.items()))
        raise TranscriptError(str(cause), path=f"$.{name}")
    return members


def _opened(packed: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(packed))
    except _FAILURES as error:
        raise TranscriptError(f"the ZIP archive cannot be read: {error}; expected a whole one") from error


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Json:
    try:
        return parse_json(archive.read(info).decode())
    except NotImplementedError as error:
        return Unread(f"packed by a method that this Python cannot read ({error}); pack it anew with Deflate")
    except UnicodeDecodeError as error:
        return Unread(f"not UTF-8 text ({error.reason})")
    except TranscriptError as error:
        return Unread(error.cause)
    except _FAILURES as error:
        return Unread(f"the member cannot be unpacked: {error}")


def repacked(packed: bytes, value: Mapping[str, Json], before: Mapping[str, Json]) -> bytes:
    """Return an archive in which the members that are other objects than `before` are written anew, in their places.

    Every other member keeps the bytes it was packed as, whatever its method, and whether it can be read or not.

    Raises:
        TranscriptError: a member cannot be written, or several have the name of one that is written.
    """
    out = io.BytesIO()
    with _opened(packed) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        infos = source.infolist()
        names = Counter(info.filename for info in infos)
        starts = sorted({*(info.header_offset for info in infos), source.start_dir})
        target.comment = source.comment
        for info in infos:
            name = info.filename
            try:
                if name not in value or value[name] is before.get(name):
                    end = starts[bisect_right(starts, info.header_offset)]
                    _copy(packed[info.header_offset : end], info, out, target)
                else:
                    target.writestr(copy(info), _written(value[name], names[name]))
            except TranscriptError as error:
                raise error.under(f"$.{name}") from error
            except (*_FAILURES, IndexError) as error:
                raise TranscriptError(f"the member cannot be written: {error}", path=f"$.{name}") from error
    return out.getvalue()


def _written(value: Json, named: int) -> bytes:
    if named > 1:
        raise TranscriptError("the archive holds several members of this name; leave one of them")
    return new_text(value, indent=2).encode()


def _copy(member: bytes, info: zipfile.ZipInfo, out: io.BytesIO, target: zipfile.ZipFile) -> None:
    """Write a member as it was packed: its header, its data, and what may stand behind them.

    Its name is put as the directory will have it: in UTF-8, and marked so where that is not ASCII.
    """
    if not member.startswith(b"PK\x03\x04") or len(member) < _HEADER:
        raise TranscriptError("its header is damaged; the archive can be read, and not written")
    name = info.filename.encode()
    flags, length = int.from_bytes(member[6:8], "little"), int.from_bytes(member[26:28], "little")
    flags = flags & ~_UTF8 if name.isascii() else flags | _UTF8
    moved = copy(info)
    moved.header_offset = target.start_dir
    out.seek(target.start_dir)
    out.write(member[:6] + flags.to_bytes(2, "little") + member[8:26] + len(name).to_bytes(2, "little"))
    out.write(member[28:_HEADER] + name + member[_HEADER + length :])
    target.start_dir = out.tell()
    target.filelist.append(moved)
