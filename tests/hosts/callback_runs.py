"""The long run in a plain loop over a list of dicts, with no framework at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS, Run, ScriptedModel, Step, answer_to, input_tokens

import foldproof as fp
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.callback import compactor

Row = dict[str, Any]


def said(step: Step) -> Row:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in step.calls
    ]
    return {"role": "assistant", "content": step.text, **({"tool_calls": calls} if calls else {})}


def play(strategy: Strategy | None = None, newest: int | None = None, *, in_place: bool = False) -> Run:
    """Play the run with a strategy, or with a plain cut; `in_place` keeps the folded list and not the whole one."""
    model, messages, answers = ScriptedModel(), [{"role": "system", "content": SYSTEM}], []
    compact = None if strategy is None else compactor(fp.Compactor(strategy, provider="openai_chat"))
    for turn in TURNS:
        messages.append({"role": "user", "content": turn.request})
        while True:
            sent = messages if compact is None else list(compact.fold(messages))
            if in_place:
                messages = sent
            if newest is not None:
                sent = cut(messages, newest)
            request = parse_as(sent, "openai_chat").messages
            model.record(request)
            if compact is not None:
                compact.reported(messages, input_tokens(request))
            step = model.step()
            messages.append(said(step))
            if not step.calls:
                break
            messages += [{"role": "tool", "tool_call_id": call.id, "content": answer_to(call)} for call in step.calls]
        answers.append(step.text)
    whole = parse_as(messages, "openai_chat").messages
    kept = whole if compact is None else compact.state(messages).ledger
    return Run(requests=tuple(model.requests), answers=tuple(answers), kept=kept, provider="openai_chat")


def cut(messages: list[Row], newest: int) -> list[Row]:
    """How it is done by hand: the system message and the newest messages, from a message of the person's on."""
    starts = [at for at, message in enumerate(messages) if message["role"] == "user"]
    start = next((at for at in starts if at >= len(messages) - newest), starts[-1])
    return [messages[0], *messages[start:]] if len(messages) > newest else messages


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": play,
    "foldproof: SummarizeOldest": lambda: play(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: SummarizeOldest, the list replaced": lambda: play(fp.SummarizeOldest(THRESHOLD, 4), in_place=True),
    "foldproof: ClearToolResults": lambda: play(fp.ClearToolResults(THRESHOLD)),
    "by hand: the newest 20 messages": lambda: play(newest=20),
}
