"""A ZIP archive of JSON files as one object, member by member, and back."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping

from foldproof.errors import TranscriptError
from foldproof.transcripts.json_text import Json, Unread, new_text, parse_json

_LARGEST = 1 << 31  # bytes of all members together; more than this is no log that anybody means to read at once
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
    """Return an archive in which the members that are other objects than `before` are written anew, in their places."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            name = info.filename
            same = name not in value or value[name] is before.get(name)
            target.writestr(info, source.read(info) if same else new_text(value[name], indent=2).encode())
    return out.getvalue()
