"""A ZIP archive of JSON files as one object, member by member, and back."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

from foldproof.errors import TranscriptError
from foldproof.transcripts.json_text import Json, new_text, parse_json

_LARGEST = 1 << 31  # bytes of all members together; more than this is no log that anybody means to read at once


def members_in(packed: bytes) -> dict[str, Json]:
    """Return the JSON members of an archive by name.

    Raises:
        TranscriptError: it is damaged, unpacks to more than 2 GiB, or a member is no JSON or is packed in a way that
            this Python cannot read (Zstandard before 3.14).
    """
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            infos = [info for info in archive.infolist() if info.filename.endswith(".json")]
            size = sum(info.file_size for info in infos)
            if size > _LARGEST:
                raise TranscriptError(f"the archive unpacks to {size:,} bytes; expected at most {_LARGEST:,}")
            return {info.filename: _member(archive, info) for info in infos}
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, RuntimeError, zlib.error) as error:
        raise TranscriptError(f"the ZIP archive cannot be read: {error}; expected a whole one") from error


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Json:
    try:
        return parse_json(archive.read(info).decode())
    except NotImplementedError as error:
        cause = f"packed by a method that this Python cannot read ({error}); pack it anew with Deflate"
        raise TranscriptError(cause, path=f"$.{info.filename}") from error
    except UnicodeDecodeError as error:
        raise TranscriptError(f"not UTF-8 text ({error.reason})", path=f"$.{info.filename}") from error
    except TranscriptError as error:
        raise error.under(f"$.{info.filename}") from error


def repacked(packed: bytes, value: Mapping[str, Json], before: Mapping[str, Json]) -> bytes:
    """Return an archive in which the members that are other objects than `before` are written anew, in their places."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            name = info.filename
            same = name not in value or value[name] is before.get(name)
            target.writestr(info, source.read(info) if same else new_text(value[name], indent=2).encode())
    return out.getvalue()
