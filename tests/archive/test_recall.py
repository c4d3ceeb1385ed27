"""What a model gets when it asks for what left its window: bounded, marked, and whole values only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from tests.archive.builders import frame_of, kept, said
from tests.strategies.conversations import conversations

import foldproof as fp
from foldproof.archive import RECALL_TOOLS, SqliteArchive, ToolShape, narrowed, recall, recall_tools
from foldproof.archive.cutting import cut
from foldproof.archive.paging import line_of, lines_of
from foldproof.archive.recalling import named_in
from foldproof.cli import main
from foldproof.errors import TranscriptError, UsageError
from foldproof.evidence import EvidenceIndex
from foldproof.evidence.candidates import scan
from foldproof.evidence.reading import read_result
from foldproof.evidence.stated import evidence_forms
from foldproof.messages import RECALLED, Message, TextPart, ToolCall, frame_kind, recalled_messages, recalled_text
from foldproof.window import span_address

RUN = Path(__file__).parents[2] / "examples" / "data" / "airline_booking.json"
MORE = re.compile(r"ask with recall_expand\((.*?)\)\.")


@pytest.fixture
def archive() -> Iterator[SqliteArchive]:
    with SqliteArchive(":memory:") as made:
        yield made


def result(text: str, identifier: str = "c1") -> Message:
    return Message(role="tool", tool_call_id=identifier, tool_name="find", content=text)


def inside(text: str) -> tuple[Message, ...]:
    messages = recalled_messages(text)
    assert messages is not None
    return messages


def first(text: str) -> str:
    return text.partition("\n")[0]


def read_to_the_end(archive: SqliteArchive, frame: str, **options: Any) -> list[Message]:  # noqa: ANN401 - as `recall`
    """Ask as the first line says to, until it says nothing more."""
    found: list[Message] = []
    asked: Mapping[str, Any] = {"frame": frame}
    for _ in range(1_000):
        text = recall(archive, "recall_expand", asked, **options)
        assert len(text) <= options.get("budget", 16_000)
        page = inside(text)
        assert page
        found += page
        more = MORE.search(first(text))
        if more is None:
            return found
        asked = dict(pair.split("=") for pair in more[1].split(", "))
        asked = {key: json.loads(value) for key, value in asked.items()}
    raise AssertionError("it never ends")


def verdicts(text: str, *recalls: str) -> list[str]:
    return [value.verdict for value in EvidenceIndex([*map(result, recalls)]).judge(text).values]


@given(conversations)
def test_what_a_frame_stands_for_comes_back_as_it_was(messages: list[Message]) -> None:
    span = [message for message in messages if frame_kind(message) is None]
    with SqliteArchive(":memory:") as archive:
        address = kept(archive, *span)
        if span:
            assert read_to_the_end(archive, address[:8]) == span
        assert f"{len(span)} message" in first(recall(archive, "recall_expand", {"frame": address}))


def test_a_frame_is_named_by_its_words_by_an_address_or_by_what_it_shows(archive: SqliteArchive) -> None:
    run = fp.load(RUN)
    visit = fp.SummarizeOldest(0, retain="archive").visit(run.messages, archive=archive)
    frame = visit.messages[1]
    (address,) = archive.addresses()
    names = [frame.text, address, address[:8], f"archived as {address[:12]}.", f" {address[:12]}\n"]
    assert {named_in(name)[:8] for name in names} == {address[:8]}
    texts = {recall(archive, "recall_expand", {"frame": name}).partition("\n")[2] for name in names}
    assert len(texts) == 1
    assert read_to_the_end(archive, frame.text) == list(visit.spans[0].originals or archive.expand(frame))


def test_a_long_span_is_handed_out_page_by_page(archive: SqliteArchive) -> None:
    span = [result(f"order ORD-{index:05} " + "is on its way " * 40, f"c{index}") for index in range(200)]
    address = kept(archive, *span)
    text = recall(archive, "recall_expand", {"frame": address}, budget=8_000)
    assert len(text) <= 8_000
    assert "200 messages" in first(text)
    shown = len(inside(text))
    assert f"{200 - shown} more; ask with" in first(text)
    assert read_to_the_end(archive, address, budget=8_000) == span
    assert inside(recall(archive, "recall_expand", {"frame": address, "offset": 7, "limit": 2})) == tuple(span[7:9])


@pytest.mark.parametrize("spare", range(-2, 3))
def test_what_just_fits_and_what_just_does_not_comes_back(spare: int, archive: SqliteArchive) -> None:
    room = 4_000 - 1_000
    text = "x " * ((room - len(line_of(result(""))) + spare) // 2)
    text += "x" * (room + spare - len(line_of(result(text))))
    assert len(line_of(result(text))) == room + spare
    found = read_to_the_end(archive, kept(archive, result(text), *said("after")), budget=4_000)
    assert "".join(message.text for message in found) == text + "after"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"row {index} costs ${index}.{index % 100:02} for ORD-{index:06}" for index in range(4_000)),
        "ünï \ud800 \u2028 \x00 🎟️ " * 3_000,
        "x" * 50_000,
        " " * 50_000,
    ],
)
def test_a_result_that_is_longer_than_a_page_comes_back_in_pieces(text: str, archive: SqliteArchive) -> None:
    address = kept(archive, *said("before"), result(text), *said("after"))
    before, *pieces, after = read_to_the_end(archive, address)
    assert (before.text, after.text) == ("before", "after")
    assert "".join(piece.text for piece in pieces) == text
    assert [(piece.metadata or {})["piece"] for piece in pieces] == [
        f"{index + 1} of {len(pieces)}" for index in range(len(pieces))
    ]
    assert {(piece.role, piece.tool_call_id, piece.tool_name) for piece in pieces} == {("tool", "c1", "find")}
    assert "pieces" in first(recall(archive, "recall_expand", {"frame": address}))


ROWS = [{"order": f"ORD-{index:06}", "fee": index * 1.25, "at": {"day": "May 3"}} for index in range(3_000)]


@pytest.mark.parametrize(
    "text",
    [json.dumps(ROWS), json.dumps({"data": {"rows": ROWS}}, indent=1), "\n".join(map(json.dumps, ROWS))],
)
def test_the_pieces_of_json_are_json_and_hold_every_leaf_once(text: str, archive: SqliteArchive) -> None:
    pieces = read_to_the_end(archive, kept(archive, result(text)))
    leaves = [leaf for piece in pieces for leaf in read_result(piece.text)]
    assert len(pieces) > 1
    assert all(leaf.block is not None for leaf in leaves)
    told = [leaf.text for leaf in leaves if not leaf.is_key]
    assert told == [text for row in ROWS for text in (row["order"], str(row["fee"]), "May 3")]
    assert evidence_forms(pieces) == evidence_forms([result(text)])


VALUES = ["7:28 PM", "7:28", "PM", "25178 million", "May 3, 2024", "$1,190.00", "ORD-4471", "12", "345", "log.txt"]
BETWEEN = ["\\", '"', "{", '{"a": "', "[", ",", ":", "-", " ", "\n", "é", "half of ", "words "]
WORDS = st.lists(st.sampled_from([*VALUES, *BETWEEN]), max_size=40)


@given(WORDS, WORDS, st.integers(min_value=0, max_value=60), st.integers(min_value=1_000, max_value=1_100))
def test_no_piece_of_a_result_grounds_what_the_whole_does_not(
    words: list[str], more: list[str], pad: int, most: int
) -> None:
    line = "".join(words)
    text = "x" * pad + (line + " ".join(more)) * 60
    rows = [{"looked_for": line, "a,b": ["".join(more), 345, -12.5, {"": line}]}] * 60
    whole = json.dumps({"log": text, "rows": rows, "end": "12"}, ensure_ascii=pad % 2 == 0)
    lines = "\n".join(map(json.dumps, rows))
    for said_text in (text, whole, whole[: -pad - 1], whole + text, lines, f"a note\n{lines}", json.dumps(text)):
        original = result(said_text)
        pieces = inside(recalled_text([Message.model_validate_json(line) for line in lines_of(original, most)]))
        assert evidence_forms(pieces) <= evidence_forms([original])


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("a note\n" + '{"log": "so\\nORD-4471"}\n' * 400, "ORD-4471, nORD-4471", ["invented", "grounded"]),
        (json.dumps({"log": "some words\n" * 400 + "ORD-4471 paid"}), "ORD-4471, nORD-4471", ["grounded", "invented"]),
        (json.dumps({"log": "\u00e9 " * 2_000 + "ORD-4471"}), "ORD-4471, u00e9", ["grounded", "invented"]),
        *(
            (
                json.dumps({"log": "x" * pad + " y" * 715 + " closed at 7:28 PM " + "w " * 3_000}),
                "It closed at 07:28 AM.",
                ["invented"],
            )
            for pad in range(60)
        ),
        *(
            (
                json.dumps({"log": "x" * pad + " y" * 715 + " 25178 million " + "w " * 3_000}),
                "It is 25178.",
                ["invented"],
            )
            for pad in range(40)
        ),
    ],
)
def test_a_value_is_recalled_with_its_unit_and_without_an_escape(
    text: str, answer: str, expected: list[str], archive: SqliteArchive
) -> None:
    assert [value.verdict for value in EvidenceIndex([result(text)]).judge(answer).values] == expected
    pieces = read_to_the_end(archive, kept(archive, result(text)), budget=4_000)
    assert len(pieces) > 1
    assert verdicts(answer, recalled_text(pieces)) == expected


@given(
    st.lists(
        st.sampled_from(["ORD-4471", "$1,190.00", " ", "\n", "2024-05-20 19:00", "x" * 30, ',"', "é", "12345678"])
    ),
    st.integers(min_value=20, max_value=60),
)
def test_a_cut_goes_through_no_value(words: list[str], size: int) -> None:
    text = "".join(words)
    pieces = list(cut(text, size))
    assert "".join(piece for piece, _ in pieces) == text
    assert all(len(piece) <= size for piece, _ in pieces)
    values = {value.text for value in scan(text)}
    assert {value.text for piece, whole in pieces if whole for value in scan(piece)} <= values


def test_a_half_of_a_value_is_no_evidence_and_what_follows_it_is_again(archive: SqliteArchive) -> None:
    run_of_digits = "7" * 40_000
    address = kept(archive, result(f'{{"order": "ORD-1001","blob": "{run_of_digits}","fee": "$190.00"}}'))
    text = recalled_text(read_to_the_end(archive, address))
    assert verdicts("ORD-1001, $190.00", text) == ["grounded", "grounded"]
    halves = {half for piece in inside(text) for half in re.findall("7+", piece.text)}
    assert len(halves) > 1
    assert all(verdicts(half, text) == ["invented"] for half in halves)


@pytest.mark.parametrize(
    "text",
    [
        recalled_text([*said("hay " * 5_000), Message(role="assistant", content="ORD-9999")]),
        json.dumps({"hay": "hay " * 9_000, "looked_for": {"order": "ORD-9999"}}),
    ],
)
def test_what_a_whole_result_does_not_ground_its_pieces_do_not(text: str, archive: SqliteArchive) -> None:
    whole = result(text)
    assert [value.verdict for value in EvidenceIndex([whole]).judge("ORD-9999").values] == ["invented"]
    pieces = read_to_the_end(archive, kept(archive, whole))
    assert any("ORD-9999" in piece.text for piece in pieces)
    assert verdicts("ORD-9999", recalled_text(pieces)) == ["invented"]


def test_of_what_is_too_long_and_no_text_the_words_come_back(archive: SqliteArchive) -> None:
    call = ToolCall(id="c1", name="write_file", args={"path": "docs/a.txt", "text": "needle " * 5_000})
    picture = {"type": "image", "data": "A" * 60_000}
    address = kept(
        archive,
        Message(role="assistant", tool_calls=(call,)),
        Message.model_validate({"role": "user", "content": [{"type": "text", "text": "Look."}, picture]}),
    )
    found = read_to_the_end(archive, address)
    assert found[-1] == Message(role="user", content="Look.", metadata={"piece": "1 of 1"})
    written = "".join(message.text for message in found[:-1])
    assert (written.count("needle"), "write_file" in written, "docs/a.txt" in written) == (5_000, True, True)


def test_what_did_not_run_is_no_evidence_in_pieces_either(archive: SqliteArchive) -> None:
    refused = Message(role="tool", tool_call_id="c1", content="ORD-4471 " * 5_000, tool_result_origin={"by": "policy"})
    address = kept(archive, refused)
    assert verdicts("ORD-4471", recalled_text(read_to_the_end(archive, address))) == ["invented"]


@given(st.text(max_size=300), st.text(max_size=100), st.integers(min_value=1_000, max_value=1_500))
def test_no_line_is_longer_than_it_may_be(text: str, name: str, most: int) -> None:
    message = Message(role="tool", tool_call_id=name * 50, tool_name=name, content=text * 60)
    assert all(len(line) <= most and line.encode() for line in lines_of(message, most))
    assert lines_of(message, 10**7) == [line_of(message)]


def test_a_search_gives_back_whole_messages_and_how_to_see_what_stood_around(archive: SqliteArchive) -> None:
    span = [*said(*(f"word {index}" for index in range(20))), result('{"order": "ORD-4471"}'), *said("thanks")]
    kept(archive, *span)
    text = recall(archive, "recall_search", {"query": "ord-4471"})
    assert inside(text) == (span[20],)
    (asked,) = re.findall(r"recall_expand\((.*?)\)", text)
    arguments = {key: json.loads(value) for key, value in (pair.split("=") for pair in asked.split(", "))}
    assert inside(recall(archive, "recall_expand", arguments)) == tuple(span[18:])


def test_a_search_shows_of_a_long_message_what_was_looked_for(archive: SqliteArchive) -> None:
    kept(archive, result("hay " * 9_000 + "Order ORD-4471 left. " + "hay " * 9_000), *said("ORD-4471?"))
    text = recall(archive, "recall_search", {"query": "order 4471"})
    assert len(text) <= 16_000
    assert verdicts("ORD-4471", text) == ["grounded"]


def test_a_search_counts_honestly_when_not_all_of_it_fits(archive: SqliteArchive) -> None:
    kept(archive, *said(*(f"needle {index} " + "hay " * 500 for index in range(50))))
    text = recall(archive, "recall_search", {"query": "needle", "limit": 50})
    found = inside(text)
    assert len(text) <= 16_000
    assert 3 <= len(found) < 50
    assert first(text).startswith(f"{RECALLED} {len(found)} messages ")
    assert "There are more" in first(text)
    assert "There are more" not in first(recall(archive, "recall_search", {"query": "needle 17"}))
    assert len(inside(recall(archive, "recall_search", {"query": "needle", "limit": 2}))) == 2


def test_what_was_recalled_before_is_not_found_again_ahead_of_its_originals(archive: SqliteArchive) -> None:
    original = result('{"order": "ORD-4471"}')
    kept(archive, original)
    for index in range(4):
        kept(archive, result(recalled_text([original], about=f"{index}"), f"r{index}"))
    text = recall(archive, "recall_search", {"query": "4471", "limit": 2})
    assert inside(text) == (original,)


WRONG: list[tuple[str, object, str]] = [
    ("recall_expand", None, "'frame': Field required"),
    ("recall_expand", "", "'frame': Field required"),
    ("recall_expand", "{", "no JSON"),
    ("recall_expand", "[" * 100_000, "no JSON"),
    ("recall_expand", "[1]", "not an object"),
    ("recall_expand", {"frame": ""}, "at least 1 character"),
    ("recall_expand", {"frame": 7}, "valid string"),
    ("recall_expand", {"frame": "a frame"}, "leads to nothing"),
    ("recall_expand", {"frame": "0000000000"}, "leads to nothing"),
    ("recall_expand", {"frame": "0" * 9_999}, "shows no address"),
    ("recall_expand", {"frame": "\ud800\nORD-4471"}, "valid string"),
    ("recall_expand", {"frame": "\0\nORD-4471"}, "leads to nothing"),
    ("recall_expand", {"frame": "{address}", "offset": 5}, "there are 1 lines"),
    ("recall_expand", {"frame": "{address}", "offset": -1}, "'offset': Input should be greater"),
    ("recall_expand", {"frame": "{address}", "limit": "all"}, "'limit': Input should be a valid integer"),
    ("recall_expand", {"frame": "{address}", "ORD-4471": 1}, "'ORD-4471': Extra inputs"),
    ("recall_search", {"query": "nothing like this"}, "no message"),
    ("recall_search", {"query": " "}, "no message"),
    ("recall_search", {"query": ["ORD-4471"]}, "valid string"),
    ("recall_search", {"query": "x", "limit": 0}, "'limit'"),
    ("recall_search", {"query": "\ud800 ORD-4471"}, "valid string"),
    ("recall_search", {"query": "\0 ORD-4471"}, "no message"),
]


@pytest.mark.parametrize(("name", "arguments", "says"), WRONG)
def test_whatever_a_model_types_it_is_told_what_to_write(
    name: str,
    arguments: Any,  # noqa: ANN401 - what a model typed
    says: str,
    archive: SqliteArchive,
) -> None:
    address = kept(archive, *said("hello"))
    if isinstance(arguments, dict):
        arguments = {key: address if value == "{address}" else value for key, value in arguments.items()}
    text = recall(archive, name, arguments)
    assert text.encode()
    assert says in text
    assert "Write" in text
    assert text.startswith(f"{RECALLED} Nothing was recalled: ")
    assert len(text.split("\n")) == 1
    assert len(text) < 1_000
    assert verdicts("ORD-4471", text) == ["invented"]  # what was asked for is not found by asking


def test_what_a_model_leaves_out_or_writes_as_a_word_is_understood(archive: SqliteArchive) -> None:
    address = kept(archive, *said("a", "b", "c"))
    texts = [
        recall(archive, "recall_expand", arguments)
        for arguments in ({"frame": address, "offset": "1", "limit": None}, f'{{"frame": "{address}", "offset": 1.0}}')
    ]
    assert [inside(text) for text in texts] == [tuple(said("b", "c"))] * 2


def test_the_first_eight_digits_of_several_spans_are_not_guessed_at(archive: SqliteArchive) -> None:
    addresses = [kept(archive, *said(str(index))) for index in range(3)]
    with pytest.raises(UsageError):
        archive.expand("")
    assert len({recall(archive, "recall_expand", {"frame": address}) for address in addresses}) == 3


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("expand", {}, "the tools are recall_expand, recall_search"),
        ("recall_search", {"budget": 3_999}, "4,000 characters or more"),
        ("recall_search", {"budget": "all"}, "budget"),
    ],
)
def test_what_the_host_does_wrong_is_raised(
    name: str, options: dict[str, Any], says: str, archive: SqliteArchive
) -> None:
    with pytest.raises(UsageError, match=says):
        recall(archive, name, {"query": "x"}, **options)
    with pytest.raises(UsageError, match="SqliteArchive"):
        recall("archive.db", "recall_search", {"query": "x"})  # type: ignore[arg-type]


def test_an_archive_that_is_closed_or_damaged_is_the_hosts(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with SqliteArchive(path) as archive:
        address = kept(archive, *said("hello " * 900, "x"))
    with pytest.raises(UsageError, match="closed"):
        recall(archive, "recall_expand", {"frame": address})
    damaged = path.read_bytes().replace(b"hello hello", b"jello hello")
    path.write_bytes(damaged)
    with SqliteArchive(path) as archive, pytest.raises(TranscriptError, match="damaged"):
        recall(archive, "recall_expand", {"frame": address})


@pytest.mark.parametrize("shape", get_args(ToolShape))
def test_every_shape_says_the_same(shape: ToolShape) -> None:
    tools = recall_tools(shape)
    bare = [tool.get("function", tool) for tool in tools]
    schemas = [tool.get("parameters") or tool.get("input_schema") or tool.get("inputSchema") for tool in bare]
    assert [tool["name"] for tool in bare] == list(RECALL_TOOLS) == ["recall_expand", "recall_search"]
    assert schemas == [tool["parameters"] for tool in recall_tools()]
    assert [schema["required"] for schema in schemas] == [["frame"], ["query"]]
    assert [list(schema["properties"]) for schema in schemas] == [["frame", "offset", "limit"], ["query", "limit"]]
    assert all(tool["description"] and schema["type"] == "object" for tool, schema in zip(bare, schemas, strict=True))
    assert json.loads(json.dumps(tools)) == list(tools)


def test_a_shape_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="write one of plain, anthropic"):
        recall_tools("grpc")  # type: ignore[arg-type]


def test_of_a_shared_archive_one_window_sees_only_its_own(archive: SqliteArchive) -> None:
    inner = kept(archive, *said("mine, the oldest needle"))
    outer = kept(archive, frame_of(inner), *said("mine, a needle"))
    other = kept(archive, *said("somebody else's needle"))
    window = [*said("hello"), frame_of(outer), frame_of("f" * 64)]
    with narrowed(archive, window) as mine:
        assert set(mine.addresses()) == {inner, outer}
        assert mine.expand(frame_of(outer)) == archive.expand(outer)
        found = inside(recall(mine, "recall_search", {"query": "needle"}))
        assert {message.text for message in found} == {"mine, the oldest needle", "mine, a needle"}
        assert "leads to nothing" in recall(mine, "recall_expand", {"frame": other})
    with narrowed(archive, said("hello")) as nothing:
        assert nothing.addresses() == ()
    with pytest.raises(UsageError, match="not a Message"):
        narrowed(archive, ["hello"])  # type: ignore[list-item]


def test_a_value_that_left_is_evidence_again_once_it_is_recalled(archive: SqliteArchive) -> None:
    """The whole way: fold, ask, put the text into the window as a result, and judge."""
    order, fee, guess = "ORD-447100", "$1,190.00", "ORD-999900"
    talk = "We spoke about the weather at some length, and about the train. " * 30
    window = [
        Message(role="user", content=f"Where is my parcel? {talk}"),
        Message(role="assistant", tool_calls=(ToolCall(id="c1", name="find", args={}),)),
        result(json.dumps({"order": order, "fee": fee, "note": talk})),
        Message(role="assistant", content=f"I believe it is {guess}. {talk}"),
        Message(role="user", content="Thanks. And now?"),
        Message(role="assistant", content="Now you wait."),
    ]

    def claim(*_: object) -> str:
        return "The frame claims ORD-555500."

    strategy = fp.SummarizeOldest(0, 2, summarizer=claim, model="m", retain="archive", carry=0, posture="assist")
    visit = strategy.visit(window, archive=archive)
    frame = visit.messages[0]
    assert frame_kind(frame) == "summary"
    values = f"{order}, {fee}, {guess}, ORD-555500"

    def judged(*more: Message) -> list[str]:
        return [value.verdict for value in EvidenceIndex([*visit.messages, *more]).judge(values).values]

    assert judged() == ["undecidable"] * 4  # the result that left was not read: nobody is accused
    calls: dict[str, dict[str, JsonValue]] = {
        "recall_expand": {"frame": named_in(frame.text)},
        "recall_search": {"query": "find"},
    }
    for name, asked in calls.items():
        text = recall(archive, name, asked)
        call = Message(role="assistant", tool_calls=(ToolCall(id="r1", name=name, args=asked),))
        for content in (text, (TextPart(text=text),)):
            assert judged(call, Message(role="tool", tool_call_id="r1", tool_name=name, content=content)) == [
                "grounded",
                "grounded",
                "invented",
                "invented",
            ]
    assert span_address(window[:4]) == archive.addresses()[0]


def test_a_real_run_is_folded_recalled_and_judged(tmp_path: Path) -> None:
    run = json.loads(RUN.read_text(encoding="utf-8"))
    told = next(index for index, row in enumerate(run["messages"]) if row["role"] == "assistant")
    run["messages"][told]["content"] += " Your reference is QXR-771203."  # no tool ever said so
    source, out, db = tmp_path / "run.json", tmp_path / "out.json", tmp_path / "a.db"
    source.write_text(json.dumps(run), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["compact", str(source), "-o", str(out), "--archive", str(db)])
    assert ended.value.code == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    (at,) = [index for index, row in enumerate(written["messages"]) if "archived as" in str(row["content"])]
    written["messages"][at]["content"] += "\nTheir claim is ZZV-909117."
    out.write_text(json.dumps(written), encoding="utf-8")

    window = fp.load(out).messages
    frame = window[at]
    # What only a folded result says: judged in all, it is grounded; in what is left of it, nobody can tell.
    answer = "Mail mia.li3818@example.com, QXR-771203, ZZV-909117."

    def judged(messages: Sequence[Message]) -> list[str]:
        return [value.verdict for value in EvidenceIndex(messages).judge(answer).values]

    assert judged(fp.load(source).messages) == ["grounded", "invented", "invented"]
    assert judged(window) == ["undecidable"] * 3
    with SqliteArchive(db, read_only=True) as archive:
        address = frame.text.partition("archived as ")[2][:12]
        text = recall(archive, "recall_expand", {"frame": address})
        assert judged([*window, result(text, "r1")]) == ["grounded", "invented", "invented"]
        found = recall(archive, "recall_search", {"query": "mia.li"})
        assert judged([*window, result(found, "r1")]) == ["grounded", "undecidable", "undecidable"]
        assert judged(archive.history(window)) == ["grounded", "invented", "invented"]
