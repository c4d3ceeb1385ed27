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


def _rows_of_agent(turns: Sequence[Said], *, native: bool) -> list[Any]:
    """Rows of SWE-agent: a call stands beside the text, or in it."""
    rows: list[Any] = [{"role": "system", "content": "SETTING", "agent": "main", "message_type": "system_prompt"}]
    rows.append({"role": "user", "content": "a demonstration", "agent": "main", "is_demo": True})
    state = "\n(Open file: n/a)\n(Current directory: /w)\nbash-$"
    for at, turn in enumerate(turns):
        kind = "action" if turn.role == "assistant" else "observation"
        row = {"role": turn.role, "content": turn.text, "agent": "main", "message_type": kind}
        if not native:
            rows += [] if turn.calls else [row]
            for n, call in enumerate(turn.calls):
                said = f"{turn.text} {at}.{n}\n```\n{call.name}\n```"
                rows.append(
                    {"role": "assistant", "content": said, "thought": turn.text, "action": call.name, "agent": "main"}
                )
                rows.append({"role": "user", "content": call.result + state, "agent": "main"})
            continue
        calls = [
            {"id": f"c{at}.{n}", "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.args)}}
            for n, c in enumerate(turn.calls)
        ]
        rows.append(row | ({"tool_calls": calls, "action": "x", "thinking_blocks": []} if calls else {}))
        for n, call in enumerate(turn.calls):
            result = {"role": "tool", "content": f"OBSERVATION:\n{call.result}{state}", "tool_call_ids": [f"c{at}.{n}"]}
            rows.append(result | {"agent": "main", "message_type": "observation"})
    return rows


def sweagent_native(turns: Sequence[Said]) -> Json:
    step = {"action": "x", "observation": "y", "response": "z"}
    return {"environment": "e", "trajectory": [step], "history": _rows_of_agent(turns, native=True), "info": {}}


def sweagent_text(turns: Sequence[Said]) -> Json:
    return {"history": _rows_of_agent(turns, native=False)}


def _miniswe_text(turns: Sequence[Said]) -> list[Any]:
    rows: list[Any] = [
        {"role": "system", "content": "You can use a computer. End with `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`."}
    ]
    for at, turn in enumerate(turns):
        rows += [] if turn.calls else [{"role": turn.role, "content": turn.text}]
        for n, call in enumerate(turn.calls):
            rows.append({"role": "assistant", "content": f"{turn.text} {at}.{n}\n```bash\n{call.name}\n```"})
            rows.append({"role": "user", "content": f"<returncode>{n}</returncode>\n<output>\n{call.result}</output>"})
    return rows


def miniswe_text(turns: Sequence[Said]) -> Json:
    return {"info": {"exit_status": "x"}, "messages": _miniswe_text(turns), "trajectory_format": "mini-swe-agent-1"}


def miniswe_list(turns: Sequence[Said]) -> Json:
    return _miniswe_text(turns)


def miniswe_calls(turns: Sequence[Said]) -> Json:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        row: dict[str, Any] = {"role": turn.role, "content": turn.text, "extra": {"cost": 1}}
        if turn.calls:
            row["tool_calls"] = [
                {"id": f"c{at}.{n}", "type": "function", "function": {"name": "bash", "arguments": json.dumps(c.args)}}
                for n, c in enumerate(turn.calls)
            ]
        rows.append(row)
        for n, call in enumerate(turn.calls):
            said = json.dumps({"returncode": n, "output": call.result})
            rows.append({"role": "tool", "tool_call_id": f"c{at}.{n}", "content": said, "extra": {"returncode": n}})
    return {"info": {"mini_version": "2"}, "messages": rows, "trajectory_format": "mini-swe-agent-1.1"}


def toolbench(turns: Sequence[Said]) -> Json:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        rows += [] if turn.calls else [{"role": turn.role, "content": turn.text}]
        for n, call in enumerate(turn.calls):
            typed = {"name": call.name, "arguments": json.dumps(call.args)}
            rows.append({"role": "assistant", "content": f"{turn.text} {at}.{n}", "function_call": typed})
            rows.append({"role": "function", "name": call.name, "content": f'{{"error": "", "response": {call.result}'})
    paths = [rows[:2], rows]
    return {"win": True, "tree": {}, "answer_generation": {"query": "q", "function": [], "train_messages": paths}}


def tau2_text(turns: Sequence[Said]) -> Json:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        calls = [
            {"id": f"c{at}.{n}", "name": c.name, "arguments": c.args, "requestor": "assistant"}
            for n, c in enumerate(turn.calls)
        ]
        rows.append({"role": turn.role, "content": turn.text, "tool_calls": calls or None, "turn_idx": at})
        for n, call in enumerate(turn.calls):
            result = {"role": "tool", "id": f"c{at}.{n}", "content": call.result, "requestor": "assistant"}
            rows.append(result | {"error": n == 1})
        if turn.role == "user":
            own = {"id": f"u{at}", "name": "check_phone", "arguments": {}, "requestor": "user"}
            rows.append({"role": "user", "content": None, "tool_calls": [own]})
            rows.append({"role": "tool", "id": f"u{at}", "content": "no signal", "requestor": "user", "error": False})
    return {"id": "s1", "task_id": "7", "duration": 1.0, "termination_reason": "user_stop", "messages": rows}


def tau2_results(turns: Sequence[Said]) -> Json:
    return {"info": {"user_info": {}, "agent_info": {}}, "tasks": [], "simulations": [tau2_text(turns)]}


def _atif(turns: Sequence[Said], *, linked: bool) -> Json:
    steps: list[Any] = [{"source": "system", "message": "You are an agent."}]
    for at, turn in enumerate(turns):
        step: dict[str, Any] = {"source": "user" if turn.role == "user" else "agent", "message": turn.text}
        if turn.role == "assistant":
            step |= {"model_name": "m", "reasoning_content": "hm", "metrics": {"prompt_tokens": 1}}
        if turn.calls:
            step["tool_calls"] = [
                {"tool_call_id": f"c{at}.{n}", "function_name": call.name, "arguments": call.args}
                for n, call in enumerate(turn.calls)
            ]
            results = [{"source_call_id": f"c{at}.{n}", "content": c.result} for n, c in enumerate(turn.calls)]
            step["observation"] = {"results": results if linked else [{"content": turn.calls[0].result}]}
        steps.append(step)
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, start=1)]
    agent = {"name": "a", "version": "1", "model_name": "m"}
    return {"schema_version": "ATIF-v1.8", "session_id": "s", "agent": agent, "steps": numbered}


