"""What Codex says in its own words: as the user, and in the place of a tool. Checked in the source of the CLI."""

from __future__ import annotations

import json
import re
from typing import Any, Final

APP: Final = "codex"
"""Who delivered what a person did not write."""

_IDE: Final = "# context from my ide setup"
_AGENTS: Final = "# agents.md instructions"
OWN_OPENINGS: Final = (
    _IDE,
    _AGENTS,
    "<environment_context>",
    "<user_instructions>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
)
"""How a user's text opens that Codex wrote, wherever it stands: no other app writes like that."""
OPENINGS: Final = (
    *OWN_OPENINGS,
    "<instructions>",
    "<user_action>",
    "<skill>",
    "<hook_prompt",
    "<model_switch>",
    "<plugins>",
    "<subagents>",
    "another language model started to solve this problem and produced a summary",
)
"""How a user's text opens that Codex wrote, in a session of Codex."""
_LONGEST_OPENING: Final = 80
_TAG: Final = re.compile(r"<([a-z_]+(?: instructions)?)")
_REQUEST: Final = re.compile(r"^## my request(?: for codex)?:", re.IGNORECASE | re.MULTILINE)

_HEADER: Final = re.compile(
    r"(?:Chunk ID: \S*\n)?(?:Exit code: (-?\d+)\n)?Wall time: [\d.]+ seconds?\n(?:Process exited with code (-?\d+)\n)?"
)
_FAILED: Final = (
    "failed in sandbox",
    "execution error",
    "exec_command failed",
    "apply_patch verification failed",
    "err: ",
)
_NEVER_RAN: Final = re.compile(
    r"(?:exec command|patch) rejected|rejected by user|unsupported (?:custom tool )?call: "
    r"|failed to parse function arguments|(?:Wall time: [\d.]+ seconds?\n)?aborted by user|aborted\Z"
    r"|rejected: blocked by policy|approval required by policy(?: rule)?, but "
    r"|This action was rejected due to unacceptable risk\."
)
_REFUSED: Final = re.compile(
    r"`.*` rejected: [^\n]+\Z|exec_command failed for `.*`: CreateProcess \{ message: \"Rejected\(", re.DOTALL
)
"""A refusal that repeats the command."""


def is_injected(content: str | list[Any], openings: tuple[str, ...] = OPENINGS) -> bool:
    """Whether a user's content is Codex's and nothing in it is the person's: every text opens so, and ends there.

    What the person asked stands behind the context of their editor, in one text or in the next; a picture is theirs.
    """
    texts = [content] if isinstance(content, str) else [part.get("text") for part in content]
    if not all(isinstance(text, str) and _is_app_text(text, openings) for text in texts):
        return False
    return any(text.strip() for text in texts)


def _is_app_text(text: str, openings: tuple[str, ...]) -> bool:
    text = text.strip()
    while text:
        head = text[:_LONGEST_OPENING].lower()
        if not head.startswith(openings):
            return False
        text = _behind(text, head)
    return True


def _behind(text: str, head: str) -> str:
    """Return what stands behind what Codex wrote at the beginning of a text."""
    if head.startswith(_IDE):
        *_, last = _REQUEST.split(text)
        return "" if last is text else last.strip()
    tag = _TAG.match(head)
    name = "instructions" if head.startswith(_AGENTS) else tag[1] if tag else None
    end = re.search(rf"</{name}>", text, re.IGNORECASE) if name else None
    return "" if end is None else text[end.end() :].strip()


def told(output: str) -> dict[str, Any]:
    """Return what the model read of a call, with whether it failed, and whether it ran at all."""
    if output.startswith('{"') and '"metadata"' in output:
        return {"content": output} | _ended(_exit_code(output))
    if output.startswith(("Chunk ID:", "Exit code:", "Wall time:")):
        header = _HEADER.match(output)
        code = header and (header[1] or header[2])
        if code:
            return {"content": output} | _ended(code)
    start = output[:120]
    if _NEVER_RAN.match(start if len(output) <= len(start) else start + "…") or _is_refused(output):
        return {"content": output, "isError": True, "toolResultOrigin": "not-entered"}
    return {"content": output, "isError": True} if start.startswith(_FAILED) else {"content": output}


def _is_refused(output: str) -> bool:
    return output.startswith(("`", "exec_command failed for `")) and _REFUSED.match(output) is not None


def _exit_code(output: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        whole = json.loads(output)
    except (ValueError, RecursionError):
        return None
    about = whole.get("metadata") if isinstance(whole, dict) and isinstance(whole.get("output"), str) else None
    return about.get("exit_code") if isinstance(about, dict) else None


def _ended(code: Any) -> dict[str, Any]:  # noqa: ANN401
    return {} if code in (None, 0, "0") else {"isError": True}
