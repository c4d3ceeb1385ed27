"""How long ours and the best-known frameworks take to shrink the same window, and what is whole afterwards.

    make bench-peers                                 sets up .venv-peers and runs it
    .venv-peers/bin/python benchmarks/window.py      runs it again; --messages 2000 for a quick look

Measured: one compaction of a conversation of 10,000 messages of 400 characters, far over every trigger, as process
time, the best of several rounds in which ours and theirs take turns. Garbage collection is off while the clock runs, as
in `timeit`. Not measured: turning messages into a framework's own classes, copying them for a framework that changes
them in place, and a model's answer, which is scripted. Every window is warm: ours has counted its messages before, and
agent-framework has its groups and counts annotated before. A peer that took more than 2 seconds runs once, not again.

Every strategy keeps about what ours keeps: six turns are eight messages of this conversation. A peer is driven as its
framework drives it: LangChain's `before_model`, agent-framework's `apply_compaction`, pydantic-ai-harness's
`before_model_request`, strands' `apply_management`; only LangChain's `ClearToolUsesEdit` is called without the deep
copy that its middleware makes first. A peer's strategies without one of ours that does the same job are left out.

`pairs`: is every call that stayed followed by its result, and every result preceded by its call. `request`: is the last
thing the person said still there, verbatim.
"""

from __future__ import annotations

import asyncio
import gc
import json
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from time import process_time
from typing import Any
from unittest.mock import Mock

import click
from conversation import BYTES, window

import foldproof
from foldproof.messages import Message
from foldproof.window import WindowStrategy

TOKENS = 1_000
TURNS = 6
KEEP = 8  # messages in so many turns of this conversation
RESULTS = 3
LEAD = 5
ROUNDS = 7
SLOW = 2_000  # ms
SUMMARY = "The person asked for many orders, and each of them was fine."

SLIDING = "SlidingWindow()"
BUDGET = f"TokenBudget({TOKENS:_})"
SUMMARIZE = f"SummarizeOldest({TOKENS:_})"
SCRIPTED = f"{SUMMARIZE}, scripted"
CLEAR = f"ClearToolResults({TOKENS:_})"

Entry = tuple[str, str]  # ("user", text), ("call", id) or ("result", id): what pairs and the request are judged by


@dataclass
class Job:
    """One strategy: how to get a window for it, how to compact it, and what the best round was."""

    name: str
    prepare: Callable[[], Any]
    visit: Callable[[Any], Sequence[Any]]
    outline: Callable[[Sequence[Any]], Iterable[Entry]]
    rounds: list[float] = field(default_factory=list)
    left: list[Entry] = field(default_factory=list)
    kept: int = 0

    @property
    def best(self) -> float:
        return min(self.rounds)

    @property
    def pairs_whole(self) -> bool:
        calls = [name for kind, name in self.left if kind == "call"]
        return calls == [name for kind, name in self.left if kind == "result"]

    def take_turn(self) -> None:
        """Run a round, unless the first one showed that this takes too long to be run again."""
        if self.rounds and self.rounds[0] > SLOW:
            return
        given = self.prepare()
        before = list(given)
        milliseconds, left = timed(partial(self.visit, given))
        if len(left) == len(before) and all(map(operator.is_, left, before)):
            sys.exit(f"{self.name} left the window as it was, so its time means nothing")
        self.rounds.append(milliseconds)
        self.kept, self.left = len(left), list(self.outline(left))


