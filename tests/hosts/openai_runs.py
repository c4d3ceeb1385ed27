"""The long run through OpenAI's SDK: a plain loop against a server that plays the script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from openai import OpenAI
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel
from tests.hosts.sdk import BARE, PROVIDERS, canonical, provider

import foldproof as fp
from foldproof.window import Strategy
from foldproof_compactors.openai import hosted, wrap

FUNCTIONS = {tool.name: tool.function for tool in TOOLS}
Cut = Callable[[list[Any]], list[Any]]


def chat(client: OpenAI, cut: Cut = list) -> tuple[list[Any], list[str]]:
    """Play the run over Chat Completions, the SDK's own messages in the list, and return the list and the answers."""
    tools: Any = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in TOOLS
    ]
    messages: list[Any] = [{"role": "system", "content": SYSTEM}]
    answers = []
    for turn in TURNS:
        messages.append({"role": "user", "content": turn.request})
        while True:
            answer = client.chat.completions.create(model="scripted", messages=cut(messages), tools=tools)
            said = answer.choices[0].message
            messages.append(said)
            if not said.tool_calls:
                break
            for call in said.tool_calls:
                assert call.type == "function"
                found = FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
        answers.append(said.content or "")
    return messages, answers


def responses(client: OpenAI, cut: Cut = list) -> tuple[list[Any], list[str]]:
    """Do what `chat` does over Responses, with the list in the app's own hands."""
    tools: Any = [
        {"type": "function", "name": t.name, "description": t.description, "parameters": t.parameters, "strict": False}
        for t in TOOLS
    ]
    items: list[Any] = []
    answers = []
    for turn in TURNS:
        items.append({"role": "user", "content": turn.request})
        while True:
            answer = client.responses.create(model="scripted", instructions=SYSTEM, input=cut(items), tools=tools)
            items += answer.output
            calls = [item for item in answer.output if item.type == "function_call"]
            if not calls:
                break
            for call in calls:
                found = FUNCTIONS[call.name](**json.loads(call.arguments))
                items.append({"type": "function_call_output", "call_id": call.call_id, "output": found})
        answers.append(answer.output_text)
    return items, answers


def play(api: Literal["chat", "responses"], strategy: fp.Compactor | Strategy | None = None, cut: Cut = list) -> Run:
    model = ScriptedModel()
    with provider(api, model) as server, OpenAI(base_url=server.url, **BARE) as client:
        used = client if strategy is None else wrap(client, strategy)
        items, answers = (chat if api == "chat" else responses)(used, cut)
        if strategy is not None:
            kept = hosted(used, api).state(items).ledger
        else:
            rows = [item if isinstance(item, dict) else item.model_dump(exclude_none=True) for item in items]
            kept = canonical(api, {"messages" if api == "chat" else "input": rows})
    return Run(requests=tuple(model.requests), answers=tuple(answers), kept=kept, provider=PROVIDERS[api])


def last(count: int) -> Cut:
    """How it is done by hand: the system message and the newest messages, from a message of the person's on."""

    def cut(messages: list[Any]) -> list[Any]:
        head = [one for one in messages[:1] if isinstance(one, dict) and one.get("role") == "system"]
        starts = [at for at, one in enumerate(messages) if isinstance(one, dict) and one.get("role") == "user"]
        start = next((at for at in starts if at >= len(messages) - count), starts[-1])
        return [*head, *messages[start:]] if len(messages) > count else messages

    return cut


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": lambda: play("chat"),
    "foldproof: SummarizeOldest": lambda: play("chat", fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: ClearToolResults": lambda: play("chat", fp.ClearToolResults(THRESHOLD)),
    "foldproof: SummarizeOldest, Responses": lambda: play("responses", fp.SummarizeOldest(THRESHOLD, 4)),
    "by hand: the newest 20 messages": lambda: play("chat", cut=last(20)),
}
