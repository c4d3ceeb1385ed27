"""One long run of a support agent, which every host plays through its own agent loop with a scripted model.

It knows no framework. Four requests of a person, more than forty tool calls, many of them in parallel, one request with
twenty calls of its own; the last answer states values of the very first results, one that only the person said, a sum,
and one order number that nobody ever said.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.hosts.desk import TOOLS, Tool, amount_of

from foldproof import EvidenceIndex, Message, ToolCall, TranscriptError, author_of, validate_for
from foldproof.messages import calls_of
from foldproof.tokens import default_counter
from foldproof.window import MessageCounter, Provider

__all__ = [
    "ANSWER",
    "EXPECTED",
    "STEPS",
    "SYSTEM",
    "THRESHOLD",
    "TOOLS",
    "TURNS",
    "Call",
    "Outcome",
    "Run",
    "ScriptedModel",
    "Step",
    "Tool",
    "Turn",
    "answer_to",
    "conversation",
    "faults",
    "input_tokens",
    "outcome",
]

SYSTEM: Final = "You are the support desk of a furniture shop. Look things up before you answer."
THRESHOLD: Final = 3_000
"""Tokens at which the runs compact: the whole run costs several times as many."""


@dataclass(frozen=True)
class Call:
    """A call of the model's."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One answer of the model's: words, and calls; the last step of a turn has none."""

    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Turn:
    """A request of the person's, and what the model does about it."""

    request: str
    steps: tuple[Step, ...]


class _Script:
    def __init__(self) -> None:
        self._count = 0

    def step(self, text: str, *calls: tuple[str, dict[str, Any]]) -> Step:
        return Step(text, tuple(self._call(name, arguments) for name, arguments in calls))

    def _call(self, name: str, arguments: dict[str, Any]) -> Call:
        self._count += 1
        return Call(f"call_{self._count:03d}", name, arguments)


def _orders(numbers: Sequence[int], tool: str = "get_order") -> list[tuple[str, dict[str, Any]]]:
    return [(tool, {"order": f"A-{number}"}) for number in numbers]


_FIRST, _SECOND, _LAST = "A-48213", "A-48377", "A-49951"
_FEE = "37.20"  # only the person says so
_INVENTED = "A-77190"


def _answer() -> str:
    first, second, last = amount_of(_FIRST), amount_of(_SECOND), amount_of(_LAST)
    return (
        f"Your order {_FIRST} came to {first:.2f} EUR and {_SECOND} to {second:.2f} EUR, "
        f"together {first + second:.2f} EUR. The latest one, {_LAST}, came to {last:.2f} EUR. "
        f"The courier fee of {_FEE} EUR you mentioned is noted on {_INVENTED}."
    )


ANSWER: Final = _answer()
EXPECTED: Final[Mapping[str, str]] = {
    _FIRST: "grounded",
    f"{amount_of(_FIRST):.2f}": "grounded",
    _SECOND: "grounded",
    f"{amount_of(_SECOND):.2f}": "grounded",
    f"{amount_of(_FIRST) + amount_of(_SECOND):.2f}": "derived",
    _LAST: "grounded",
    f"{amount_of(_LAST):.2f}": "grounded",
    _FEE: "exempt",
    _INVENTED: "invented",
}
"""What every value of the last answer is, by how it starts (a currency may stand behind it)."""


