"""The formats, in the order they are tried: a format whose rows could pass for another's comes first.

An installed package offers a format under the entry point group `foldproof.formats`, as an object or a class that is a
`Codec`:

    [project.entry-points."foldproof.formats"]
    my_agent = "my_agent.sessions:Sessions"

It is tried behind the formats of this library, and never takes over a name of theirs. Nothing of another package is
imported before a file is met that no format of this library knows, or the format is asked for by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NamedTuple

from foldproof.errors import TranscriptError, UsageError, described, shown
from foldproof.transcripts.agent_framework import AgentFramework
from foldproof.transcripts.agentfootprint import Agentfootprint
from foldproof.transcripts.aider_md import AiderMd
from foldproof.transcripts.anthropic_managed_agents import AnthropicManagedAgents
from foldproof.transcripts.anthropic_messages import AnthropicMessages
from foldproof.transcripts.atif import Atif
from foldproof.transcripts.autogen import Autogen
from foldproof.transcripts.axle import Axle
from foldproof.transcripts.bedrock_converse import BedrockConverse
from foldproof.transcripts.claude_code import ClaudeCode
from foldproof.transcripts.claude_stream import ClaudeStream
from foldproof.transcripts.cline_task import ClineTask
from foldproof.transcripts.codec import Codec, Format, Medium
from foldproof.transcripts.codex_rollout import CodexRollout
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.gemini_api import GeminiApi
from foldproof.transcripts.gemini_cli_session import GeminiCliSession
from foldproof.transcripts.google_adk import GoogleAdk
from foldproof.transcripts.inspect_eval_log import InspectEvalLog
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.langchain import Langchain
from foldproof.transcripts.langsmith_runs import LangsmithRuns
from foldproof.transcripts.miniswe_traj import MinisweTraj
from foldproof.transcripts.openai_agents import OpenaiAgents
from foldproof.transcripts.openai_chat import OpenaiChat
from foldproof.transcripts.openai_responses import OpenaiResponses
from foldproof.transcripts.opencode import Opencode
from foldproof.transcripts.openhands_events import OpenhandsEvents
from foldproof.transcripts.otel_genai import OtelGenai
from foldproof.transcripts.pi_session import PiSession
from foldproof.transcripts.pydantic_ai import PydanticAi
from foldproof.transcripts.reasoninglayer import Reasoninglayer
from foldproof.transcripts.sharegpt import Sharegpt
from foldproof.transcripts.sweagent_traj import SweagentTraj
from foldproof.transcripts.tau2_sim import Tau2Sim
from foldproof.transcripts.toolbench import Toolbench
from foldproof.transcripts.vercel_ui_message import VercelUiMessage

_OPENING: Final = 5  # items of an array, of which the first may be damaged
GROUP: Final = "foldproof.formats"

CODECS: Final[tuple[Codec, ...]] = (
    # Sessions of coding agents, and other files that say what they are.
    ClaudeCode(),
    ClaudeStream(),
    CodexRollout(),
    PiSession(),
    GeminiCliSession(),
    Opencode(),
    AiderMd(),
    Agentfootprint(),
    # What frameworks save.
    AgentFramework(),
    Autogen(),
    Axle(),
    GoogleAdk(),
    Langchain(),
    LangsmithRuns(),
    OpenaiAgents(),
    PydanticAi(),
    Reasoninglayer(),
    # Logs and benchmarks.
    Atif(),
    InspectEvalLog(),
    MinisweTraj(),
    OpenhandsEvents(),
    OtelGenai(),
    Sharegpt(),
    SweagentTraj(),
    Tau2Sim(),
    Toolbench(),
    # Requests of model APIs, and what is shaped like them.
    VercelUiMessage(),
    ClineTask(),
    AnthropicManagedAgents(),
    BedrockConverse(),
    AnthropicMessages(),
    OpenaiResponses(),
    GeminiApi(),
    OpenaiChat(),
)
"""Every format of this library. A new one is a file that defines its codec, and a line here."""


class UnknownFormatError(TranscriptError):
    """No format recognises the data: it may be no transcript at all."""


class Recognised(NamedTuple):
    """A format that knows a document for its own, and why."""

    format: str
    reason: str


def formats() -> tuple[Format, ...]:
    """Return the formats that can be read and written, in the order they are tried, those of other packages last.

    One that cannot be loaded is listed with the reason, as a format that can be neither read nor written.
    """
    return (*(codec.format for codec in CODECS), *map(_format_offered, _offered()))


def _format_offered(point: EntryPoint) -> Format:
    try:
        return _loaded(point).format
    except UsageError as error:
        return Format(point.name, str(error), can_read=False, can_write=False)


def _loadable() -> tuple[tuple[Codec, ...], tuple[UsageError, ...]]:
    """Return the formats of other packages, and why the others of them cannot be loaded."""
    codecs: list[Codec] = []
    errors: list[UsageError] = []
    for point in _offered():
        try:
            codecs.append(_loaded(point))
        except UsageError as error:
            errors.append(error)
    return tuple(codecs), tuple(errors)


def codec_named(name: str) -> Codec:
    """Return the codec of a format.

    Raises:
        UsageError: there is no format of that name, or it cannot be loaded.
    """
    for codec in CODECS:
        if codec.format.name == name:
            return codec
    offered = _offered()
    for point in offered:
        if point.name == name:
            return _loaded(point)
    known = ", ".join([*_names(), *(point.name for point in offered)])
    raise UsageError(f"there is no format {shown(name)}; expected one of {known}")


def detect(obj: Json) -> str:
    """Return the name of the format of JSON already in memory: one document, or a list of documents.

    Raises:
        TranscriptError: it is of no known format.
    """
    return codec_for(obj)[0].format.name


def recognised_by(value: Json, *, medium: Medium = "json") -> tuple[Recognised, ...]:
    """Return every format that knows a document for its own, and why; the first is the one that reads it."""
    codecs = (codec for codec in (*CODECS, *_loadable()[0]) if medium in codec.format.media)
    found = ((codec.format.name, codec.recognise(value)) for codec in codecs)
    return tuple(Recognised(name, reason) for name, reason in found if reason is not None)


def codec_for(value: Json, name: str | None = None, *, medium: Medium = "json") -> tuple[Codec, bool]:
    """Return the codec that reads a value, and whether the value is one document (or an array of several).

    Raises:
        TranscriptError: no format recognises it (`UnknownFormatError`), or the named one does not.
        UsageError: `name` names no format.
    """
    codecs = CODECS if name is None else (codec_named(name),)
    found = _found(value, codecs, medium)
    errors: tuple[UsageError, ...] = ()
    if found is None and name is None:
        others, errors = _loadable()
        found = _found(value, others, medium)
    if found is not None:
        return found
    if name is not None:
        raise not_of(codecs[0], value)
    raise UnknownFormatError(
        f"no known format; looked for {', '.join(_names())} and found {_outline(value)}; "
        f"name the format if it is one of these, and see `foldproof formats` for what each looks like{_also(errors)}"
    )


def _also(errors: tuple[UsageError, ...]) -> str:
    return "".join(f"; {error}" for error in errors)


def _found(value: Json, codecs: tuple[Codec, ...], medium: Medium) -> tuple[Codec, bool] | None:
    fitting = [codec for codec in codecs if medium in codec.format.media]
    for codec in fitting:
        if codec.recognise(value) is not None:
            return codec, True
    for item in value[:_OPENING] if isinstance(value, list) else ():
        for codec in fitting:
            if codec.recognise(item) is not None:
                return codec, False
    return None


def not_of(codec: Codec, value: Json) -> TranscriptError:
    """Return the error that a value is no document of a format."""
    known = codec.format
    values = (value, *value[:1]) if isinstance(value, list) else (value,)
    other = next((other.format.name for one in values for other in CODECS if other.recognise(one) is not None), None)
    hint = "" if other is None else f"; it looks like {other}"
    return TranscriptError(f"not {known.name}: found {_outline(value)}; expected {known.shape}{hint}")


def _outline(value: Json) -> str:
    if isinstance(value, dict):
        return f"an object with {shown(list(value)[:8])}"
    if isinstance(value, list):
        count = "1 value" if len(value) == 1 else f"{len(value)} values"
        return f"{count}, first {_outline(value[0])}" if value else "an empty array"
    return f"a bare {type(value).__name__}"


def _names() -> list[str]:
    return [codec.format.name for codec in CODECS]


@cache
def _offered() -> tuple[EntryPoint, ...]:
    ours = set(_names())
    return tuple(point for point in entry_points(group=GROUP) if point.name not in ours)


@cache
def _loaded(point: EntryPoint) -> Codec:
    try:
        made: Any = point.load()
        codec: Codec = made() if isinstance(made, type) else made
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise UsageError(f"the format {point.name} ({point.value}) cannot be loaded: {cause}") from error
    missing = [name for name in ("format", "recognise", "read", "write") if not hasattr(codec, name)]
    if missing:
        raise UsageError(f"the format {point.name} ({point.value}) has no {missing[0]}; offer a Codec")
    if codec.format.name != point.name:
        named = f"the format {point.name} ({point.value}) calls itself {shown(codec.format.name)}"
        raise UsageError(f"{named}; give the entry point that name")
    return _Offered(codec, point.value)


@dataclass(frozen=True, slots=True)
class _Offered:
    """A format of another package, whose errors are those of a file and name the package."""

    codec: Codec
    origin: str

    @property
    def format(self) -> Format:
        return self.codec.format

    def recognise(self, value: Json) -> str | None:
        with self._at_fault("could not say whether this is one of its documents"):
            return self.codec.recognise(value)

    def read(self, value: Json) -> Sequence[Reading]:
        with self._at_fault("could not read it"):
            readings = tuple(self.codec.read(value))
        if not readings:
            raise TranscriptError(f"the format {self.format.name} ({self.origin}) read no conversation; expected one")
        return readings

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        with self._at_fault("could not write this window"):
            return self.codec.write(value, edits)

    @contextmanager
    def _at_fault(self, what: str) -> Iterator[None]:
        try:
            yield
        except TranscriptError:
            raise
        except Exception as error:
            who = f"the format {self.format.name} ({self.origin}) {what}"
            raise TranscriptError(f"{who}: {described(error)}; report it to its package") from error
