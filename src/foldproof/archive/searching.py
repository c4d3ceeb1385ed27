"""Searching: what a message says, folded so that case and accents do not matter, and a query that is only data.

One rule: a message is found when it holds every word of the query, in any order, also inside longer words; a phrase in
double quotes is one word. Both sides are folded character by character, so what holds the query holds it folded too.
"""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from dataclasses import dataclass
from typing import Final

from foldproof.evidence.reading import arguments_in, said_by_tools
from foldproof.messages import Message, calls_of
from foldproof.window.counting import arguments_text

_TERM: Final = re.compile(r'"([^"]*)"|([^\s"]+)')
_SHORTEST_INDEXED: Final = 3
_LONGEST_ASKED: Final = 64
_MOST_TERMS: Final = 32
_BEFORE, _AFTER = 60, 100
_UNENCODABLE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A folded message that a search found.

    Attributes:
        message: the message, as it was kept.
        address: of a span that holds it.
        position: where it stands in that span, from 0.
        snippet: what it says around the word it says least often of those looked for, on one line.
        rank: how well it fits, smaller is better (BM25); 0.0 where every word of the query is too short to rank.
    """

    message: Message
    address: str
    position: int
    snippet: str
    rank: float


def searchable(message: Message) -> str:
    """Return what a message is found by, folded: its text, the tools it names, what it passed to them and got back."""
    return fold(said(message))


def said(message: Message) -> str:
    """Return what a message says to whoever searches, one thing a line."""
    texts = [message.text]
    if message.tool_name is not None:
        texts.append(message.tool_name)
    texts += [call.name for call in calls_of(message)]
    texts += map(arguments_text, arguments_in(message))
    if message.role == "assistant":
        texts += [segment.text for segment in said_by_tools(message)]
    return "\n".join(filter(None, texts))


def fold(text: str) -> str:
    """Return a text as it is compared: without case, accents, and what SQLite cannot hold."""
    if text.isascii():
        return text.lower().replace("\0", " ")
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return _UNENCODABLE.sub("\ufffd", plain.casefold().replace("\0", " "))


def terms_of(query: str) -> list[str]:
    """Return what has to stand in a message: the words of a query, and its quoted phrases, folded."""
    found = (fold(phrase or word).strip() for phrase, word in _TERM.findall(query))
    return list(dict.fromkeys(filter(None, found)))


def matching(
    connection: sqlite3.Connection, terms: list[str], limit: int, conversation: int | None
) -> list[tuple[int, float, int]]:
    """Return the row, the rank and the span of the best matches; newest first where nothing ranks them."""
    long = [term for term in terms if len(term) >= _SHORTEST_INDEXED][:_MOST_TERMS]
    asked = " AND ".join('"' + term[:_LONGEST_ASKED].replace('"', '""') + '"' for term in long)
    matches, rank = ("said MATCH ?", "bm25(said)") if long else ("?", "0.0")
    query = (
        f"SELECT rowid, {rank} AS rank, "  # noqa: S608 - our words; whatever was asked for is bound
        "(SELECT min(span.id) FROM span_message JOIN span ON span.id = span WHERE message = said.rowid AND "
        "(? IS NULL OR address IN (SELECT address FROM folded WHERE conversation = ?))) AS at "
        f"FROM said WHERE {matches} AND at IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE NOT instr(text, value)) ORDER BY rank, rowid DESC LIMIT ?"
    )
    given = [conversation, conversation, asked or 1, json.dumps(terms), limit]
    return [(int(row), float(score), int(span)) for row, score, span in connection.execute(query, given)]


def snippet(message: Message, terms: list[str]) -> str:
    """Return what a message says around the term it says least often, on one line, with marks where it is cut."""
    text = said(message)
    folded = fold(text)
    at = _written_at(text, folded.find(min(terms, key=lambda term: (folded.count(term), -len(term)))))
    start, stop = max(0, at - _BEFORE), at + _AFTER
    line = " ".join(text[start:stop].split())
    return ("…" if start else "") + line + ("…" if stop < len(text) else "")


def _written_at(text: str, at: int) -> int:
    """Return where a place in a folded text stands in the text as it was written."""
    if text.isascii():
        return at
    written = 0
    for index, char in enumerate(text):
        written += len(fold(char))
        if written > at:
            return index
    return 0
