"""Runs of LangSmith: the rows that tell of one run, and the messages that went into it and came out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foldproof.transcripts.json_text import Json, revise, revise_items

Steps = tuple[str | int, ...]
"""The names and indices that lead to a value of the document."""

TYPES = ("llm", "chain", "tool", "retriever", "embedding", "prompt", "parser")
_SAMPLE = 50
_BATCHES = ("post", "patch", "runs")
_INPUTS: tuple[Steps, ...] = (("messages", 0), ("messages",), ("input", "messages"))
_THREADS = ("session_id", "thread_id", "conversation_id")


class Held(NamedTuple):
    """A list of messages in a document, and where it is."""

    steps: Steps
    rows: list[Any]


class Answer(NamedTuple):
    """The message that came out of a run: where its container is, and what that is without it."""

    steps: Steps
    row: dict[str, Any]
    container: Steps
    without: Json


@dataclass(slots=True)
class Run:
    """One run, of which several rows may tell: it was begun, and it ended."""

    id: str
    rows: list[tuple[Steps, dict[str, Any]]] = field(default_factory=list)

    def value(self, name: str) -> Json:
        """Return what the latest row that says it says of the run."""
        values = (row.get(name) for _, row in reversed(self.rows))
        return next((value for value in values if value not in (None, {}, [])), None)

    def held(self, name: str) -> list[Held]:
        """Return the messages under `inputs` or `outputs`, a list a row that tells of them, the latest first."""
        found = (_list_in(row.get(name), (*steps, name)) for steps, row in reversed(self.rows))
        return [one for one in found if one is not None]

    def answers(self) -> list[Answer]:
        """Return the message that came out of the run, once a row that tells of it, the latest first."""
        found = (_answer_in(row.get("outputs"), (*steps, "outputs")) for steps, row in reversed(self.rows))
        return [one for one in found if one is not None]

    @property
    def group(self) -> str:
        """The conversation it belongs to: the thread that the app names, else the trace."""
        extra = self.value("extra")
        about = extra.get("metadata") if isinstance(extra, dict) else None
        named = [about.get(name) for name in _THREADS] if isinstance(about, dict) else []
        trace = self.value("trace_id")
        root = str(self.value("dotted_order") or "").partition(".")[0].rpartition("Z")[2]
        return next((one for one in (*named, trace, root) if isinstance(one, str) and one), self.id)


def is_run(row: Json) -> bool:
    """Whether a row tells of a run, for certain."""
    if not isinstance(row, dict) or not ("inputs" in row or "outputs" in row):
        return False
    if "run_type" in row and row["run_type"] not in TYPES:
        return False
    placed = isinstance(row.get("dotted_order"), str) or isinstance(row.get("trace_id"), str)
    return placed if "run_type" not in row else placed or "child_runs" in row or "parent_run_id" in row


def why_runs(value: Json) -> str | None:
    """Return why a value holds runs, or None."""
    if isinstance(value, list):
        found = any(is_run(row) and "run_type" in row for row in value[:_SAMPLE])
        return "LangSmith runs" if found else None
    if not isinstance(value, dict):
        return None
    for name in _BATCHES:
        if isinstance(value.get(name), list) and any(map(is_run, value[name][:_SAMPLE])):
            return f"LangSmith runs under {name}"
    return "a LangSmith run" if is_run(value) and "run_type" in value else None


def runs_in(value: Json) -> list[Run]:
    """Return the runs of a document in the order in which they began, as far as it says so."""
    runs: dict[str, Run] = {}
    for steps, row in _rows_in(value):
        order = row.get("dotted_order")
        last = order.rpartition(".")[2].rpartition("Z")[2] if isinstance(order, str) else ""
        identifier = next((one for one in (row.get("id"), last) if isinstance(one, str) and one), str(steps))
        runs.setdefault(identifier, Run(identifier)).rows.append((steps, row))
    found = list(runs.values())
    for name in ("dotted_order", "start_time"):
        keys = [run.value(name) for run in found]
        if all(isinstance(key, str) for key in keys) or all(isinstance(key, int | float) for key in keys):
            return [run for _, run in sorted(zip(keys, found, strict=True), key=lambda pair: pair[0])]
    return found


def rows_of(value: Json) -> Iterator[tuple[Steps, Json]]:
    """Yield the rows of a document, those that are no objects too, without what is inside of them."""
    if isinstance(value, list):
        yield from (((at,), row) for at, row in enumerate(value))
        return
    batches = [name for name in _BATCHES if isinstance(value.get(name), list)]
    for name in batches:
        yield from (((name, at), row) for at, row in enumerate(value[name]))
    if not batches:
        yield (), value


def _rows_in(value: Json) -> Iterator[tuple[Steps, dict[str, Any]]]:
    waiting = [(steps, row) for steps, row in rows_of(value) if isinstance(row, dict)]
    while waiting:
        steps, row = waiting.pop(0)
        yield steps, row
        children = row.get("child_runs")
        inside = enumerate(children if isinstance(children, list) else [])
        waiting[:0] = [((*steps, "child_runs", at), child) for at, child in inside if isinstance(child, dict)]


def _list_in(held: Json, steps: Steps) -> Held | None:
    for way in _INPUTS:
        rows = _at(held, way)
        if isinstance(rows, list) and not (rows and isinstance(rows[0], list)):
            return Held((*steps, *way), rows)
    return None


def _at(value: Json, steps: Steps) -> Json:
    for step in steps:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and len(value) > step else None
    return value


def _answer_in(outputs: Json, steps: Steps) -> Answer | None:
    if not isinstance(outputs, dict):
        return None
    ways: tuple[tuple[Steps, Steps, Json], ...] = (
        (("choices", 0, "message"), ("choices",), []),
        (("generations", 0, 0, "message"), ("generations",), []),
        (("message",), ("message",), None),
        (("output",), ("output",), None),
    )
    for way, container, without in ways:
        row = _at(outputs, way)
        if isinstance(row, dict) and row:
            return Answer((*steps, *way), row, (*steps, *container), without)
    return Answer(steps, outputs, steps, {}) if "role" in outputs and "content" in outputs else None


def path_of(steps: Sequence[str | int]) -> str:
    """Return the path of a value, for errors."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def changed(value: Json, changes: Mapping[Steps, Json]) -> Json:
    """Return a value with others in the place of some that are inside of it, sharing the rest."""
    if () in changes:
        return changes[()]
    inner: dict[str | int, dict[Steps, Json]] = {}
    for steps, new in changes.items():
        inner.setdefault(steps[0], {})[steps[1:]] = new
    if isinstance(value, list):
        return revise_items(value, [changed(one, inner[at]) if at in inner else one for at, one in enumerate(value)])
    return revise(value, {str(name): changed(value.get(name), deeper) for name, deeper in inner.items()})
