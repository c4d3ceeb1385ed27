"""An agent of pydantic-ai has its history folded, and an invented fee is sent back to its model."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from foldproof import Compactor, Gate, SummarizeOldest
from foldproof_compactors.pydantic_ai import FoldproofCompaction

answers = iter(["It is 119.50.", "It is 219.50.", "It is 319.50.", "The first was 777.50.", "The first was 119.50."])


def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Stand in for a model: look an order up, then say the next answer."""
    request = str(messages[-1].parts[-1])
    if "order" in request and "tool" not in request:
        return ModelResponse([ToolCallPart("find_order", {"order": request.split("order ")[1][0]})])
    return ModelResponse([TextPart(next(answers))])


def find_order(order: str) -> dict[str, str]:
    """Find an order."""
    return {"fee": f"{order}19.50", "notes": "and so on " * 60}


compaction = FoldproofCompaction(Compactor(SummarizeOldest(300, 2), gate=Gate(posture="guard")))
agent = Agent(FunctionModel(model), tools=[find_order], capabilities=[compaction])

history: list[ModelMessage] = []
for asked in ("What is the fee of order 1?", "Of order 2?", "Of order 3?", "And the first again?"):
    history = agent.run_sync(asked, message_history=history).all_messages()

sent = compaction.hosted.fold(history)
print(f"{compaction.records[-1].outcome}: the model is sent {len(sent)} messages of {len(history)}")
invented = next(decision for decision in compaction.decisions if decision.outcome == "revise")
print(f"{invented.answer} -> {invented.unsupported[0].text} is {invented.unsupported[0].verdict}")
print(f"The model was asked again: {compaction.decisions[-1].answer}")
