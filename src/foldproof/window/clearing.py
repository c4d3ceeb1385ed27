"""Which tool results may be cleared in their place, and who refuses.

A cleared result keeps its call, its id and its position, so no pair is ever split and a result far from its call may be
cleared without it. Everything that holds a turn holds its results too.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass

from foldproof.messages import frame_kind
from foldproof.window.counting import characters, has_wordless
from foldproof.window.guards import Guards, Run
from foldproof.window.holds import fact_pin, held_by_rule, observation_pin, refuse
from foldproof.window.plan import RemovalPlan
from foldproof.window.refusals import in_order


@dataclass(frozen=True)
class PlanClearing:
    """`plan_clearing`, bound to its guards."""

    guards: Guards

    def __call__(
        self,
        *,
        keep: int,
        wanted: Container[int],
        keep_last_tool_results: int = 2,
        keep_ledger_facts: int = 4,
    ) -> RemovalPlan:
        """Return which of the wanted results may be cleared, each as a run of one message.

        The last `keep` results stay. What is not wanted (see `results`) is not refused either. The pins hold at most
        `keep_last_tool_results` and `keep_ledger_facts` turns.
        """
        guards = self.guards
        results = [index for index, message in enumerate(guards.messages) if message.role == "tool"]
        kept = results[-keep:] if keep else []
        kept_from = guards.turn_at(kept[0]) if kept else len(guards.turns)
        observations = observation_pin(guards, kept_from, keep_last_tool_results)
        facts = fact_pin(guards, kept_from, keep_ledger_facts)
        refusals = [
            *held_by_rule(guards),
            *(refuse(guards, "last-tool-result", held.turn_index, detail=held.tool) for held in observations.pinned),
            *(refuse(guards, "ledger-fact", held.turn_index, detail=held.tool) for held in facts.pinned),
        ]
        old = [index for index in results[: len(results) - len(kept)] if index in wanted]
        held_turns = {refusal.turn_index for refusal in refusals}
        free = [index for index in old if guards.turn_at(index) not in held_turns]
        stays = [index for index in kept if index in wanted]
        about = {guards.turn_at(index) for index in (*old, *stays)}
        told = [refusal for refusal in refusals if refusal.turn_index in about]
        told += [
            refuse(guards, "inside-keep-window", guards.turn_at(index), index, detail="among the last results")
            for index in stays
        ]
        runs = tuple(Run(index, index + 1, guards.turn_at(index)) for index in free)
        return RemovalPlan(runs, in_order(told), observations, facts, of="results")

    def results(self, *, exclude: Collection[str] = (), longer_than: int = 0) -> frozenset[int]:
        """Return where results of more than `longer_than` characters, or with pictures, stand that are not cleared yet.

        Those of the tools named in `exclude` are left out.
        """
        guards, excluded = self.guards, frozenset(exclude)
        found = (
            index
            for index, message in enumerate(guards.messages)
            if message.role == "tool"
            and (characters(message) > longer_than or has_wordless(message))
            and frame_kind(message) is None
        )
        return frozenset(index for index in found if not excluded or guards.tool_of(index) not in excluded)
