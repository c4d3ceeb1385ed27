"""Documents that hold lists of rows deep inside: a state with an agent in it, a team of them, a session's store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldproof.transcripts.json_text import Json, revise

Steps = tuple[str, ...]
"""The names of the members that lead from the document to a list."""


def path_of(steps: Steps) -> str:
    """Return where a list stands, as damage says it: `$.agent_states.helper`, and `$["a b"]` for a name with a dot."""
    return "$" + "".join(f".{step}" if step.isidentifier() else f'["{step}"]' for step in steps)


def at(value: Json, steps: Steps) -> Json:
    """Return what stands at the end of the steps; None where one of them leads nowhere."""
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def with_lists(value: Json, lists: Mapping[Steps, list[Any]], steps: Steps = ()) -> Json:
    """Return a document with other lists at these steps, sharing every value that did not change."""
    if steps in lists:
        return lists[steps]
    depth = len(steps)
    names = {known[depth]: None for known in lists if known[:depth] == steps}
    return revise(value, {name: with_lists(value[name], lists, (*steps, name)) for name in names})
