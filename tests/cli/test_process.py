"""What only a real process shows: pipes, signals, locales, start-up."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.running import (
    AIRLINE,
    ASCII,
    COMMAND,
    INVENTING,
    answer,
    chat,
    closed,
    first_line_of,
    foldproof,
    json_lines,
    person,
    rest_of,
    run,
    started,
)

from foldproof.cli import audit, main


def test_the_version_is_the_packages() -> None:
    assert foldproof("--version").stdout.decode().strip() == f"foldproof {version('foldproof')}"


@pytest.mark.parametrize("command", ["audit", "compact", "expand", "search", "forget", "check", "formats"])
def test_every_command_explains_itself_and_takes_json(command: str) -> None:
    ran = foldproof(command, "--help")
    assert ran.returncode == 0
    assert b"--json" in ran.stdout
    assert command.encode() in foldproof("--help").stdout


@pytest.mark.parametrize("args", [("audit", AIRLINE, "--json"), ("audit", AIRLINE), ("check", AIRLINE)])
def test_a_reader_that_leaves_ends_it_quietly(args: tuple[str | Path, ...]) -> None:
    with started(*args) as process:
        assert first_line_of(process.stdout)
        closed(process.stdout)
        assert rest_of(process.stderr) == b""
    assert process.returncode == 141


@pytest.mark.parametrize("args", [("--help",), ("formats",), ("compact", AIRLINE, "-o", "-")])
def test_a_reader_that_never_read_ends_it_quietly(args: tuple[str | Path, ...]) -> None:
    with started(*args) as process:
        closed(process.stdout)
        assert rest_of(process.stderr) == b""
    assert process.returncode == 141


def test_an_interrupt_ends_it_with_130_and_without_a_traceback(tmp_path: Path) -> None:
    with started("audit", "--json", chat(tmp_path, *INVENTING), "-") as process:
        assert first_line_of(process.stdout)  # it has begun, and waits for standard input now
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert rest_of(process.stderr).strip() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("args", [("audit", AIRLINE), ("compact", AIRLINE, "-o", "-"), ("formats",)])
def test_a_full_disk_is_one_line(args: tuple[str | Path, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = run(*COMMAND, *args, stdout=full)
    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines() == ["standard output: No space left on device"]


def test_a_closed_output_is_one_line() -> None:
    ran = run("/bin/sh", "-c", '"$@" >&-', "sh", *COMMAND, "formats")
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, ASCII, {"PYTHONIOENCODING": "latin-1"}])
def test_any_locale_will_do(locale: dict[str, str], tmp_path: Path) -> None:
    path = chat(tmp_path, person("予約番号は?"), answer("予約 ABC-1234 \ud800 🎟️ …"), name="r.json")
    people = foldproof("audit", path, env=locale)
    assert (people.returncode, people.stderr) == (0, b"")
    assert b"ABC-1234" in people.stdout
    machine = foldproof("audit", path, "--json", env=locale)
    assert json_lines(machine.stdout) == json_lines(foldproof("audit", path, "--json").stdout)
    out = tmp_path / "out.json"
    assert foldproof("compact", path, "-o", out, env=locale).returncode == 0
    assert out.read_bytes() == path.read_bytes()
    missing = foldproof("audit", "日本.json", env={"LC_ALL": "C"})
    assert (missing.returncode, len(missing.stderr.splitlines())) == (2, 1)


def test_a_file_name_that_is_no_text_is_named(tmp_path: Path) -> None:
    ran = foldproof("audit", b"caf\xe9.json", cwd=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"caf\\udce9.json: ")


def test_a_table_fits_a_narrow_terminal_without_losing_a_value(tmp_path: Path) -> None:
    path = chat(
        tmp_path, person("Hi"), answer("See https://example.com/a/rather/long/path/that/must/not/be/cut/4417 now.")
    )
    shown = foldproof("audit", path, env={"COLUMNS": "40"})
    assert b"https://example.com/a/rather/long/path/that/must/not/be/cut/4417" in shown.stdout


STARTS = """
import sys
import foldproof
heavy = {"click", "rich", "tiktoken", "networkx"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
from foldproof.cli import main
try:
    main(["audit", sys.argv[1], "--json"])
except SystemExit as stop:
    assert stop.code == 0
assert not {"rich", "tiktoken", "networkx"} & set(sys.modules)
"""


def test_nothing_heavy_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    ran = run(sys.executable, "-c", STARTS, chat(tmp_path, *INVENTING), stdout=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)["totals"]["invented"] == 1


def test_an_error_of_our_own_is_one_line_and_can_show_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("no\nidea")

    monkeypatch.setattr(audit, "audit", breaks)
    path = chat(tmp_path, *INVENTING)
    ran = CliRunner().invoke(main, ["audit", str(path)])
    assert ran.exit_code == 2
    assert ran.stderr.startswith("foldproof: internal error (RuntimeError: no")
    assert len(ran.stderr.splitlines()) == 1
    monkeypatch.setenv("FOLDPROOF_TRACEBACK", "1")
    assert isinstance(CliRunner().invoke(main, ["audit", str(path)]).exception, RuntimeError)


def test_without_a_command_the_help_is_printed_as_it_is() -> None:
    ran = foldproof()
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.splitlines()[0].startswith(b"Usage: ")
    assert ran.stderr.replace(b"\r\n", b"\n") == foldproof("--help").stdout


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="needs /dev/stdin")
@pytest.mark.parametrize("command", ["audit", "check"])
@pytest.mark.parametrize("names", [("-", "-"), ("-", "/dev/stdin")])
def test_standard_input_is_read_only_once(command: str, names: tuple[str, str]) -> None:
    ran = foldproof(command, *names, stdin=json.dumps(INVENTING).encode())
    assert (ran.returncode, ran.stdout) == (2, b"")
    (line,) = ran.stderr.decode().splitlines()
    assert "standard input can be read only once" in line


def shell(line: str, *args: str | Path, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return run("bash", "-c", line, "bash", *COMMAND, "compact", *args, stdout=subprocess.PIPE, cwd=cwd)


@pytest.mark.skipif(shutil.which("bash") is None or not Path("/dev/stdout").exists(), reason="needs bash and /dev")
@pytest.mark.parametrize(
    ("line", "at"),
    [
        ('"$@" -o /dev/stdout | cat > out', "out"),
        ('"$@" -o /dev/fd/1 | cat > out', "out"),
        ('"$@" -o /dev/stdout > out', "out"),
        ('echo before > out; "$@" -o /dev/stdout >> out; sed -i 1d out', "out"),
        ('"$@" -o >(cat > out.tmp; mv out.tmp out); while [ ! -e out ]; do sleep 0.05; done', "out"),
        ('mkfifo pipe; cat pipe > out & "$@" -o pipe; wait', "out"),
        ('mkfifo pipe; ln -s pipe link; cat pipe > out & "$@" -o link; wait', "out"),
    ],
)
def test_what_is_no_file_is_written_as_it_is_named(line: str, at: str, tmp_path: Path) -> None:
    source = chat(tmp_path, *INVENTING, *(row for n in range(8) for row in (person(f"and {n}?"), answer(f"{n}"))))
    assert foldproof("compact", source, "-o", tmp_path / "plain").returncode == 0
    ran = shell(line, source, cwd=tmp_path)
    assert (tmp_path / at).read_bytes() == (tmp_path / "plain").read_bytes()
    assert b"cannot write" not in ran.stderr
