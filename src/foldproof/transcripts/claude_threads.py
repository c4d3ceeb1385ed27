"""Which rows of a Claude Code session make one conversation, and in which order.

A session is a graph: `parentUuid` names the row before, an edit or a rewind starts a second branch, and the branch of
the last row is the conversation. What real files add to that (see `claude_code` for which ones):

* a parent that stands in no row: the row before it in the file is taken;
* a boundary left by compaction has no parent, and `logicalParentUuid` leads over it, so that the whole ledger is read;
  where it is null nothing was ahead;
* one uuid on several rows: the nearest row above is meant, so a row whose parent is its own uuid cannot loop;
* files in which no row has a parent at all are read from top to bottom;
* parallel calls fork the graph, each result hanging on the row of its call: rows of an API message that is on the
  branch, and results that answer its calls, belong to it wherever they hang;
* a sub-agent's rows (`isSidechain`) are a thread of their own: for each `agentId`, else (up to 1.0) for each root.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

Row = dict[str, Any]
ATTACHMENT: Final = "attachment"


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


def is_spoken(row: Row) -> bool:
    """Whether a row that says something is an attachment, see `claude_attachments`."""
    return isinstance(row.get(ATTACHMENT), dict)


def blocks_of(row: Row) -> list[Any]:
    """Return the content blocks of a row; none for string content."""
    content = row["message"]["content"]
    return content if isinstance(content, list) else []


def is_boundary(row: object) -> bool:
    """Whether a row is the boundary that a compaction leaves."""
    return isinstance(row, dict) and row.get("type") == "system" and row.get("subtype") == "compact_boundary"


def agent_of(row: Row) -> str | None:
    """Return the id of the sub-agent that a row belongs to, where it names one."""
    return row["agentId"] if is_side(row) and isinstance(row.get("agentId"), str) else None


def typed(row: Row, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the blocks of one type."""
    return (block for block in blocks_of(row) if isinstance(block, dict) and block.get("type") == kind)


def threads_of(rows: Sequence[object]) -> tuple[Thread, ...]:
    """Return the conversations of a session: the main one first, then one for each sub-agent, as they start."""
    graph = _Graph(rows)
    main = [at for at, row in graph.nodes.items() if not is_side(row) and speaks(row)]
    side = [at for at, row in graph.nodes.items() if is_side(row) and speaks(row)]
    roots = graph.roots(side)
    agents: dict[object, list[int]] = {}
    for at in side:
        agents.setdefault(agent_of(graph.nodes[at]) or roots[at], []).append(at)
    threads = [Thread(graph.thread(graph.leaf(main)), side=False)] if main else []
    starting = sorted(agents.values(), key=lambda said: roots[said[0]])
    return (*threads, *(Thread(graph.thread(graph.leaf(said)), side=True) for said in starting))


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
        self.children: dict[int, list[int]] = {}
        for at, parent in self.parents.items():
            if parent is not None:
                self.children.setdefault(parent, []).append(at)

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
        before, behind = bisect_left(places, at), bisect_right(places, at)
        return places[before - 1] if before else places[behind] if behind < len(places) else None

    def _parent(self, at: int) -> int | None:
        row = self.nodes[at]
        parent = self._named_parent(at)
        if parent is not None:
            return parent if is_side(self.nodes[parent]) == is_side(row) else None
        is_root = "parentUuid" in row and row["parentUuid"] is None
        if is_boundary(row):
            is_root = row.get("logicalParentUuid", "") is None
        elif agent_of(row) is not None:  # which goes on, once it is resumed
            is_root = False
        return None if is_root and (self._has_links or is_side(row)) else self._previous[at]

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

    def leaf(self, spoken: Sequence[int]) -> int:
        """Return which of the rows that say something ends a conversation.

        It is the last one that is no attachment, for there the app takes it up; else the attachments that hang on it.
        """
        leaf = at = next((at for at in reversed(spoken) if not is_spoken(self.nodes[at])), spoken[-1])
        seen = {at}
        while True:
            below = (child for child in reversed(self.children.get(at, ())) if child not in seen)
            silent = (child for child in below if is_spoken(self.nodes[child]) or not speaks(self.nodes[child]))
            following = next(silent, None)
            if following is None:
                return leaf
            at = following
            seen.add(at)
            leaf = at if speaks(self.nodes[at]) else leaf

    def roots(self, leaves: Iterable[int]) -> dict[int, int]:
        """Return the root of each row, and of the rows above it; rows in a circle have one of theirs for a root."""
        roots: dict[int, int] = {}
        for leaf in leaves:
            path: dict[int, None] = {}
            at: int | None = leaf
            while at is not None and at not in roots and at not in path:
                path[at] = None
                at = self.parents[at]
            root = next(reversed(path), leaf) if at is None or at in path else roots[at]
            roots |= dict.fromkeys(path, root)
        return roots

    def thread(self, leaf: int) -> tuple[int, ...]:
        """Return the rows of the branch of a row that say something, with what hangs beside it."""
        branch = self.path(leaf)
        beside = _Beside(self, branch).rows()
        waiting = branch[::-1]
        order: list[int] = []
        while waiting:
            at = waiting.pop()
            order.append(at)
            waiting += reversed(beside.get(at, ()))
        return _behind_results(self.nodes, [at for at in order if speaks(self.nodes[at])])


