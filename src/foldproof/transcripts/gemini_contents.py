"""Gemini contents (`{role, parts}`) as messages.

* A model content is an assistant message. Contents that follow one another become one message where the results of
  their calls come together behind them: they were one reply.
* Each function response is a tool message. It answers by id, else by name and order, in the contents right before it;
  one without an id is given that of its call.
* What else a user content holds is a user message behind the results. A person's words stay a person's, but for what
  is known to be somebody else's: what stands in one content with results, a file right behind them (a tool handed it
  over), the openings that Gemini CLI writes, and what ADK puts there (`adk_words`). The summary with which Gemini CLI
  compacts, `<state_snapshot>`, is a frame.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.adk_words import adk_words
from foldproof.transcripts.codec import FIELDS, made_up_id, message_from
from foldproof.transcripts.compactions import summary_frame_of
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.gemini_cli_words import hands, is_app_text, is_snapshot
from foldproof.transcripts.gemini_parts import (
    CALL,
    CODE,
    CODE_RESULT,
    FILE,
    INLINE,
    RESPONSE,
    SERVER_CALL,
    SERVER_RESPONSE,
    TEXT,
    as_parts,
    call_fields,
    content_of,
    kind_of,
    media_part,
    provider_result,
    result_fields,
    text_of,
    text_part,
    unknown_names,
)
from foldproof.transcripts.rows import Part, Place, Places, with_note

RESULTS = "results"
"""Key in a note beside a content for the notes of its results, where a part can hold none."""

_PROVIDER = (CODE, CODE_RESULT, SERVER_CALL, SERVER_RESPONSE)


class Beside(NamedTuple):
    """What a row says of a content beside it.

    Attributes:
        fields: of its message: id, name, who wrote it.
        note: what we wrote; `RESULTS` in it holds the notes of its results, by the id of the call.
        origin: why its results are no tool's words.
        salt: what tells its calls from equal ones elsewhere, where they have no ids.
    """

    fields: Mapping[str, Any]
    note: object = None
    origin: str | None = None
    salt: str | None = None


Known = tuple[int, dict[str, Any], str | None, Any]
"""A part: its index, the part, which kind it is, and the value of that kind."""


@dataclass(slots=True)
class Draft:
    """A message in the making: its fields, the places it stands at, or the message itself where it is a frame."""

    fields: dict[str, Any]
    places: list[Place]
    path: str
    message: Message | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)


class ContentReader:
    """Reads contents in order."""

    def __init__(self, app: str, damage: list[Damage]) -> None:
        """Read for an app, which is named where it wrote a user message; what cannot be read goes to `damage`."""
        self._app = app
        self._damage = damage
        self._unknown = UnknownKinds("part")
        self.drafts: list[Draft] = []
        self._run: list[Draft] = []  # the model contents that follow one another here
        self._waiting: list[tuple[dict[str, Any], bool]] = []  # calls without a result, and whether the file has an id
        self._answers: list[dict[str, Any]] = []  # the calls that have one
        self._after_results = False
        self._beside = Beside({})

    def read(self, content: Mapping[str, Any], row: int, path: str, beside: Beside) -> None:
        """Read a content that stands in a row, under a path.

        Raises:
            TranscriptError: it is none, and where.
        """
        role, parts = content.get("role"), content.get("parts")
        self._beside, about, note = beside, beside.fields, beside.note
        if isinstance(note, dict) and RESULTS in note:
            note = {name: value for name, value in note.items() if name != RESULTS} or None
        if parts is not None and not isinstance(parts, list):
            raise TranscriptError(f"expected a list of parts; found {shown(parts)}", path=f"{path}.parts")
        known = self._known(parts or [], path)
        if role == "model":
            self._model(known, row, path, about, note)
        elif role in ("user", "function", None):
            self._user(known, row, path, about, note)
        elif role == "system":
            self._add({"role": "system", "content": content_of(self._spoken(known, path)), **about}, row, path, note)
        else:
            raise TranscriptError(f"unknown role {shown(role)}; expected user or model", path=f"{path}.role")

    def finished(self) -> tuple[tuple[Message, ...], tuple[Places, ...], list[Damage]]:
        """Return the messages, their places, and the parts that nothing is known of."""
        settled = self.settled()
        messages = tuple([message for _, message in settled])
        return messages, tuple([tuple(draft.places) for draft, _ in settled]), self._unknown.damage()

    def settled(self) -> list[tuple[Draft, Message]]:
        """Return what was read so far, as messages. What makes none is damage."""
        made: list[tuple[Draft, Message]] = []
        for draft in self.drafts:
            try:
                draft.message = draft.message or message_from(draft.fields, draft.path)
            except TranscriptError as error:
                self._damage.append(damage_of(error))
                continue
            made.append((draft, draft.message))
        if len(made) < len(self.drafts):
            self.drafts = [draft for draft, _ in made]
        return made

    def add(self, message: Message, row: int, path: str) -> None:
        """Add a message that its row makes as a whole."""
        self.drafts.append(Draft({}, [Place(row)], path, message))

    def _known(self, parts: list[Any], path: str) -> list[Known]:
        found: list[Known] = []
        for at, part in enumerate(parts):
            if isinstance(part, dict):
                kind, value = kind_of(part)
                found.append((at, part, kind, value))
                if kind is None:
                    for name in unknown_names(part):
                        self._unknown.add(name, f"{path}.parts[{at}]")
            elif isinstance(part, str):  # the SDK takes a string for a part
                found.append((at, {TEXT: part}, TEXT, part))
            else:
                cause = f"expected a part; found {shown(part)}; it was not read"
                self._damage.append(Damage(f"{path}.parts[{at}]", cause))
        return found

    def _add(self, fields: dict[str, Any], row: int, path: str, note: object, parts: Part = None) -> Draft:
        said = fields if note is None else with_note(fields, {FIELDS: note})
        draft = Draft(said, [Place(row, parts)], path)
        self.drafts.append(draft)
        return draft

    def _model(
        self,
        known: list[Known],
        row: int,
        path: str,
        about: Mapping[str, Any],
        note: object,
    ) -> None:
        if self._after_results or not self.drafts or self.drafts[-1] not in self._run[-1:]:
            self._run, self._waiting, self._answers = [], [], []
        self._after_results = False
        called = [one for one in known if one[2] == CALL]
        results = [one for one in known if one[2] == RESPONSE]
        spoken = [one for one in known if one[2] not in (CALL, RESPONSE)] if called or results else known
        calls = self._calls(called, path) if called else []
        if spoken or calls or not results:
            fields = {"role": "assistant", "content": content_of(self._spoken(spoken, path)), **about}
            if calls:
                fields["toolCalls"] = calls
            parts = None if not results else tuple(at for at, _, kind, _ in known if kind != RESPONSE)
            draft = self._add(fields, row, path, note, parts)
            draft.calls = calls
            self._run.append(draft)
        if results:
            self._results(results, row, path, about)

    def _calls(self, known: list[Known], path: str) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        equal: Counter[str] = Counter()
        for at, part, _, call in known:
            key = "" if not isinstance(call, dict) or call.get("id") else json.dumps(call, sort_keys=True)
            fields = call_fields(call, part, (equal[key], self._beside.salt)) if isinstance(call, dict) else None
            if fields is None:
                cause = f"expected a call with a name; found {shown(call)}; it was not read"
                self._damage.append(Damage(f"{path}.parts[{at}]", cause))
                continue
            equal[key] += 1
            calls.append(fields)
            self._waiting.append((fields, call.get("id") == fields["id"]))
        return calls

    def _spoken(self, known: Sequence[Known], path: str) -> list[dict[str, Any]]:
        """Return the parts of a message for what was said, and for the tools that the provider ran."""
        spoken: list[dict[str, Any]] = []
        for at, part, kind, value in known:
            if kind == TEXT and isinstance(value, str):
                spoken.append(text_part(part, value))
            elif kind in (INLINE, FILE):
                spoken.append(media_part(part, kind, value))
            elif kind in _PROVIDER and isinstance(value, dict):
                self._provider(spoken, str(kind), value)
            elif kind is not None:
                found = f"found {shown(value)} as {kind}; it was not read"
                self._damage.append(Damage(f"{path}.parts[{at}]", f"expected a part of a {_KINDS_OF_ROLE}; {found}"))
            else:
                spoken.append(part)
        return spoken

    def _provider(self, spoken: list[dict[str, Any]], kind: str, value: dict[str, Any]) -> None:
        named = value.get("toolType", value.get("tool_type"))
        name = "code_execution" if kind in (CODE, CODE_RESULT) else named if isinstance(named, str) else "server_tool"
        identifier = value.get("id")
        if kind in (CODE, SERVER_CALL):
            made = identifier if isinstance(identifier, str) else made_up_id("code", value, len(spoken))
            given = value.get("args") if kind == SERVER_CALL else value
            spoken.append({"type": "provider-tool", "id": made, "name": name, "input": given})
            return
        result = provider_result(kind, value)
        for part in reversed(spoken):
            ours = part.get("type") == "provider-tool" and part["name"] == name and part.get("result") is None
            if ours and identifier in (None, part["id"]):
                part["result"] = result
                return
        made = identifier if isinstance(identifier, str) else self._last_code(name) or made_up_id("code", value)
        spoken.append({"type": "provider-tool-result", "id": made, "name": name, "result": result})

    def _last_code(self, name: str) -> str | None:
        content = self.drafts[-1].fields.get("content") if self.drafts else ""
        parts = content if isinstance(content, list) else []
        ids = [part["id"] for part in parts if part.get("type") == "provider-tool" and part.get("name") == name]
        return ids[-1] if ids and isinstance(ids[-1], str) else None

    def _user(
        self,
        known: list[Known],
        row: int,
        path: str,
        about: Mapping[str, Any],
        note: object,
    ) -> None:
        results = [one for one in known if one[2] == RESPONSE]
        others = [one for one in known if one[2] != RESPONSE] if results else known
        behind = self._after_results
        if results:
            self._results(results, row, path, about)
        if not others and results:
            return
        self._after_results = behind or bool(results)
        runs = [others] if results or isinstance(note, dict) else _runs(others)
        for run in runs:
            parts = tuple(at for at, *_ in run) if results or len(runs) > 1 else None
            fields = {"role": "user", "content": content_of(self._spoken(run, path)), **about}
            if isinstance(note, dict) and not results:
                self._add(fields, row, path, note, parts)
                return
            if run is not runs[0]:
                fields.pop("id", None)
            text = text_of(fields["content"])
            if is_snapshot(text) and "injectedBy" not in fields:
                frame = summary_frame_of(text, originals=None)
                self.drafts.append(Draft({}, [Place(row, parts)], path, frame))
                continue
            wrote = _wrote(text, run, beside=bool(results), behind=behind)
            if wrote is not None:
                fields.setdefault("injectedBy", {"source": self._app, **wrote})
            self._add(fields, row, path, None, parts)

    def _results(
        self,
        known: list[Known],
        row: int,
        path: str,
        about: Mapping[str, Any],
    ) -> None:
        found = [(at, part, response, self._answered(response)) for at, part, _, response in known]
        self._join([call for *_, call in found if call is not None])
        for at, part, response, call in found:
            if not isinstance(response, dict):
                cause = f"expected a function response; found {shown(response)}; it was not read"
                self._damage.append(Damage(f"{path}.parts[{at}]", cause))
                continue
            identifier, name = response.get("id"), response.get("name")
            if call is not None:
                identifier = call["id"]
            elif not isinstance(identifier, str) or not identifier:
                identifier = made_up_id("result", name, response.get("response"))
            fields = {"role": "tool", "toolCallId": identifier, **result_fields(response)}
            if isinstance(name, str) or call is not None:
                fields["toolName"] = name if isinstance(name, str) else call and call["name"]
            note = part.get(FIELDS) or self._noted(str(identifier))
            if note is None and "id" in about:
                fields["id"] = f"{about['id']}:{identifier}"
            if note is None and self._beside.origin is not None:
                fields["toolResultOrigin"] = self._beside.origin
            self._add(fields, row, f"{path}.parts[{at}]", note, (at,))
        self._after_results = True

    def _noted(self, identifier: str) -> object:
        notes = self._beside.note.get(RESULTS) if isinstance(self._beside.note, dict) else None
        return notes.get(identifier) if isinstance(notes, dict) else None

    def _answered(self, response: object) -> dict[str, Any] | None:
        """Return the call that a response answers, in the contents right before it."""
        if not isinstance(response, dict):
            return None
        identifier, name = response.get("id"), response.get("name")
        chosen = next((at for at, (call, own) in enumerate(self._waiting) if own and call["id"] == identifier), None)
        if chosen is None:
            no_id = not isinstance(identifier, str) or not identifier
            fitting = (
                at for at, (call, own) in enumerate(self._waiting) if call["name"] == name and (no_id or not own)
            )
            chosen = next(fitting, None)
        if chosen is None:  # a pending answer, then the final one
            again = (call for call in reversed(self._answers) if name == call["name"])
            return next(again, None) if not isinstance(identifier, str) or not identifier else None
        self._answers.append(self._waiting.pop(chosen)[0])
        return self._answers[-1]

    def _join(self, answered: list[dict[str, Any]]) -> None:
        """Make one message of the contents whose calls are answered together."""
        if not self._run or self.drafts[-1] is not self._run[-1]:
            return
        first = next((at for at, draft in enumerate(self._run) if _holds(draft, answered)), len(self._run))
        several = self._run[first:]
        if len(several) < 2:  # noqa: PLR2004 - one is no several
            return
        kept, *others = several
        content = [part for draft in several for part in as_parts(draft.fields["content"])]
        kept.fields["content"] = content_of(content)
        kept.fields["toolCalls"] = kept.calls = [call for draft in several for call in draft.calls]
        for draft in others:
            kept.places += draft.places
            if draft.fields.get("name") != kept.fields.get("name"):
                kept.fields.pop("name", None)
        del self.drafts[-len(others) :]
        del self._run[first + 1 :]
        ids: Counter[str] = Counter()
        for call in kept.calls:
            ids[call["id"]] += 1
            if ids[call["id"]] > 1:  # two contents that call alike, without ids
                call["id"] = f"{call['id']}-{ids[call['id']]}"


_KINDS_OF_ROLE = "content of this role"


def _runs(known: Sequence[Known]) -> list[list[Known]]:
    """Return the parts of a user's content in runs of one author each."""
    if len(known) == 1:
        return [list(known)]
    whose = hands([value if kind == TEXT and isinstance(value, str) else None for _, _, kind, value in known])
    if not any(whose) or all(whose):
        return [list(known)]
    runs: list[list[Known]] = []
    for at, one in enumerate(known):
        if runs and whose[at] == whose[at - 1]:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _holds(draft: Draft, calls: list[dict[str, Any]]) -> bool:
    return any(own is call for own in draft.calls for call in calls)


def _wrote(text: str, parts: Sequence[tuple[Any, ...]], *, beside: bool, behind: bool) -> dict[str, str] | None:
    """Return why a user message is nobody's own words, and whose they are."""
    if is_app_text(text):
        return {"reason": "words of Gemini CLI"}
    if beside:
        return {"reason": "in one content with tool results"}
    if behind and any(kind in (INLINE, FILE) for _, _, kind, _ in parts):
        return {"reason": "a file behind tool results"}
    return adk_words([value if isinstance(value, str) else None for _, _, _, value in parts])
