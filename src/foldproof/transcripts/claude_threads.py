"""Which rows of a Claude Code session make one conversation, and in which order.

A session is a graph: `parentUuid` names the row before, an edit or a rewind starts a second branch, and the branch of
the last row is the conversation. What real files add to that (see `claude_code` for which ones):

* a parent that stands in no row: the row before it in the file is taken;
* a boundary left by compaction has no parent, and `logicalParentUuid` leads over it, so that the whole ledger is read;
* one uuid on several rows: the nearest row above is meant, so a row whose parent is its own uuid cannot loop;
* files in which no row has a parent at all are read from top to bottom;
* parallel calls fork the graph, each result hanging on the row of its call: rows of an API message that is on the
  branch, and results that answer its calls, belong to it wherever they hang;
* a sub-agent's rows (`isSidechain`) are a thread of their own for each root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]


class Thread(NamedTuple):
    """A conversation: positions of its rows that say something, in order, and whether it is a sub-agent's."""

    rows: tuple[int, ...]
    side: bool


def speaks(row: object) -> bool:
    """Whether a row says something: a user or assistant row with content that can be read."""
    if not isinstance(row, dict) or row.get("type") not in ("user", "assistant"):
        return False
    message = row.get("message")
    return isinstance(message, dict) and isinstance(message.get("content"), str | list)


def is_side(row: Row) -> bool:
    """Whether a row belongs to a sub-agent."""
    return row.get("isSidechain") is True


def blocks_of(row: Row) -> list[Any]:
    """Return the content blocks of a row; none for string content."""
    content = row["message"]["content"]
    return content if isinstance(content, list) else []


def typed(row: Row, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the blocks of one type."""
    return (block for block in blocks_of(row) if isinstance(block, dict) and block.get("type") == kind)


def threads_of(rows: Sequence[object]) -> tuple[Thread, ...]:
    """Return the conversations of a session: the main one first, then one for each sub-agent, as they start."""
    graph = _Graph(rows)
    last_by_root: dict[int, int] = {}  # of each thread, the last row that says something
    main = [at for at, row in graph.nodes.items() if not is_side(row) and speaks(row)]
    for at, row in graph.nodes.items():
        if is_side(row) and speaks(row):
            last_by_root[graph.path(at)[0]] = at
    threads = [Thread(graph.thread(main[-1]), side=False)] if main else []
    threads += [Thread(graph.thread(leaf), side=True) for _, leaf in sorted(last_by_root.items())]
    return tuple(threads)


def _api_id(row: Row) -> str | None:
    """Return the id of the API message that an assistant row is a piece of."""
    identifier = row["message"].get("id")
    return identifier if row["type"] == "assistant" and isinstance(identifier, str) else None


class _Graph:
    def __init__(self, rows: Sequence[object]) -> None:
        self.nodes: dict[int, Row] = {}
        for at, row in enumerate(rows):
            if isinstance(row, dict) and (isinstance(row.get("uuid"), str) or speaks(row)):
                self.nodes[at] = row
        self._places: dict[str, list[int]] = {}
        for at, row in self.nodes.items():
            if isinstance(row.get("uuid"), str):
                self._places.setdefault(row["uuid"], []).append(at)
        self._previous = self._rows_above()
        main = (at for at, row in self.nodes.items() if not is_side(row))
        self._has_links = any(self._named_parent(at) is not None for at in main)
        self.parents = {at: self._parent(at) for at in self.nodes}

    def _rows_above(self) -> dict[int, int | None]:
        """For each row, the row above it in the file of the same agent."""
        last: dict[tuple[bool, object], int] = {}
        above: dict[int, int | None] = {}
        for at, row in self.nodes.items():
            agent = (is_side(row), str(row.get("agentId")) if is_side(row) else None)
            above[at] = last.get(agent)
            last[agent] = at
        return above

    def _named_parent(self, at: int) -> int | None:
        row = self.nodes[at]
        name = row.get("parentUuid")
        places = self._places.get(name if isinstance(name, str) else str(row.get("logicalParentUuid")), ())
        earlier = [place for place in places if place < at]
        later = [place for place in places if place > at]
        return earlier[-1] if earlier else later[0] if later else None

    def _parent(self, at: int) -> int | None:
        row = self.nodes[at]
        parent = self._named_parent(at)
        if parent is not None:
            return parent if is_side(self.nodes[parent]) == is_side(row) else None
        is_root = "parentUuid" in row and row["parentUuid"] is None and row.get("subtype") != "compact_boundary"
        if is_root and (self._has_links or is_side(row)):
            return None
        return self._previous[at]

    def path(self, leaf: int) -> list[int]:
        """Return the rows from the root to a row."""
        path: list[int] = []
        seen: set[int] = set()
        at: int | None = leaf
        while at is not None and at not in seen:
            seen.add(at)
            path.append(at)
            at = self.parents[at]
        return path[::-1]

    def thread(self, leaf: int) -> tuple[int, ...]:
        """Return the rows of the branch of a row that say something, with what hangs beside it."""
        keys: dict[int, tuple[int, ...]] = {at: (order,) for order, at in enumerate(self.path(leaf))}
        found = True
        while found:
            found = False
            for at in self._beside(keys):
                parent = self.parents[at]
                keys[at] = (*keys[parent if parent is not None else leaf], at)
                found = True
        return tuple(at for at in sorted(keys, key=keys.__getitem__) if speaks(self.nodes[at]))

    def _beside(self, keys: dict[int, tuple[int, ...]]) -> list[int]:
        """Return rows off the branch that belong to it: of its API messages, or answers to its open calls."""
        spoken = [self.nodes[at] for at in keys if speaks(self.nodes[at])]
        ids = {_api_id(row) for row in spoken} - {None}
        calls = {str(block.get("id")) for row in spoken for block in typed(row, "tool_use")}
        answered = {str(block.get("tool_use_id")) for row in spoken for block in typed(row, "tool_result")}
        beside = []
        for at, row in self.nodes.items():
            if at in keys or self.parents[at] not in keys or not speaks(row):
                continue
            if row["type"] == "assistant":
                belongs = _api_id(row) in ids
            else:
                results = {str(block.get("tool_use_id")) for block in typed(row, "tool_result")}
                belongs = bool(results) and results <= calls - answered
                answered |= results if belongs else set()
            if belongs:
                beside.append(at)
        return beside
