"""What evidence is measured on: real conversations, real tables, and made-up records for size."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import foldproof as fp

DATA = Path(__file__).parent.parent / "tests" / "data"
RUNS = DATA / "tau_bench_airline" / "runs.jsonl"
LABELS = DATA / "tau_bench_airline" / "labels.tsv"
TABLES = DATA / "tatqa" / "tatqa_dataset_dev.json"
TRANSCRIPTS = DATA / "transcripts"
SAVED = ("agentfootprint", "claude_code", "openai_chat")


@dataclass(frozen=True)
class Run:
    """A conversation. Of the airline, the task and the trial that `labels.tsv` names it by."""

    messages: tuple[fp.Message, ...]
    task: int = -1
    trial: int = -1


@dataclass(frozen=True)
class Answer:
    """An answer, where it stands, and an index of what had been read when it was given."""

    run: Run
    position: int
    text: str
    index: fp.EvidenceIndex


@dataclass(frozen=True)
class Label:
    """Where a value that no result spells out comes from."""

    task: int
    trial: int
    position: int
    value: str
    label: str
    note: str


@cache
def airline() -> tuple[Run, ...]:
    """100 real runs of an airline agent."""
    return tuple(
        Run(conversation.messages, conversation.extras["task_id"], conversation.extras["trial"])
        for conversation in fp.load_all(RUNS)
    )


@cache
def transcripts() -> tuple[Run, ...]:
    """Saved transcripts in which a tool said something."""
    paths = sorted(path for name in SAVED for path in (TRANSCRIPTS / name).glob("*.json*"))
    runs = (Run(conversation.messages) for path in paths for conversation in fp.load_all(path))
    return tuple(run for run in runs if any(message.role == "tool" for message in run.messages))


def answers(run: Run) -> Iterator[Answer]:
    """Yield every answer of a run. The index reads on, so judge before the next one is asked for."""
    index = fp.EvidenceIndex()
    for position, message in enumerate(run.messages):
        index.extend([message])
        if message.role == "assistant" and message.text.strip():
            yield Answer(run, position, message.text, index)


def labels() -> list[Label]:
    """The rows of `labels.tsv`. A value there may end on the full stop of its sentence."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Label(
            int(row["task"]),
            int(row["trial"]),
            int(row["msg_index"]),
            row["value"].rstrip("."),
            row["label"],
            row["note"],
        )
        for row in rows
    ]


@cache
def annual_reports() -> list[dict[str, Any]]:
    """278 tables of annual reports, with paragraphs and questions."""
    with TABLES.open(encoding="utf-8") as file:
        documents: list[dict[str, Any]] = json.load(file)
    return documents


def airline_results() -> list[str]:
    """Every tool result of 100 real runs."""
    return [message.text for run in airline() for message in run.messages if message.role == "tool"]


def distinct_records(count: int, *, seed: int = 1) -> list[str]:
    """Results of 20 records each in which nearly every value is a new one: the worst case for an index."""
    chance = random.Random(seed)  # noqa: S311 - made-up orders, not secrets
    return [json.dumps([record(chance) for _ in range(20)]) for _ in range(count)]


def record(chance: random.Random) -> dict[str, object]:
    """One made-up order."""
    return {
        "order_id": f"ORD-{chance.randrange(10**6)}",
        "customer": {"email": f"user{chance.randrange(10**5)}@example.com"},
        "total": chance.randrange(100, 99_999) / 100,
        "created_at": f"2024-0{chance.randrange(1, 9)}-11T0{chance.randrange(9)}:{chance.randrange(10, 59)}:31Z",
        "status": chance.choice(["shipped", "open"]),
        "note": f"Leave the parcel with the neighbour at number {chance.randrange(100)}.",
    }


def parse_all(results: list[str]) -> None:
    """What a build is set against."""
    for result in results:
        try:
            json.loads(result)
        except ValueError:
            continue  # an error message is a result too
