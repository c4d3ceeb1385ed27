"""Input that nobody would write on purpose: no crash, bounded time, and `undecidable` where a bound was hit."""

from __future__ import annotations

import base64
import itertools
import json
import random
from time import process_time

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.messages import Message, ToolCall


def verdicts(answer: str, said: str, **options: object) -> list[str]:
    index = EvidenceIndex([result(said)])
    return [value.verdict for value in index.judge(answer, options=EvidenceOptions.model_validate(options)).values]


@pytest.mark.parametrize(
    ("said", "answer", "expected"),
    [
        ('{"a": NaN, "b": Infinity, "c": -Infinity, "n": 4471}', "It is 4471.", "grounded"),
        ('{"a": NaN, "b": Infinity}', "It is 4471.", "invented"),
        ('{"a": 1e999999}', "It is 1e999999.", "grounded"),
        ('{"a": 1e999999}', "It is 1e999998.", "invented"),
        ('{"a": 1e400}', "It is 1e401.", "invented"),
        (f'{{"a": 0.{"1" * 10_000}}}', f"It is 0.{'1' * 10_000}.", "grounded"),
        (f'{{"a": {"9" * 10_000}}}', f"It is {'9' * 9_999}8.", "invented"),
        ("order \u202e4471\u202c", "order 4471", "grounded"),
        ("order 44\u200b71", "order 4471", "grounded"),
        ("\x1b[31m4471\x1b[0m failed", "4471 failed", "grounded"),
        ("[" * 5_000 + "4471" + "]" * 5_000, "It is 4471.", "grounded"),
    ],
)
def test_what_is_odd_is_read_as_far_as_it_goes(said: str, answer: str, expected: str) -> None:
    assert verdicts(answer, said) == [expected]


def test_nothing_inside_a_blob_is_a_value() -> None:
    blob = base64.b64encode(random.Random(1).randbytes(300_000)).decode()  # noqa: S311 - any bytes
    assert verdicts("It is 4471.", json.dumps({"image": f"data:image/png;base64,{blob}", "note": "none"})) == [
        "invented"
    ]


@pytest.mark.parametrize("shape", [r"(a|aa)+$", r"(\w+\s?)+!!", r"(.*,)*x", r"(?:a?){40}a{40}"])
def test_a_shape_that_never_ends_is_undecidable_or_done(shape: str) -> None:
    found = verdicts("a" * 40 + "b " + "word, " * 3_000 + "4471", "x", shapes=(shape,))
    assert found[-1] == "invented" or "undecidable" in found
    assert "grounded" not in found


def test_a_shape_that_never_ends_hides_no_other_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foldproof.evidence.judge.LONGEST_SEARCH", 0.0)
    answer = "see 4471 " + "ab " * 5_000
    assert set(verdicts(answer, "x", shapes=(r"(\w+\s?)+!!",))) <= {"undecidable", "invented"}
    assert "invented" in verdicts(answer, "x", shapes=(r"(\w+\s?)+!!",))


def test_past_the_cells_that_are_read_a_number_is_undecidable(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = json.dumps([{"id": f"R-{row:04}", "price": 100 + row} for row in range(50)])
    assert verdicts("In total $9,999,999.", rows) == ["invented"]
    monkeypatch.setattr("foldproof.evidence.records.MOST_CELLS", 20)
    assert verdicts("In total $9,999,999.", rows) == ["undecidable"]
    assert verdicts("Order R-9999.", rows) == ["invented"]


@pytest.mark.parametrize(
    "piece",
    [
        '{"id": "ORD-%07d", "total": %d.25}, ',
        "AB%07d %d ",
        "k%07d=%d\n",
        "| A%07d | %d |\n",
        "2024-05-21T10:00:00 a%07d=%d\n",
    ],
)
def test_building_and_judging_take_time_in_proportion(piece: str) -> None:
    firsts = itertools.count(1)

    def seconds(count: int) -> float:
        first = next(firsts) * 10_000  # nothing is remembered from another round
        text = "".join(piece % (row, row * 7 % 1_000_003) for row in range(first, first + count))
        text = f"[{text[:-2]}]" if piece.startswith("{") else text
        start = process_time()
        EvidenceIndex([result(text)]).judge("It is $987,654.32 or ORD-999.")
        return process_time() - start

    seconds(10)
    assert min(seconds(6_000) / seconds(1_500) for _ in range(3)) < 10


def test_arguments_may_be_anything() -> None:
    huge = ToolCall(id="1", name="f", args={"n": 10**6_000, "x": float("nan"), "l": [None, True, {"a": 1.5}]})
    index = EvidenceIndex([Message(role="assistant", tool_calls=(huge,))])
    assert [value.verdict for value in index.judge("It is 4471.").values] == ["invented"]


def test_asking_what_stands_elsewhere_takes_time_in_proportion() -> None:
    def seconds(count: int) -> float:
        rows = "".join(f"| ORD-{row:05} | {1000 + row * 7}.25 |\n" for row in range(count))
        table = f"| order_id | total |\n|---|---|\n{rows}"
        judgement = EvidenceIndex([result(table)]).judge(table)
        start = process_time()
        assert not any(value.elsewhere for value in judgement.values)
        return process_time() - start

    seconds(10)
    assert min(seconds(800) / seconds(200) for _ in range(3)) < 10
