"""Documents with something wrong in them: they load, or there is one error of ours.

`make fuzz` runs 100,000 of them a format.
"""

from __future__ import annotations

import io
import json
import os
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.transcripts.builders import BUILDERS
from tests.transcripts.mutation import mutated
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message
from foldproof.transcripts import detect, dump, formats, parse
from foldproof.transcripts.json_text import Json

FRAME = Message(role="user", content="[foldproof drop notice] x")
DATA = Path(__file__).parent.parent / "data" / "transcripts"
INPUTS = int(os.environ.get("FOLDPROOF_FUZZ", "200"))
"""How many inputs a format is given."""
BATCH = 20
LARGEST = 20_000  # bytes of a real file that is mutated often
READ_FROM_TEXT = [known.name for known in formats() if "json" in known.media]


@cache
def documents(name: str) -> tuple[Json, ...]:
    """Documents to start from: a conversation in each shape of the format, and its smaller real files."""
    built = [build(TALK) for shape, build in BUILDERS.values() if shape == name]
    files = sorted(path for path in (DATA / name).glob("*") if path.stat().st_size <= LARGEST)
    return (*built, *(one for one in map(real, files) if one is not None))


def real(path: Path) -> Json:
    try:
        text = path.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)
    except ValueError:  # a file in another medium
        return None


def try_it(raw: Json, name: str) -> None:
    try:
        conversation = parse(raw, format=name)
        for damage in conversation.damage:
            assert damage.path.startswith("$"), damage
            assert damage.cause
        dump(conversation.replace([*conversation.messages[1:3], FRAME]), io.BytesIO())
    except (TranscriptError, UsageError) as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error}")


@pytest.mark.parametrize("name", READ_FROM_TEXT)
@settings(max_examples=max(1, INPUTS // BATCH))
@given(seed=st.integers(0, 2**32))
def test_a_document_with_something_wrong_is_read_or_refused(name: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - it has to be the same again
    for _ in range(BATCH):
        try_it(mutated(chance.choice(documents(name)), chance), name)


@pytest.mark.parametrize("name", READ_FROM_TEXT)
@settings(max_examples=max(1, INPUTS // BATCH // 4))
@given(seed=st.integers(0, 2**32))
def test_a_document_with_something_wrong_is_of_some_format_or_of_none(name: str, seed: int) -> None:
    raw = mutated(random.Random(seed).choice(documents(name)), random.Random(seed))  # noqa: S311 - as above
    try:
        detect(raw)
        parse(raw)
    except (TranscriptError, UsageError) as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error}")


FOUND: list[tuple[str, Json]] = [
    (
        "opencode",
        {"info": {"id": "s"}, "messages": [
            {"info": {"id": "m", "role": "user"}, "parts": [{"type": "text", "text": "a"}]},
            {"info": {"role": "user"}, "parts": [1.5, {"type": "text", "text": "b"}]},
        ]},
    ),
    (
        "agent_framework",
        [
            {"type": "message", "role": role, "message_id": role, "contents": [{"type": "text", "text": "a"}],
             "additional_properties": {"_group": {"_summary_of_message_ids": 1.5, "_summary_of_group_ids": []}}}
            for role in ("user", "assistant")
        ],
    ),
    (
        "otel_genai",
        [{"name": "chat", "context": {"trace_id": "t", "span_id": "s"}, "start_time": 1, "attributes": {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([{"role": "tool", "parts": [{"type": "text"}, "a"]}]),
            "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text"}]}]),
        }}],
    ),
    (
        "cline_task",
        [
            {"role": "user", "content": [{"type": "text", "text": "<task>\ngo\n</task>"}], "ts": 1},
            {"role": "assistant", "content": [{"type": "text", "text": "<search>\n<q>1</q>\n</search>"}], "ts": 2},
            {"role": "user", "content": [{"type": "text", "text": "[search for 'x'] Result:"}, True], "ts": 3},
        ],
    ),
]  # fmt: skip
"""What long runs of the test above found, each made small."""


@pytest.mark.parametrize(("name", "raw"), FOUND, ids=[name for name, _ in FOUND])
def test_what_was_found_is_read_and_written(name: str, raw: Json) -> None:
    try_it(raw, name)
    assert parse(raw, format=name).messages


@given(
    raw=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "messages",
                        "role",
                        "content",
                        "type",
                        "message",
                        "uuid",
                        "format",
                        "data",
                        "history",
                        "sessionId",
                        "request",
                        "response",
                        "messages_display",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    name=st.sampled_from([None, "openai_chat", "claude_code", "axle", "agentfootprint"]),
)
def test_any_json_is_read_or_refused(raw: Json, name: str | None) -> None:
    try:
        parse(raw, format=name)
    except (TranscriptError, UsageError) as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error}")