def atif(turns: Sequence[Said]) -> Json:
    return _atif(turns, linked=True)


def atif_bundled(turns: Sequence[Said]) -> Json:
    """One result for all commands of a step, as Terminus writes it."""
    return _atif(turns, linked=False)


def atif_inside(turns: Sequence[Said]) -> Json:
    """A trajectory with a sub-agent's inside."""
    inner: Json = {"schema_version": "ATIF-v1.8", "trajectory_id": "t2", "agent": {"name": "b", "version": "1"}}
    inner["steps"] = [{"step_id": 1, "source": "user", "message": "look"}]
    return _atif(turns, linked=True) | {"subagent_trajectories": [inner]}


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "openhands": ("openhands_events", openhands),
    "openhands row": ("openhands_events", openhands_row),
    "openhands pairs": ("openhands_events", openhands_pairs),
    "atif": ("atif", atif),
    "atif bundled": ("atif", atif_bundled),
    "sweagent native": ("sweagent_traj", sweagent_native),
    "sweagent text": ("sweagent_traj", sweagent_text),
    "miniswe text": ("miniswe_traj", miniswe_text),
    "miniswe list": ("miniswe_traj", miniswe_list),
    "miniswe calls": ("miniswe_traj", miniswe_calls),
    "toolbench": ("toolbench", toolbench),
    "tau2 text": ("tau2_sim", tau2_text),
    "tau2 results": ("tau2_sim", tau2_results),
}
