"""Small conversations in the formats of benchmarks and of their agents."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json


def openhands(turns: Sequence[Said]) -> Json:
    """Events as they are saved: a reply with several calls is several actions, each with its observation behind it."""
    events: list[Any] = [{"id": 0, "source": "environment", "observation": "agent_state_changed", "content": ""}]

    def add(source: str, **more: Json) -> int:
        events.append({"id": len(events), "timestamp": "t", "source": source, "message": "…", **more})
        return len(events) - 1

    for at, turn in enumerate(turns):
        if turn.role == "user" or not turn.calls:
            source = "user" if turn.role == "user" else "agent"
            add(source, action="message", args={"content": turn.text, "wait_for_response": False})
            continue
        calls = [
            {
                "id": f"c{at}.{n}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.args)},
            }
            for n, call in enumerate(turn.calls)
        ]
        said = {"role": "assistant", "content": turn.text, "tool_calls": calls}
        for n, call in enumerate(turn.calls):
            behind = {
                "function_name": call.name,
                "tool_call_id": f"c{at}.{n}",
                "model_response": {"id": f"r{at}", "model": "m", "choices": [{"message": said}]},
                "total_calls_in_response": len(calls),
            }
            args = {"command": "x", "thought": turn.text if n == 0 else ""}
            cause = add("agent", action="run", args=args, tool_call_metadata=behind)
            extras = {"metadata": {"exit_code": n}}
            result = {"observation": "run", "content": call.result, "extras": extras, "cause": cause}
            add("agent", **result, tool_call_metadata=behind)
    return events


def _openhands_flat(turns: Sequence[Said]) -> list[Any]:
    rows: list[Any] = []
    for turn in turns:
        if turn.role == "user" or not turn.calls:
            rows.append({"action": "message", "content": turn.text, "wait_for_response": False})
        for n, call in enumerate(turn.calls):
            rows.append({"action": "run_ipython", "code": f"{call.name} {call.args}", "thought": turn.text + str(n)})
            rows.append({"observation": "run_ipython", "content": call.result, "code": "…"})
    return rows


def openhands_row(turns: Sequence[Said]) -> Json:
    history = _openhands_flat(turns)
    return {
        "issue": {"owner": "o", "repo": "r", "number": 1},
        "instance_id": "o__r-1",
        "history": history,
        "metrics": {},
    }


def openhands_pairs(turns: Sequence[Said]) -> Json:
    """The older rows of an evaluation: each action with its observation, and a null one where there was none."""
    rows: list[Any] = []
    nothing = {"observation": "null", "content": "", "extras": {}}
    for turn in turns:
        if turn.role == "user" or not turn.calls:
            source = "user" if turn.role == "user" else "agent"
            action = {"source": source, "action": "message", "args": {"content": turn.text}}
            rows.append([action, nothing])
        for n, call in enumerate(turn.calls):
            args = {"command": f"{call.name} {call.args}", "thought": turn.text + str(n)}
            result = {"source": "agent", "observation": "run", "content": call.result, "extras": {"exit_code": 0}}
            rows.append([{"source": "agent", "action": "run", "args": args}, result])
    return {"instance_id": "x", "history": rows, "metadata": {"agent_class": "a"}}


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "openhands": ("openhands_events", openhands),
    "openhands row": ("openhands_events", openhands_row),
    "openhands pairs": ("openhands_events", openhands_pairs),
}
