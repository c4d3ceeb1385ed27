"""What Google ADK writes in the user's role: its requests to a model hold it beside what the person said.

ADK tells an agent what other agents did, gives it instructions and memories for one request, and hands it what its code
printed, all as contents of the user's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_RELAYED = "For context:"
_DID = re.compile(r"\[[^\]\n]+\] (?:said|thought|called tool `|(`[^`\n]*` tool returned result))")
_INSTRUCTION, _INSTRUCTION_END = "\n<<<BEGIN_SYSTEM_INSTRUCTION>>>\n", "\n<<<END_SYSTEM_INSTRUCTION>>>"
_MEMORIES, _MEMORIES_END = "\n<PAST_CONVERSATIONS>\n", "\n</PAST_CONVERSATIONS>\n"
_MEMORIES_OPEN = "The following content is from your previous conversations with the user."
_PRINTED, _PRINTED_END = "```tool_output\n", "\n```"


def adk_words(texts: Sequence[str | None]) -> dict[str, str] | None:
    """Return why a user's content is not the person's words, as `injectedBy` says it; None where it may be.

    Args:
        texts: the text of each of its parts; None for a part of another kind.
    """
    said = [text for text in texts if text is not None]
    if not said:
        return None
    if said[0].startswith(_RELAYED) and len(said) > 1:
        did = [_DID.match(text) for text in said[1:]]
        if all(did):
            if all(match and match[1] for match in did):
                return {"reason": "what another agent's tools said"}
            return {"reason": "what another agent did", "author": "model"}
    if len(said) != 1:
        return None
    if is_transient(said[0]):
        return {"reason": "put into one request"}
    printed = said[0].startswith(_PRINTED) and said[0].endswith(_PRINTED_END)
    return {"reason": "what code printed"} if printed else None


def is_transient(text: str) -> bool:
    """Whether a user's text is one that ADK puts into a request anew, each time elsewhere: instruction or memories."""
    if _INSTRUCTION in text:
        return text.startswith("The text between <<<BEGIN_SYSTEM") and text.endswith(_INSTRUCTION_END)
    return text.startswith(_MEMORIES_OPEN) and _MEMORIES in text and text.endswith(_MEMORIES_END)
