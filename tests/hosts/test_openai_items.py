"""What OpenAI's APIs have beside messages and functions: it goes as the API takes it, or stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import foldproof as fp
from foldproof.window import Strategy
from foldproof_compactors.callback import compactor

PROSE = "words that take room, once and again. " * 20
Json = Any
Rows = list[dict[str, Any]]


def turns(count: int) -> Rows:
    said = [[("user", f"{at}: {PROSE}"), ("assistant", f"It is {at}.")] for at in range(count)]
    return [{"role": role, "content": content} for turn in said for role, content in turn]


def cleared(result: dict[str, Any], call: dict[str, Any], **options: Json) -> tuple[dict[str, Any], str | None]:
    """Return what is sent of a result that ClearToolResults may clear, and what went wrong."""
    newest = {"type": "function_call", "call_id": "last", "name": "find", "arguments": "{}"}
    found = {"type": "function_call_output", "call_id": "last", "output": PROSE}
    rows = [*turns(1), call, result, newest, found, {"role": "user", "content": "And now?"}]
    hosted = compactor(fp.ClearToolResults(0, 1, **options), format="openai_responses")
    sent = next(row for row in hosted.fold(rows) if row.get("type") == result["type"])
    return sent, hosted.records[-1].error if hosted.records else None


SEALED = {"type": "compaction", "id": "cmp-1", "encrypted_content": "c2VhbGVk"}


@pytest.mark.parametrize("ahead", [[], turns(2)])
@pytest.mark.parametrize("strategy", [fp.SummarizeOldest(0, 2), fp.SlidingWindow(2), fp.TokenBudget(0, 2)])
def test_a_summary_that_only_the_provider_can_read_never_leaves(strategy: Strategy, ahead: Rows) -> None:
    hosted = compactor(fp.Compactor(strategy, provider="openai_responses"), format="openai_responses")
    older = {**SEALED, "id": "cmp-0"}
    rows = [*ahead, older, *turns(1), SEALED, *turns(5), {"role": "user", "content": "And now?"}]
    view: Sequence[Json] = ()
    for number in range(4):
        view = hosted.fold(rows)
        assert any(row is SEALED for row in view)
        assert view[-1] is rows[-1]
        rows += [{"role": "assistant", "content": f"Now {number}."}, {"role": "user", "content": f"{number}? {PROSE}"}]
    assert not any(row is older for row in view)  # the later one stands for it
    assert len(view) < len(rows) / 2
    refusals = [refusal for record in hosted.records if record.window for refusal in record.window.refusals]
    assert any("only the provider" in (refusal.detail or "") for refusal in refusals)


def test_a_screenshot_is_not_replaced_by_words() -> None:
    call = {"type": "computer_call", "id": "c", "call_id": "c", "status": "completed", "action": {"type": "screenshot"}}
    shot = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AA"}
    result = {"type": "computer_call_output", "call_id": "c", "output": shot}
    sent, error = cleared(result, call)
    assert sent is result
    assert 'exclude the tool "computer"' in (error or "")
    sent, error = cleared(result, call, exclude=("computer",))
    assert sent is result
    assert "screenshot" not in (error or "")


def test_a_cleared_shell_result_has_the_shape_of_one() -> None:
    call = {"type": "shell_call", "call_id": "s", "status": "completed", "action": {"commands": ["ls"]}}
    ended = {"type": "exit", "exit_code": 2}
    output = [{"stdout": PROSE, "stderr": "", "outcome": ended}]
    sent, error = cleared({"type": "shell_call_output", "call_id": "s", "output": output}, call)
    assert error is None
    (one,) = sent["output"]
    assert one["stdout"].startswith("[foldproof cleared result]")
    assert one | {"stdout": ""} == {"stdout": "", "stderr": "", "outcome": ended}


def test_a_cleared_patch_result_still_says_its_status() -> None:
    patch = {"type": "create_file", "path": "a.txt", "diff": "+a"}
    call = {"type": "apply_patch_call", "call_id": "p", "status": "completed", "operation": patch}
    result = {"type": "apply_patch_call_output", "call_id": "p", "status": "failed", "output": PROSE}
    sent, error = cleared(result, call)
    assert error is None
    assert sent["output"].startswith("[foldproof cleared result]")
    assert sent["status"] == "failed"


def test_a_cleared_result_of_a_legacy_function_is_one_still() -> None:
    asked = {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": "{}"}}
    rows: Rows = turns(1)
    for number in range(3):
        rows += [asked, {"role": "function", "name": "find", "content": f"{number}: {PROSE}"}]
    rows.append({"role": "user", "content": "And now?"})
    hosted = compactor(fp.ClearToolResults(0, 1))
    view = hosted.fold(rows)
    new = [row for row in view if not any(row is own for own in rows)]
    assert len(new) == 2
    assert all(row.keys() == {"role", "name", "content"} for row in new)
    assert {(row["role"], row["name"]) for row in new} == {("function", "find")}
    replaced = compactor(fp.ClearToolResults(0, 1))
    assert replaced.fold(view) == view  # read back, nothing is cleared twice
