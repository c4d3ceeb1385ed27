"""OpenTelemetry traces of language models: what the spans of each trace say, as conversations.

Checked in real traces of any-agent 1.9 (seven frameworks) and of the AI SDK 6; OTLP, the conventions for generative AI
1.37 and OpenInference after their specifications. Not read: messages in span events (conventions before 1.37).

* Every call of a model repeats the history, so each message is read once, see `model_calls`. The calls of one trace, or
  of one `gen_ai.conversation.id` (`session.id`), are joined; the span that ran them tells agents apart.
* A span around other spans that hold messages (`invoke_agent`, `ai.generateText`) repeats them and is passed over.
* The result of a tool stands in the input of the next call, else in the span of the tool. any-agent gives neither ids
  nor later inputs: a tool's span answers the oldest open call of its name, of its arguments where one has them.
* A trace is a record and stays as it is: a window is written as one more span, `foldproof.window`, with the messages in
  `gen_ai.input.messages`; what left the window is still in the spans of the trace.
* A span of a model whose content was not recorded is reported; spans of anything else are none of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import Format, message_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.model_calls import Fields, Thread, Threads
from foldproof.transcripts.otel_messages import INPUT, Said, decode, encode, result_in, said_in
from foldproof.transcripts.otel_spans import Keys, Span, is_span, lists_in, spans_in, window_span

_LOOKED_AT = 50
_WINDOW: Final = "foldproof.window"
_OF: Final = "foldproof.conversation"
_CALLS = ("chat", "text_completion", "generate_content", "call_llm")


class OtelGenai:
    """Traces of language models."""

    format = Format(
        "otel_genai",
        "OpenTelemetry traces with GenAI, OpenInference or AI SDK attributes (JSON, JSONL)",
        shape="{resourceSpans: […]}, {spans: […]} or [{name, spanContext, attributes: {gen_ai.…}}, …]",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds spans of language models."""
        if is_span(value):
            return "a span of a language model"
        if not isinstance(value, dict | list):
            return None
        seen = 0
        for _, spans in lists_in(value):
            if any(map(is_span, spans[: _LOOKED_AT - seen])):
                return "spans of a language model"
            seen += len(spans)
            if seen >= _LOOKED_AT:
                break
        return None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversations of every trace, in the order of the traces."""
        trace = _Trace(_whole(value))
        readings = [_reading(talk) for talk in trace.talks()]
        return tuple(readings) or (Reading((), (), damage=tuple(trace.damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with another window of some conversations, each in a span of its own."""
        talks = _Trace(_whole(value)).talks()
        for talk, edit in zip(talks, edits, strict=False):
            if edit.changed:
                value = _with_window(value, talk, [entry.message for entry in edit.entries])
        if not talks and any(edit.changed for edit in edits):
            raise TranscriptError("the trace holds no call of a model that a window could belong to", path="$")
        return value


def _whole(value: Json) -> Json:
    return [value] if is_span(value) else value


class _Talk(NamedTuple):
    """A conversation: its name, what the spans say, the last span that said it, and the span of a window of it."""

    name: str
    id: str | None
    side: bool
    thread: Thread
    last: Span
    window: Span | None
    damage: tuple[Damage, ...]
    extras: Mapping[str, Any]


