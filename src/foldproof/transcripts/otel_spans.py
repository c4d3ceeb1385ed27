"""The spans of a trace, in each shape that they are exported in, with their attributes as one flat object.

* OTLP: `{resourceSpans: [{scopeSpans: [{spans}]}]}`, attributes as `[{key, value: {stringValue}}]`;
  one, or a list of them (a line each, as the collector writes them).
* Lists of spans as the SDKs of Python and JavaScript hold them, alone, under `spans`, or under the names of operations.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from foldproof.errors import shown
from foldproof.transcripts.codec import without
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, Unread

PREFIXES = ("gen_ai.", "llm.", "ai.", "openinference.")
"""How the names of attributes begin by which a span of a language model is known."""

_GROUPS = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_CONTEXTS = ("spanContext", "context")
_IDS = ("traceId", "trace_id", "parentSpanId", "parent_id", "parent", "parentSpanContext", "kind", "resource")
_TIMES = (
    "startTimeUnixNano",
    "start_time_unix_nano",
    "start_time",
    "startTime",
    "end_time",
    "endTime",
    "endTimeUnixNano",
)

_OPENING = 5  # exports of a list, by which it is known

Keys = tuple[str | int, ...]


class Span(NamedTuple):
    """One span.

    Attributes:
        keys: the list it stands in, as steps from the document.
        place: its index there.
        raw: the span as it was read.
        attributes: its attributes, as plain values by name.
        trace, id, parent: its ids as text, "" for none.
        start: when it began, in whatever unit the export has; None where it does not say.
        failed: it ended in an error.
    """

    keys: Keys
    place: int
    raw: dict[str, Any]
    attributes: dict[str, Any]
    trace: str
    id: str
    parent: str
    start: float | None
    failed: bool

    @property
    def path(self) -> str:
        """Where it stands, from `$`."""
        return path_of((*self.keys, self.place))


def path_of(keys: Keys) -> str:
    """Return steps from the document as a path."""
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)


def lists_in(value: Json) -> Iterator[tuple[Keys, list[Any]]]:
    """Yield every list of spans of a document, and where it stands."""
    if are_batches(value):
        for number, batch in enumerate(value):
            if is_batch(batch):
                yield from (((number, *keys), spans) for keys, spans in lists_in(batch))
    elif isinstance(value, list):
        yield (), value
    elif isinstance(value, dict):
        group = next((name for name in _GROUPS if isinstance(value.get(name), list)), None)
        if group is not None:
            yield from _of_resources(value[group], group)
        elif isinstance(value.get("spans"), list):
            yield ("spans",), value["spans"]
        else:
            yield from (((name,), spans) for name, spans in value.items() if isinstance(spans, list))


def is_batch(value: Json) -> bool:
    """Whether a value is one export of OTLP."""
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _GROUPS)


def are_batches(value: Json) -> bool:
    """Whether a value is a list of exports of OTLP, whose first ones are; a trace may go over several."""
    opening = [one for one in value[:_OPENING] if not isinstance(one, Unread)] if isinstance(value, list) else []
    return bool(opening) and all(map(is_batch, opening))


def _of_resources(resources: list[Any], group: str) -> Iterator[tuple[Keys, list[Any]]]:
    for number, resource in enumerate(resources):
        name = next((name for name in _SCOPES if isinstance(resource, dict) and name in resource), None)
        scopes = resource[name] if name is not None else []
        for at, scope in enumerate(scopes if isinstance(scopes, list) else ()):
            if isinstance(scope, dict) and isinstance(scope.get("spans"), list):
                yield (group, number, str(name), at, "spans"), scope["spans"]


def spans_in(value: Json, damage: list[Damage]) -> Iterator[Span]:
    """Yield the spans of a document, in its order. What is no span is damage."""
    for number, batch in enumerate(value if are_batches(value) else ()):
        if not is_batch(batch) and not isinstance(batch, Unread):
            damage.append(Damage(f"$[{number}]", f"expected spans of OTLP; found {shown(batch)}; it was not read"))
    for keys, spans in lists_in(value):
        for index, raw in enumerate(spans):
            if isinstance(raw, dict) and ("attributes" in raw or "name" in raw):
                yield _span(raw, keys, index)
            elif not isinstance(raw, Unread):
                damage.append(Damage(path_of((*keys, index)), f"expected a span; found {shown(raw)}; it was not read"))


def is_span(value: Json) -> bool:
    """Whether a value is a span of a language model."""
    if not isinstance(value, dict) or "name" not in value or "attributes" not in value:
        return False
    has_id = any(name in value for name in (*_CONTEXTS, "traceId", "trace_id", "spanId", "span_id"))
    return has_id and any(name.startswith(PREFIXES) for name in attributes_of(value))


def _span(raw: dict[str, Any], keys: Keys, index: int) -> Span:
    context = next((raw[name] for name in _CONTEXTS if isinstance(raw.get(name), dict)), raw)
    parent = raw.get("parent", raw.get("parentSpanContext"))
    above = (
        _first(parent, "spanId", "span_id") if isinstance(parent, dict) else _first(raw, "parentSpanId", "parent_id")
    )
    status = raw.get("status")
    code = _first(status, "code", "status_code") if isinstance(status, dict) else status
    return Span(
        keys,
        index,
        raw,
        attributes_of(raw),
        _text(_first(context, "traceId", "trace_id")),
        _text(_first(context, "spanId", "span_id")),
        _text(above),
        _time(next((raw[name] for name in _TIMES if name in raw), None)),
        str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR"),
    )


def _first(holder: Mapping[str, Any], *names: str) -> Json:
    return next((holder[name] for name in names if holder.get(name) is not None), None)


def _text(value: Json) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _time(value: Json) -> float | None:
    """Return a time as a number: nanoseconds, text of nanoseconds, or `[seconds, nanoseconds]`."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int | float) for part in value):  # noqa: PLR2004
        return float(value[0]) + float(value[1]) / 1e9
    if isinstance(value, str):
        return float(value) if value.isascii() and value.isdigit() and len(value) < 40 else None  # noqa: PLR2004
    return float(value) if isinstance(value, int | float) and abs(value) < 1e40 else None  # noqa: PLR2004


