"""A Strands agent's list is folded, and an invented fee is caught."""

from collections.abc import Sequence

from strands import Agent
from strands.models import BedrockModel

from foldproof import Compactor, Gate, SummarizeOldest
from foldproof_compactors.strands import FoldproofConversationManager


class Service:
    """Stands in for Bedrock."""

    answers = iter(["It was 777.50.", "It was 019.50."])

    def converse_stream(self, **_: object) -> dict[str, Sequence[object]]:
        """Stream the next answer."""
        text = {"contentBlockDelta": {"delta": {"text": next(self.answers)}}}
        return {"stream": [text, {"contentBlockStop": {}}, {"messageStop": {"stopReason": "end_turn"}}]}


model = BedrockModel(region_name="eu-central-1", api_key="none", model_id="scripted")
model.client = Service()
manager = FoldproofConversationManager(Compactor(SummarizeOldest(300, 2), gate=Gate(posture="guard")))
agent = Agent(model, conversation_manager=manager, callback_handler=None)
for number in range(6):
    told = f"The fee of order {4470 + number} is {number}19.50." + " And so on." * 60
    agent.messages += [
        {"role": "user", "content": [{"text": told}]},
        {"role": "assistant", "content": [{"text": "ok"}]},
    ]

agent("What was the first fee?")
print(f"{manager.records[0].outcome}: {len(agent.messages)} messages are left of 16")
for message in agent.messages[-3::2]:
    text = message["content"][0]["text"]
    for value in manager.hosted.review(agent.messages[:-3], text).judgement.values:
        print(f"{text} -> {value.text} is {value.verdict}")
