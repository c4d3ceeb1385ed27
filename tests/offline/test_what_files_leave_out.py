"""What a file leaves out accuses nobody, and what it declares beside the messages counts as the app's."""

from __future__ import annotations

from typing import Any

import foldproof as fp
from foldproof.offline import audit
from foldproof.transcripts import read_text


def verdicts(conversation: fp.Conversation) -> list[str]:
    return [value.verdict for answer in audit(conversation).answers for value in answer.values]


ASKED: list[dict[str, Any]] = [
    {"role": "user", "content": "fee?"},
    {"role": "assistant", "content": "See form AB-1234."},
]


def test_tools_that_the_app_offers_are_its_words() -> None:
    tool = {"type": "function", "function": {"name": "fees", "description": "Reads form AB-1234."}}
    assert verdicts(fp.parse({"messages": ASKED})) == ["invented"]
    assert verdicts(fp.parse({"messages": ASKED, "tools": [tool]})) == ["exempt"]


def test_history_behind_an_id_of_the_provider_accuses_nobody() -> None:
    body = {"model": "m", "instructions": "Be brief.", "input": ASKED}
    assert verdicts(fp.parse(body, format="openai_responses")) == ["invented"]
    assert verdicts(fp.parse(body | {"previous_response_id": "r1"}, format="openai_responses")) == ["undecidable"]


def test_a_log_without_what_the_model_was_shown_accuses_nobody() -> None:
    text = "\n# aider chat started at 2025-01-01 10:00:00\n\n#### fee?  \n\nSee form AB-1234.\n"
    (conversation,) = read_text(text, name="history.md")
    assert conversation.incomplete
    assert verdicts(conversation) == ["undecidable"]
