"""Documents with something wrong in them: whatever a file may suffer, at random places."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from foldproof.transcripts.json_text import Json

ODD: tuple[Json, ...] = (
    None, True, 0, -1.5, 10**30, "", "x", "\ud800", [], [[]], [None],
    ["a"], {}, {"type": "text"}, {"id": []}, {"a": {}},
)  # fmt: skip
_MOST_PLACES = 2_000

Container = Any
Key = Any
Step = Callable[[random.Random, Container, Any], None]


def mutated(value: Json, chance: random.Random) -> Json:
    """Return a copy of a document with one to three things wrong in it."""
    changed = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        found = places(changed)
        if found:
            container, key = chance.choice(found)
            chance.choice(_STEPS)(chance, container, key)
    return changed


def places(value: Json) -> list[tuple[Container, Any]]:
    """Return every container of a value with each of its keys, the outer ones first."""
    found: list[tuple[Container, Any]] = []
    waiting = [value] if isinstance(value, dict | list) else []
    while waiting and len(found) < _MOST_PLACES:
        container = waiting.pop(0)
        for key in list(container) if isinstance(container, dict) else range(len(container)):
            found.append((container, key))
            if isinstance(container[key], dict | list):
                waiting.append(container[key])
    return found


def _replace(chance: random.Random, container: Container, key: Key) -> None:
    container[key] = copy.deepcopy(chance.choice(ODD))


def _remove(_: random.Random, container: Container, key: Key) -> None:
    del container[key]


def _repeat(_: random.Random, container: Container, key: Key) -> None:
    if isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    else:
        container[f"{key}2"] = copy.deepcopy(container[key])


def _swap(chance: random.Random, container: Container, key: Key) -> None:
    other = chance.choice(list(container) if isinstance(container, dict) else range(len(container)))
    container[key], container[other] = container[other], container[key]


def _rename(_: random.Random, container: Container, key: Key) -> None:
    if isinstance(container, dict):
        container[f"{key}_of_a_newer_version"] = container.pop(key)


def _wrap(chance: random.Random, container: Container, key: Key) -> None:
    container[key] = [container[key]] if chance.random() < 0.5 else {"value": container[key]}


def _cut(chance: random.Random, container: Container, key: Key) -> None:
    inside = container[key]
    if isinstance(inside, str | list) and inside:
        container[key] = inside[: chance.randrange(len(inside))]
    elif isinstance(inside, int | float) and not isinstance(inside, bool):
        container[key] = str(inside)


_STEPS: tuple[Step, ...] = (_replace, _remove, _repeat, _swap, _rename, _wrap, _cut)
