"""The vocabularies are the published ones, whole, and nothing is loaded before it is needed."""

from __future__ import annotations

import gzip
import subprocess
import sys
from importlib.resources import files
from typing import get_args

import pytest

from foldproof.errors import TranscriptError, UsageError
from foldproof.tokens import EncodingName, VocabularyError, load_encoding, vocabulary
from foldproof.tokens.vocabulary import VOCABULARIES, parse_ranks

PUBLISHED_SIZES: dict[EncodingName, int] = {"o200k_base": 200_019, "cl100k_base": 100_277}
PUBLISHED_IDS: dict[EncodingName, dict[str, list[int]]] = {
    "o200k_base": {"hello world": [24912, 2375], "Hello, world!": [13225, 11, 2375, 0]},
    "cl100k_base": {
        "hello world": [15339, 1917],
        "Hello, world!": [9906, 11, 1917, 0],
        "tiktoken is great!": [
            83,
            1609,
            5963,
            374,
            2294,
            0,
        ],
    },
}
ENCODINGS = get_args(EncodingName)


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_size_is_the_published_one(name: EncodingName) -> None:
    assert load_encoding(name).n_vocab == PUBLISHED_SIZES[name]


@pytest.mark.parametrize("name", ENCODINGS)
def test_ids_are_the_published_ones(name: EncodingName) -> None:
    for text, ids in PUBLISHED_IDS[name].items():
        assert load_encoding(name).encode_ordinary(text) == ids


@pytest.mark.parametrize("name", ENCODINGS)
def test_pattern_and_special_tokens_are_those_of_the_installed_tiktoken(
    name: EncodingName, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, expected_hash: expected_hash)
    published = public.ENCODING_CONSTRUCTORS[name]()
    ours = VOCABULARIES[name]
    assert (ours.pattern, ours.special_tokens) == (published["pat_str"], published["special_tokens"])
    assert ours.sha256 == published["mergeable_ranks"]


def test_an_encoding_is_built_once() -> None:
    assert load_encoding("o200k_base") is load_encoding("o200k_base")


def test_the_names_are_the_vocabularies() -> None:
    assert set(ENCODINGS) == set(VOCABULARIES)


def test_an_unknown_name_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="no vocabulary is called 'gpt2'; there are o200k_base, cl100k_base"):
        load_encoding("gpt2")  # type: ignore[arg-type]


def test_another_vocabulary_is_refused_with_both_digests() -> None:
    other = gzip.compress(b"IQ== 0\n")
    with pytest.raises(VocabularyError) as caught:
        parse_ranks("o200k_base", other)
    assert str(caught.value).startswith("o200k_base.tiktoken.gz: not the published vocabulary: its sha256 is ")
    assert VOCABULARIES["o200k_base"].sha256 in str(caught.value)
    assert isinstance(caught.value, TranscriptError)


def test_a_damaged_file_is_refused() -> None:
    whole = files("foldproof.tokens").joinpath("data", "cl100k_base.tiktoken.gz").read_bytes()
    flipped = whole[:5000] + bytes([whole[5000] ^ 0xFF]) + whole[5001:]
    for damaged in (b"", b"not gzip", whole[:-9], whole[: len(whole) // 2], flipped):
        with pytest.raises(VocabularyError, match=r"cl100k_base\.tiktoken\.gz: .*reinstall foldproof"):
            parse_ranks("cl100k_base", damaged)


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VOCABULARIES, "gone", VOCABULARIES["o200k_base"])
    with pytest.raises(VocabularyError, match=r"gone\.tiktoken\.gz: the vocabulary is missing"):
        vocabulary._packaged("gone")


def test_importing_the_room_loads_no_tokenizer_and_counting_opens_no_connection() -> None:
    script = (
        "import sys, socket, foldproof.tokens as tokens\n"
        "assert 'tiktoken' not in sys.modules, 'tiktoken was imported'\n"
        "def refuse(*_): raise AssertionError('a connection was opened')\n"
        "socket.socket.connect = refuse\n"
        "assert tokens.default_counter().count('hello world') == 2\n"
    )
    # A fresh interpreter, since this one has counted already.
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
