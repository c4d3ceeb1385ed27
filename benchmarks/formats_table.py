"""What the real files of every format hold, counted from what was read: the tables of docs/formats.md."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from foldproof.errors import TranscriptError
from foldproof.messages import calls_of, frame_kind, pair
from foldproof.transcripts import Conversation, Family, Format, UnknownFormatError, formats, load_all

FILES: Final = Path(__file__).parent.parent / "tests" / "data" / "transcripts"
UNFOLDED: Final = "opencode"
"""The one format whose files are folders: stored under names in which `__` stands for `/`."""

HEAD: Final = (
    "format", "files", "conversations", "messages", "calls", "unanswered", "sub-agents", "compactions", "damage",
    "refused",
)  # fmt: skip


@dataclass(slots=True)
class Row:
    """What the files of one format hold."""

    files: set[str] = field(default_factory=set)
    conversations: int = 0
    messages: int = 0
    calls: int = 0
    unanswered: int = 0
    sub_agents: int = 0
    compactions: int = 0
    damage: int = 0
    refused: list[str] = field(default_factory=list)

    def add(self, conversation: Conversation) -> None:
        """Count one conversation."""
        self.files.add(conversation.document.name or "")
        self.conversations += 1
        self.messages += len(conversation.messages)
        self.calls += sum(len(calls_of(message)) for message in conversation.messages)
        self.unanswered += len(pair(conversation.messages).unanswered)
        self.sub_agents += conversation.reading.side or conversation.parent is not None
        self.compactions += sum(frame_kind(message) == "summary" for message in conversation.messages)
        self.damage += len(conversation.damage)

    def cells(self, name: str) -> tuple[str, ...]:
        """Return what stands in the table."""
        counts = (self.conversations, self.messages, self.calls, self.unanswered, self.sub_agents, self.compactions)
        numbers = (len(self.files) + len(self.refused), *counts, self.damage, len(self.refused))
        return (name, *(f"{number:,}" for number in numbers))


def counted(folder: Path = FILES) -> dict[str, Row]:
    """Return what the files below a folder hold, by format; a file that is refused counts for its folder's name."""
    rows: dict[str, Row] = defaultdict(Row)
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        with tempfile.TemporaryDirectory() as scratch:
            family = Family()
            for path in files_of(place, Path(scratch)):
                try:
                    for conversation in family.joined(load_all(path)):
                        rows[conversation.format].add(conversation)
                except UnknownFormatError as error:
                    rows[place.name].refused.append(f"{path.name}: {error.cause}")
                except TranscriptError as error:
                    rows[place.name].refused.append(f"{path.name}: {error.path or '$'}: {error.cause}")
    return dict(rows)


def files_of(place: Path, scratch: Path) -> Iterator[Path]:
    """Yield what to load of a folder of real files: each file, or the folder that its names spell."""
    if place.name != UNFOLDED:
        yield from sorted(place.iterdir())
        return
    for path in place.iterdir():
        target = scratch.joinpath(*path.name.split("__"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    yield from sorted(scratch.iterdir())


def markdown(rows: dict[str, Row]) -> str:
    """Return the table as Markdown, every format of this library in the order of its name."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    names = sorted({*rows, *(known.name for known in formats())})
    lines += ["| " + " | ".join(rows.get(name, Row()).cells(name)) + " |" for name in names]
    return "\n".join(lines) + "\n"


def described() -> str:
    """Return the list of formats as Markdown: what each is, what it was checked against, its own way to compact."""
    lines = ["| format | what it is | written | checked against | compaction in it |", "|---|---|---|---|---|"]
    lines += [_described(known) for known in sorted(formats(), key=lambda known: known.name)]
    return "\n".join(lines) + "\n"


def _described(known: Format) -> str:
    written = "yes" if known.can_write else "no"
    compaction = known.compaction.replace("|", "\\|")
    return f"| `{known.name}` | {known.description} | {written} | {known.basis} | {compaction} |"
