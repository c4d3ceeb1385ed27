"""Public reports of checks gone wrong (`tests/data/cases/evidence_reports.tsv`), a test or more a row, by its id."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from tests.evidence.generators import result
from tests.evidence.test_airline import runs

from foldproof import SummarizeOldest
from foldproof.evidence import EvidenceIndex, EvidenceOptions, Judgement, ValueVerdict, evidence_forms
from foldproof.evidence.candidates import scan
from foldproof.evidence.gate import Gate
from foldproof.messages import FOLDED, OPENINGS, Message, ToolCall

CASES = Path(__file__).parent.parent / "data" / "cases" / "evidence_reports.tsv"
UUID = "550e8400-e29b-41d4-a716-446655440000"
QUOTES = (r'(?<=")[^"\n]{8,200}(?=")',)


def person(text: str) -> Message:
    return Message(role="user", content=text)


def judgement_of(answer: str, *messages: Message, **options: object) -> Judgement:
    return EvidenceIndex(messages).judge(answer, options=EvidenceOptions.model_validate(options))


def judged(answer: str, *messages: Message, **options: object) -> dict[str, ValueVerdict]:
    return {value.text: value for value in judgement_of(answer, *messages, **options).values}


def verdicts(answer: str, *messages: Message, **options: object) -> list[str]:
    return [value.verdict for value in judged(answer, *messages, **options).values()]


def lookups(count: int, said: str) -> list[Message]:
    """A request and `count` calls with their results; the first says `said`."""
    messages = [person("How is it going?")]
    for number in range(count):
        call = ToolCall(id=f"c{number}", name="look", args={"key": "sk-live-0123456789abcdef"})
        messages.append(Message(role="assistant", tool_calls=(call,)))
        messages.append(result((said if not number else "nothing new here. ") * 40, call=call.id))
    return messages


def fold(messages: list[Message], summary: str) -> list[Message]:
    strategy = SummarizeOldest(
        threshold_tokens=10, keep_recent_turns=2, keep_last_tool_results=0, summarizer=lambda *_: summary, model="m"
    )
    visit = strategy.visit(messages)
    assert visit.changed
    return list(visit.messages)


def test_e01_digits_of_a_fraction_are_no_identifier_that_a_summary_has_to_keep() -> None:
    messages = lookups(6, "metric=0.123456789 ")
    assert "123456789" not in evidence_forms(messages)
    assert verdicts("It is 123456789.", *messages) == ["invented"]
    fold(messages, "nothing happened")


def test_e02_an_identifier_that_a_summary_lost_is_still_evidence() -> None:
    messages = lookups(6, "order ORD-447182 ")
    window = fold(messages, "words " * 40)
    (value,) = judged("ORD-447182", *messages, window[1]).values()
    assert (value.verdict, value.folded) == ("grounded", True)


def test_e03_what_a_summary_dropped_has_a_name_and_credentials_in_arguments_are_not_asked_for() -> None:
    messages = lookups(6, f"id {UUID} ")
    kept = {form for value in scan("an id was found") for form in value.stated}
    assert evidence_forms(messages) - kept == {form for value in scan(UUID) for form in value.stated}


def test_e05_years_counts_and_ports_are_no_identifiers() -> None:
    kinds = {value.text: value.kind for value in scan("In 2024, 12 files on port 8080, order ORD-4471.")}
    assert kinds == {"2024": "number", "12": "number", "8080": "number", "ORD-4471": "identifier"}


def test_e05_what_is_quoted_back_is_counted_after_repeats_are_dropped() -> None:
    repeated = " ".join(["ORD-9000"] * 12 + ["ORD-9001"])
    correction = Gate(posture="guard").review(repeated, EvidenceIndex()).correction
    assert correction is not None
    assert (correction.text.count("ORD-9000"), correction.text.count("ORD-9001")) == (1, 1)


def test_e06_what_a_summary_made_up_stays_made_up() -> None:
    summary = Message(role="user", content=f"{OPENINGS['summary']} INV-987654", metadata={FOLDED: {"observations": []}})
    assert verdicts("INV-987654", summary) == ["invented"]


def test_e07_words_put_into_the_users_mouth() -> None:
    said = person("Please check the fee and tell me.")
    values = judged('They said "please check the fee" and "just delete all of it".', said, shapes=QUOTES)
    assert [(value.text, value.verdict) for value in values.values()] == [
        ("please check the fee", "exempt"),
        ("just delete all of it", "invented"),
    ]


def test_e09_no_evidence_is_not_a_score() -> None:
    judgement = judgement_of("Revenue was $12,400 on 318 orders, up 14%.")
    assert {value.verdict for value in judgement.values} == {"invented"}
    assert judgement.support == 0
    assert judgement_of("Nothing to report.").support is None


def test_e10_digits_of_a_scaled_figure_do_not_ground_it() -> None:
    assert verdicts("It raised $50 million.", result("150 people, 5020 units, 50%")) == ["invented"]


def test_e11_derived_figures_count_as_supported() -> None:
    rows = result([{"price": 152}, {"price": 103}])
    judgement = judgement_of("In total that is $255; on average $127.50.", rows)
    assert [value.verdict for value in judgement.values] == ["derived", "derived"]
    assert judgement.support == 1


def test_e12_a_rounding_is_grounded_and_a_whole_number_is_not_widened() -> None:
    (value,) = judged("Coverage is 85%.", result({"coverage": 85.19})).values()
    assert (value.verdict, value.how) == ("grounded", "rounded")
    assert verdicts("About 8,000 rows.", result({"rows": 8234})) == ["invented"]


def test_e14_either_decimal_sign_is_ambiguous() -> None:
    (value,) = judged("16.181 users", result("16,181 users")).values()
    assert (value.verdict, value.how) == ("grounded", "ambiguous")


def test_e16_below_the_floor_is_counted_and_above_it_examined() -> None:
    assert verdicts("There are 45 staff.", result("20 staff"), min_digits=2) == ["invented"]
    judgement = judgement_of("There are 45 staff.", result("20 staff"))
    assert (judgement.values, judgement.unexamined) == ((), 1)


def test_e18_a_figure_in_bold_is_examined() -> None:
    assert verdicts("**999** million", result("67 million")) == ["invented"]


@pytest.mark.parametrize(
    ("answer", "said"), [("1e2", "1"), ("21 meters", "21 °C"), ("18-30°C", "18 °C"), ("21 meters", "")]
)
def test_e19_what_is_different_stays_different_and_nothing_expected_is_nothing_found(answer: str, said: str) -> None:
    found = verdicts(f"It is {answer}.", result(said), min_digits=1)
    assert found
    assert "grounded" not in found


def test_e20_membership_is_all_that_is_shown() -> None:
    assert verdicts("None of these is correct: July 14, 2026", result("due 2026-07-14")) == ["grounded"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [("653247040368672768", "653247040368672800"), ("9196877626998784", "9196877626998785")],
)
def test_e23_large_integers_are_exact(said: str, answer: str) -> None:
    assert verdicts(answer, result(f'{{"id": {said}}}')) == ["invented"]
    assert verdicts(said, result(f'{{"id": {said}}}')) == ["grounded"]


def test_e24_no_candidate_inside_a_larger_token() -> None:
    identifier = "110bcd25-a55d-453a-8046-1297901ea002"
    assert list(judged(f"id {identifier}")) == [identifier]
    assert verdicts("call 046-1297901", result(identifier)) == ["invented"]
    digest = "sha512-9Xm2kq7hT0b+v5m2/Zk1m2Qy8w4R6t0PpLm2aa=="
    assert "m2" not in {value.text for value in scan(digest)}


def test_e25_urls_end_where_the_sentence_goes_on() -> None:
    said = result("see https://docs.example/about/ and https://en.example/wiki/The_Lord_")
    assert verdicts("`https://docs.example/about/`", said) == ["grounded"]
    assert list(judged("(https://docs.example/about/),", said)) == ["https://docs.example/about/"]
    assert list(judged("https://en.example/wiki/The_Lord_", said)) == ["https://en.example/wiki/The_Lord_"]


def test_e27_a_footnote_inside_a_quote_accuses_nobody() -> None:
    page = result("The effect was significant12 in both [3] groups of patients.")
    (value,) = judged('It says "effect was significant in both groups".', page, shapes=QUOTES).values()
    assert (value.verdict, value.how) == ("grounded", "part")
    assert verdicts('It says "effect was absent in both groups".', page, shapes=QUOTES) == ["invented"]


@pytest.mark.parametrize(
    ("answer", "said", "verdict"),
    [
        ("3.350", "3350", "grounded"),
        ("1,234,567.890", '{"v": 1234567.89}', "grounded"),
        ("2.4 million", '{"v": 2400000}', "grounded"),
        ("2.4 million", '{"v": 2.4}', "invented"),
        ("thirty and six", '{"v": 36}', "invented"),
    ],
)
def test_e29_separators_and_number_words(answer: str, said: str, verdict: str) -> None:
    assert set(verdicts(f"It is {answer}.", result(said), min_digits=1)) == {verdict}


def airline(task: int, trial: int, place: int, text: str) -> ValueVerdict:
    """The verdict on a value of an answer in the real runs."""
    path = Path(__file__).parent.parent / "data" / "tau_bench_airline" / "runs.jsonl"
    with path.open(encoding="utf-8") as file:
        keys = [(row["task_id"], row["trial"]) for row in map(json.loads, file)]
    messages = list(runs())[keys.index((task, trial))]
    judgement = EvidenceIndex(messages[:place]).judge(messages[place].text)
    return next(value for value in judgement.values if value.text == text)


@pytest.mark.parametrize(
    ("place", "text", "verdict", "how"),
    [
        ((2, 0, 18), "$2,210", "invented", None),  # a price per passenger that the tool gave for all of them
        ((34, 0, 32), "$17,021", "echoed", None),  # worked out in the model's own arguments
        ((32, 1, 8), "sophia_silva_7557", "exempt", "partial"),  # the local part of the e-mail the person gave
    ],
)
def test_e30_the_hard_ones_of_the_airline(
    place: tuple[int, int, int], text: str, verdict: str, how: str | None
) -> None:
    value = airline(*place, text)
    assert (value.verdict, value.how) == (verdict, how)


def test_e30_a_day_that_the_person_gave_in_a_year_that_the_clock_gave() -> None:
    clock = Message(role="system", content="The current time is 2024-05-15 15:00:00 EST.")
    (value,) = judged("On May 6, 2024.", clock, person("the flight on May 6th")).values()
    assert (value.verdict, value.how) == ("exempt", "partial")


def test_every_row_is_a_test() -> None:
    with CASES.open(encoding="utf-8", newline="") as file:
        rows = [row["id"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    tested = {found.upper() for name in globals() for found in re.findall(r"(?<=^test_)e\d\d(?=_)", name)}
    assert len(rows) == len(set(rows)) == 21
    assert tested == set(rows)
