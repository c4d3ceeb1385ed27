"""An agent's requests are folded while its session keeps everything, and an invented fee is caught."""

import asyncio

from agents import Agent, OutputGuardrailTripwireTriggered, RunConfig, Runner, SQLiteSession
from agents.testing import ScriptedModel, assistant_message

from foldproof import Compactor, Gate, SummarizeOldest
from foldproof_compactors.openai_agents import FoldproofHooks, FoldproofInputFilter

compaction = FoldproofInputFilter(Compactor(SummarizeOldest(300, 2), gate=Gate(posture="rails")))
hooks = FoldproofHooks(compaction)
config = RunConfig(call_model_input_filter=compaction, tracing_disabled=True)

answers = [f"The fee of order {at} is noted. " * 20 for at in range(5)]
answers += ["The first fee was 119.50 EUR.", "The first fee was 777.50 EUR."]
model = ScriptedModel([[assistant_message(text, item_id=f"m{at}")] for at, text in enumerate(answers)])
agent = Agent("desk", model=model, output_guardrails=[hooks.guardrail])


async def main() -> None:
    """Play five requests, and ask twice about the first."""
    session = SQLiteSession("desk")
    for at in range(1, 6):
        await Runner.run(agent, f"Its fee is {at}19.50 EUR.", session=session, run_config=config, hooks=hooks)
    stored = len(await session.get_items())
    print(f"{compaction.records[-1].outcome}: the model is sent {len(model.calls[-1].input)} items of {stored - 1}")
    for _ in range(2):
        try:
            done = await Runner.run(agent, "What was it?", session=session, run_config=config, hooks=hooks)
            print(f"{done.final_output} -> passed")
        except OutputGuardrailTripwireTriggered as tripped:
            values = tripped.guardrail_result.output.output_info["values"]
            print(f"refused: {[(value['text'], value['verdict']) for value in values]}")
    session.close()


asyncio.run(main())
