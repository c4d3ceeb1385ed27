"""What a summary of Claude Code is worth, and the archive of what it stands for; `claude_code` has the hooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from foldproof import Conversation, EvidenceIndex, EvidenceOptions, Message, SqliteArchive
from foldproof.evidence.stated import stated_by
from foldproof.evidence.unread import holds_unread
from foldproof.messages import author_of, calls_of, frame_kind
from foldproof.messages.authorship import said_with_refusal
from foldproof.messages.frames import OPENINGS
from foldproof.window import span_address
from foldproof.window.carry import carried
from foldproof.window.counting import arguments_text
from foldproof.window.faithful import Shown, UnsupportedClaim
from foldproof.window.survival import survival

MOST_NAMED: Final = 12
"""How many values of a kind are named."""

LONGEST_NAMED: Final = 120
"""How many code points of one are shown."""

BUSY_SECONDS: Final = 60.0
"""How long to wait for another process that writes to the archive."""

_DRAFT: Final = re.compile(r"<analysis>.*?</analysis>|</?summary>", re.DOTALL)
_COMMAND: Final = re.compile(r"<command-name>(.*?)</command-name>.*<command-args>(.*?)</command-args>", re.DOTALL)
_NAME: Final = re.compile(r"[\w.@+~-]*\w")
_REMOTE: Final = re.compile(r"\bgit@([\w.-]+):([\w./-]+?)(?:\.git)?(?![\w./-])")
_LINE: Final = re.compile(r"(?::\d+){1,2}\Z")
_UNKNOWN_ROW: Final = "unknown row type"


@dataclass(frozen=True, kw_only=True)
class Invented:
    """A value, or words put in the person's mouth, that nothing in the session said.

    Attributes:
        text: as the summary states it.
        near: a value that is nearly the same and was said; None for none.
    """

    text: str
    near: str | None = None


@dataclass(frozen=True, kw_only=True)
class SummaryAudit:
    """What was found about a summary.

    Attributes:
        values: how many values it states.
        invented: those that nothing in the session said, each once, in order.
        undecided: those that stand nowhere, where the session holds what could not be read (a picture, a damaged row).
        lost: values of the open work that the summary does not state, at most 12: what the person's last request says,
            and what tools said and the work since then refers to.
    """

    values: int
    invented: tuple[Invented, ...]
    undecided: tuple[str, ...]
    lost: tuple[str, ...]


def audit_summary(conversation: Conversation, summary: str, *, told: str = "") -> SummaryAudit:
    """Judge a summary that Claude Code wrote against the session it stands for.

    Args:
        conversation: the session, with everything that was ahead of the compaction.
        summary: as the model wrote it; a draft in `<analysis>` is left out.
        told: what the model was told beside the session: the system prompt, memory files.
    """
    text = _DRAFT.sub("", summary).strip()
    window = _window(conversation)
    shown = [*_beside(window, told), *window]
    claims, values = Shown(shown, None).unsupported(text)
    accused = [claim for claim in claims if claim.verdict == "invented"]
    if len(window) < len(conversation.messages) and _holds_originals(conversation):
        shown = [*_beside(conversation.messages, told), *conversation.messages]
        accused = list(_unsaid(claims, [one for one in shown if frame_kind(one) is None], text))
    if any("/" in claim.text for claim in accused):
        names = _names(shown)
        accused = [claim for claim in accused if not _is_put_together(claim, names)]
    invented: dict[str, Invented] = {}
    undecided: dict[str, None] = {}
    if not _is_whole(conversation) or any(map(holds_unread, window)):
        undecided = dict.fromkeys(claim.text for claim in accused)
    elif accused:
        judged = EvidenceIndex(shown, options=EvidenceOptions(unread="invented")).judge(text).values
        near = {value.start: value.near.text for value in judged if value.near is not None}
        invented = {claim.text: Invented(text=claim.text, near=near.get(claim.start)) for claim in accused}
    return SummaryAudit(
        values=values,
        invented=tuple(invented.values()),
        undecided=tuple(undecided),
        lost=tuple(_lost(window, Message(role="user", content=text)))[:MOST_NAMED],
    )


def _window(conversation: Conversation) -> Sequence[Message]:
    """Return what the model saw last: the summary of the compaction before, what that left, and what came after it."""
    messages = conversation.messages
    frames = [at for at, message in enumerate(messages) if frame_kind(message) == "summary"]
    if not frames:
        return messages
    gone = {one.fingerprint for span in conversation.folded for one in span.originals or ()}
    left = [one for one in messages[: frames[-1]] if one.fingerprint not in gone and frame_kind(one) is None]
    return [*left, *messages[frames[-1] :]]


def _beside(window: Sequence[Message], told: str) -> Iterator[Message]:
    """Yield what the model saw and no message says: what it was told, its own thinking, words of a refusal.

    Rows of the app's stand among those of the person, and a summary quotes them as the user's.
    """
    if told:
        yield Message(role="system", content=told)
    for message in window:
        for block in message.thinking_blocks or ():
            thought = block.get("thinking") if isinstance(block, dict) else None
            if isinstance(thought, str) and thought:
                yield Message(role="assistant", content=thought)
        if refused := said_with_refusal(message):
            yield Message(role="user", content=refused)
        if (command := _COMMAND.search(message.text)) and author_of(message) == "person":
            yield Message(role="user", content=f"{command[1]} {command[2]}")
        if message.role == "user" and author_of(message) == "app":
            yield Message(role="user", content=message.text)


def _holds_originals(conversation: Conversation) -> bool:
    """Whether everything that the summaries in a session stand for is in it."""
    summaries = {one.fingerprint for one in conversation.messages if frame_kind(one) == "summary"}
    return summaries <= {span.fingerprint for span in conversation.folded}


def _unsaid(claims: Sequence[UnsupportedClaim], said: Sequence[Message], text: str) -> Iterator[UnsupportedClaim]:
    """Yield the claims that stand in none of the messages: also what an earlier summary had brought in."""
    words = "\n".join(_texts(said)).casefold()
    left = [claim for claim in claims if not re.search(rf"(?<!\w){re.escape(claim.text.casefold())}(?!\w)", words)]
    if not left:
        return
    judged = EvidenceIndex(said, options=EvidenceOptions(unread="invented")).judge(text).values
    invented = {value.start for value in judged if value.verdict == "invented"}
    yield from (claim for claim in left if claim.start in invented or claim.kind is None)


def _texts(shown: Sequence[Message]) -> Iterator[str]:
    yield from (message.text for message in shown)
    yield from (arguments_text(call.args) for message in shown for call in calls_of(message))


def _names(shown: Sequence[Message]) -> set[str]:
    """Return every name of a file or a folder that stands in the messages, and every other word.

    A repository that is named for SSH has an address on the web, too.
    """
    texts = list(_texts(shown))
    pages = [f"https {host} {path}" for text in texts for host, path in _REMOTE.findall(text)]
    return {name for text in (*texts, *pages) for name in _NAME.findall(text)}


def _is_put_together(claim: UnsupportedClaim, names: set[str]) -> bool:
    """Whether a path or an address is made of names that were all said: a listing says folder and file apart."""
    if claim.kind not in ("path", "identifier", "url") or "/" not in claim.text:
        return False
    text = claim.text if claim.kind == "url" else _LINE.sub("", claim.text)
    return names.issuperset(_NAME.findall(text))


def _is_whole(conversation: Conversation) -> bool:
    """Whether all that the model was told could be read: nobody is accused from half a session."""
    return not conversation.incomplete and all(one.cause.startswith(_UNKNOWN_ROW) for one in conversation.damage)


def _lost(messages: Sequence[Message], summary: Message) -> Iterator[str]:
    asked = [at for at, message in enumerate(messages) if author_of(message) == "person"]
    if not asked:
        return
    request = survival([messages[asked[-1]]], [summary], [])
    said = [*request.identifiers.lost, *request.numbers.lost, *request.paths.lost]
    yield from said
    stated = set(stated_by(summary.text).forms)
    words = [message for message in messages[asked[-1] :] if message.role != "tool"]
    for value in carried(messages, words, most=MOST_NAMED):
        if stated.isdisjoint(value.forms) and value.text not in said:
            yield value.text


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What was archived of a session.

    Attributes:
        messages: how many messages its window holds.
        address: where the window stands in the archive.
    """

    messages: int
    address: str


