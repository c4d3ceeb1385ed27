"""The plain callback: a list of message dicts in, a list of message dicts out, for any client.

Needs no framework. What the client's own objects are (an SDK's response message, appended as it came) stays as it is.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter

from foldproof import Compactor, UsageError
from foldproof.errors import shown
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

ListFormat = Literal["openai_chat", "openai_responses", "anthropic_messages"]
"""What the dicts are: messages of OpenAI's Chat Completions, input items of its Responses, messages of Anthropic's."""


def compactor(
    given: Compactor | Strategy | None = None,
    *,
    format: ListFormat = "openai_chat",  # noqa: A002 - as elsewhere
) -> HostedCompactor[Any]:
    """Return what folds a list of messages: call its `fold` (or `afold`) with the list, and send what it returns.

    It returns the very list it was given when nothing left, and otherwise a new list, ready to be sent, in which every
    message that stayed is the caller's own object. Keep your own list as it is: the next one may be longer, or another
    conversation's; each is known by what it says.

    Args:
        given: a compactor, or the strategy of one; the default folds with `SlidingWindow()`.
        format: what the dicts are.

    Raises:
        UsageError: there is no such format, or what is given is no strategy.
    """
    return HostedCompactor(as_compactor(given), list_shape(format))


def list_shape(format: ListFormat) -> Shape[Any]:  # noqa: A002 - as above
    """Return how lists of dicts of a format are read and written.

    Raises:
        UsageError: there is no such format.
    """
    if format not in _DOCUMENTS:
        raise UsageError(f"format is {shown(format)}; write one of {', '.join(_DOCUMENTS)}")
    name = _DOCUMENTS[format]
    return Shape(
        format=format,
        row=_row,
        item=_item,
        document=lambda rows: rows if name is None else {name: rows},
        rows=lambda document: document if name is None else document[name],
    )


_ANYTHING = TypeAdapter[Any](Any)
_DOCUMENTS: dict[str, str | None] = {"openai_chat": None, "openai_responses": "input", "anthropic_messages": "messages"}


def _row(item: Any) -> Any:  # noqa: ANN401 - a dict, or an SDK's object that says the same
    """Return an item as JSON of its own: what a caller changes in place later is not changed here."""
    return _ANYTHING.dump_python(item, mode="json")


def _item(row: Any) -> Any:  # noqa: ANN401 - as above
    """Return a new row as an API takes it: the tool's name is said by the call that a result answers."""
    return {name: value for name, value in row.items() if name != "name"} if row.get("role") == "tool" else row
