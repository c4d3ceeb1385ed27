"""The scenario is what it says, and everything that can be wrong with a run is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.hosts.desk import number_of
from tests.hosts.scenario import (
    ANSWER,
    EXPECTED,
    STEPS,
    TURNS,
    Run,
    ScriptedModel,
    answer_to,
    conversation,
    faults,
    outcome,
)

from foldproof import Message

Request = tuple[Message, ...]


def whole() -> Run:
    messages = conversation()
    asked = [at for at, message in enumerate(messages) if message.role == "assistant"]
    answers = tuple(messages[at].text for at in asked if not messages[at].tool_calls)
    return Run(requests=tuple(messages[:at] for at in asked), answers=answers, kept=messages, provider="openai_chat")


def test_the_script_is_long_enough_and_calls_in_parallel() -> None:
    assert sum(len(step.calls) for step in STEPS) >= 36
    assert sum(len(step.calls) > 1 for step in STEPS) >= 10
    assert max(sum(len(step.calls) for step in turn.steps) for turn in TURNS) >= 18
    assert [bool(turn.steps[-1].calls) for turn in TURNS] == [False] * len(TURNS)
    ids = [call.id for step in STEPS for call in step.calls]
    assert len(ids) == len(set(ids))


def test_what_is_expected_of_the_answer_is_what_the_texts_say() -> None:
    said = "\n".join(answer_to(call) for step in STEPS for call in step.calls)
    asked = "\n".join(turn.request for turn in TURNS)
    for name, verdict in EXPECTED.items():
        assert name in ANSWER
        assert (name in said or f"{name.rstrip('0').rstrip('.')}," in said) == (verdict == "grounded"), name
        assert (name in asked) == (verdict == "exempt"), name
    first, second = (
        float(name) for name, verdict in EXPECTED.items() if verdict == "grounded" and number_of(name) > 99_999
    )
    assert f"{first + second:.2f}" in EXPECTED


def test_the_whole_run_has_no_fault() -> None:
    assert faults(whole()) == ()
    shown = outcome(whole())
    assert (shown.requests, shown.invalid, shown.without_request, shown.wrong_verdicts) == (len(STEPS), 0, 0, 0)
    assert shown.invented_caught
    assert shown.values_in_view == shown.values


def _without(request: Request, role: str) -> Request:
    return tuple(message for message in request if message.role != role)


def _changed(run: Run, change: Callable[[Request], Request]) -> Run:
    return replace(run, requests=(*run.requests[:-1], change(run.requests[-1])))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda run: _changed(run, lambda request: _without(request, "tool")), "has no result before"),
        (lambda run: _changed(run, lambda request: _without(request, "user")), "request 25: what the person asked"),
        (lambda run: replace(run, requests=run.requests[:-1]), "the model was asked 25 times"),
        (lambda run: replace(run, answers=run.answers[1:]), "gave 3 answers to 4 requests"),
        (lambda run: replace(run, kept=run.kept[20:]), "judged otherwise"),
        (lambda run: replace(run, kept=(*run.kept, Message(role="user", content="A-77190"))), "judged otherwise"),
        (lambda run: _changed(run, lambda request: (*request, *request[2:6])), "an id is called twice"),
    ],
)
def test_what_is_wrong_with_a_run_is_found(broken: Callable[[Run], Run], said: str) -> None:
    found = faults(broken(whole()))
    assert any(said in fault for fault in found), found


def test_the_script_ends() -> None:
    model = ScriptedModel()
    assert [model.step() for _ in STEPS] == list(STEPS)
    with pytest.raises(ValueError, match="asked for one more"):
        model.step()