def archive_session(conversations: Iterable[Conversation], archive: Path) -> Kept | None:
    """Archive the originals of a session and of the sub-agents in its file; None where nothing was said in it.

    What an earlier compaction took is a span of its own, and the window the last one. What is there already costs
    nothing again.

    Raises:
        ArchiveError: the archive cannot be written.
    """
    spans: dict[str, Sequence[Message]] = {}
    kept: Kept | None = None
    for conversation in conversations:
        window = tuple(_window(conversation))
        for span in (*(folded.originals for folded in conversation.folded), window):
            if span:
                spans[span_address(span)] = span
        if window and kept is None:  # the main conversation comes first
            kept = Kept(messages=len(window), address=span_address(window))
    if spans:
        with SqliteArchive(archive, timeout_seconds=BUSY_SECONDS) as opened:
            opened.keep(spans)
    return kept


def describe(audit: SummaryAudit, kept: Kept | None) -> tuple[str, str]:
    """Return what the person is told about a summary, and what the model is.

    The model's words open as an evidence check of this library does, so that they ground no value that they name.
    """
    said = [f"{one.text} (near {one.near})" if one.near else one.text for one in audit.invented]
    found = (
        _named("Nothing in the session said", said),
        _named("Not decided, because not all of the session could be read", audit.undecided),
        _named("Values of the open work that the summary does not state", audit.lost),
    )
    where = f"{kept.messages} messages are archived as {kept.address[:12]}." if kept else "They are not archived."
    doubt = "Look up what nothing said before you rely on it or repeat it." if audit.invented else ""
    recall = "The MCP tool recall_search finds what left by its words"
    recall += f", and recall_expand(frame='{kept.address[:12]}') returns the originals." if kept else "."
    opening = f"{OPENINGS['evidence-check']} The summary of this session was compared with its originals."
    person = "\n".join(filter(None, (f"foldproof: {counts(audit)}.", *found, where)))
    return person, " ".join(filter(None, (opening, *found, doubt, recall)))


def counts(audit: SummaryAudit) -> str:
    """Return in one line, which names no value, what was found about a summary."""
    found = f"said by nobody: {len(audit.invented)}, missing of the open work: {len(audit.lost)}"
    return f"values in the summary: {audit.values}, {found}"


def _named(what: str, texts: Sequence[str]) -> str:
    more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    named = ", ".join(
        text if len(text) <= LONGEST_NAMED else f"{text[: LONGEST_NAMED - 1]}…" for text in texts[:MOST_NAMED]
    )
    return f"{what}: {named}{more}." if texts else ""
