"""The face: what `import foldproof` offers, how it is documented, and what it costs to start."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import foldproof

HEAVY = {"tiktoken", "rich", "networkx", "click", "pydantic"}


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    return set(done.stdout.split())


@pytest.mark.parametrize("name", foldproof.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert inspect.getdoc(getattr(foldproof, name))


def test_names_are_offered_once_and_typed() -> None:
    source = inspect.getsource(foldproof)
    typed = source.partition("if TYPE_CHECKING:")[2].partition("_ROOMS")[0]
    assert sorted(foldproof.__all__) == sorted(foldproof._ROOM_OF) == dir(foldproof)
    assert all(name in typed for name in foldproof.__all__)


def test_a_name_that_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = foldproof.nothing_like_this


def test_importing_loads_nothing_heavy() -> None:
    assert not HEAVY & modules_after("import foldproof")


def test_folding_and_judging_need_no_tokenizer_and_nothing_that_draws() -> None:
    code = "import foldproof as fp; fp.SlidingWindow().visit(()); fp.EvidenceIndex().judge('4471')"
    assert not {"tiktoken", "rich", "networkx", "click"} & modules_after(code)
