"""Which turns hang together, because half of what they hold would stay behind without the other.

A call and its results, a tool that the provider ran and what it gave back, reasoning and what it led to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from foldproof.messages import only_reasons, server_half
from foldproof.window.guards import Guards


def linked_turns(guards: Guards) -> list[list[int]]:
    """Return the turns that leave together or not at all, each group in order; a turn by itself is no group."""
    return _groups(_links(guards))


def _links(guards: Guards) -> Iterator[tuple[int, int]]:
    """Yield the turns of every two messages that hang together and stand in different turns."""
    if not guards.tidy:
        for call, results in guards.pairing.results.items():
            # A result between the first and the last was overtaken by the next: it holds nothing, and may leave alone.
            for index in (*results[:1], *results[-1:]):
                yield guards.turn_at(call.message), guards.turn_at(index)
    for one, other in chain(_provider_links(guards), _reasoning_links(guards)):
        yield guards.turn_at(one), guards.turn_at(other)


def _provider_links(guards: Guards) -> Iterator[tuple[int, int]]:
    asked: dict[str, int] = {}
    for index in guards.odd:
        content = guards.messages[index].content
        for part in () if isinstance(content, str) else content:
            half = server_half(part)
            if half is None:
                continue
            identifier, is_result = half
            if not is_result:
                asked[identifier] = index
            elif asked.get(identifier, index) != index:
                yield asked[identifier], index


def _reasoning_links(guards: Guards) -> Iterator[tuple[int, int]]:
    """Yield every message that only reasons and the assistant message right after it, which it led to."""
    for index in guards.odd:
        if guards.roles[index + 1 : index + 2] == ["assistant"] and only_reasons(guards.messages[index]):
            yield index, index + 1


def _groups(links: Iterator[tuple[int, int]]) -> list[list[int]]:
    """Return the turns that hang together, each group in order."""
    group_of: dict[int, list[int]] = {}
    for one, other in links:
        if one == other:
            continue
        left, right = group_of.get(one, [one]), group_of.get(other, [other])
        if left is right:
            continue
        small, large = sorted((left, right), key=len)
        large += small
        group_of |= dict.fromkeys([*small, one, other], large)
    unique = {id(group): group for group in group_of.values()}
    return sorted(map(sorted, unique.values()))
