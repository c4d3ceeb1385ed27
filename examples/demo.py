"""The main job on a real run: say what the model invented, fold the window, and catch an invented value.

Runs the commands a person would type, prints each before its output, and works in a temporary folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = Path(__file__).parent / "data" / "airline_booking.json"
SAID, INVENTED = "Certificate 7504069", "Certificate 7504061"


def main() -> None:
    """Audit a real run, fold it, check the fold, and audit the same run with one digit of an answer changed."""
    with tempfile.TemporaryDirectory() as folder:
        run, folded, changed = (Path(folder) / name for name in ("run.json", "folded.json", "changed.json"))
        run.write_bytes(RUN.read_bytes())
        print("A real run of an airline agent. Who supplied the values in its answers?")
        foldproof("audit", "run.json", cwd=folder)

        print("\nFold what is old, and keep the proof.")
        foldproof("compact", "run.json", "-o", "folded.json", cwd=folder)
        foldproof("check", "folded.json", cwd=folder)
        show_frame(folded)

        print(f"\nNow the same run, with one digit of the last answer changed: {SAID} -> {INVENTED}.")
        changed.write_text(run.read_text(encoding="utf-8").replace(SAID, INVENTED), encoding="utf-8")
        foldproof("audit", "changed.json", "--fail-on", "invented", cwd=folder, expected=1)
        print("\nExit code 1: a value that nobody supplied was caught.")


def foldproof(*arguments: str, cwd: str, expected: int = 0) -> None:
    """Run one command in `cwd`, showing it first; stop the demo when it does not exit as expected."""
    print(f"\n$ foldproof {' '.join(arguments)}", flush=True)
    command = [sys.executable, "-m", "foldproof", *arguments]
    code = subprocess.run(command, cwd=cwd, check=False).returncode  # noqa: S603 - the project's own command
    if code != expected:
        sys.exit(f"foldproof exited with {code}, not {expected}")


def show_frame(path: Path) -> None:
    """Print how the summary frame opens, and the lineage it carries."""
    messages = json.loads(path.read_text(encoding="utf-8"))["messages"]
    frame = next(message for message in messages if "foldedExempt" in message)
    print("\nThe frame that stands for what left:")
    print("  " + frame["content"][:230].replace("\n", "\n  ") + "…")
    print(f"  foldedExempt: {json.dumps(frame['foldedExempt'], ensure_ascii=False)}")


if __name__ == "__main__":
    main()
