"""Documents around rows of blocks: a bare list, a request body, or a recorded `{request, response}`.

The system prompt of a body stands outside its messages, and so does the answer of a recording. Here both are rows like
the others: the prompt the first one, the answer the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.block_rows import BlockReader, Dialect
from foldproof.transcripts.block_writing import written_rows
from foldproof.transcripts.codec import without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items


class Wrapper(NamedTuple):
    """Where a format keeps the message of a recorded response.

    Attributes:
        path: its place in the response, as a path (`""`: the response is the message).
        find: returns the message in a response, or None where there is none.
        put: returns the response with another message.
    """

    path: str
    find: Callable[[Json], dict[str, Any] | None]
    put: Callable[[Json, dict[str, Any]], Json]


def body_in(value: Json) -> tuple[Json, str]:
    """Return the request body of a recording, or the value itself, and its path."""
    if isinstance(value, dict) and isinstance(value.get("request"), dict) and "response" in value:
        return value["request"], "$.request"
    return value, "$"


class BlockDocument:
    """A document of rows of blocks."""

    def __init__(self, value: Json, wrapper: Wrapper) -> None:
        """Look into a document.

        Raises:
            TranscriptError: it holds no list of messages.
        """
        self._value, self._wrapper = value, wrapper
        body, path = body_in(value)
        self._body = body
        self._path = path if isinstance(body, list) else f"{path}.messages"
        stored = body if isinstance(body, list) else body.get("messages") if isinstance(body, dict) else None
        if not isinstance(stored, list):
            raise TranscriptError(f"expected a list of messages; found {shown(stored)}", path=self._path)
        self._stored: list[Any] = stored
        system = body.get("system") if isinstance(body, dict) else None
        self._system = [{"role": "system", "content": system}] if system else []
        self._is_recording = body is not value
        self._answer = wrapper.find(value["response"]) if self._is_recording else None
        self._rows: list[Any] = [*self._system, *stored, *([] if self._answer is None else [self._answer])]

    def reading(self, dialect: Dialect, names: Sequence[str]) -> Reading:
        """Return the conversation; `names` are the fields that may hold its id."""
        reader = BlockReader(dialect, self._path_of)
        reader.read(self._rows)
        return Reading(
            tuple(reader.messages),
            tuple(reader.places),
            self._extras(),
            self._id(names),
            damage=(*reader.damage, *self._unread()),
            folded=tuple(reader.folded),
            incomplete=reader.lacks_results,
        )

    def written(self, edit: Edit, dialect: Dialect, *, natively: bool) -> Json:
        """Return the document with another window.

        Raises:
            TranscriptError: something would have to stand ahead of the system prompt.
        """
        rows = written_rows(self._rows, edit, dialect, natively=natively)
        changes: dict[str, Any] = {}
        if self._system:
            if rows and rows[0] is self._system[0]:
                rows = rows[1:]
            elif any(row is self._system[0] for row in rows):
                raise TranscriptError("the system prompt stands outside the messages; keep it first in the window")
            else:
                changes["system"] = []
        answered = self._answer is not None and bool(rows) and _is_of(rows[-1], self._answer)
        answer = rows.pop() if answered else None
        stored = revise_items(self._stored, rows)
        body = stored if isinstance(self._body, list) else revise(self._body, {"messages": stored, **changes})
        if not self._is_recording:
            return body
        response = self._value["response"]
        if answer is not self._answer:
            response = None if answer is None else self._wrapper.put(response, answer)
        return revise(self._value, {"request": body, "response": response})

    def _path_of(self, at: int) -> str:
        if self._system:
            if at == 0:
                return self._path.removesuffix("messages") + "system"
            at -= 1
        return f"{self._path}[{at}]" if at < len(self._stored) else f"$.response{self._wrapper.path}"

    def _extras(self) -> dict[str, Any]:
        if isinstance(self._body, list):
            return {}
        extras = without(self._body, ("messages", "system"))
        return extras | without(self._value, ("request",)) if self._is_recording else extras

    def _id(self, names: Sequence[str]) -> str | None:
        found = [self._value.get(name) for name in names] if isinstance(self._value, dict) else []
        return next((name for name in found if isinstance(name, str)), None)

    def _unread(self) -> list[Damage]:
        response = self._value["response"] if self._is_recording else None
        if self._answer is not None or not isinstance(response, str) or not response:
            return []
        return [Damage("$.response", f"expected a response; found {shown(response)}; it was not read")]


def _is_of(row: Any, answer: dict[str, Any]) -> bool:  # noqa: ANN401 - a row is any JSON
    return row is answer or getattr(row, "source", None) is answer
