"""A list of Agent Framework's messages is folded, and an invented fee is caught."""

import asyncio

from agent_framework import Content, Message, annotate_message_groups, apply_compaction, included_messages

from foldproof import Compactor, Gate, SummarizeOldest
from foldproof_compactors.agent_framework import FoldproofCompaction

compaction = FoldproofCompaction(Compactor(SummarizeOldest(300, 2), gate=Gate(posture="rails")))

messages = []  # what the framework hands over inside a run
for number in range(6):
    call = Content.from_function_call(f"call-{number}", "find_order", arguments=f'{{"order": {4470 + number}}}')
    found = Content.from_function_result(f"call-{number}", result=f'{{"fee": "{number}19.50"}}' + " and so on" * 60)
    messages += [Message("user", [f"What is the fee of {4470 + number}?"]), Message("assistant", [call])]
    messages += [Message("tool", [found]), Message("assistant", [f"It is {number}19.50."])]

annotate_message_groups(messages)
sent = asyncio.run(apply_compaction(messages, strategy=compaction))
record = compaction.records[-1]
print(f"{record.outcome}: the model is sent {len(sent)} messages of {len(messages) - 1}")

for answer in ("The first fee was 019.50.", "The first fee was 777.50."):
    decision = compaction.hosted.review(included_messages(messages), answer)
    for value in decision.judgement.values:
        print(f"{answer} -> {value.text} is {value.verdict}")
