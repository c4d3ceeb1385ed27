"""A LangChain agent's messages are folded, and an invented fee is caught and written again."""

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from foldproof import Compactor, Gate, SummarizeOldest
from foldproof_compactors.langchain import CompactionMiddleware, GateMiddleware

compaction = CompactionMiddleware(Compactor(SummarizeOldest(300, 2), gate=Gate(posture="guard")))
gate = GateMiddleware(compaction)
answers = iter([AIMessage("The first fee was 777.50."), AIMessage("The first fee was 119.50.")])
agent = create_agent(GenericFakeChatModel(messages=answers), middleware=[compaction, gate])

messages: list[AnyMessage] = []  # a thread as it stands
for number in range(1, 7):
    call = {"id": f"call-{number}", "name": "find_order", "args": {"order": 4470 + number}}
    found = f'{{"fee": "{number}19.50"}}' + " and so on" * 60
    messages += [HumanMessage(f"What is the fee of {4470 + number}?"), AIMessage("", tool_calls=[call])]
    messages += [ToolMessage(found, tool_call_id=call["id"]), AIMessage(f"It is {number}19.50.")]

thread = agent.invoke({"messages": [*messages, HumanMessage("And what was the first fee?")]})["messages"]
for record in compaction.records:
    print(f"{record.outcome}: {record.window and record.window.removed_count} messages folded")
for decision in gate.decisions:
    values = ", ".join(f"{value.text} is {value.verdict}" for value in decision.judgement.values)
    print(f"{decision.outcome}: {decision.answer} ({values})")
print(f"the person reads: {thread[-1].text}")
