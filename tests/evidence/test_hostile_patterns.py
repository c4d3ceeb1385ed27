"""Hostile text costs linear time: every pattern and the whole scanner, measured on n and on 4n characters.

A quadratic pattern would take 16 times as long for four times the text. What is allowed leaves room for a busy machine.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest

from foldproof.evidence import (
    EvidenceIndex,
    address_forms,
    addresses,
    amounts,
    candidates,
    characters,
    dates,
    identifiers,
    spellings,
    stated,
    words,
)
from foldproof.evidence.candidates import scan
from foldproof.evidence.characters import fold_characters
from foldproof.messages import Message

MODULES = (address_forms, addresses, amounts, candidates, characters, dates, identifiers, spellings, stated, words)

UNITS_OF_TEXT = (
    *(
        "1,",
        "1.",
        "1,234,",
        "1'",
        "1_",
        "1\u00a0",
        "1 ",
        "1",
        "0",
        "12:",
        "1:",
        ":",
        "::",
        "@",
        "a@",
        "a@b.",
        "-",
        "--",
    ),
    *("a/", "//", "/a", "a//", "\\", "a\\", "./", "../", "~/", "C:\\", "a-1", "a-", "a_1_", "ab1", "A", "x", "xx1"),
    *(
        "(",
        "(1",
        ")",
        "[",
        "<",
        "$",
        "$1",
        "USD ",
        "USD1",
        "%",
        "1%",
        "+",
        "+1",
        "+1 ",
        "a+",
        "=",
        "a=",
        "A1+/",
        "*",
        "**",
    ),
    *(
        "May ",
        "May",
        "1 May ",
        "May 1,",
        "2024-",
        "2024-01-01 ",
        "2024-01-01T",
        "1:11 ",
        "1h",
        "1h ",
        "1 h and ",
        "1 day ",
    ),
    *(
        "twenty ",
        "twenty-",
        "one hundred and ",
        "two million ",
        "five ",
        "ty ",
        "0x",
        "e",
        "1e",
        "1e5",
        "1e9999",
        "10^",
        "^",
    ),
    *(
        "http://",
        "http://a",
        "http://(",
        "hxxp://a[.]",
        "v1.",
        "1.2.3-",
        "sha256:",
        "af:",
        "00:1a:",
        "f",
        "...",
        "\u2026",
    ),
    *(
        "ending in ",
        "last 4 ",
        "'",
        '"',
        '"a ',
        '"a b.c" 1 ',
        "a b.c ",
        "a.b ",
        "&",
        "&amp;",
        "&nbsp;",
        "\x1b[",
        "\x1b[1;",
        "\\n1",
        "\\u00",
    ),
    *(
        "\u200b1",
        "\u202e1",
        "\u00b2",
        "\u00bd",
        "1\u00bd",
        "\u5b57",
        "\u5b571",
        "\n",
        "1. ",
        "- ",
        "\u0660",
        "\u00d710\u207b",
        "1 x 10^5 ",
        "4-Jul-2025:",
        "May 1-2",
        "10:00-",
        "PT1H",
        "$1-",
        "1,250\n",
        "seat 1B ",
    ),
)


def patterns() -> Iterator[object]:
    for module in MODULES:
        for name, pattern in sorted(vars(module).items()):
            if isinstance(pattern, re.Pattern):
                yield pytest.param(pattern, id=f"{module.__name__.rpartition('.')[2]}.{name}")


def seconds(action: Callable[[], object], rounds: int = 1) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def grows_with_the_square(action: Callable[[str], object], unit: str, size: int) -> bool:
    """Whether four times the text takes nearly 16 times as long, three times over and for longer than a tick."""
    small, large = (unit * (length // len(unit)) for length in (size, 4 * size))
    for rounds in (1, 3, 3):
        took = seconds(lambda: action(large), rounds)
        if took < 0.02 or took < 9 * seconds(lambda: action(small), rounds):
            return False
    return True


@pytest.mark.parametrize("pattern", list(patterns()))
def test_no_pattern_costs_the_square_of_a_text(pattern: re.Pattern[str]) -> None:
    def search_all(text: str) -> None:
        for _ in pattern.finditer(text):
            pass
        pattern.fullmatch(text)

    assert not [unit for unit in UNITS_OF_TEXT if grows_with_the_square(search_all, unit, 1_000)]


@pytest.mark.parametrize("unit", UNITS_OF_TEXT, ids=repr)
def test_a_scan_does_not_cost_the_square_of_a_text(unit: str) -> None:
    assert not grows_with_the_square(scan, unit, 1_000)
    assert not grows_with_the_square(lambda text: scan(f"x{text}! 1"), unit, 1_000)


HUGE = {
    "digits": "7" * 10_000,
    "fraction": "0." + "7" * 10_000,
    "letters and digits": "a1" * 500_000,
    "one word": "a" * 1_000_000,
    "number": "1" * 1_000_000,
    "path": "/a1" * 300_000,
    "encoded": "eyJpZCI6NDQ3MX0+" * 60_000 + "==",
    "groups": "1" + ",234" * 250_000,
    "list": "1," * 300_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_token_neither_fails_nor_takes_long(name: str) -> None:
    assert seconds(lambda: scan(HUGE[name])) < 10
    assert seconds(lambda: scan(f"It is {HUGE[name]}, yes.")) < 10


@pytest.mark.parametrize("special", ["NaN", "Infinity", "-Infinity", "nan", "inf", "null", "true"])
def test_what_is_no_number_is_no_value(special: str) -> None:
    assert scan(special) == scan(f"It is {special}.") == ()


@pytest.mark.parametrize("special", ["1e999999", "1E400", "-1e-999999", "7" * 10_000, "0." + "7" * 10_000, "9" * 400])
def test_an_extreme_number_is_the_same_as_itself_only(special: str) -> None:
    index = EvidenceIndex([Message(role="tool", content=f"it was {special} then", tool_call_id="1")])
    assert [value.verdict for value in index.judge(f"It is {special}.").values] == ["grounded"]
    other = special[:-1] + ("1" if special[-1] != "1" else "2")
    assert [value.verdict for value in index.judge(f"It is {other}.").values] == ["invented"]


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u0301", "\ufe0f"])
def test_invisible_characters_change_no_value(hidden: str) -> None:
    written = hidden.join("ORD-4471")
    (value,) = scan(f"{hidden}It is {written}.")
    assert (value.form, value.kind) == ("ord-4471", "identifier")
    (number,) = scan(hidden.join("12,345"))
    assert number.form == "12345"


def test_colours_of_a_terminal_are_not_part_of_a_value() -> None:
    assert [value.form for value in scan("\x1b[1;32m4471\x1b[0m and \x1b[31mORD-4472\x1b[0m")] == ["4471", "ord-4472"]


def test_nothing_inside_what_is_encoded_is_a_value() -> None:
    encoded = "x" * 20 + "+4471/m2+20240521/" + "y" * 20 + "=="
    index = EvidenceIndex([Message(role="tool", content=f"digest {encoded}", tool_call_id="1")])
    for inside in ("4471", "20240521", "m2"):
        assert [value.verdict for value in index.judge(inside).values if value.verdict == "grounded"] == []
    assert [value.verdict for value in index.judge(encoded).values] == ["grounded"]


@pytest.mark.parametrize(
    "text", ["&amp;nbsp;1", "&amp;amp;amp;1", "&&amp;&amp;#39;", "1&nbsp;2&#160;3", "\\&nbsp;n5", "&am\u200bp;amp;1"]
)
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold_characters(text).text
    assert fold_characters(once).text == once
