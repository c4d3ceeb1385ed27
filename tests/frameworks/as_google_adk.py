"""google-adk: a session, as its command line saves one."""

from __future__ import annotations

from pathlib import Path

from google.adk.events import Event
from google.adk.sessions import Session
from google.genai import types
from tests.frameworks.talk import ANSWER, CALLS, FAILED, FIRST, FOUND, LAST, LOOK, SECOND, TALK, Piece

FORMAT = "google_adk"
TOLD = TALK[1:]  # the instructions are the agent's
FLAGS_ERRORS = True
KEEPS_NOTES = ()  # an event ignores fields that it does not know


def _event(author: str, *parts: types.Part) -> Event:
    role = "model" if author == "helper" and not parts[0].function_response else "user"
    return Event(author=author, invocation_id="i", content=types.Content(role=role, parts=list(parts)))


def written(folder: Path) -> Path:
    calls = [types.Part(function_call=types.FunctionCall(id=name, name=tool, args=args)) for name, tool, args in CALLS]
    answers = ({"result": FOUND}, {"error": FAILED})
    results = [
        types.Part(function_response=types.FunctionResponse(id=name, name=tool, response=answer))
        for (name, tool, _), answer in zip(CALLS, answers, strict=True)
    ]
    events = [
        _event("user", types.Part(text=FIRST)),
        _event("helper", types.Part(text=LOOK), *calls),
        _event("helper", *results),
        _event("helper", types.Part(text=ANSWER)),
        _event("user", types.Part(text=SECOND)),
        _event("helper", types.Part(text=LAST)),
    ]
    session = Session(id="session-1", app_name="app", user_id="u", events=events)
    return _saved(session, folder / "session.json")


def _saved(session: Session, path: Path) -> Path:
    path.write_text(session.model_dump_json(indent=2, exclude_none=True, by_alias=True), encoding="utf-8")
    return path


def _session(path: Path) -> Session:
    return Session.model_validate_json(path.read_text(encoding="utf-8"))


def loaded(path: Path) -> list[Piece]:
    pieces: list[Piece] = []
    for event in _session(path).events:
        folded = event.actions.compaction
        content = folded.compacted_content if folded else event.content
        pieces += [(event.author, part) for part in (content.parts if content else None) or ()]
    return pieces


def words(piece: Piece) -> str:
    _, part = piece
    if part.function_response:
        return "".join(map(str, part.function_response.response.values()))
    return part.text or ""


def written_again(path: Path, folder: Path) -> Path:
    return _saved(_session(path), folder / "again.json")
