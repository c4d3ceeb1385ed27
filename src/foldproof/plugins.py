"""Strategies by name: those of this library, and those that installed packages offer through an entry point.

A package offers one under the group `foldproof.strategies`, as a class or a function that returns a strategy:

    [project.entry-points."foldproof.strategies"]
    only-the-bill = "my_agent.windows:OnlyTheBill"

Nothing of another package is imported before its strategy is asked for by name, and a name of this library is never
taken over by another.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Final

from foldproof.errors import UsageError, shown
from foldproof.window import (
    ClearToolResults,
    OffloadLarge,
    PromptCompactor,
    SlidingWindow,
    Strategy,
    SummarizeOldest,
    TokenBudget,
    WindowStrategy,
)

GROUP: Final = "foldproof.strategies"

_OURS: Final[tuple[type[WindowStrategy], ...]] = (
    SummarizeOldest,
    TokenBudget,
    SlidingWindow,
    ClearToolResults,
    OffloadLarge,
    PromptCompactor,
)

STRATEGIES: Final[Mapping[str, Callable[..., Strategy]]] = MappingProxyType({made.name: made for made in _OURS})
"""The strategies of this library that need nothing but plain options, by name."""


def load_strategy(name: str, *, plugins: bool = True, **options: object) -> Strategy:
    """Return the strategy of this name, made with these options.

    Args:
        name: `STRATEGIES`, or an entry point of the group `foldproof.strategies`.
        plugins: whether entry points are looked at; without them nothing of another package is loaded.
        options: what the strategy is constructed with.

    Raises:
        UsageError: there is no such strategy, it cannot be loaded, or it has no such option; the message names those
            that there are.
    """
    make = find_strategy(name, plugins=plugins)
    known = strategy_options(make)
    unknown = [option for option in options if known is not None and option not in known]
    if unknown:
        raise UsageError(f"{name} has no option {unknown[0]}; it has {', '.join(known or ())}")
    try:
        made = make(**options)
    except TypeError as error:
        raise UsageError(f"{name} cannot be made with {shown(options)}: {error}") from error
    if not callable(getattr(made, "plan", None)) or not isinstance(getattr(made, "name", None), str):
        raise UsageError(f"{name} made {shown(made)}, which is no strategy; it needs a name and plan(given)")
    return made


def find_strategy(name: str, *, plugins: bool = True) -> Callable[..., Strategy]:
    """Return what makes the strategy of this name.

    Raises:
        UsageError: there is none, or its package cannot be imported.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]
    offered = {point.name: point for point in _offered()} if plugins else {}
    if name not in offered:
        raise UsageError(f"there is no strategy {shown(name)}; there are {', '.join(_names(offered))}")
    return _loaded(offered[name])


def strategy_options(make: Callable[..., Strategy]) -> tuple[str, ...] | None:
    """Return the names of the options that a strategy is made with, or None where it takes any."""
    parameters = inspect.signature(make).parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return tuple(parameter.name for parameter in parameters if not parameter.name.startswith("_"))


def _offered() -> Iterable[EntryPoint]:
    return entry_points(group=GROUP)


def _names(offered: Iterable[str]) -> list[str]:
    return [*STRATEGIES, *sorted(set(offered) - set(STRATEGIES))]


def _loaded(point: EntryPoint) -> Callable[..., Strategy]:
    try:
        make: Any = point.load()
    except Exception as error:
        raise UsageError(
            f"the strategy {point.name} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not callable(make):
        raise UsageError(f"the strategy {point.name} ({point.value}) is {shown(make)}; offer a class or a function")
    loaded: Callable[..., Strategy] = make
    return loaded
