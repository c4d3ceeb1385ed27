"""AutoGen: what `save_state` returns for an agent, a team or a model context (0.4 to 0.7).

From the source of autogen-core and autogen-agentchat 0.7.5, and from states that these wrote; no published state was at
hand.

* A model context is `{"messages": [...]}` of `SystemMessage`, `UserMessage`, `AssistantMessage` and
  `FunctionExecutionResultMessage`; an agent keeps it under `llm_context`; a team keeps its agents under `agent_states`,
  each in a container, and an agent may hold a team again (`inner_team_state`). Every context is a conversation of its
  own, named by the way to its agent. A bare list of such messages is one too.
* An assistant's content is text or a list of calls; `arguments` is JSON in a string. What it said beside its calls, and
  its reasoning, is `thought`: a thinking part here.
* An id may be empty ("for some models"): the call gets one made of its words and its place in the message, and the
  results that follow answer by name and order.
* `source` says who spoke. Another agent whose context is in the document is a model: its words are an assistant message
  by that name. `user` is the person. Where no message of a context is of `user`, the person is who is no agent of the
  document, else who is one without a context (`user_proxy`). Any other source is taken for the app's.
* AutoGen has no compaction of its own: its contexts cut what they show and keep everything. A frame is a `UserMessage`
  from `foldproof`. AutoGen drops the fields it does not know when it loads a state, ours among them; what is left of a
  frame is known by its opening.
* The state of a runtime is its agents' states by `type/key`.
* A team's `message_thread` and the `message_buffer` of a container tell the same talk again; they stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.autogen_rows import ROW_TYPES, Context, encode, people_in, shrink, with_author
from foldproof.transcripts.codec import Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise_items
from foldproof.transcripts.nested import Steps, at, path_of, with_lists
from foldproof.transcripts.rows import rewritten, rows_in

_TEAM, _AGENT, _CONTEXT, _INNER, _ROWS = "agent_states", "agent_state", "llm_context", "inner_team_state", "messages"
_STATES = (
    "TeamState",
    "ChatAgentContainerState",
    "AssistantAgentState",
    "SocietyOfMindAgentState",
    "BaseState",
)
_SAMPLE = 50
_MAX_NESTING = 20  # teams in agents in teams
_MAJOR = "1."


class _Found(NamedTuple):
    """A context in a document: the steps to its list of messages, and the agents on the way."""

    steps: Steps
    agents: tuple[str, ...]


class _Cast(NamedTuple):
    """Who is an agent of a document, and whose context is in it."""

    agents: frozenset[str]
    models: frozenset[str]

    def others(self, found: _Found) -> frozenset[str]:
        """Return the agents whose words are a model's in a context: all that have one, but its own."""
        return self.models - {_name_of(found.agents[-1])} if found.agents else self.models

    def people(self, rows: list[Any]) -> frozenset[str]:
        """Return the sources that are people in a context with these rows."""
        return people_in(rows, self.agents, self.models)


