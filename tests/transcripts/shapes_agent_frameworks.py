"""Small conversations as agent frameworks save them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json


def autogen_rows(turns: Sequence[Said], *, ids: bool = True, agent: str = "helper") -> list[Any]:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append({"content": turn.text, "source": "user", "type": "UserMessage"})
            continue
        row = {"content": turn.text, "thought": None, "source": agent, "type": "AssistantMessage"}
        if not turn.calls:
            rows.append(row)
            continue
        named = [(f"c{at}.{n}" if ids else "", call) for n, call in enumerate(turn.calls)]
        calls = [{"id": name, "arguments": json.dumps(call.args), "name": call.name} for name, call in named]
        rows.append(row | {"content": calls, "thought": turn.text})
        results = [
            {"content": call.result, "name": call.name, "call_id": name, "is_error": False} for name, call in named
        ]
        rows.append({"content": results, "type": "FunctionExecutionResultMessage"})
    return rows


def autogen_agent(turns: Sequence[Said], *, ids: bool = True, agent: str = "helper") -> Json:
    context = {"messages": autogen_rows(turns, ids=ids, agent=agent)}
    return {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": context}


def autogen_without_ids(turns: Sequence[Said]) -> Json:
    return autogen_agent(turns, ids=False)


def autogen_team(turns: Sequence[Said]) -> Json:
    helper = {"type": "ChatAgentContainerState", "agent_state": autogen_agent(turns), "message_buffer": []}
    thread = [{"source": turn.role, "content": turn.text, "type": "TextMessage"} for turn in turns]
    manager = {"type": "RoundRobinManagerState", "version": "1.0.0", "message_thread": thread, "current_turn": 0}
    states = {"helper": helper, "RoundRobinGroupChatManager": manager}
    return {"type": "TeamState", "version": "1.0.0", "agent_states": states}


def autogen_list(turns: Sequence[Said]) -> Json:
    return [{"content": "be brief", "type": "SystemMessage"}, *autogen_rows(turns)]


def agent_framework_rows(turns: Sequence[Said], *, ids: bool = True, beta: bool = False) -> list[Any]:
    def row(role: str, *contents: dict[str, Any]) -> dict[str, Any]:
        named: Any = {"type": "role", "value": role} if beta else role
        more: dict[str, Any] = {"message_id": f"m{len(rows)}"} if ids else {}
        kind = "chat_message" if beta else "message"
        return {"type": kind, "role": named, "contents": list(contents), **more, "additional_properties": {}}

    rows: list[Any] = []
    rows.append(row("system", {"type": "text", "text": "be brief"}))
    for at, turn in enumerate(turns):
        contents: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text or not turn.calls else []
        if turn.role == "assistant":
            contents.insert(0, {"type": "text_reasoning", "text": "hm", "protected_data": "x"})
        named = [(f"c{at}.{n}", call) for n, call in enumerate(turn.calls)]
        for name, call in named:
            arguments: Any = call.args if beta else json.dumps(call.args)
            contents.append({"type": "function_call", "call_id": name, "name": call.name, "arguments": arguments})
        rows.append(row(turn.role, *contents))
        results: list[dict[str, Any]] = []
        for name, call in named:
            result = {"type": "function_result", "call_id": name, "result": call.result}
            results.append(result if beta else result | {"items": [{"type": "text", "text": call.result}]})
        rows += [row("tool", *results)] if results and ids else [row("tool", result) for result in results]
    return rows


def agent_framework_session(turns: Sequence[Said]) -> Json:
    state = {"in_memory": {"messages": agent_framework_rows(turns)}, "turns": 1}
    return {"type": "session", "session_id": "s1", "service_session_id": None, "state": state}


def agent_framework_thread(turns: Sequence[Said]) -> Json:
    store = {"type": "chat_message_store_state", "messages": agent_framework_rows(turns, beta=True)}
    return {"type": "agent_thread_state", "service_thread_id": None, "chat_message_store_state": store}


def agent_framework_compacted(turns: Sequence[Said]) -> Json:
    """The first half stands behind a summary, as the framework's strategies leave it."""
    rows = agent_framework_rows(turns)
    stop = next((at for at in range(len(rows) // 2, len(rows)) if rows[at]["role"] != "tool"), len(rows))
    half = [row for row in rows[:stop] if row["role"] != "system"]
    for row in half:
        row["additional_properties"] = {"_group": {"_summarized_by_summary_id": "summary_9"}, "_excluded": True}
    group = {"_summary_of_message_ids": [row["message_id"] for row in half], "_summary_of_group_ids": []}
    summary = {
        "type": "message",
        "role": "assistant",
        "contents": [{"type": "text", "text": "what was said"}],
        "message_id": "summary_9",
        "additional_properties": {"_group": group},
    }
    return {"type": "agent_response", "messages": [rows[0], summary, *rows[1:]] if half else rows}


def reasoninglayer(turns: Sequence[Said], *, snake: bool = False) -> Json:
    """Answers only: what the person said is in none of them."""
    names = {
        "assistantMessage": "assistant_message",
        "osfqlExecuted": "osfql_executed",
        "queryResults": "query_results",
    }
    names |= {"conversationId": "conversation_id", "turnId": "turn_id", "producedTermIds": "produced_term_ids"}
    answers = []
    for at, turn in enumerate(turns):
        for call in turn.calls or (None,):
            answer: dict[str, Any] = {"conversationId": "c", "turnId": f"t{at}", "intent": "query", "suggestions": []}
            answer |= {"assistantMessage": turn.text, "producedTermIds": ["x"] if call and call.args else []}
            if call:
                answer["osfqlExecuted"] = f"MATCH {call.name} {call.args}"
                answer["queryResults"] = [{"v": {"type": "String", "value": call.result}}]
            answers.append({names.get(key, key): value for key, value in answer.items()} if snake else answer)
    return answers or [{"conversationId": "c", "turnId": "t", "intent": "greet", "assistantMessage": "hello"}]


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "reasoninglayer": ("reasoninglayer", reasoninglayer),
    "reasoninglayer snake": ("reasoninglayer", lambda turns: reasoninglayer(turns, snake=True)),
    "reasoninglayer one": ("reasoninglayer", lambda turns: reasoninglayer(turns)[0]),
    "autogen agent": ("autogen", autogen_agent),
    "autogen without ids": ("autogen", autogen_without_ids),
    "autogen team": ("autogen", autogen_team),
    "autogen context": ("autogen", lambda turns: {"messages": autogen_list(turns), "kept": 1}),
    "autogen list": ("autogen", autogen_list),
    "agent framework session": ("agent_framework", agent_framework_session),
    "agent framework thread": ("agent_framework", agent_framework_thread),
    "agent framework compacted": ("agent_framework", agent_framework_compacted),
    "agent framework list": ("agent_framework", lambda turns: agent_framework_rows(turns, ids=False)),
}