class _Trace:
    """Reads the spans of a document."""

    def __init__(self, value: Json) -> None:
        self.damage: list[Damage] = []
        spans = list(spans_in(value, self.damage))
        self._windows = {span.attributes.get(_OF): span for span in spans if span.raw.get("name") == _WINDOW}
        self._spans = [span for span in spans if span.raw.get("name") != _WINDOW]
        if all(span.start is not None for span in self._spans):
            self._spans.sort(key=lambda span: span.start or 0.0)
        self._said = {span.path: said for span in self._spans if (said := self._read(span)) is not None}
        self._around = self._outer()
        self._extras = without(value, ("spans",)) if isinstance(value, dict) and "spans" in value else {}

    def _read(self, span: Span) -> Said | None:
        try:
            said = said_in(span.attributes, span.path)
        except TranscriptError as error:
            self.damage.append(damage_of(error))
            return None
        if said is None and span.attributes.get("gen_ai.operation.name") in _CALLS:
            self.damage.append(Damage(span.path, "a call of a model without its messages: they were not recorded"))
        return said

    def _outer(self) -> set[tuple[str, str]]:
        """Return the spans around spans that hold messages, by trace and id."""
        parents = {(span.trace, span.id): span.parent for span in self._spans}
        outer: set[tuple[str, str]] = set()
        for span in self._spans:
            above = (span.trace, span.parent)
            while span.path in self._said and above in parents and above not in outer:
                outer.add(above)
                above = (span.trace, parents[above])
        return outer

    def talks(self) -> list[_Talk]:
        """Return the conversations of every trace; what damage there is belongs to the first."""
        found: dict[str, tuple[Threads, dict[int, Span]]] = {}
        names: dict[str, str] = {}
        for span in self._spans:
            conversation = span.attributes.get("gen_ai.conversation.id", span.attributes.get("session.id"))
            if isinstance(conversation, str):
                names.setdefault(span.trace, conversation)
        for span in self._spans:
            threads, last = found.setdefault(names.get(span.trace, span.trace), (Threads(), {}))
            said = self._said.get(span.path)
            if said is not None and (span.trace, span.id) not in self._around:
                last[threads.call(said.inputs, said.outputs, span.parent).number] = span
            elif said is None:
                self._answer(span, threads)
        return list(self._named(found))

    def _answer(self, span: Span, threads: Threads) -> None:
        found = result_in(span.attributes)
        if found is None or "content" not in found[0]:
            return
        fields, arguments = found
        if fields["toolCallId"] is None or not threads.waits(fields["toolCallId"]):
            fields["toolCallId"] = threads.oldest(fields["toolName"], arguments) or fields["toolCallId"]
        known = threads.answered(fields["toolCallId"])
        if not threads.result(fields | ({"isError": True} if span.failed else {})) and not known:
            self.damage.append(Damage(span.path, f"no call of {shown(fields['toolName'])} waits for this result"))

    def _named(self, found: Mapping[str, tuple[Threads, dict[int, Span]]]) -> Iterator[_Talk]:
        damage = tuple(self.damage)
        for key, (threads, last) in found.items():
            main = max(threads.all, key=lambda thread: thread.calls, default=None)
            for thread in sorted(threads.all, key=lambda thread: thread is not main):
                name = f"{key}#{thread.number}"
                span = last[thread.number]
                model = span.attributes.get("gen_ai.request.model", span.attributes.get("ai.model.id"))
                extras = {**self._extras, **({} if model is None else {"model": model})}
                shown_id = key if thread is main else f"{key}/{thread.number}"
                window = self._windows.get(name)
                yield _Talk(name, shown_id or None, thread is not main, thread, span, window, damage, extras)
                damage = ()


def _reading(talk: _Talk) -> Reading:
    damage = list(talk.damage)
    messages: list[Message] = []
    rows = talk.thread.rows if talk.window is None else _stored(talk.window, damage)
    for fields in rows:
        try:
            messages.append(message_from(fields, talk.last.path))
        except TranscriptError as error:
            damage.append(damage_of(error))
    places = tuple(range(len(messages)))
    return Reading(tuple(messages), places, talk.extras, talk.id, talk.side, tuple(damage))


def _stored(window: Span, damage: list[Damage]) -> list[Fields]:
    try:
        rows = json.loads(window.attributes[INPUT])
        return [fields for at, row in enumerate(rows) for fields in decode(row, f"{window.path}.{INPUT}[{at}]")]
    except (KeyError, TypeError, ValueError, RecursionError):
        damage.append(Damage(window.path, f"expected messages in {INPUT}; the window was not read"))
    except TranscriptError as error:
        damage.append(damage_of(error))
    return []


def _with_window(value: Json, talk: _Talk, messages: list[Message]) -> Json:
    said = json.dumps([encode(message) for message in messages], ensure_ascii=False)
    made = window_span(talk.last, _WINDOW, {_OF: talk.name, INPUT: said})
    if is_span(value):
        raise TranscriptError("a span alone has no room for a window; give the list of spans", path="$")
    if talk.window is None:
        return _put(value, talk.last.keys, None, made)
    return _put(value, talk.window.keys, talk.window.place, made)


def _put(value: Json, keys: Keys, index: int | None, span: dict[str, Any]) -> Json:
    """Return a document with a span put into a list of it: in the place of another, or at the end."""
    if not keys:
        items = [*value, span] if index is None else [span if at == index else one for at, one in enumerate(value)]
        return revise_items(value, items)
    first, *rest = keys
    inner = _put(value[first], tuple(rest), index, span)
    if isinstance(value, dict):
        return revise(value, {str(first): inner})
    return revise_items(value, [inner if at == first else one for at, one in enumerate(value)])
