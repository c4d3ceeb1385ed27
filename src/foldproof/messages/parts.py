"""The parts a message's content can be made of: the Axle union, and an opaque part for everything else.

A part that does not have the shape its `type` promises is kept whole as an `OpaquePart`; nothing is lost or repaired.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, JsonValue, Tag, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from foldproof.messages.base import FrozenModel


class TextPart(FrozenModel):
    """Text, with the citations that anchor to it."""

    type: Literal["text"] = "text"
    text: str
    citations: JsonValue = None
    provider_metadata: JsonValue = None


class FileInfo(FrozenModel):
    """A file in the conversation. `source` is text, base64, a URL, or a reference that the host resolves.

    `size` is what the host wrote there; nothing reads it.
    """

    kind: Literal["image", "document", "text"]
    mime_type: str
    name: str
    size: JsonValue = None
    source: dict[str, JsonValue]


class FilePart(FrozenModel):
    """A file. Only a file whose source is inline text has words that can be read."""

    type: Literal["file"] = "file"
    file: FileInfo


class ToolCallPart(FrozenModel):
    """A call the model made, written inside the content (Axle) and not beside it."""

    type: Literal["tool-call"] = "tool-call"
    id: str
    name: str
    parameters: JsonValue = Field(default_factory=dict)
    provider_metadata: JsonValue = None


class ThinkingPart(FrozenModel):
    """The model's reasoning. `continuity` is the provider's own and rides back unchanged."""

    type: Literal["thinking"] = "thinking"
    id: str | None = None
    text: str | None = None
    summary: str | None = None
    redacted: JsonValue = None
    continuity: JsonValue = None
    provider_metadata: JsonValue = None


class ProviderToolPart(FrozenModel):
    """A tool the provider ran itself, with its input and, once it ran, its result."""

    type: Literal["provider-tool"] = "provider-tool"
    id: str
    name: str
    input: JsonValue = None
    result: JsonValue = None
    continuity: JsonValue = None


class ProviderToolResultPart(FrozenModel):
    """The result of a provider tool call that an earlier assistant message made."""

    type: Literal["provider-tool-result"] = "provider-tool-result"
    id: str
    name: str
    result: JsonValue = None
    continuity: JsonValue = None


class CitationPart(FrozenModel):
    """A list of sources that the provider emitted on its own."""

    type: Literal["citation"] = "citation"
    citations: JsonValue = None
    provider_metadata: JsonValue = None


class OpaquePart(FrozenModel):
    """Anything else: kept whole, sent back unchanged, and read as having no words unless it is known to hold text."""


_SPELLINGS = {"input_text": "text", "output_text": "text", "refusal": "refusal"}
"""Where a text part of OpenAI's Responses holds its words, by type."""

_KNOWN = {
    "text",
    "file",
    "tool-call",
    "thinking",
    "provider-tool",
    "provider-tool-result",
    "citation",
}


def _tag(value: Any) -> str:  # noqa: ANN401 - pydantic hands over whatever the JSON held
    if isinstance(value, OpaquePart):
        return "opaque"
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return kind if isinstance(kind, str) and kind in _KNOWN else "opaque"


def _or_opaque(value: Any, known: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - as above
    try:
        return known(value)
    except ValidationError:
        if not isinstance(value, dict):
            raise
        return OpaquePart.model_validate(value)


Part = Annotated[
    Annotated[TextPart, Tag("text")]
    | Annotated[FilePart, Tag("file")]
    | Annotated[ToolCallPart, Tag("tool-call")]
    | Annotated[ThinkingPart, Tag("thinking")]
    | Annotated[ProviderToolPart, Tag("provider-tool")]
    | Annotated[ProviderToolResultPart, Tag("provider-tool-result")]
    | Annotated[CitationPart, Tag("citation")]
    | Annotated[OpaquePart, Tag("opaque")],
    Discriminator(_tag),
    WrapValidator(_or_opaque),
]
"""One piece of a message's content."""


def is_thinking(part: Part) -> bool:
    """Whether a part is the model's reasoning, readable, summarised or redacted."""
    return isinstance(part, ThinkingPart) or (part.model_extra or {}).get("type") == "redacted_thinking"


def _opaque_text(fields: dict[str, Any]) -> str | None:
    """Return the words of a text part as OpenAI's Responses spell it, or of a document of text as Claude's APIs do."""
    kind = fields.get("type")
    if isinstance(kind, str) and kind in _SPELLINGS:
        text = fields.get(_SPELLINGS[kind])
        return text if isinstance(text, str) else None
    if kind == "document":
        return _document_text(fields, fields.get("source"))
    if kind == "search_result":
        return _with_heading(fields, fields.get("content"))
    if kind is None:  # Bedrock names a block by its only member
        document, found = fields.get("document"), fields.get("searchResult")
        if isinstance(document, dict):
            return _document_text(document, document.get("source"))
        if isinstance(found, dict):
            return _with_heading(found, found.get("content"))
    return None


def _document_text(document: dict[str, Any], source: Any) -> str | None:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(source, dict):
        return None
    kind = source.get("type")
    names = ("text", "content") if kind is None else ("data",) if kind == "text" else ("content",)
    return _with_heading(document, next((source[name] for name in names if name in source), None))


def _with_heading(holder: dict[str, Any], said: Any) -> str | None:  # noqa: ANN401 - whatever JSON holds
    """Return a text, or the texts of blocks, behind what else the model is shown of it; None beside a picture."""
    blocks = [{"text": said}] if isinstance(said, str) else said if isinstance(said, list) else [None]
    texts = [block.get("text") if isinstance(block, dict) else None for block in blocks]
    words = [text for text in texts if isinstance(text, str)]
    shown = (holder.get(name) for name in ("title", "name", "context", "source"))
    heading = [text for text in shown if isinstance(text, str)]
    return "\n".join(heading + words) if len(words) == len(texts) else None


def part_text(part: Part) -> str | None:
    """Return the words of a part as one string, or None for a part that has none (an image, a call, reasoning)."""
    if isinstance(part, TextPart):
        return part.text
    if isinstance(part, OpaquePart):
        return _opaque_text(part.model_extra or {})
    if isinstance(part, FilePart) and part.file.source.get("type") == "text":
        content = part.file.source.get("content")
        return content if isinstance(content, str) else None
    return None
