"""Events of OpenHands, as messages. What was checked in real files stands in `openhands_events`."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from foldproof.errors import shown
from foldproof.transcripts.codec import FIELDS, id_text, made_up_id
from foldproof.transcripts.damage import Damage, UnknownKinds
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.rows import Place, with_note
from foldproof.transcripts.turns import Draft, Turn

APP = "openhands"
Event = dict[str, Any]

CALLS = frozenset((
    "run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "call_tool_mcp", "delegate",
    "think", "task_tracking",
))  # fmt: skip
"""Actions that are a call of the model's."""
_ENDS = frozenset(("finish", "reject"))
_SILENT_ACTIONS = frozenset((
    "null", "recall", "change_agent_state", "condensation_request", "loop_recovery", "start", "pause", "resume",
    "stop", "push", "send_pr",
))  # fmt: skip
RESULTS = frozenset((
    "run", "run_ipython", "read", "write", "edit", "browse", "mcp", "delegate", "think", "task_tracking",
    "download", "error", "success", "user_rejected",
))  # fmt: skip
"""Observations that answer a call."""
_SILENT_RESULTS = frozenset(("null", "agent_state_changed", "loop_detection", "chat", "message"))
ACTIONS = CALLS | _ENDS | _SILENT_ACTIONS | {"message", "system", "condensation"}
OBSERVATIONS = RESULTS | _SILENT_RESULTS | {"condense", "recall"}

_ENVELOPE = frozenset(("id", "timestamp", "source", "message", "action", "cause", "timeout", "llm_metrics", FIELDS))
_NO_ARGUMENTS = frozenset((
    "thought", "action_risk", "security_risk", "is_confirmed", "confirmation_state", "keep_prompt",
    "tool_call_metadata",
))  # fmt: skip
_STILL_RUNNING = -1


def args_of(event: Event) -> Event:
    """Return the arguments of an action; the oldest files have them beside its name."""
    args = event.get("args")
    return args if isinstance(args, dict) else event


def call_metadata(event: Event) -> Event:
    """Return what an event says about the model's call behind it."""
    found = event.get("tool_call_metadata")
    return found if isinstance(found, dict) else {}


