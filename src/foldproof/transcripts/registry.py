"""The formats, in the order they are tried: a format whose rows could pass for another's comes first."""

from __future__ import annotations

from foldproof.errors import TranscriptError, UsageError, shown
from foldproof.transcripts.agentfootprint import Agentfootprint
from foldproof.transcripts.axle import Axle
from foldproof.transcripts.claude_code import ClaudeCode
from foldproof.transcripts.codec import Codec, Format
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.openai_chat import OpenaiChat

CODECS: tuple[Codec, ...] = (
    ClaudeCode(),
    Agentfootprint(),
    Axle(),
    OpenaiChat(),
)
"""Every format. A new one is a file that defines its codec, and a line here."""


def formats() -> tuple[Format, ...]:
    """Return the formats that can be read and written, in the order they are tried."""
    return tuple(codec.format for codec in CODECS)


def codec_named(name: str) -> Codec:
    """Return the codec of a format.

    Raises:
        UsageError: there is no format of that name.
    """
    for codec in CODECS:
        if codec.format.name == name:
            return codec
    known = ", ".join(codec.format.name for codec in CODECS)
    raise UsageError(f"there is no format {shown(name)}; expected one of {known}")


def detect(obj: Json) -> str:
    """Return the name of the format of JSON already in memory: one document, or a list of documents.

    Raises:
        TranscriptError: it is of no known format.
    """
    return codec_for(obj)[0].format.name


def codec_for(value: Json, name: str | None = None) -> tuple[Codec, bool]:
    """Return the codec that reads a value, and whether the value is one document (or an array of several).

    Raises:
        TranscriptError: no format recognises it, or the named one does not.
        UsageError: `name` names no format.
    """
    codecs = CODECS if name is None else (codec_named(name),)
    for codec in codecs:
        if codec.recognise(value) is not None:
            return codec, True
    if isinstance(value, list) and value:
        for codec in codecs:
            if codec.recognise(value[0]) is not None:
                return codec, False
    if name is not None:
        raise not_of(codecs[0], value)
    raise TranscriptError(
        f"no known format; looked for {', '.join(codec.format.name for codec in CODECS)} and found {_outline(value)}; "
        "name the format if it is one of these, and see `foldproof formats` for what each looks like"
    )


def not_of(codec: Codec, value: Json) -> TranscriptError:
    """Return the error that a value is no document of a format."""
    known = codec.format
    values = (value, *value[:1]) if isinstance(value, list) else (value,)
    other = next((other.format.name for one in values for other in CODECS if other.recognise(one) is not None), None)
    hint = "" if other is None else f"; it looks like {other}"
    return TranscriptError(f"not {known.name}: found {_outline(value)}; expected {known.shape}{hint}")


def _outline(value: Json) -> str:
    if isinstance(value, dict):
        return f"an object with {shown(list(value)[:8])}"
    if isinstance(value, list):
        count = "1 value" if len(value) == 1 else f"{len(value)} values"
        return f"{count}, first {_outline(value[0])}" if value else "an empty array"
    return f"a bare {type(value).__name__}"