def _turns() -> tuple[Turn, ...]:
    script = _Script()
    first = Turn(
        f"I paid a courier fee of {_FEE} EUR on top. What did my first two orders cost?",
        (
            script.step("I look you up.", ("find_customer", {"email": "buyer@shop.example"})),
            script.step("Now the two orders.", *_orders([48213, 48377])),
            script.step(f"They came to {amount_of(_FIRST):.2f} and {amount_of(_SECOND):.2f} EUR."),
        ),
    )
    second = Turn(
        "Where are those parcels, and are they invoiced?",
        (
            script.step(
                "Parcels and invoices.",
                *_orders([48213, 48377], "track_parcel"),
                *_orders([48213, 48377], "get_invoice"),
            ),
            script.step("", ("quote_refund", {"order": _FIRST, "reason": "late"})),
            script.step("Both are on their way, and both are invoiced."),
        ),
    )
    pages = [("list_orders", {"customer": "C-71851", "page": page}) for page in (1, 2)]
    looked_up = [
        script.step("", *(_orders([at, at + 3, at + 7]) if at % 20 else _orders([at], "track_parcel")))
        for at in range(48_410, 48_560, 10)
    ]
    steps = [script.step("", *pages), *looked_up, script.step("I went through all of them; none is held back.")]
    third = Turn(
        "Please go through every other order of this year, one by one, and tell me which are held back.", tuple(steps)
    )
    fourth = Turn(
        "Thank you. Now sum up: my first two orders, what they cost together, and the latest one.",
        (
            script.step("The latest one.", *_orders([49951]), *_orders([49951], "track_parcel")),
            script.step("", ("get_invoice", {"order": _LAST}), ("quote_refund", {"order": _LAST, "reason": "none"})),
            script.step(ANSWER),
        ),
    )
    return first, second, third, fourth


TURNS: Final = _turns()
STEPS: Final = tuple(step for turn in TURNS for step in turn.steps)


def request_at(step: int) -> str:
    """Return what the person had asked when the model took a step, counted from 0 over all turns."""
    left = step
    for turn in TURNS:
        if left < len(turn.steps):
            return turn.request
        left -= len(turn.steps)
    raise ValueError(f"the script has {len(STEPS)} steps; there is no step {step}")


@dataclass
class ScriptedModel:
    """Takes the script's steps in order, from whichever thread, and remembers what it was sent."""

    requests: list[tuple[Message, ...]] = field(default_factory=list)
    _taken: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __deepcopy__(self, _: object) -> ScriptedModel:
        return self  # some frameworks copy their clients, and there is one script

    def record(self, messages: Sequence[Message]) -> None:
        """Remember a request."""
        self.requests.append(tuple(messages))

    def step(self) -> Step:
        """Return the next step.

        Raises:
            ValueError: the script is over.
        """
        with self._lock:
            if self._taken >= len(STEPS):
                raise ValueError(f"the script has {len(STEPS)} steps, and the loop asked for one more")
            self._taken += 1
            return STEPS[self._taken - 1]


_COUNTER = MessageCounter(default_counter())


def input_tokens(messages: Sequence[Message]) -> int:
    """Return what the scripted provider reports for a request, in tokens."""
    return _COUNTER.total(messages)


def answer_to(call: Call) -> str:
    """Return what a tool says to a call."""
    tool = next(tool for tool in TOOLS if tool.name == call.name)
    return tool.function(**call.arguments)