@dataclass
class Peer:
    """A strategy of a framework, the one of ours that does the same job, and what the peer's does not do."""

    package: str
    rival: str
    job: Job
    less: str = ""


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of process time that a call took, and what it returned."""
    gc.collect()
    gc.disable()
    try:
        start = process_time()
        returned = call()
        return (process_time() - start) * 1_000, returned
    finally:
        gc.enable()


def our_strategies() -> dict[str, WindowStrategy]:
    found: dict[str, WindowStrategy] = {
        SLIDING: foldproof.SlidingWindow(keep_recent_turns=TURNS),
        BUDGET: foldproof.TokenBudget(TOKENS, keep_recent_turns=TURNS),
        SUMMARIZE: foldproof.SummarizeOldest(TOKENS, keep_recent_turns=TURNS),
        SCRIPTED: foldproof.SummarizeOldest(TOKENS, TURNS, summarizer=lambda *_: SUMMARY, model="scripted"),
    }
    clear = getattr(foldproof, "ClearToolResults", None)
    if clear is not None:
        found[CLEAR] = clear(TOKENS, keep=RESULTS)
    return found


def ours(size: int) -> dict[str, Job]:
    def visit(strategy: WindowStrategy, messages: Sequence[Message]) -> Sequence[Message]:
        return strategy.visit(messages).messages

    return {
        name: Job(name, partial(window, size), partial(visit, strategy), our_outline)
        for name, strategy in our_strategies().items()
    }


def our_outline(messages: Sequence[Message]) -> Iterator[Entry]:
    for message in messages:
        if message.role == "user":
            yield "user", str(message.content)
        if message.role == "tool":
            yield "result", str(message.tool_call_id)
        for call in message.tool_calls or ():
            yield "call", call.id


def summarizing(package: str, job: Job, less: str) -> Iterator[Peer]:
    """A peer whose model is scripted, beside ours that writes its summary itself, and ours with the same script."""
    yield Peer(package, SUMMARIZE, job, f"ours also writes the summary in that time, and {less}")
    yield Peer(package, SCRIPTED, job, less)


def langchain(messages: Sequence[Message]) -> Iterator[Peer]:
    from langchain.agents.middleware import ClearToolUsesEdit, SummarizationMiddleware
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.messages import trim_messages
    from langchain_core.messages.utils import count_tokens_approximately
    from langgraph.runtime import Runtime

    def clear(given: list[Any]) -> list[Any]:
        ClearToolUsesEdit(trigger=TOKENS, keep=RESULTS).apply(given, count_tokens=count_tokens_approximately)
        return given

    def summarize(given: list[Any]) -> list[Any]:
        update = middleware.before_model({"messages": given}, Runtime())
        return update["messages"][1:] if update else given  # the first one asks to remove all that was there

    trim = partial(
        trim_messages,
        max_tokens=TOKENS,
        token_counter=count_tokens_approximately,
        strategy="last",
        start_on="human",
        include_system=True,
    )
    middleware = SummarizationMiddleware(
        FakeListChatModel(responses=[SUMMARY]), trigger=("tokens", TOKENS), keep=("messages", KEEP)
    )
    converted = [langchain_message(index, message) for index, message in enumerate(messages)]
    job = partial(Job, prepare=partial(list, converted), outline=langchain_outline)
    yield Peer(
        "langchain-core",
        BUDGET,
        job("trim_messages", visit=trim),
        "it divides characters by four, holds nothing but the system message and writes no record",
    )
    yield from summarizing(
        "langchain",
        job("SummarizationMiddleware", visit=summarize),
        "it hands the model only the last 4,000 tokens of what it removes, divides characters by four and writes no "
        "record",
    )
    yield Peer(
        "langchain",
        CLEAR,
        job("ClearToolUsesEdit", visit=clear),
        "it divides characters by four and writes the same word over each result, without a size, a way back or a "
        "record",
    )


def langchain_message(index: int, message: Message) -> Any:  # noqa: ANN401 - a message of theirs
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    content, name = str(message.content), f"message-{index}"
    if message.role == "tool":
        return ToolMessage(content, id=name, name=message.tool_name, tool_call_id=message.tool_call_id)
    if message.role == "assistant":
        calls = [{"id": call.id, "name": call.name, "args": dict(call.args)} for call in message.tool_calls or ()]
        return AIMessage(content, id=name, tool_calls=calls)
    return HumanMessage(content, id=name) if message.role == "user" else SystemMessage(content, id=name)


def langchain_outline(messages: Sequence[Any]) -> Iterator[Entry]:
    for message in messages:
        if message.type == "human":
            yield "user", message.text
        if message.type == "tool":
            yield "result", message.tool_call_id
        if message.type == "ai":
            yield from (("call", call["id"]) for call in message.tool_calls)


def agent_framework(messages: Sequence[Message], runner: asyncio.Runner) -> Iterator[Peer]:
    import agent_framework as af

    class Client:
        async def get_response(self, *_: object, **__: object) -> af.ChatResponse:
            return af.ChatResponse(messages=[af.Message("assistant", [SUMMARY])])

    def prepare() -> list[af.Message]:
        converted = [agent_framework_message(index, message) for index, message in enumerate(messages)]
        af.annotate_message_groups(converted, tokenizer=tokenizer)
        return converted

    def job(strategy: Any) -> Job:  # noqa: ANN401 - a strategy of theirs
        def visit(given: list[af.Message]) -> list[af.Message]:
            return runner.run(af.apply_compaction(given, strategy=strategy))

        return Job(type(strategy).__name__, prepare, visit, agent_framework_outline)

    tokenizer = af.CharacterEstimatorTokenizer()
    sliding = af.SlidingWindowStrategy(keep_last_groups=TURNS)
    peer = partial(Peer, "agent-framework-core")
    yield peer(SLIDING, job(sliding), "it flags what is before a count of groups, counts no token and leaves no notice")
    yield peer(BUDGET, job(af.TruncationStrategy(max_n=TOKENS, compact_to=TOKENS, tokenizer=tokenizer)))
    composed = af.TokenBudgetComposedStrategy(token_budget=TOKENS, tokenizer=tokenizer, strategies=[sliding])
    yield peer(BUDGET, job(composed))
    # Without an own budget for the summary's input; with the default, it leaves nearly all of this window as it was.
    summarize = af.SummarizationStrategy(client=Client(), target_count=KEEP, max_summary_input_tokens=None)
    yield from summarizing("agent-framework-core", job(summarize), "it reads what it removes once, into a prompt")
    yield peer(CLEAR, job(af.ToolResultCompactionStrategy(keep_last_tool_call_groups=RESULTS)))
    selective = af.SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=RESULTS)
    yield peer(CLEAR, job(selective), "it flags calls and results as gone, counts no token and leaves no notice")


def agent_framework_message(index: int, message: Message) -> Any:  # noqa: ANN401 - as above
    from agent_framework import Content, Message

    text = str(message.content)
    if message.role == "tool":
        contents = [Content.from_function_result(str(message.tool_call_id), result=text)]
    else:
        contents = [Content.from_text(text)]
    contents += [
        Content.from_function_call(call.id, call.name, arguments=dict(call.args)) for call in message.tool_calls or ()
    ]
    return Message(message.role, contents, message_id=f"message-{index}")


def agent_framework_outline(messages: Sequence[Any]) -> Iterator[Entry]:
    for message in messages:
        if message.role == "user":
            yield "user", message.text
        for content in message.contents:
            if content.type in ("function_call", "function_result"):
                yield content.type.removeprefix("function_"), content.call_id


def pydantic_ai_harness(messages: Sequence[Message], runner: asyncio.Runner) -> Iterator[Peer]:
    from pydantic_ai import RunContext
    from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RunUsage
    from pydantic_ai_harness import compaction

    def job(name: str, strategy: Any) -> Job:  # noqa: ANN401 - as above
        def visit(given: list[Any]) -> list[Any]:
            run = RunContext(deps=None, model=model, usage=RunUsage(), messages=given)
            request = ModelRequestContext(
                model=model,
                messages=list(given),
                model_settings=None,
                model_request_parameters=ModelRequestParameters(),
            )
            return runner.run(strategy.before_model_request(run, request)).messages

        return Job(name, partial(list, converted), visit, pydantic_ai_outline)

    model = TestModel(custom_output_text=SUMMARY)
    converted = [pydantic_ai_message(message) for message in messages]
    peer = partial(Peer, "pydantic-ai-harness")
    by_count = compaction.SlidingWindowCompaction(max_messages=KEEP, keep_messages=KEEP)
    yield peer(
        SLIDING,
        job("SlidingWindowCompaction, messages", by_count),
        "it slices the list at a count, checks the pairs around the cut only, and names nothing that left",
    )
    by_tokens = compaction.SlidingWindowCompaction(max_tokens=TOKENS, keep_tokens=TOKENS)
    yield peer(
        BUDGET,
        job("SlidingWindowCompaction, tokens", by_tokens),
        "it divides characters by four, slices the list and names nothing that left",
    )
    summarize = compaction.SummarizingCompaction(max_tokens=TOKENS, keep_messages=KEEP)
    yield from summarizing(
        "pydantic-ai-harness",
        job("SummarizingCompaction", summarize),
        "it reads what it removes once, into a prompt, and divides characters by four",
    )
    yield peer(
        CLEAR,
        job("ClearToolResults", compaction.ClearToolResults(max_tokens=TOKENS, keep_pairs=RESULTS)),
        "it divides characters by four and writes the same words over each result, without a size, a way back or a "
        "record",
    )


def pydantic_ai_message(message: Message) -> Any:  # noqa: ANN401 - as above
    from pydantic_ai import messages as theirs

    text = str(message.content)
    if message.role == "assistant":
        calls = [theirs.ToolCallPart(call.name, dict(call.args), call.id) for call in message.tool_calls or ()]
        return theirs.ModelResponse([theirs.TextPart(text), *calls])
    if message.role == "tool":
        return theirs.ModelRequest([theirs.ToolReturnPart(str(message.tool_name), text, str(message.tool_call_id))])
    part = theirs.UserPromptPart if message.role == "user" else theirs.SystemPromptPart
    return theirs.ModelRequest([part(text)])


def pydantic_ai_outline(messages: Sequence[Any]) -> Iterator[Entry]:
    for part in (part for message in messages for part in message.parts):
        if part.part_kind == "user-prompt":
            yield "user", part.content
        if part.part_kind in ("tool-call", "tool-return"):
            yield ("call" if part.part_kind == "tool-call" else "result"), part.tool_call_id


def strands(messages: Sequence[Message]) -> Iterator[Peer]:
    from strands import Agent
    from strands.agent.conversation_manager import SlidingWindowConversationManager
    from strands.models import Model

    def visit(given: list[Any]) -> list[Any]:
        agent.messages = given
        manager.apply_management(agent)
        return given

    manager = SlidingWindowConversationManager(window_size=KEEP)
    system, *rest = messages  # strands keeps the system message beside the others
    agent = Agent(Mock(Model, stateful=False), system_prompt=str(system.content), conversation_manager=manager)
    converted = [strands_message(message) for message in rest]
    yield Peer(
        "strands-agents",
        SLIDING,
        Job("SlidingWindowConversationManager", partial(list, converted), visit, strands_outline),
        "it looks for the first user message after a count and deletes what is before it, counts no token and names "
        "nothing that left",
    )


def strands_message(message: Message) -> dict[str, Any]:
    text = str(message.content)
    if message.role == "tool":
        result = {"toolUseId": message.tool_call_id, "status": "success", "content": [{"text": text}]}
        return {"role": "user", "content": [{"toolResult": result}]}
    calls = [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": dict(call.args)}}
        for call in message.tool_calls or ()
    ]
    return {"role": message.role, "content": [{"text": text}, *calls]}


def strands_outline(messages: Sequence[Any]) -> Iterator[Entry]:
    for role, block in ((message["role"], block) for message in messages for block in message["content"]):
        if "text" in block and role == "user":
            yield "user", block["text"]
        if "toolUse" in block:
            yield "call", block["toolUse"]["toolUseId"]
        if "toolResult" in block:
            yield "result", block["toolResult"]["toolUseId"]


def all_peers(messages: Sequence[Message], runner: asyncio.Runner) -> Iterator[Peer]:
    """Every peer; one that cannot be imported ends the run, for a table without it would look complete."""
    frameworks: dict[str, Callable[[], Iterator[Peer]]] = {
        "langchain": partial(langchain, messages),
        "agent-framework-core": partial(agent_framework, messages, runner),
        "pydantic-ai-harness": partial(pydantic_ai_harness, messages, runner),
        "strands-agents": partial(strands, messages),
    }
    for name, peers in frameworks.items():
        try:
            yield from peers()
        except ImportError as error:
            sys.exit(f"{name} cannot be imported ({error}); `make bench-peers` sets up an environment that has it")


def measure(jobs: Iterable[Job]) -> None:
    """Let the jobs take turns, each of them once a round however many pairs it is in."""
    each = {id(job): job for job in jobs}.values()
    for turn in range(ROUNDS):
        for job in each:
            if turn == 0:
                click.echo(f"{job.name} ...", err=True)
            job.take_turn()


def json_loads(size: int) -> float:
    """Return the milliseconds that parsing the window's JSON takes: the yardstick."""
    text = json.dumps([message.model_dump(mode="json", by_alias=True, exclude_none=True) for message in window(size)])
    return min(timed(partial(json.loads, text))[0] for _ in range(ROUNDS))


