"""The two tools with which a model recalls what left its window, as every interface wants them written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from foldproof.errors import UsageError, shown

EXPAND: Final = "recall_expand"
SEARCH: Final = "recall_search"

ToolShape = Literal["plain", "anthropic", "mcp", "openai", "openai-responses"]
"""How a tool is written down: `plain` is its name, its description, and the JSON schema of its parameters."""


class Arguments(BaseModel):
    """What a model passes to one of the tools."""

    model_config = ConfigDict(extra="forbid")


class ExpandArguments(Arguments):
    """What a model passes to `recall_expand`."""

    frame: Annotated[
        str,
        Field(
            min_length=1,
            description=(
                'What a frame says behind "archived as", at least 8 digits of it; all the words of the frame will do.'
            ),
        ),
    ]
    offset: Annotated[int, Field(ge=0, description="How many lines to leave out; a reply says where to go on.")] = 0
    limit: Annotated[int, Field(ge=1, le=1_000, description="How many lines to return at most.")] = 100


class SearchArguments(Arguments):
    """What a model passes to `recall_search`."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            description=(
                "Words that all have to stand in a message, in any order. A part of an id will do, and a phrase in "
                "double quotes counts as one word."
            ),
        ),
    ]
    limit: Annotated[int, Field(ge=1, le=100, description="How many messages to return at most.")] = 10


_TOOLS: Final[Mapping[str, tuple[type[Arguments], str]]] = {
    EXPAND: (
        ExpandArguments,
        (
            "Return the original messages behind a frame: earlier messages of this conversation that left the window, "
            'for which a message stands that says "The originals were archived as ...". Use it before you state a '
            "detail that you no longer see."
        ),
    ),
    SEARCH: (
        SearchArguments,
        (
            "Search the earlier messages of this conversation that left the window, and return those that hold every "
            "word. Use it when you need a detail (an id, an amount, a date, a path) that you no longer see."
        ),
    ),
}

RECALL_TOOLS: Final = tuple(_TOOLS)
"""The names of the tools."""


def recall_tools(shape: ToolShape = "plain") -> tuple[dict[str, Any], ...]:
    """Return the two tools with which a model recalls what left its window, to be sent with its other tools.

    Args:
        shape: `plain` (`name`, `description`, `parameters`), or as the interface of a provider wants it.

    Raises:
        UsageError: there is no such shape.
    """
    return tuple(_shaped(name, about, _schema(arguments), shape) for name, (arguments, about) in _TOOLS.items())


def _schema(model: type[Arguments]) -> dict[str, Any]:
    schema: dict[str, Any] = model.model_json_schema()
    del schema["title"], schema["description"]
    for field in schema["properties"].values():
        del field["title"]
    return schema


def _shaped(name: str, description: str, schema: dict[str, Any], shape: ToolShape) -> dict[str, Any]:
    named = {"name": name, "description": description}
    match shape:
        case "plain":
            return {**named, "parameters": schema}
        case "anthropic":
            return {**named, "input_schema": schema}
        case "mcp":
            return {**named, "inputSchema": schema}
        case "openai":
            return {"type": "function", "function": {**named, "parameters": schema}}
        case "openai-responses":
            return {"type": "function", **named, "parameters": schema}
        case _:
            raise UsageError(f"shape is {shown(shape)}; write one of {', '.join(get_args(ToolShape))}")
