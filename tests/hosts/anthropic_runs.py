"""The long run through Anthropic's SDK: a plain loop against a server that plays the script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anthropic import Anthropic
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel
from tests.hosts.sdk import BARE, canonical, provider

import foldproof as fp
from foldproof.window import Strategy
from foldproof_compactors.anthropic import hosted, wrap

FUNCTIONS = {tool.name: tool.function for tool in TOOLS}
SCHEMAS: Any = [{"name": t.name, "description": t.description, "input_schema": t.parameters} for t in TOOLS]
Cut = Callable[[list[Any]], list[Any]]


def talk(client: Anthropic, cut: Cut = list) -> tuple[list[Any], list[str]]:
    """Play the run, the SDK's own blocks in the list, and return the list and the answers."""
    messages: list[Any] = []
    answers = []
    for turn in TURNS:
        messages.append({"role": "user", "content": turn.request})
        while True:
            answer = client.messages.create(
                model="scripted", max_tokens=900, system=SYSTEM, messages=cut(messages), tools=SCHEMAS
            )
            messages.append({"role": "assistant", "content": answer.content})
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": FUNCTIONS[block.name](**block.input)}
                for block in answer.content
                if block.type == "tool_use"
            ]
            if not results:
                break
            messages.append({"role": "user", "content": results})
        answers.append("".join(block.text for block in answer.content if block.type == "text"))
    return messages, answers


def play(strategy: fp.Compactor | Strategy | None = None, cut: Cut = list) -> Run:
    model = ScriptedModel()
    with provider("anthropic", model) as server, Anthropic(base_url=server.url, **BARE) as client:
        used = client if strategy is None else wrap(client, strategy)
        messages, answers = talk(used, cut)
        kept = canonical("anthropic", {"messages": plain(messages)})
        if strategy is not None:
            kept = hosted(used).state(messages).ledger
    return Run(requests=tuple(model.requests), answers=tuple(answers), kept=kept, provider="anthropic")


def plain(messages: list[Any]) -> list[Any]:
    """Return messages with the SDK's blocks as JSON."""
    return [
        one
        if isinstance(one["content"], str)
        else {
            **one,
            "content": [b if isinstance(b, dict) else b.model_dump(exclude_none=True) for b in one["content"]],
        }
        for one in messages
    ]


def last(count: int) -> Cut:
    """How it is done by hand: the newest messages, from a message of the person's on."""

    def cut(messages: list[Any]) -> list[Any]:
        starts = [at for at, one in enumerate(messages) if isinstance(one["content"], str)]
        start = next((at for at in starts if at >= len(messages) - count), starts[-1])
        return messages[start:] if len(messages) > count else messages

    return cut


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": play,
    "foldproof: SummarizeOldest": lambda: play(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: ClearToolResults": lambda: play(fp.ClearToolResults(THRESHOLD)),
    "by hand: the newest 20 messages": lambda: play(cut=last(20)),
}
