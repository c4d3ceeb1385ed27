"""100 real runs of an airline agent (`tests/data/tau_bench_airline`): honest answers, so every accusation is false."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from foldproof.evidence import EvidenceIndex
from foldproof.messages import Message

DATA = Path(__file__).parent.parent / "data" / "tau_bench_airline"


def message_of(row: dict[str, object]) -> Message:
    fields = {"role": row["role"], "content": row["content"] or "", "tool_call_id": row.get("tool_call_id")}
    calls = [
        {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        for call in row.get("tool_calls") or ()  # type: ignore[attr-defined] # the file's own shape
    ]
    return Message.model_validate(fields | {"tool_calls": calls})


def runs() -> Iterator[list[Message]]:
    with (DATA / "runs.jsonl").open(encoding="utf-8") as file:
        for line in file:
            yield [message_of(row) for row in json.loads(line)["messages"]]


def test_honest_answers_are_hardly_ever_accused() -> None:
    answers = accused = 0
    for messages in runs():
        index = EvidenceIndex()
        for message in messages:
            index.extend([message])
            if message.role == "assistant" and message.text:
                answers += 1
                accused += bool(index.judge(message.text).invented)
    assert answers == 615
    assert accused / answers <= 0.08


def test_every_grounded_value_has_a_carrier_that_resolves() -> None:
    grounded = 0
    for messages in list(runs())[::5]:
        index = EvidenceIndex()
        for message in messages:
            index.extend([message])
            if message.role == "assistant" and message.text:
                for value in index.judge(message.text).values:
                    grounded += value.verdict == "grounded"
                    assert bool(value.carriers) == (value.verdict == "grounded")
                    assert all(carrier.resolve(messages) == carrier.text for carrier in value.carriers)
    assert grounded > 100