def conversation() -> tuple[Message, ...]:
    """Return the whole run, as it is without any compaction."""
    messages = [Message(role="system", content=SYSTEM)]
    for turn in TURNS:
        messages.append(Message(role="user", content=turn.request))
        for step in turn.steps:
            calls = tuple(ToolCall(id=call.id, name=call.name, args=call.arguments) for call in step.calls)
            messages.append(Message(role="assistant", content=step.text, tool_calls=calls))
            messages += [
                Message(role="tool", tool_call_id=call.id, tool_name=call.name, content=answer_to(call))
                for call in step.calls
            ]
    return tuple(messages)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What came of a run.

    Attributes:
        requests: every request that the model received, in order.
        answers: the answer to each of the person's requests.
        kept: all that is still known at the end, ahead of the last answer: what an audit may read.
        provider: whose wire the requests are for.
    """

    requests: tuple[tuple[Message, ...], ...]
    answers: tuple[str, ...]
    kept: tuple[Message, ...]
    provider: Provider


def verdicts(run: Run) -> dict[str, str]:
    """Return what the values of the last answer are judged to be, by what EXPECTED calls them."""
    read = [message for message in run.kept if message.text != ANSWER]
    judged = EvidenceIndex(read).judge(run.answers[-1] if run.answers else "").values
    named: dict[str, str] = {name: value.verdict for value in judged for name in EXPECTED if name in value.text}
    others = {value.text: value.verdict for value in judged if not any(name in value.text for name in EXPECTED)}
    return named | others


def faults(run: Run) -> tuple[str, ...]:
    """Return everything that is wrong with a run, as sentences."""
    found = [fault for number, request in enumerate(run.requests) for fault in _request_faults(run, number, request)]
    if len(run.requests) != len(STEPS):
        found.append(f"the model was asked {len(run.requests)} times, and the script has {len(STEPS)} steps")
    if len(run.answers) != len(TURNS):
        found.append(f"the loop gave {len(run.answers)} answers to {len(TURNS)} requests")
    judged = verdicts(run)
    if judged != dict(EXPECTED):
        wrong = {name: (judged.get(name), EXPECTED.get(name)) for name in judged.keys() | EXPECTED.keys()}
        told = {name: pair for name, pair in wrong.items() if pair[0] != pair[1]}
        found.append(f"the last answer is judged otherwise than it should be (found, expected): {told}")
    return tuple(found)


def _request_faults(run: Run, number: int, request: Sequence[Message]) -> list[str]:
    found = []
    try:
        validate_for(run.provider, request)
    except TranscriptError as error:
        found.append(f"request {number}: {error}")
    if number < len(STEPS) and not has_request(request, number):
        found.append(f"request {number}: what the person asked is not in it: {request_at(number)!r}")
    ids = [call.id for message in request for call in calls_of(message)]
    if len(ids) != len(set(ids)):
        found.append(f"request {number}: an id is called twice")
    return found


def has_request(request: Sequence[Message], step: int) -> bool:
    """Whether the person's current request is in a request to the model, verbatim and as the person's."""
    asked = request_at(step)
    return any(author_of(message) == "person" and message.text == asked for message in request)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A run as a row of a table; sizes in tokens.

    Attributes:
        requests: how often the model was asked.
        largest: its largest request.
        last: its last request.
        total: all of them together: what the run costs.
        invalid: requests that the provider rejects.
        without_request: requests in which the person's current request is missing.
        values_in_view: values of the last answer that tools said and the last request still shows.
        values: how many there are.
        wrong_verdicts: values of the last answer that an audit over what is kept judges wrongly.
        invented_caught: whether that audit names the invented order number.
    """

    requests: int
    largest: int
    last: int
    total: int
    invalid: int
    without_request: int
    values_in_view: int
    values: int
    wrong_verdicts: int
    invented_caught: bool


def outcome(run: Run) -> Outcome:
    """Return a run as a row of a table."""
    sizes = [input_tokens(request) for request in run.requests] or [0]
    grounded = [name for name, verdict in EXPECTED.items() if verdict == "grounded"]
    shown = "\n".join(message.text for message in run.requests[-1]) if run.requests else ""
    judged = verdicts(run)
    return Outcome(
        requests=len(run.requests),
        largest=max(sizes),
        last=sizes[-1],
        total=sum(sizes),
        invalid=sum(_is_invalid(run.provider, request) for request in run.requests),
        without_request=sum(not has_request(request, at) for at, request in enumerate(run.requests[: len(STEPS)])),
        values_in_view=sum(name in shown for name in grounded),
        values=len(grounded),
        wrong_verdicts=sum(judged.get(name) != verdict for name, verdict in EXPECTED.items()),
        invented_caught=judged.get(_INVENTED) == "invented",
    )


def _is_invalid(provider: Provider, request: Sequence[Message]) -> bool:
    try:
        validate_for(provider, request)
    except TranscriptError:
        return True
    return False
