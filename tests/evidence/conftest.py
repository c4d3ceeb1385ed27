"""No test of evidence may lean on what another has read: short texts are remembered, and a memory hides a fault."""

from __future__ import annotations

import importlib
import pkgutil

import foldproof.evidence

MODULES = [
    importlib.import_module(f"foldproof.evidence.{found.name}")
    for found in pkgutil.iter_modules(foldproof.evidence.__path__)
]
MEMORIES = {each for module in MODULES for each in vars(module).values() if hasattr(each, "cache_clear")}


def pytest_runtest_setup() -> None:
    for memory in MEMORIES:
        memory.cache_clear()
