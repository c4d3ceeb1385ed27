"""What a trigger rests on: reported usage, a real tokenizer's count, or the number of turns."""

from __future__ import annotations

from foldproof.errors import UsageError
from foldproof.messages import frame_kind
from foldproof.window.counting import MessageCounter, characters
from foldproof.window.strategy import StrategyInput, Trigger


class CompactionUnmeasurableError(UsageError):
    """A token trigger has neither reported usage nor a tokenizer. It never guesses from the number of characters."""


def token_trigger(given: StrategyInput, *, threshold: int, counter: MessageCounter | None) -> Trigger:
    """Measure the window in tokens: as reported, else counted. Before the first call of a run nothing is counted.

    Raises:
        CompactionUnmeasurableError: no usage was reported and `counter` is None.
    """
    if given.measured is not None:
        return Trigger(kind="tokens", measured_by="reported", measured=given.measured, threshold=threshold)
    if given.iteration == 0:
        return Trigger(kind="tokens", measured_by="nothing", measured=None, threshold=threshold)
    if counter is None and given.forced:
        return Trigger(kind="tokens", measured_by="nothing", measured=None, threshold=threshold)
    if counter is None:
        raise CompactionUnmeasurableError(
            'no usage was reported and counter="reported-only"; pass measured=<reported input tokens>, or let it count'
        )
    counted = counter.total(given.messages)
    measured = counted + counter.schemas(given.tools)
    return Trigger(kind="tokens", measured_by=counter.name, measured=measured, threshold=threshold, counted=counted)


def size_trigger(given: StrategyInput, *, threshold: int) -> Trigger:
    """Measure the largest tool result in characters, as long as it is not offloaded already."""
    results = (message for message in given.messages if message.role == "tool" and frame_kind(message) is None)
    largest = max(map(characters, results), default=0)
    return Trigger(kind="characters", measured_by="characters", measured=largest, threshold=threshold)


def turn_trigger(given: StrategyInput, *, threshold: int) -> Trigger:
    """Measure the window in turns, system messages not counted."""
    return Trigger(kind="turns", measured_by="turns", measured=given.conversation_turns, threshold=threshold)
