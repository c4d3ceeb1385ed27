from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archive.builders import frame_of, kept, said, texts

from foldproof.archive import SqliteArchive
from foldproof.archive.searching import fold, terms_of
from foldproof.errors import UsageError
from foldproof.messages import Message

SAID = [
    "Order ORD-4471 was paid.",
    "see /var/log/app-server.log for more",
    "write to jane.doe+test@example.co.uk",
    "Der Zug nach Zürich kostet 12 €; naïve café",
    "北京市朝阳区的订单已发货",
    "東京タワーへ行く",
    "서울에서 부산까지",
    "Привет, Москва",
    'he said "never again" and left',
    "C:\\Users\\jane\\file.txt 100% done_now a*b NEAR(x)",
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ORD-4471", 0),
        ("ord-4471", 0),
        ("4471", 0),
        ("D-44", 0),
        ("paid order", 0),
        ("/var/log/app-server.log", 1),
        ("app-server", 1),
        ("server.log", 1),
        ("jane.doe+test@example.co.uk", 2),
        ("example.co", 2),
        ("zurich", 3),
        ("ZÜRICH", 3),
        ("Zu\u0308rich", 3),
        ("naive CAFE", 3),
        ("€", 3),
        ("北京", 4),
        ("订单", 4),
        ("市", 4),
        ("東京", 5),
        ("タワ", 5),
        ("부산", 6),
        ("москва", 7),
        ('"never again"', 8),
        ("C:\\Users", 9),
        ("100%", 9),
        ("done_now", 9),
        ("a*b", 9),
        ("NEAR(x)", 9),
    ],
)
def test_a_query_finds_the_message_that_holds_it(query: str, found: int) -> None:
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said(*SAID))
        assert texts(hit.message for hit in archive.search(query)) == [SAID[found]]


@pytest.mark.parametrize("query", ["again never left x9", '"again never"', "ORD-4472", "paid OR lost", "ord*"])
def test_nothing_is_found_that_is_not_there(query: str) -> None:
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said(*SAID))
        assert archive.search(query) == ()


words = st.text(st.sampled_from("abcAB1-_.\"'*():^{}+~\\/%é\u0301ßİ北市 \n\0\ud800\uffff"), max_size=8)


@given(st.lists(words, max_size=6), words)
def test_a_message_is_found_exactly_when_it_holds_every_word(contents: list[str], query: str) -> None:
    span = said(*contents)
    with SqliteArchive(":memory:") as archive:
        kept(archive, *span)
        found = {hit.message.text for hit in archive.search(query, limit=100)}
    terms = terms_of(query)
    assert found == {text for text in contents if terms and all(term in fold(text) for term in terms)}


@given(st.text(max_size=40))
def test_no_query_raises(query: str) -> None:
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said(*SAID))
        archive.search(query)


@given(st.text(), st.text())
def test_what_holds_a_text_holds_it_folded(one: str, other: str) -> None:
    assert fold(one) in fold(other + one + other)
    assert fold(one) == "".join(map(fold, one)) or any(map(unicodedata.combining, one))


def test_a_long_query_is_a_query() -> None:
    text = " ".join(f"word{index}" for index in range(2_000))
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said(text, text[:-1]))
        for query in (text, f'"{text}"'):
            assert texts(hit.message for hit in archive.search(query)) == [text]


def test_tools_their_arguments_and_their_results_are_found() -> None:
    call = {"id": "a", "name": "refund_order", "args": {"order": "ORD-4471", "note": "ärgerlich"}}
    ran = {"type": "provider-tool", "id": "b", "name": "web", "input": {"q": "weather in Oslo"}, "result": "snow"}
    span = [
        Message.model_validate({"role": "assistant", "toolCalls": [call]}),
        Message(role="tool", tool_call_id="a", tool_name="refund_order", content="done"),
        Message.model_validate({"role": "assistant", "content": [ran]}),
    ]
    with SqliteArchive(":memory:") as archive:
        kept(archive, *span)
        positions = {
            query: [hit.position for hit in archive.search(query)]
            for query in ("refund_order", "4471", "argerlich", "Oslo", "snow")
        }
    assert {query: sorted(places) for query, places in positions.items()} == {
        "refund_order": [0, 1],
        "4471": [0],
        "argerlich": [0],
        "Oslo": [2],
        "snow": [2],
    }


def test_a_message_is_found_once_however_many_spans_hold_it_and_a_frame_by_its_originals() -> None:
    with SqliteArchive(":memory:") as archive:
        address = kept(archive, *said("x", "the needle"))
        kept(archive, frame_of(address, "[foldproof summary frame] the needle"), *said("y", "the needle"))
        (hit,) = archive.search("needle")
        assert (hit.message.text, hit.address, hit.position, hit.snippet) == ("the needle", address, 1, "the needle")


def test_what_says_it_more_often_and_in_fewer_words_comes_first() -> None:
    once, often = "needle " + "hay " * 50, "needle needle needle"
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said(once, often, *["hay " * 20] * 5))
        hits = archive.search("needle")
        assert texts(hit.message for hit in hits) == [often, once]
        assert hits[0].rank < hits[1].rank
        assert texts(hit.message for hit in archive.search("needle", limit=1)) == [often]


@pytest.mark.parametrize("filler", ["a ", "é ", "ﬁ ", "ß"])
def test_a_snippet_shows_the_words_as_they_were_written(filler: str) -> None:
    text = filler * 300 + "THE Néedle\nis here " + filler * 300
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said(text))
        (hit,) = archive.search(f"{filler.strip()} needle")
    assert "THE Néedle is here" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")


def test_a_search_can_be_about_one_conversation() -> None:
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said("needle"))
        archive.conversation("one")
        assert archive.search("needle", conversation="one") == ()
        with pytest.raises(UsageError, match="no conversation 'two'"):
            archive.search("needle", conversation="two")


@pytest.mark.parametrize("options", [{"limit": 0}, {"limit": True}, {"limit": "5"}])
def test_a_limit_that_makes_no_sense_is_refused(options: dict[str, int]) -> None:
    with SqliteArchive(":memory:") as archive, pytest.raises(UsageError, match="limit"):
        archive.search("x", **options)  # type: ignore[arg-type]
