"""A provider on this machine that plays the script, and rejects what the real one would: for the SDKs' own clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from tests.compactors.serving import Handler, Server, serving
from tests.hosts.scenario import ScriptedModel, Step, input_tokens

from foldproof import Message, TranscriptError, validate_for
from foldproof.transcripts import parse_as
from foldproof.window import Provider

Json = Any
Api = Literal["chat", "responses", "anthropic"]

BARE: Json = {"api_key": "none", "max_retries": 0}
PROVIDERS: dict[Api, Provider] = {"chat": "openai_chat", "responses": "openai_responses", "anthropic": "anthropic"}


@contextmanager
def provider(api: Api, model: ScriptedModel) -> Iterator[Server]:
    """Serve the script as an API's answers."""

    def behave(handler: Handler) -> None:
        body = handler.server.asked[-1].body
        try:
            request = canonical(api, body)
            validate_for(PROVIDERS[api], request)
        except TranscriptError as error:
            said = {"type": "error", "error": {"type": "invalid_request_error", "message": str(error)}}
            handler.send(json.dumps(said).encode(), status=400)
            return
        model.record(request)
        answer = ANSWERS[api](model.step(), input_tokens(request), len(model.requests))
        if body.get("stream"):
            handler.send("".join(EVENTS[api](answer)).encode(), kind="text/event-stream")
        else:
            handler.send(json.dumps(answer).encode())

    with serving(behave) as server:
        yield server


def canonical(api: Api, body: Json) -> tuple[Message, ...]:
    """Return what a request's body says, the instructions beside the list ahead of it."""
    if api == "chat":
        return parse_as(body["messages"], "openai_chat").messages
    beside, name, form = (
        ("system", "messages", "anthropic_messages")
        if api == "anthropic"
        else ("instructions", "input", "openai_responses")
    )
    told = (Message(role="system", content=body[beside]),) if body.get(beside) else ()
    rows = body[name]
    return (*told, *parse_as({name: rows}, form).messages)


def _chat(step: Step, tokens: int, number: int) -> Json:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in step.calls
    ]
    message = {"role": "assistant", "content": step.text or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    usage = {"prompt_tokens": tokens, "completion_tokens": 9, "total_tokens": tokens + 9}
    about = {"id": f"chat-{number}", "object": "chat.completion", "created": 1, "model": "scripted"}
    return about | {"choices": [choice], "usage": usage}


def _responses(step: Step, tokens: int, number: int) -> Json:
    said = {"type": "output_text", "text": step.text, "annotations": []}
    message = {"type": "message", "id": f"m{number}", "role": "assistant", "status": "completed", "content": [said]}
    calls = [
        {"type": "function_call", "id": f"f-{call.id}", "call_id": call.id, "name": call.name}
        | {"arguments": json.dumps(call.arguments), "status": "completed"}
        for call in step.calls
    ]
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": tokens, "output_tokens": 9, "total_tokens": tokens + 9} | details
    about = {"id": f"r{number}", "object": "response", "created_at": 1, "model": "scripted", "status": "completed"}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return about | rest | {"output": [*([message] if step.text else []), *calls], "usage": usage}


def _anthropic(step: Step, tokens: int, number: int) -> Json:
    thought = {"type": "thinking", "thinking": f"step {number}", "signature": f"c2ln{number}=="}
    words = [{"type": "text", "text": step.text}] if step.text else []
    calls = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in step.calls]
    cached = tokens // 2
    usage = {"input_tokens": tokens - cached, "cache_read_input_tokens": cached, "output_tokens": 9}
    about = {"id": f"msg-{number}", "type": "message", "role": "assistant", "model": "scripted", "stop_sequence": None}
    stop = "tool_use" if calls else "end_turn"
    return about | {"content": [thought, *words, *calls], "stop_reason": stop, "usage": usage}


def _event(data: Json) -> str:
    named = f"event: {data['type']}\n" if "type" in data else ""
    return f"{named}data: {json.dumps(data)}\n\n"


def _chat_events(answer: Json) -> Iterator[str]:
    chunk = answer | {"object": "chat.completion.chunk", "usage": None}
    message = answer["choices"][0]["message"]
    calls = [call | {"index": at} for at, call in enumerate(message.get("tool_calls", []))]
    delta = message | ({"tool_calls": calls} if calls else {})
    finish = answer["choices"][0]["finish_reason"]
    yield _event(chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    yield _event(chunk | {"choices": [], "usage": answer["usage"]})
    yield "data: [DONE]\n\n"


def _responses_events(answer: Json) -> Iterator[str]:
    bare = answer | {"status": "in_progress", "output": [], "usage": None}
    yield _event({"type": "response.created", "response": bare, "sequence_number": 0})
    yield _event({"type": "response.completed", "response": answer, "sequence_number": 1})


def _anthropic_events(answer: Json) -> Iterator[str]:
    yield _event({"type": "message_start", "message": answer | {"content": [], "stop_reason": None}})
    for at, block in enumerate(answer["content"]):
        if block["type"] == "tool_use":
            empty = block | {"input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        elif block["type"] == "thinking":
            empty = block | {"thinking": "", "signature": ""}
            deltas = [{"type": f"{name}_delta", name: block[name]} for name in ("thinking", "signature")]
        else:
            empty, deltas = block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]
        yield _event({"type": "content_block_start", "index": at, "content_block": empty})
        for delta in deltas:
            yield _event({"type": "content_block_delta", "index": at, "delta": delta})
        yield _event({"type": "content_block_stop", "index": at})
    stop = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    yield _event({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}})
    yield _event({"type": "message_stop"})


ANSWERS = {"chat": _chat, "responses": _responses, "anthropic": _anthropic}
EVENTS = {"chat": _chat_events, "responses": _responses_events, "anthropic": _anthropic_events}
