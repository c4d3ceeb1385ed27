"""What an index and a judgement can be told."""

from __future__ import annotations

from typing import Literal, Self

import regex
from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator

from foldproof.errors import UsageError, shown

LONGEST_SEARCH = 1.0
"""How many seconds a declared shape may search one text: a pattern can be written that never ends."""


def shape_pattern(shape: str) -> regex.Pattern[str]:
    """Return the pattern that finds the whole tokens of a declared shape, without regard to case."""
    return regex.compile(rf"(?<!\w)(?:{shape})(?!\w)", regex.IGNORECASE)


class EvidenceOptions(BaseModel):
    """Options of an evidence index and of the judgements it gives.

    Attributes:
        shapes: regular expressions of values that look like nothing in particular (names without digits, say). Each is
            matched against whole tokens, without regard to case, and every match is examined. A shape that searches an
            answer for more than a second gives one `undecidable` value, the whole answer.
        exempt: texts whose values are exempt because the app declares them so.
        min_digits: how many digits a plain number needs to be examined. Money, quantities, dates, clocks, addresses
            and identifiers are examined whatever their length.
        scope: `conversation` does not accuse when a fold took tool results that the index never read;
            `window` judges by what is in the window alone.
        rare_spellings: whether spellings count that are rare, and that often mean something else: ISO weeks
            (`2024-W09-7`), clocks with a dot (`2.15pm`), default ports, a trunk 0 in a phone number, `hxxp://`.
        max_characters: how many code points of tool results are read; past it nothing is called invented.
        unread: what a value is called that no words supply, once the model was shown what has none here: a picture, a
            file, a search whose results the provider keeps to itself.
        incomplete: some of what was said could not be read (a damaged file), so nothing is called invented.

    Raises:
        UsageError: an option that there is not or of the wrong kind, a shape that is no regular expression, or a bound
            below 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shapes: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    min_digits: int = Field(default=3)
    scope: Literal["conversation", "window"] = "conversation"
    rare_spellings: bool = False
    max_characters: int = 512 * 1024 * 1024
    incomplete: bool = False
    unread: Literal["undecidable", "invented"] = "undecidable"

    @model_validator(mode="wrap")
    @classmethod
    def _say_what_is_wrong(cls, given: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(given)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"])) or "options"
            raise UsageError(f"{name}: {first['msg']}; found {shown(first['input'])}") from error

    @model_validator(mode="after")
    def _make_sense(self) -> Self:
        if self.min_digits < 1 or self.max_characters < 1:
            msg = f"min_digits={self.min_digits}, max_characters={self.max_characters}: both must be at least 1"
            raise UsageError(msg)
        for shape in self.shapes:
            try:
                shape_pattern(shape)
            except (regex.error, OverflowError, RecursionError) as error:
                msg = f"shapes: {shown(shape)} is no regular expression ({error})"
                raise UsageError(msg) from error
        return self