class EventReader:
    """Reads events in order."""

    def __init__(self, damage: list[Damage]) -> None:
        self.turns: list[Turn] = []
        self.tools: Json = None
        self._damage = damage
        self._by_event: dict[str, list[Draft]] = {}
        self._calls: dict[str, tuple[Turn, int]] = {}  # by the event's id, and by the call's
        self._replies: dict[str, Turn] = {}  # by the model's response
        self._waiting: deque[tuple[Turn, int]] = deque()  # calls without a number, not answered yet
        self._summary: Draft | None = None
        self._forgotten: list[Draft] = []
        self._order: dict[int, tuple[int, ...]] = {}  # by the draft: its turn, the call, the answer
        self._seen: set[str] = set()
        self._delegates = 0
        self._spoken = False
        self._actions = UnknownKinds("action")
        self._observations = UnknownKinds("observation")

    def unknown(self) -> list[Damage]:
        """Return the reports of events of a kind that nobody knows."""
        return self._actions.damage() + self._observations.damage()

    def read(self, event: Event, place: Place, path: str) -> None:
        """Read the next event."""
        self._seen.add(str(event.get("id")))
        if isinstance(event.get("action"), str):
            self._action(event, place, path)
        elif isinstance(event.get("observation"), str):
            self._observation(event, place, path)
        else:
            found = shown(list(event)[:8])
            self._damage.append(Damage(path, f"expected an action or an observation; found {found}; it was not read"))

    def _action(self, event: Event, place: Place, path: str) -> None:
        kind, args = event["action"], args_of(event)
        by_agent = event.get("source", "agent") == "agent"
        if kind == "condensation":
            self._condensation(event, args, place, path)
        elif isinstance(event.get(FIELDS), dict) or kind == "message":
            self._say(self._spoken_fields(event, args), event, place, path)
        elif kind == "system":
            self.tools = args.get("tools")
            self._say({"role": "system", "content": args.get("content")}, event, place, path)
        elif kind in _ENDS:
            if by_agent:
                self._say({"role": "assistant", "content": _last_words(args)}, event, place, path)
        elif kind in CALLS or (kind not in _SILENT_ACTIONS and call_metadata(event)):
            if by_agent:
                self._call(event, args, place, path)
            else:  # what a person ran in the app is told to the model by the app
                said = f"{kind}: {_arguments(args)}"
                self._say({"role": "user", "content": said, "injectedBy": APP}, event, place, path)
        elif kind not in _SILENT_ACTIONS:
            self._actions.add(kind, path)

    def _spoken_fields(self, event: Event, args: Event) -> dict[str, Any]:
        content: Any = args.get("content")
        images = args.get("image_urls", args.get("images_urls"))
        if isinstance(images, list) and images and isinstance(content, str):
            pictures = [{"type": "image_url", "image_url": {"url": url}} for url in images]
            content = [{"type": "text", "text": content}, *pictures]
        source = event.get("source", "agent" if self._spoken else "user")  # the oldest files do not say
        self._spoken = True
        fields = {"role": "assistant" if source == "agent" else "user", "content": content}
        if source not in ("agent", "user") or (source == "user" and self._delegates):
            fields["injectedBy"] = APP
        return fields

    def _say(self, fields: dict[str, Any], event: Event, place: Place, path: str) -> Draft:
        if fields["content"] is None:
            fields["content"] = ""
        identifier = id_text(event.get("id"))
        if identifier is not None:
            fields["id"] = identifier
        draft = Draft(with_note(fields, event), [place], path)
        self._order[id(draft)] = (len(self.turns),)
        self.turns.append(Turn(draft))
        self._known(draft, event)
        return draft

    def _known(self, draft: Draft, event: Event) -> None:
        identifier = id_text(event.get("id"))
        if identifier is not None:
            self._by_event.setdefault(identifier, []).append(draft)

    def _call(self, event: Event, args: Event, place: Place, path: str) -> None:
        metadata = call_metadata(event)
        reply = metadata.get("model_response")
        reply = reply if isinstance(reply, dict) else {}
        said = _message_of(reply)
        identifier = id_text(metadata.get("tool_call_id"))
        name = metadata.get("function_name")
        arguments = _typed(said, identifier)
        identifier = identifier or self._made_up(event, args)
        call = {
            "id": identifier,
            "name": name if isinstance(name, str) else event["action"],
            "args": _arguments(args) if arguments is None else arguments,
        }
        response = id_text(reply.get("id"))
        turn = self._replies.get(response) if response is not None else None
        if turn is None:
            turn = self._turn(event, args, reply, said, place, path)
            if response is not None:
                self._replies[response] = turn
        else:
            turn.draft.places.append(place)
            self._known(turn.draft, event)
        known = (turn, turn.call(call))
        self._calls[identifier] = known
        if id_text(event.get("id")) is not None:
            self._calls["event " + str(event["id"])] = known
        self._waiting.append(known)
        self._delegates += event["action"] == "delegate"

    def _turn(self, event: Event, args: Event, reply: Event, said: Event, place: Place, path: str) -> Turn:  # noqa: PLR0913, PLR0917 - what an action is made of
        content = said.get("content")
        fields: dict[str, Any] = {
            "role": "assistant",
            "content": content if isinstance(content, str) else args.get("thought"),
        }
        if isinstance(reply.get("model"), str):
            fields["model"] = reply["model"]
        if isinstance(said.get("thinking_blocks"), list):
            fields["thinkingBlocks"] = said["thinking_blocks"]
        self._say(fields, event, place, path)
        return self.turns[-1]

    @staticmethod
    def _made_up(event: Event, args: Event) -> str:
        identifier = id_text(event.get("id"))
        if identifier is not None:
            return f"{APP}-{identifier}"
        return made_up_id("call", event["action"], args.get("thought"), _arguments(args))

    def _observation(self, event: Event, place: Place, path: str) -> None:
        kind = event["observation"]
        self._delegates -= kind == "delegate" and self._delegates > 0
        if kind == "condense" and not isinstance(event.get(FIELDS), dict):
            draft = self._say({"role": "user", "content": _words(event)}, event, place, path)
            draft.is_frame = True
            return
        answered = self._answered(event)
        if answered is not None:
            self._result(event, answered, place, path)
        elif kind in RESULTS or kind == "recall":
            self._unasked(event, kind, place, path)
        elif kind not in _SILENT_RESULTS:
            self._observations.add(kind, path)

    def _answered(self, event: Event) -> tuple[Turn, int] | None:
        """Return the call that an observation answers: by its cause, by the call's id, else by order."""
        cause = id_text(event.get("cause"))
        known = self._calls.get("event " + cause) if cause is not None else None
        if known is None:
            known = self._calls.get(str(call_metadata(event).get("tool_call_id")))
        if known is None and cause is None and "id" not in event and event["observation"] in RESULTS and self._waiting:
            known = self._waiting[-1]  # the oldest files have pairs, one behind the other
        if known is not None and known in self._waiting:
            self._waiting.remove(known)
        return known

    def _result(self, event: Event, answered: tuple[Turn, int], place: Place, path: str) -> None:
        turn, number = answered
        call = turn.calls[number]
        fields = result_fields(event) | {"toolCallId": call["id"], "toolName": call["name"]}
        draft = Draft(with_note(fields, event), [place], path)
        self._order[id(draft)] = (*self._order[id(turn.draft)], number, len(turn.answers[number]))
        turn.answers[number].append(draft)
        self._known(draft, event)

    def _unasked(self, event: Event, kind: str, place: Place, path: str) -> None:
        """Read an observation that answers no call that is there."""
        metadata = call_metadata(event)
        identifier = id_text(metadata.get("tool_call_id"))
        if identifier is None and kind not in ("recall", "error", "user_rejected") and event.get("source") != "user":
            identifier = f"{APP}-{event.get('cause', event.get('id'))}"
        if identifier is None:
            words = _words(event) if kind != "recall" else _recalled(event)
            if words or isinstance(event.get(FIELDS), dict):
                self._say({"role": "user", "content": words, "injectedBy": APP}, event, place, path)
            return
        name = metadata.get("function_name")
        fields = result_fields(event) | {"toolCallId": identifier, "toolName": name if isinstance(name, str) else kind}
        fields.pop("id", None)
        self._say(fields, event, place, path)

    def _condensation(self, event: Event, args: Event, place: Place, path: str) -> None:
        forgotten = _forgotten(args)
        summary = args.get("summary")
        drafts, missing = self._drafts(forgotten)
        known = set(map(id, self._forgotten))
        self._forgotten += [draft for draft in drafts if id(draft) not in known]
        if not isinstance(summary, str) or not summary:
            if not isinstance(event.get(FIELDS), dict):
                return  # only forgotten: nothing stands for it
            summary = ""
        draft = self._say({"role": "user", "content": summary}, event, place, path)
        if isinstance(event.get(FIELDS), dict):
            return
        draft.is_frame = True
        before = [] if self._summary is None else [self._summary]
        if self._forgotten and not missing:
            draft.forgets = before + self._forgotten
        self._summary, self._forgotten = draft, []

    def _drafts(self, forgotten: list[str] | range) -> tuple[list[Draft], bool]:
        """Return the messages made of these events, in order, and whether events are missing.

        A range takes in the app's own events, which an export leaves out; a list names what a condenser was given.
        """
        if isinstance(forgotten, range):
            few = len(forgotten) < len(self._by_event)
            numbered = map(str, forgotten) if few else (name for name in self._by_event if name.isdigit())
            names = [name for name in numbered if name in self._by_event and int(name) in forgotten]
            missing = not names
        else:
            names = [name for name in forgotten if name in self._by_event]
            missing = not self._seen.issuperset(forgotten)
        wanted = {id(draft): draft for name in names for draft in self._by_event[name]}
        drafts = sorted(wanted.values(), key=lambda draft: self._order[id(draft)])
        return drafts, missing or (bool(forgotten) and not drafts)


