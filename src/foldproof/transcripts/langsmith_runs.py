"""LangSmith runs: `{post, patch}` batches, rows of runs as JSON or JSONL, and runs with their children inside.

Checked in five recorded batches of the OpenAI wrappers of its Python and JavaScript SDKs, and in traces that
langchain-core 1.8.3 and langgraph 1.2 made; the shapes of the rows in the source of langsmith 0.15.

* Runs of one trace, or of one thread where the app names it, are read together. `post` and `patch` tell of one run,
  known by its id or by the end of its `dotted_order`.
* Each run of type `llm` repeats the history: its messages are read once. A run that goes on with none of the histories
  before it is a conversation of its own, on the side; the main one is that whose last run began last. A system prompt
  that differs from the first one of its conversation is not read again.
* A trace whose `llm` runs were given text is read from the one run that holds the most messages: the outermost.
* Messages are those of the Chat Completions API, of LangChain, or of the Anthropic API, also one behind another. A
  message with several results in it becomes several, and is written so where its conversation was changed.
* A run that failed has no answer; `extras["errors"]` says what happened, by the id of the run. What only `tool` and
  `chain` runs hold is no message.
* A conversation that was changed is written once, into its last run. The lists of the runs that repeat it are left
  empty, so that the tree of runs stays whole. Where models' runs hold it, what chains and tools repeat of it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from foldproof.errors import shown
from foldproof.messages import Message, calls_of
from foldproof.transcripts.codec import Format
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, Unread
from foldproof.transcripts.langchain_rows import stored
from foldproof.transcripts.langsmith_messages import Decoded, answered, decoded, encoder
from foldproof.transcripts.langsmith_rows import Held, Run, Steps, changed, path_of, rows_of, runs_in, why_runs


class LangsmithRuns:
    """The runs of LangSmith."""

    format = Format(
        "langsmith_runs",
        "LangSmith runs: post and patch batches, run rows (JSON, JSONL)",
        shape="{post: [{id, run_type, inputs, dotted_order}, …], patch}, {runs: […]}, or rows of runs",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds runs."""
        return why_runs(value)

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversations of the traces, each main one ahead of those on its side."""
        damage = [
            Damage(path_of(steps), f"expected a run; found {shown(row)}")
            for steps, row in rows_of(value)
            if not isinstance(row, dict | Unread)
        ]
        readings = [_reading(thread) for thread in _threads(value)]
        if not readings:
            return (Reading((), (), damage=tuple(damage)),)
        first = readings[0]
        if damage:
            first = Reading(first.messages, first.pieces, first.extras, first.id, first.side, (*damage, *first.damage))
        return (first, *readings[1:])

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with other conversations, each in the last of its runs."""
        changes: dict[Steps, Json] = {}
        for edit, thread in zip(edits, _threads(value), strict=True):
            if edit.changed:
                changes |= _written(edit, thread)
        return changed(value, changes)


@dataclass(slots=True)
class _Thread:
    """A conversation, put together from the runs that repeat it."""

    group: str
    side: bool = False
    runs: list[Run] = field(default_factory=list)
    source: Held | None = None  # of a trace without messages in its llm runs: the one list
    messages: list[Message] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)  # what went into the run before
    answered: bool = False  # the last message came out of the run before
    damage: list[Damage] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    def takes(self, row: Json, message: Message) -> None:
        self.messages.append(message)
        self.rows.append(row)
        self.keys.append(_key(message))


def _reading(thread: _Thread) -> Reading:
    last = thread.runs[-1]
    given = last.value("inputs")
    extras: dict[str, Any] = {}
    if isinstance(given, dict):
        extras = {name: given[name] for name in ("model", "tools") if given.get(name)}
    extras |= {"errors": thread.errors} if thread.errors else {}
    identifier = last.id if thread.side else thread.group
    pieces = tuple(range(len(thread.messages)))
    return Reading(tuple(thread.messages), pieces, extras, identifier, side=thread.side, damage=tuple(thread.damage))


def _threads(value: Json) -> list[_Thread]:
    groups: dict[str, list[Run]] = {}
    for run in runs_in(value):
        groups.setdefault(run.group, []).append(run)
    return [thread for name, runs in groups.items() for thread in _threads_of(name, runs)]


def _threads_of(group: str, runs: list[Run]) -> list[_Thread]:
    """Return the conversations of a trace, the one whose last run began last first."""
    threads: list[_Thread] = []
    models = [run for run in runs if run.value("run_type") == "llm"]
    for run in models:
        lists = run.held("inputs")
        if any(held.rows for held in lists) or (lists and run.answers()):
            _join(threads, run, group)
    told = any(run.held("inputs") for run in models)
    if not told:
        threads = _outermost(group, runs)
    for run in models if not told and not threads else ():
        if run.answers():
            _join(threads, run, group)
    if not threads:
        threads = [_Thread(group, runs=[runs[-1]])]
        if models and not told:
            where = path_of((*models[-1].rows[-1][0], "inputs"))
            threads[0].damage.append(Damage(where, "no messages; expected a list of chat or LangChain messages"))
    order = {run.id: at for at, run in enumerate(runs)}
    threads.sort(key=lambda thread: order[thread.runs[-1].id], reverse=True)
    for thread in threads[1:]:
        thread.side = True
    failed = {run.id: error for run in runs if isinstance(error := run.value("error"), str)}
    threads[0].errors = failed
    return threads


