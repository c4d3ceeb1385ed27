"""How the work of reading grows: twice the input takes twice the work, and not four times."""

from __future__ import annotations

from typing import Any

import pytest
from tests.transcripts.steps import grows_in_step

from foldproof.transcripts import parse
from foldproof.transcripts.inspect_rows import RowReader


def sends_that_nothing_repeats(count: int) -> list[Any]:
    """A session of Claude Managed Agents: as many messages in the stream, none of which was sent."""
    method = "client.beta.sessions.events."
    sent = [
        [f"{method}send", ["s", {"events": [{"type": "user.message", "content": f"q{at}"}]}]] for at in range(count)
    ]
    said = (
        {"type": "user.message", "id": f"u{at}", "content": [{"type": "text", "text": f"z{at}"}]} for at in range(count)
    )
    return [*sent, *([f"{method}stream", event] for event in said)]


def condensations(count: int) -> list[Any]:
    """A run of OpenHands in which every tenth event forgets some of those before it."""
    events: list[dict[str, Any]] = []
    for at in range(count):
        args: dict[str, Any] = {"content": f"m{at}"}
        events.append({"id": at, "source": "user", "action": "message", "args": args})
        if at % 10 == 9:
            forgotten = [one["id"] for one in events[-9:-2]]
            args = {"forgotten_event_ids": forgotten, "summary": f"s{at}"}
            events.append({"id": 100_000 + at, "source": "agent", "action": "condensation", "args": args})
    return events


@pytest.mark.parametrize("build", [sends_that_nothing_repeats, condensations])
def test_work_grows_with_the_input(build: Any) -> None:  # noqa: ANN401 - a builder
    assert grows_in_step(lambda count: parse(build(count)))


def test_a_message_that_events_refer_to_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = [
        {"role": "user" if at % 2 == 0 else "assistant", "content": f"m{at}", "source": "input"} for at in range(40)
    ]
    events = [
        {"event": "model", "span_id": "s", "input": [], "input_refs": [[0, at + 1]], "output": {"choices": []}}
        for at in range(40)
    ]
    read: list[str] = []
    said = RowReader.said

    def counted(self: RowReader, row: dict[str, Any], path: str) -> dict[str, Any]:
        read.append(row["content"])
        return said(self, row, path)

    monkeypatch.setattr(RowReader, "said", counted)
    sample = {"id": 1, "epoch": 1, "input": "x", "target": "y", "messages": [], "events": events, "message_pool": pool}
    conversation = parse(sample)
    assert [message.text for message in conversation.messages] == [row["content"] for row in pool]
    assert sorted(read) == sorted(row["content"] for row in pool)
