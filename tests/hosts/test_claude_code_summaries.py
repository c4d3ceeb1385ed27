"""Summaries of real sessions of Claude Code, honest ones and others."""

from __future__ import annotations

from pathlib import Path

import pytest

import foldproof as fp
from foldproof.messages import message_id
from foldproof_compactors.claude_code_summary import audit_summary

REAL = Path(__file__).parents[1] / "data" / "transcripts" / "claude_code"

SONG = """
1. Primary Request and Intent: The person wants a program that turns words into sound, as README.md of
   /Users/chip/dev/ai-music says, and a conda environment for it, named "with [xxx] being the python version".
2. Files: /Users/chip/dev/ai-music/ai_music.py was written, requirements.txt holds numpy>=1.21.0 and scipy>=1.7.0,
   and CLAUDE.md was updated twice.
3. Problem solving: `python --version` said Python 3.11.5, so the environment is aie311 in
   /Users/chip/anaconda3/envs/aie311. Activating it did not persist in the Bash session; base stayed active.
4. All user messages: the user said: "ok, now write the program using the instruction in README.md".
"""


TODO = """
1. Primary Request: the user ran "/orchestrator @CLAUDE.md を最新の状態にアップデートしてください".
2. Key Technical Concepts: Next.js 15.5.2 instead of 14, React 19.1.0, TypeScript ^5, Tailwind CSS ^4,
   lucide-react ^0.542.0.
3. Files: 6 edits in `/path/to/Demo/CLAUDE.md`; also seen: `components/AddTodo.tsx`, `types/actions.ts`.
4. Errors: "File has not been read yet. Read it first before writing to it."
"""

SUMS = """
1. Primary Request: the user asked: "Create a simple Python function to add two numbers".
2. Files: `/project/math_utils.py` has `add` and, at math_utils.py:6, `subtract`; tests/test_math.py now asserts
   `subtract(10, 5) == 5`. The failure was "AssertionError: expected 5 but got None", with exit code 1.
3. Commits: abc1234 (5 insertions) and def5678 (10 insertions, 1 deletion), pushed to
   https://github.com/example/project/pull/new/main. 2 tests passed in 0.05s.
4. All user messages:
   - "Create a simple Python function to add two numbers"
   - "Now edit the file to add a subtract function"
   - "Fix the issue and commit"
"""


PUSH = """
1. Primary Request and Intent: "push to github". The first attempt was rejected.
2. Key Technical Concepts: git over SSH (git@github.com:chiphuyen/ai-music.git); https://github.com/chiphuyen/ai-music
3. Files: 14 files changed, 3,289 insertions; README.md was rewritten (100%), `test_no_church.py` is new.
4. Commit 5c1b231 was pushed: 6eea407..5c1b231.
5. All user messages:
   - "push to github"
   - "[Request interrupted by user for tool use]"
   - "continue"
"""


@pytest.mark.parametrize(
    ("name", "upto", "summary", "lie"),
    [
        ("sniffly_fed8ce56.jsonl", None, PUSH, "See https://github.com/chiphuyen/ai-songs."),
        ("sniffly_fed8ce56.jsonl", None, PUSH, "See https://github.com:8081/chiphuyen/ai-music."),
        ("ccviewer_5c0375b4-57a5-.jsonl", None, TODO, "See `components/SortTodo.tsx`."),
        ("simonw_sample_session.json", 28, SUMS, "Then abc9999 was pushed."),
    ],
)
def test_an_honest_summary_of_a_real_session_is_not_accused(
    name: str, upto: int | None, summary: str, lie: str
) -> None:
    (conversation, *_) = fp.load_all(REAL / name)
    ahead = conversation.replace(conversation.messages[:upto])
    assert audit_summary(ahead, summary).invented == ()
    (named,) = audit_summary(ahead, summary + lie).invented
    assert named.text in lie


@pytest.mark.parametrize(
    ("honest", "lie"),
    [
        ("3.11.5", "3.11.9"),
        ("aie311 in", "aie312 in"),
        ("/Users/chip/dev/ai-music/ai_music.py", "/Users/chip/dev/ai-music/song_player.py"),
        ("write the program using the instruction", "delete the program and the instruction"),
    ],
)
def test_in_a_real_session_a_lie_is_named_and_the_truth_is_not(honest: str, lie: str) -> None:
    (conversation, *_) = fp.load_all(REAL / "sniffly_ba79134d.jsonl")
    assert audit_summary(conversation, SONG).invented == ()
    assert SONG.count(honest) == 1
    (named,) = audit_summary(conversation, SONG.replace(honest, lie)).invented
    assert lie.removesuffix(" in") in named.text


def test_no_real_compaction_is_accused() -> None:
    judged = 0
    for path in sorted(REAL.iterdir()):
        for conversation in fp.load_all(path):
            for span in conversation.folded:
                (at,) = [n for n, one in enumerate(conversation.messages) if one.fingerprint == span.fingerprint]
                ahead = conversation.replace(conversation.messages[:at])
                assert audit_summary(ahead, conversation.messages[at].text).invented == ()
                assert {message_id(one) for one in span.originals or ()} <= set(map(message_id, ahead.messages))
                judged += 1
    assert judged == 2
