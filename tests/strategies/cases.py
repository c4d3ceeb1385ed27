"""One visit of any strategy, over any conversation."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.strategies.conversations import conversations
from tests.strategies.visits import strategies, visit_options
from tests.window.laws import Case


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    # The conversation last: what is drawn behind something long comes out plain.
    strategy, options = draw(strategies), draw(visit_options)
    return Case(draw(conversations), strategy, options)


cases = _cases()
