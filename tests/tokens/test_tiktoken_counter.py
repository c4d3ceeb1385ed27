"""A count is the vocabulary's, for any string, in bounded time, and is worked out once."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.errors import UsageError
from foldproof.tokens import EncodingName, TiktokenCounter, TokenCounter, default_counter, load_encoding
from foldproof.tokens.tiktoken_counter import _LONGEST_RUN, _pieces

ENCODINGS = get_args(EncodingName)
MILLION = 10**6
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("hello world", 2), ("Hello, world!", 4), ("123456789", 3)])
def test_known_counts(name: EncodingName, text: str, tokens: int) -> None:
    assert TiktokenCounter(name).count(text) == tokens


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_special_token_in_a_text_is_text(name: EncodingName) -> None:
    assert TiktokenCounter(name).count("<|endoftext|>") == 7


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=st.text())
def test_the_tokens_counted_are_the_text_byte_for_byte(name: EncodingName, text: str) -> None:
    encoding = load_encoding(name)
    ids = encoding.encode_ordinary(text)
    assert encoding.decode_bytes(ids) == text.encode()
    assert TiktokenCounter(name).count(text) == len(ids)


@given(text=ANY_TEXT)
def test_any_string_counts_and_equal_texts_count_the_same(text: str) -> None:
    first, second = TiktokenCounter(), TiktokenCounter()
    assert first.count(text) == first.count(text) == second.count(text)
    assert (first.count(text) == 0) == (text == "")


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("\ud800", "\ufffd"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ufeff\ud800", "\ufeff\ufffd"),
    ],
)
def test_surrogates_count_as_what_they_stand_for(text: str, same_as: str) -> None:
    assert TiktokenCounter().count(text) == TiktokenCounter().count(same_as)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    "unit", ["^", "a", "A", "0", " ", "\n", " \n", "\u00a0", "\u4e2d", "\u0301", "\x1c", "ab ", "\ud800"]
)
def test_a_million_repetitions_count_in_bounded_time(name: EncodingName, unit: str) -> None:
    started = perf_counter()
    assert TiktokenCounter(name).count(unit * MILLION) > 0
    assert perf_counter() - started < 30


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(("unit", "per_token"), [(" ", 128), ("\t", 16)])
def test_a_run_cut_for_the_tokenizer_counts_as_one_run(name: EncodingName, unit: str, per_token: int) -> None:
    length = _LONGEST_RUN + 1024
    whole = load_encoding(name).encode_ordinary(unit * length)
    assert TiktokenCounter(name).count(unit * length) == len(whole) == length // per_token


def test_only_a_very_long_run_of_spaces_is_cut() -> None:
    run = " " * _LONGEST_RUN
    assert list(_pieces("word " * MILLION)) == ["word " * MILLION]
    assert list(_pieces(f"a{run}b")) == [f"a{run}b"]
    assert list(_pieces(f"a{run} {run}b")) == [f"a{run}", f" {run[1:]}", " b"]


def recorded(counter: TiktokenCounter, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    encoded: list[str] = []

    def count(text: str) -> int:
        encoded.append(text)
        return len(text)

    monkeypatch.setattr(counter, "_count", count)
    return encoded


def test_a_text_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = TiktokenCounter()
    encoded = recorded(counter, monkeypatch)
    window = ["one", "two", "one"]
    for grown in range(len(window) + 1):
        for text in window[:grown]:
            counter.count(text)
    assert encoded == ["one", "two"]


def test_what_is_kept_is_bounded_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = TiktokenCounter(cache_entries=2)
    encoded = recorded(counter, monkeypatch)
    for text in ("one", "two", "one", "three", "one", "two"):
        counter.count(text)
    assert encoded == ["one", "two", "three", "two"]
    assert len(counter._counts) == 2


def test_a_counter_may_keep_nothing() -> None:
    counter = TiktokenCounter(cache_entries=0)
    assert counter.count("hello world") == counter.count("hello world") == 2
    assert not counter._counts


def test_threads_share_a_counter() -> None:
    counter = TiktokenCounter(cache_entries=8)
    texts = [f"text {number % 20}" for number in range(2000)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(counter.count, texts)) == [3] * len(texts)


def test_a_counter_can_be_copied_and_sent_to_another_process() -> None:
    counter = TiktokenCounter("cl100k_base")
    for other in (copy.deepcopy(counter), pickle.loads(pickle.dumps(counter))):  # noqa: S301
        assert (other.name, other.count("hello world")) == ("tiktoken/cl100k_base", 2)


def test_the_default_counter_is_one_object_over_o200k_base() -> None:
    assert default_counter() is default_counter()
    assert default_counter().name == "tiktoken/o200k_base"
    assert isinstance(default_counter(), TokenCounter)


def test_wrong_calls_are_named_at_once() -> None:
    with pytest.raises(UsageError, match="no vocabulary is called 'gpt2'"):
        TiktokenCounter("gpt2")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cache_entries is -1"):
        TiktokenCounter(cache_entries=-1)
