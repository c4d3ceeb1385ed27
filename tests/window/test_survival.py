"""What a fold keeps of what its span said."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from tests.strategies.conversations import conversations
from tests.window.builders import call, plain, user

from foldproof.evidence import EvidenceIndex
from foldproof.messages import OPENINGS, Message
from foldproof.window.survival import LONGEST_NAMED, MOST_NAMED, Survival, Survived, survival

UUID = "550e8400-e29b-41d4-a716-446655440000"
CLASSES = ("identifiers", "numbers", "paths", "errors")


def said(content: object, **fields: object) -> Message:
    text = content if isinstance(content, str) else json.dumps(content)
    return Message.model_validate({"role": "tool", "content": text, "toolCallId": "1", **fields})


def summary(claim: str) -> Message:
    return Message(role="user", content=f"{OPENINGS['summary']} 2 messages folded by x. A claim:\n\n{claim}")


def classes(found: Survival) -> list[Survived]:
    return [getattr(found, name) for name in CLASSES]


def test_each_class_is_counted_by_where_it_still_stands() -> None:
    span = [
        said({"order": "ORD-44710", "fee": "$190.00", "file": "src/app.py"}),
        said("ORD-44711 and ORD-44712 cost 4,417\nsee lib/db.py\nValueError: bad seat"),
    ]
    found = survival(span, [summary("ORD-44710: 190 dollars, in src/app.py")], [plain("about ORD-44712 and 4417")])
    assert found == Survival(
        identifiers=Survived(total=3, kept=1, elsewhere=1, lost=("ORD-44711",)),
        numbers=Survived(total=2, kept=1, elsewhere=1, lost=()),
        paths=Survived(total=2, kept=1, elsewhere=0, lost=("lib/db.py",)),
        errors=Survived(total=1, kept=0, elsewhere=0, lost=("ValueError: bad seat",)),
    )
    assert [each.lost_count for each in classes(found)] == [1, 0, 1, 1]


def test_another_spelling_is_kept_and_a_part_of_another_value_is_not() -> None:
    span = [said("2024-05-21 14:00, 1,200 seats, ORD-4471")]
    assert survival(span, [plain("on May 21, 2024 at 2 PM: 1200")], []).numbers.lost == ()
    found = survival(span, [plain("ORD-44710, ORD-4471b and 2024-05-22")], [])
    assert found.identifiers.lost == ("ORD-4471",)
    assert found.numbers.kept == 0


def test_the_models_own_words_notes_behind_the_cut_and_calls_that_never_ran_are_not_in_the_span() -> None:
    span = [
        plain("ORD-44710"),
        call("ORD-44711"),
        said("ORD-44712 ORD-44713", toolChars=9),
        said("ORD-44714", notDispatched={"pausedCall": {}}),
        Message(role="user", content=f"{OPENINGS['drop-notice']} 9 messages left (ORD-44715)."),
    ]
    assert survival(span, [], []).identifiers.lost == ("ORD-44712",)


def test_what_the_person_and_the_app_said_counts_and_so_does_what_an_earlier_frame_claims() -> None:
    span = [
        user("ORD-44710"),
        Message.model_validate({"role": "user", "content": "ORD-44711", "injectedBy": {"flavor": "skill"}}),
        summary("ORD-44712 failed.\nTypeError: it is None"),
    ]
    found = survival(span, [], [])
    assert found.identifiers.lost == ("ORD-44712", "ORD-44711", "ORD-44710")
    assert found.errors.lost == ("TypeError: it is None",)


def test_the_window_holds_what_stands_in_words_results_and_arguments() -> None:
    span = [said("ORD-44710 ORD-44711 ORD-44712")]
    rest = [user("ORD-44710"), call("ORD-44711"), said({"id": "ORD-44712"})]
    assert survival(span, [], rest).identifiers == Survived(total=3, kept=0, elsewhere=3, lost=())


def test_a_lineage_is_not_sent_and_so_keeps_nothing() -> None:
    frame = Message(role="user", content=f"{OPENINGS['drop-notice']} 1 message left.", folded_exempt=("ord-44710",))
    assert survival([user("ORD-44710")], [frame], []).identifiers.lost == ("ORD-44710",)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ("Traceback (most recent call last):\n  File 'x'\nKeyError: 'seat'", "KeyError: 'seat'"),
        ("E       requests.exceptions.HTTPError: 503 at", "requests.exceptions.HTTPError: 503 at"),
        ("src/a.py:12:3: error: Name is not defined", "error: Name is not defined"),
        ("error[E0308]: mismatched types", "error[E0308]: mismatched types"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("FAILED tests/test_a.py::test_b - assert 1", "FAILED tests/test_a.py::test_b - assert 1"),
        ('{"error": "flight is full"}', "flight is full"),
        ('{"error": {"code": 7, "message": "flight is full"}}', "flight is full"),
        ('{"log": "ok\\nfatal: no upstream"}', "fatal: no upstream"),
    ],
)
def test_a_line_that_reads_as_an_error_is_one(result: str, error: str) -> None:
    assert survival([said(result)], [], []).errors.lost == (error,)
    assert survival([said(result)], [plain(f"It said: {error.upper()}.")], []).errors.kept == 1


@pytest.mark.parametrize(
    "result",
    [
        "0 errors, no error: fine",
        "    raise ValueError('x: y')",
        "except KeyError: pass",
        "class SeatError(Exception):",
        '{"errors": 0, "error": null, "error_rate": "0.1: low"}',
        "the error is explained below",
    ],
)
def test_a_line_that_only_speaks_of_errors_is_none(result: str) -> None:
    assert survival([said(result)], [], []).errors.total == 0


def test_a_result_that_failed_is_an_error_by_its_first_line_with_words() -> None:
    found = survival([said("{\n\nThe seat is taken\nSorry", isError=True)], [], [])
    assert found.errors.lost == ("The seat is taken",)
    assert survival([said("ok\nKeyError: 'a'", isError=True)], [], []).errors.lost == ("KeyError: 'a'",)


def test_digits_of_a_fraction_are_no_identifier_that_a_summary_has_to_keep() -> None:  # E01
    found = survival([said("metric=0.123456789")], [summary("nothing happened")], [])
    assert found.identifiers == Survived(total=0, kept=0, elsewhere=0, lost=())
    assert found.numbers.lost == ("0.123456789",)


def test_identifiers_that_a_cut_took_are_reported() -> None:  # E02
    ids = [f"ORD-{447_000 + number}" for number in range(40)]
    whole = "\n".join(ids)
    found = survival([said(whole)], [summary(whole[: len("ORD-447000\n") * 25])], [])
    assert (found.identifiers.total, found.identifiers.kept, found.identifiers.lost_count) == (40, 25, 15)
    assert found.identifiers.lost == tuple(reversed(ids[-MOST_NAMED:]))


def test_what_was_dropped_has_a_name_and_credentials_are_counted_and_never_named() -> None:  # E03
    secrets = {
        "password": "hunter-2024",
        "api_key": "k1-4417",
        "auth": {"accessToken": "tok-4417"},
        "note": "use sk-live-0123456789abcdef or 9XmKq7hT0bZk1m2Qy8w4R6t0PpLm2",
        "env": "DB_SECRET=abc-4471\nGITHUB=ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    }
    span = [call("sk-live-99"), said({"id": UUID, **secrets})]
    found = survival(span, [summary("an id was found")], [])
    assert found.identifiers.lost == (UUID,)
    assert found.identifiers.total == 8
    assert not any(word in found.model_dump_json() for word in ("hunter", "4417", "sk-", "ghp", "9Xm", "4471"))


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("postgres://admin:s3cr3tPw99@db.example.com:5432/x", 1),
        ("postgres://:s3cr3tPw99@db.example.com/x", 1),
        ("DB_PASS=Blue42Horse77", 1),
        ("MYSQL_PWD: Blue42Horse77", 1),
        ('{"db_pass": "Blue42Horse77", "pwd": "Green42Horse88"}', 2),
        ("login: mia / pass: Green42Horse88", 1),
        ("mysql -uroot -pBlue42Horse77", 1),
        ("mysql -uroot -p42BlueHorse", 1),
        ("sshpass -p Blue42Horse77 ssh a", 1),
        ("redis-cli -h a -a Blue42Horse77", 1),
        ("curl -u mia:Blue42Horse77 a", 1),
        ("recovery codes: 8f3k-22jd 99dk-21md", 2),
        ("recovery codes: 8f3k-22jd 99dk-21md 8f3k-22je 99dk-21mf 8f3k-22jg", 5),
        ("# Backup codes:\n8f3k-22jd\n99dk-21md\nand, kept by nobody but you, 8f3k-22je", 3),
        ("Backup codes:\n\n1. 8f3k-22jd\n2. 99dk-21md", 2),
        ("verification code is 482913", 1),
        ("Your code is 482913.", 1),
        ("two-factor code 482913", 1),
        ("The password:\nhunter-2024", 1),
        ("error: cannot connect to amqp://mia:s3cr3tPw99@mq:5672", 2),
    ],
)
def test_a_credential_is_known_by_what_stands_around_it(text: str, total: int) -> None:
    found = survival([said(text)], [], [])
    assert sum(each.total for each in classes(found)) == total
    assert [each.lost for each in classes(found)] == [()] * 4


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("status code: 40412", ("40412",)),
        ("PASS tests/app1.test.js", ("tests/app1.test.js",)),
        ("pwd: /srv/app1.py", ("srv/app1.py",)),
        ("docker run -p8080:80", ("p8080:80",)),
        ("recovery codes: 8f3k-22jd\n\nORD-44710", ("ORD-44710",)),
        ("The password:\nhunter-2024\nORD-44710", ("ORD-44710",)),
        ("confirmation code ORD-44710", ("ORD-44710",)),
        ("lodash@4.17.21", ("lodash@4.17.21",)),
        ("nginx:1.25.3@sha256:3f2a91c8", ("nginx:1.25.3@sha256:3f2a91c8",)),
        ("https://a.com:8080/x", ("https://a.com:8080/x",)),
    ],
)
def test_what_only_resembles_a_credential_is_named(text: str, lost: tuple[str, ...]) -> None:
    found = survival([said(text)], [], [])
    assert tuple(name for each in classes(found) for name in each.lost) == lost


def test_a_credential_stays_one_where_it_stands_alone() -> None:
    span = [said({"pin": "4417"}), said("4417 steps"), said("error: the password is hunter2")]
    found = survival(span, [], [])
    assert (found.numbers.total, found.numbers.lost) == (1, ())
    assert (found.errors.total, found.errors.lost) == (1, ())


def test_what_is_named_is_short_and_on_one_line() -> None:
    path = "/srv/" + "folder/" * 30 + "app.py"
    found = survival([said(f"{path}\nError: it is\tover\t" + "and over " * 40)], [], [])
    assert found.paths.lost == (path[: LONGEST_NAMED - 1] + "…",)
    (error,) = found.errors.lost
    assert error.startswith("Error: it is over and")
    assert len(error) == LONGEST_NAMED


@given(conversations, conversations, conversations)
def test_everything_is_counted_once(
    span: tuple[Message, ...], frames: tuple[Message, ...], rest: tuple[Message, ...]
) -> None:
    found = survival(span, frames, rest)
    assert Survival.model_validate_json(found.model_dump_json()) == found
    for each in classes(found):
        assert min(each.total, each.kept, each.elsewhere, each.lost_count) >= 0
        assert len(each.lost) <= min(each.lost_count, MOST_NAMED)
        assert all(0 < len(name) <= LONGEST_NAMED and "\n" not in name for name in each.lost)


def _copies(span: tuple[Message, ...]) -> list[Message]:
    """What was said in a span, in the words of tools that were not cut."""
    copied = [message.model_copy(update={"tool_chars": None, "metadata": None}) for message in span]
    return [message for message in copied if message.role in ("tool", "user")]


@given(conversations)
def test_what_is_left_as_it_was_is_all_there(span: tuple[Message, ...]) -> None:
    whole = tuple(_copies(span))
    for frames, rest in ((whole, ()), ((), whole)):
        for each in classes(survival(whole, frames, rest)):
            assert (each.kept, each.elsewhere, each.lost_count) == (
                (each.total, 0, 0) if frames else (0, each.total, 0)
            )


@given(conversations, conversations)
def test_more_words_in_a_frame_never_lose_anything(span: tuple[Message, ...], more: tuple[Message, ...]) -> None:
    fewer, all_of_them = survival(span, more[:1], ()), survival(span, more, ())
    for less, full in zip(classes(fewer), classes(all_of_them), strict=True):
        assert (less.total, less.kept) <= (full.total, full.kept)


def test_it_costs_a_few_readings() -> None:
    def records(start: int) -> list[Message]:
        rows = [{"order": f"ORD-{start + row}", "fee": row * 1.25, "at": f"/srv/{row}.txt"} for row in range(60)]
        return [said(rows) for _ in range(60)]

    span, rest = records(40_000), records(70_000)
    start = time.perf_counter()
    EvidenceIndex([*span, *rest])
    read = time.perf_counter() - start
    start = time.perf_counter()
    survival(span, [], rest)
    assert time.perf_counter() - start < 6 * read + 0.05