def result_fields(event: Event) -> dict[str, Any]:
    """Return the fields of a result, without the call it answers."""
    fields: dict[str, Any] = {"role": "tool", "content": _words(event)}
    identifier = id_text(event.get("id"))
    if identifier is not None:
        fields["id"] = identifier
    if event["observation"] == "user_rejected":
        fields["toolResultOrigin"] = "not-entered"
    elif _failed(event):
        fields["isError"] = True
    return fields


def _failed(event: Event) -> bool:
    if event["observation"] == "error":
        return True
    extras = event.get("extras")
    extras = extras if isinstance(extras, dict) else event
    metadata = extras.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else extras.get("exit_code")
    if isinstance(code, int):
        return code not in (0, _STILL_RUNNING)
    return event.get("success") is False


def _words(event: Event) -> Any:  # noqa: ANN401 - checked where the message is made
    content = event.get("content")
    if event["observation"] == "delegate":
        extras = event.get("extras")
        outputs = extras.get("outputs") if isinstance(extras, dict) else None
        content = outputs.get("content", content) if isinstance(outputs, dict) else content
    if content is None or isinstance(content, str | list):
        return content or ""
    return json.dumps(content, ensure_ascii=False)


def _recalled(event: Event) -> str:
    """Return what the app brought up for the model; the words around it are made when it is sent."""
    extras = event.get("extras")
    words = list(_leaves(extras)) if isinstance(extras, dict) else []
    content = event.get("content")
    return "\n".join(words) or (content if isinstance(content, str) else "")


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("recall_type", "trigger"):
                yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


def _last_words(args: Event) -> str:
    words = [args.get("thought"), args.get("final_thought")]
    said = [word for word in words if isinstance(word, str) and word]
    return "\n".join(dict.fromkeys(said))


def _arguments(args: Event) -> Event:
    """Return what an action is asked to do, for one whose call was not recorded."""
    names = _NO_ARGUMENTS if "action" not in args else _NO_ARGUMENTS | _ENVELOPE
    return {name: value for name, value in args.items() if name not in names}


def _message_of(reply: Mapping[str, Any]) -> Event:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else {}


def _typed(said: Event, identifier: str | None) -> Json:
    """Return the arguments as the model typed them, or None."""
    calls = said.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) and call.get("id") == identifier else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, str):
            try:
                return json.loads(arguments)
            except (ValueError, RecursionError):
                return arguments
        if arguments is not None:
            return arguments
    return None


def _forgotten(args: Event) -> list[str] | range:
    ids = args.get("forgotten_event_ids")
    if isinstance(ids, list):
        return [name for name in map(id_text, ids) if name is not None]
    start, stop = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    if isinstance(start, int) and isinstance(stop, int):
        return range(start, stop + 1)
    return []
