"""How these tests run the command, and what they give it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

COMMAND = (sys.executable, "-m", "foldproof")
AIRLINE = Path(__file__).parent.parent / "data" / "tau_bench_airline" / "runs.jsonl"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale whose terminal knows ASCII only; Python would choose UTF-8 of its own accord otherwise."""


Argument = str | bytes | Path


def foldproof(
    *args: Argument, stdin: bytes = b"", cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return run(*COMMAND, *args, input=stdin, stdout=subprocess.PIPE, cwd=cwd, env=os.environ | (env or {}))


def run(*command: Argument, **settings: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401 - those of subprocess
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, timeout=120, **settings)  # noqa: S603 - our own


def started(*args: Argument) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *args], stdin=pipe, stdout=pipe, stderr=pipe)  # noqa: S603 - our own command


def rest_of(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    return stream.read()


def closed(stream: IO[bytes] | None) -> None:
    assert stream is not None
    stream.close()


def first_line_of(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    return stream.readline()


def json_lines(text: str | bytes) -> list[dict[str, Any]]:
    lines = text.splitlines()
    return [json.loads(line) for line in lines]


def hashes(folder: Path) -> dict[str, str]:
    """Return every file below a folder with its hash, to show that nothing came, left or changed."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def chat(folder: Path, *rows: Mapping[str, Any], name: str = "run.json") -> Path:
    """Write messages as an OpenAI chat."""
    path = folder / name
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def called(identifier: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    function = {"name": "get_fare", "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": identifier, "type": "function", "function": function}],
    }


def result(identifier: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "name": "get_fare", "content": content}


def person(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


INVENTING: Sequence[Mapping[str, Any]] = (
    person("What is the fee for HAT170?"),
    called("c1", flight="HAT170", cabin="X9Y8"),
    result("c1", '{"fee": "$190.00"}'),
    answer("The fee for HAT170 in X9Y8 is $109.00."),
)
"""Its answer holds one value of each: exempt, echoed, invented (and near $190.00)."""


def airline(folder: Path, count: int = 4) -> Path:
    """Write the first runs of the airline file."""
    path = folder / "airline.jsonl"
    with AIRLINE.open(encoding="utf-8") as lines:
        path.write_text("".join(next(lines) for _ in range(count)), encoding="utf-8")
    return path
