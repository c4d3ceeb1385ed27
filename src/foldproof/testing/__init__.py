"""The laws as a kit: point them at what any compactor made of a window, ours or somebody else's.

Relies on `messages`, `evidence` and `window`. Needs no test framework.
"""

from foldproof.testing.laws import BrokenLaw, Law, broken_laws

__all__ = ["BrokenLaw", "Law", "broken_laws"]
