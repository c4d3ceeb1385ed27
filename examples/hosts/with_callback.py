"""A plain loop over a list of dicts: it is folded before each call, and an invented order number is caught."""

import json

from foldproof import EvidenceIndex, SummarizeOldest
from foldproof_compactors.callback import compactor

compact = compactor(SummarizeOldest(threshold_tokens=600, keep_recent_turns=2))
messages = [{"role": "system", "content": "You track orders."}]


def model(sent: list[dict], number: int) -> dict:
    """Stand in for a model: call a tool, and answer once it is there."""
    if sent[-1]["role"] == "tool":
        return {"role": "assistant", "content": f"It cost {number}19.50."}
    call = {"name": "get_order", "arguments": json.dumps({"order": f"A-{48_210 + number}"})}
    return {"role": "assistant", "tool_calls": [{"id": f"call-{number}", "type": "function", "function": call}]}


for number in range(1, 7):
    messages.append({"role": "user", "content": f"What did my order {number} cost?"})
    while messages[-1]["role"] != "assistant" or "tool_calls" in messages[-1]:
        messages.append(model(compact.fold(messages), number))
        if "tool_calls" in messages[-1]:
            found = json.dumps({"order": f"A-{48_210 + number}", "cost": f"{number}19.50", "lines": ["a lamp"] * 60})
            messages.append({"role": "tool", "tool_call_id": f"call-{number}", "content": found})

print(f"{len(messages)} messages, of which the model is now sent {len(compact.fold(messages))}")
print("the last compaction:", compact.records[-1].outcome)
for value in EvidenceIndex(compact.state(messages).ledger).judge("A-48211 cost 119.50, and A-77190 is late.").values:
    print(value.text, value.verdict)