class _Beside:
    """Finds the rows off a branch that belong to it: of its API messages, or answers to its open calls.

    It goes outward from the branch, a row further at a time; a result whose call is not reached yet waits for it.
    """

    def __init__(self, graph: _Graph, branch: Sequence[int]) -> None:
        self._graph = graph
        self._branch = branch
        self._taken = set(branch)
        spoken = (graph.nodes[at] for at in branch if speaks(graph.nodes[at]))
        self._ids = {_api_id(row) for row in spoken} - {None}
        self._calls: set[str] = set()
        self._answered: set[str] = set()
        self._missing: dict[int, int] = {}  # for a row of results, how many of their calls are not reached
        self._waiting: dict[str, list[int]] = {}  # for a call that is not reached, the rows that wait for it

    def rows(self) -> dict[int, list[int]]:
        """Return the rows to add, by their parent, in the order of the file."""
        beside: dict[int, list[int]] = {}
        reached = list(self._branch)
        while reached:
            candidates = {child for at in reached for child in self._graph.children.get(at, ())}
            candidates.update(*map(self._take, reached))
            reached = [at for at in sorted(candidates - self._taken) if self._belongs(at)]
            self._taken.update(reached)
            for at in reached:
                beside.setdefault(self._graph.parents[at] or 0, []).append(at)
        return {parent: sorted(children) for parent, children in beside.items()}

    def _take(self, at: int) -> list[int]:
        """Note the calls and results of a row, and return the rows that waited for its calls."""
        row = self._graph.nodes[at]
        if not speaks(row):
            return []
        self._answered |= _named(row, "tool_result", "tool_use_id")
        freed = []
        for call in _named(row, "tool_use", "id") - self._calls:
            self._calls.add(call)
            for waiting in self._waiting.pop(call, ()):
                self._missing[waiting] -= 1
                if not self._missing[waiting]:
                    freed.append(waiting)
        return freed

    def _belongs(self, at: int) -> bool:
        row = self._graph.nodes[at]
        if not speaks(row):
            return False
        if row["type"] == "assistant":
            return _api_id(row) in self._ids
        results = _named(row, "tool_result", "tool_use_id")
        missing = results - self._calls
        for call in missing:
            self._waiting.setdefault(call, []).append(at)
        self._missing[at] = len(missing)
        if missing or not results or not results.isdisjoint(self._answered):
            return False
        self._answered |= results
        return True


def _behind_results(rows: Mapping[int, Row], order: Sequence[int]) -> tuple[int, ...]:
    """Return rows with the attachments that stand within a reply, or between it and its results, behind these."""
    if not any(is_spoken(rows[at]) for at in order):
        return tuple(order)
    moved: list[int] = []
    held: list[int] = []
    open_calls: set[str] = set()
    reply: object = None  # the API message that the row ahead is of
    for at in order:
        row = rows[at]
        if is_spoken(row):
            (held if open_calls or reply is not None else moved).append(at)
            continue
        results = _named(row, "tool_result", "tool_use_id") if row["type"] == "user" else set()
        goes_on = row["type"] == "assistant" and _api_id(row) == reply
        if not results and not goes_on:
            moved, held, open_calls = moved + held, [], set()
        moved.append(at)
        reply = _api_id(row)
        open_calls |= _named(row, "tool_use", "id")
        open_calls -= results
        if results and not open_calls:
            moved, held = moved + held, []
    return (*moved, *held)


def _named(row: Row, kind: str, name: str) -> set[str]:
    return {str(block.get(name)) for block in typed(row, kind)}
