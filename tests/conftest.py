"""What every test shares: the Hypothesis profiles, chosen by the environment variable HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os

from hypothesis import settings

# A slow example is no failure: how long one takes depends on what else is running.
settings.register_profile("default", max_examples=30, deadline=None, derandomize="CI" in os.environ)
settings.register_profile("dev", max_examples=20, deadline=None)
settings.register_profile("mutants", max_examples=10, deadline=None, derandomize=True, database=None)
settings.register_profile("thorough", max_examples=2_000, deadline=None)
settings.register_profile("part", max_examples=10_000, deadline=None)  # one of ten: a longer run would fill the memory
settings.register_profile("deep", max_examples=100_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