class Autogen:
    """The format of AutoGen states."""

    format = Format(
        "autogen",
        "AutoGen state of an agent, a team or a model context (JSON)",
        shape='{type: "TeamState", agent_states}, {llm_context: {messages: [{type: "UserMessage", …}]}} or such a list',
        basis="the library's source",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a state with a model context in it."""
        if isinstance(value, list):
            return "a list of AutoGen messages" if _are_rows(value) else None
        if not isinstance(value, dict):
            return None
        kind = value.get("type")
        if isinstance(kind, str) and kind in _STATES and isinstance(value.get("version", ""), str):
            keeps = (_TEAM, _AGENT, _CONTEXT, _INNER)
            return f"a {kind}" if any(isinstance(value.get(name), dict) for name in keeps) else None
        if _are_rows(at(value, (_CONTEXT, _ROWS))):
            return "AutoGen messages under llm_context"
        if _is_runtime(value):
            return "AutoGen states by agent id"
        return "AutoGen messages under messages" if _are_rows(value.get(_ROWS)) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return a conversation for each model context."""
        found = [_Found((), ())] if isinstance(value, list) else list(_contexts(value, (), ()))
        if not found:
            raise TranscriptError(f"no agent of this state keeps a model context (llm_context); found {shown(value)}")
        cast = _cast(value, found)
        damage = _newer(value)
        readings = []
        for one in found:
            readings.append(_reading(value, one, cast, damage))
            damage = []
        return readings

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the state with other conversations."""
        found = [_Found((), ())] if isinstance(value, list) else list(_contexts(value, (), ()))
        cast = _cast(value, found)
        lists: dict[Steps, list[Any]] = {}
        for one, edit in zip(found, edits, strict=True):
            rows = at(value, one.steps)
            out = rewritten(rows, edit, encode=_encoded, shrink=shrink)
            people = cast.people(rows)
            unsure = (people ^ cast.people(out)) - cast.others(one)
            if unsure:
                kept = set(map(id, rows))
                out = [with_author(row, people, unsure) if id(row) in kept else row for row in out]
            lists[one.steps] = revise_items(rows, out)
        return with_lists(value, lists)


def _encoded(message: Message) -> list[Any]:
    return [encode(message)]


def _are_rows(rows: Json) -> bool:
    """Whether these are messages of AutoGen's: no other format calls its messages so."""
    if not isinstance(rows, list):
        return False
    sample = [row for row in rows[:_SAMPLE] if isinstance(row, dict)]
    return any(row.get("type") in ROW_TYPES and "content" in row for row in sample)


def _is_runtime(value: dict[str, Any]) -> bool:
    """Whether this is the state of a runtime: the states of its agents by `type/key`."""
    members = list(value.items())[:_SAMPLE]
    return all("/" in name for name, _ in members) and any(
        isinstance(at(member, (_CONTEXT,)), dict) or isinstance(at(member, (_AGENT, _CONTEXT)), dict)
        for _, member in members
    )


def _contexts(state: Json, steps: Steps, agents: tuple[str, ...]) -> list[_Found]:
    """Return the contexts of a state in order: its own, its agent's, those of its team."""
    if not isinstance(state, dict) or len(agents) > _MAX_NESTING:
        return []
    if _CONTEXT in state:
        return [_Found((*steps, _CONTEXT, _ROWS), agents)] if isinstance(at(state, (_CONTEXT, _ROWS)), list) else []
    if isinstance(state.get(_AGENT), dict):
        return _contexts(state[_AGENT], (*steps, _AGENT), agents)
    if isinstance(state.get(_INNER), dict):
        return _contexts(state[_INNER], (*steps, _INNER), agents)
    team, to = (state[_TEAM], (*steps, _TEAM)) if isinstance(state.get(_TEAM), dict) else (state, steps)
    if team is not state or _is_runtime(state):
        nested = (_contexts(member, (*to, name), (*agents, name)) for name, member in team.items())
        return [found for one in nested for found in one]
    return [_Found((*steps, _ROWS), agents)] if isinstance(state.get(_ROWS), list) and not agents else []


def _newer(value: Json) -> list[Damage]:
    version = value.get("version") if isinstance(value, dict) else None
    if version is None or (isinstance(version, str) and version.startswith(_MAJOR)):
        return []
    return [Damage("$.version", f"found version {shown(version)}; states of version {_MAJOR}x are known")]


def _name_of(agent: str) -> str:
    return agent.partition("/")[0]


def _cast(value: Json, found: Sequence[_Found]) -> _Cast:
    models = frozenset(_name_of(one.agents[-1]) for one in found if one.agents)
    return _Cast(models | frozenset(_agents_in(value, 0)), models)


def _agents_in(state: Json, depth: int) -> Iterator[str]:
    """Yield the names of the agents of a state, those without a context too."""
    if not isinstance(state, dict) or depth > _MAX_NESTING:
        return
    inner = [state[name] for name in (_AGENT, _INNER) if isinstance(state.get(name), dict)]
    held = state.get(_TEAM)
    team = held if isinstance(held, dict) else state if _is_runtime(state) else {}
    yield from map(_name_of, team)
    for member in (*inner, *team.values()):
        yield from _agents_in(member, depth + 1)


def _reading(value: Json, found: _Found, cast: _Cast, damage: list[Damage]) -> Reading:
    rows = rows_in(at(value, found.steps), path_of(found.steps))
    context = Context(path_of(found.steps), cast.others(found), cast.people(rows))
    context.read(rows)
    extras: Mapping[str, Any] = {} if isinstance(value, list) else without(value, (_TEAM, _AGENT, _CONTEXT, _INNER))
    return Reading(
        tuple(context.messages),
        tuple(context.places),
        without(extras, (_ROWS,)),
        "/".join(found.agents) or None,
        damage=(*damage, *context.damage),
    )