def attributes_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a span by name."""
    held = raw.get("attributes")
    if isinstance(held, dict):
        return held
    pairs = held if isinstance(held, list) else ()
    return {
        pair["key"]: _plain(pair.get("value"))
        for pair in pairs
        if isinstance(pair, dict) and isinstance(pair.get("key"), str)
    }


def _plain(value: Json) -> Json:
    """Return a value of OTLP as what it stands for."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, held),) = value.items()
    if kind == "arrayValue" and isinstance(held, dict) and isinstance(held.get("values"), list):
        return [_plain(one) for one in held["values"]]
    if kind == "kvlistValue" and isinstance(held, dict):
        return attributes_of({"attributes": held.get("values")})
    return held


def window_span(of: Span, name: str, attributes: Mapping[str, str]) -> dict[str, Any]:
    """Return a new span of the same trace, in the shape of another, with its times and an id made from its id."""
    made = hashlib.sha256(json.dumps([name, of.trace, of.id]).encode()).hexdigest()[:16]
    raw = of.raw
    span = {key: raw[key] for key in raw if key in (*_IDS, *_TIMES)} | {"name": name}
    for holder in ("spanId", "span_id"):
        if holder in raw:
            span[holder] = _like(raw[holder], made)
    for context in _CONTEXTS:
        if isinstance(raw.get(context), dict):
            names = [key for key in ("spanId", "span_id") if key in raw[context]]
            span[context] = without(raw[context], names) | {key: _like(raw[context][key], made) for key in names}
    if isinstance(raw.get("attributes"), list):
        return span | {"attributes": [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()]}
    return span | {"attributes": dict(attributes)}


def _like(sample: Json, made: str) -> Json:
    return int(made, 16) >> 1 if isinstance(sample, int) else made