def _outermost(group: str, runs: list[Run]) -> list[_Thread]:
    """Return the conversation of the run that holds the most messages, where no model's run holds any."""
    lists = [(run, held) for run in runs for name in ("outputs", "inputs") for held in run.held(name)[:1]]
    known = [(run, held) for run, held in lists if any(_is_message(row) for row in held.rows)]
    if not known:
        return []
    run, held = max(known, key=lambda pair: len(pair[1].rows))
    thread = _Thread(group, runs=[*(one for one in runs if one is not run), run], source=held)
    found = decoded(held)
    thread.damage += found.damage
    for row, message in found.read:
        thread.takes(row, message)
    return [thread]


def _is_message(row: Json) -> bool:
    return isinstance(row, dict) and ("role" in row or stored(row) is not None)


def _join(threads: list[_Thread], run: Run, group: str) -> None:
    """Read a run: what it says that no run before it said goes to the conversation that it goes on with."""
    held = next(iter(run.held("inputs")), Held((), []))
    thread, added = _continued(threads, held)
    if thread is None:
        thread = _Thread(group)
        threads.append(thread)
    thread.damage += added.damage
    for row, message in added.read:
        thread.takes(row, message)
    thread.inputs = held.rows
    thread.runs.append(run)
    answer = next(iter(run.answers()), None)
    thread.answered = answer is not None
    if answer is not None:
        came = answered(answer, thread.messages)
        thread.damage += came.damage
        for row, message in came.read:
            thread.takes(row, message)


def _continued(threads: list[_Thread], held: Held) -> tuple[_Thread | None, Decoded]:
    """Return the conversation that a list of messages goes on with, if it does, and what it says that is new."""
    for thread in reversed(threads):
        count = len(thread.inputs)
        if count and held.rows[:count] == thread.inputs:
            added = decoded(Held(held.steps, held.rows[count:]), thread.messages, count)
            repeats = thread.answered and added.read and thread.keys
            if repeats and _key(added.read[0][1]) == thread.keys[-1]:
                del added.read[0]
            return thread, added
    whole = decoded(held)
    keys = [_key(message) for _, message in whole.read]
    for thread in reversed(threads):
        new = _added(thread.keys, keys)
        if new is not None:
            return thread, Decoded([whole.read[at] for at in new], whole.damage)
    return None, whole


def _added(known: list[Any], keys: list[Any]) -> list[int] | None:
    """Return which messages of a history are new behind a known one; None when it does not go on with it.

    It goes on where the known one ended (what is ahead may be trimmed or summed up), else where both begin alike. Under
    another system message one equal answer is no sign that it does: two agents may end alike.
    """
    ends = [at for at, key in enumerate(keys) if known and key == known[-1]]
    if ends and known[-1][0] != "system":
        shared = {at: _shared(known, keys[: at + 1]) for at in ends}
        end = max(ends, key=lambda at: (shared[at], at))
        said = set(known)
        ahead = [at for at in range(end - shared[end] + 1) if keys[at] not in said]
        if shared[end] == 1 and any(keys[at][0] == "system" for at in ahead):
            return None
        return [*ahead, *range(end + 1, len(keys))]
    count = 0
    while count < min(len(known), len(keys)) and known[count] == keys[count]:
        count += 1
    begins = any(key[0] != "system" for key in keys[:count])
    return list(range(count, len(keys))) if begins else None


def _shared(known: list[Any], keys: list[Any]) -> int:
    """Return how many messages two histories share at their ends."""
    count = 0
    while count < min(len(known), len(keys)) and known[-1 - count] == keys[-1 - count]:
        count += 1
    return count


def _key(message: Message) -> Any:  # noqa: ANN401 - any hashable
    return message.role, message.text, tuple(call.id for call in calls_of(message)), message.tool_call_id


def _written(edit: Edit, thread: _Thread) -> dict[Steps, Json]:
    """Return what to set where for a conversation to be another one."""
    encode = encoder(thread.rows)
    rows = [encode(entry.message) if entry.kept is None else thread.rows[entry.kept] for entry in edit.entries]
    changes: dict[Steps, Json] = {}
    if thread.source is not None:
        lists = (held for run in thread.runs for name in ("inputs", "outputs") for held in run.held(name))
        models = (run for run in thread.runs if run.value("run_type") == "llm")
        changes |= {answer.container: answer.without for run in models for answer in run.answers()}
        return changes | {held.steps: [] for held in lists} | {thread.source.steps: rows}
    for run in thread.runs[:-1]:
        changes |= {held.steps: [] for held in run.held("inputs")}
        changes |= {answer.container: answer.without for answer in run.answers()}
    last = thread.runs[-1]
    answers = last.answers()
    if rows and answers and rows[-1] is answers[0].row:
        rows = rows[:-1]
    else:
        changes |= {answer.container: answer.without for answer in answers}
    held = last.held("inputs")
    if held:
        return changes | {one.steps: rows for one in held}
    steps, row = last.rows[-1]
    given = row.get("inputs")
    return changes | {(*steps, "inputs"): (given if isinstance(given, dict) else {}) | {"messages": rows}}