def validity(job: Job, size: int) -> list[str]:
    request = next(text for kind, text in reversed(list(our_outline(window(size)))) if kind == "user")
    return [
        f"{job.kept:,}",
        "whole" if job.pairs_whole else "BROKEN",
        "kept" if ("user", request) in job.left else "LOST",
    ]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> None:
    """Print rows under a head; the first `left` columns are words, the others numbers."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
    click.echo()


def print_peers(peers: Sequence[Peer], rivals: dict[str, Job], size: int) -> None:
    head = ["peer", "its strategy", "ours", "theirs ms", "rounds", "ours ms", "theirs/ours", "left", "pairs", "request"]
    rows = [
        [
            f"{peer.package} {version(peer.package)}",
            peer.job.name,
            peer.rival,
            f"{peer.job.best:,.1f}",
            f"{len(peer.job.rounds)}",
            f"{rivals[peer.rival].best:,.1f}",
            f"{peer.job.best / rivals[peer.rival].best:,.1f}",
            *validity(peer.job, size),
        ]
        for peer in peers
    ]
    print_table(head, rows, left=3)


def print_ours(rivals: dict[str, Job], longer: dict[str, Job], size: int, yardstick: float) -> None:
    head = ["ours", f"ms at {size:,}", f"ms at {size * 10:,}", "ratio", "times json.loads", "left", "pairs", "request"]
    rows = [
        [
            name,
            f"{job.best:,.1f}",
            f"{longer[name].best:,.1f}",
            f"{longer[name].best / job.best:,.1f}",
            f"{job.best / yardstick:,.1f}",
            *validity(job, size),
        ]
        for name, job in rivals.items()
    ]
    print_table(head, rows, left=1)


def print_leads(peers: Sequence[Peer], rivals: dict[str, Job]) -> None:
    """Print a line for each pair in which ours does not lead by the factor it is to lead by."""
    short = [peer for peer in peers if peer.job.best < LEAD * rivals[peer.rival].best]
    click.echo(f"Ours leads by {LEAD} or more in {len(peers) - len(short)} of {len(peers)} pairs; not in these:")
    for peer in short:
        lead = peer.job.best / rivals[peer.rival].best
        said = f"ours leads by {lead:.1f}" if lead >= 1 else f"ours is slower by {1 / lead:.1f}"
        click.echo(f"- {peer.rival} beside {peer.job.name} of {peer.package}: {said}{peer.less and '; '}{peer.less}")


@click.command()
@click.option("--messages", "size", default=10_000, show_default=True, help="How long the conversation is.")
def main(size: int) -> None:
    """Time ours beside its peers, and print what came of it."""
    rivals, longer = ours(size), ours(size * 10)
    with asyncio.Runner() as runner:
        every = list(all_peers(window(size), runner))
        peers = [peer for peer in every if peer.rival in rivals]
        for job in [*rivals.values(), *longer.values()]:
            job.visit(job.prepare())  # ours is measured warm
        gc.collect()
        gc.freeze()  # what was converted stays to the end: not to be looked through before every round
        measure([*rivals.values(), *(peer.job for peer in peers)])
    yardstick = json_loads(size)
    measure(longer.values())
    click.echo(
        f"A conversation of {size:,} messages of {BYTES} characters; process time, best round; "
        f"Python {sys.version.split()[0]}; json.loads of the same window takes {yardstick:,.1f} ms.\n"
    )
    print_peers(peers, rivals, size)
    print_ours(rivals, longer, size, yardstick)
    if CLEAR not in rivals:
        skipped = ", ".join(peer.job.name for peer in every if peer.rival == CLEAR)
        click.echo(f"Skipped, for foldproof has no ClearToolResults: {skipped}.\n")
    print_leads(peers, rivals)


if __name__ == "__main__":
    main()
