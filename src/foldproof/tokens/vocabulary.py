"""The published vocabularies, read from package data and built into `tiktoken.Encoding` without a network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal

from foldproof.errors import TranscriptError, UsageError, shown

if TYPE_CHECKING:
    import tiktoken

EncodingName = Literal["o200k_base", "cl100k_base"]


class VocabularyError(TranscriptError):
    """A vocabulary file of this installation is missing or is not the published one."""


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """What a vocabulary is besides its ranks.

    Attributes:
        sha256: the digest of the uncompressed rank file, in hexadecimal.
        pattern: the regular expression that splits a text before tokens are merged.
        special_tokens: the ids of the tokens that no ordinary text produces.
    """

    sha256: str
    pattern: str
    special_tokens: dict[str, int]


# Digests, patterns and special tokens are those of `tiktoken_ext.openai_public` in tiktoken 0.14 (MIT). They stand here
# because importing them from there would tie a count to whichever tiktoken is installed.
VOCABULARIES: Final[dict[str, Vocabulary]] = {
    "o200k_base": Vocabulary(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern=(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
            r"\p{N}{1,3}|"
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*|"
            r"\s*[\r\n]+|"
            r"\s+(?!\S)|"
            r"\s+"
        ),
        special_tokens={"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018},
    ),
    "cl100k_base": Vocabulary(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|"
            r"[^\r\n\p{L}\p{N}]?+\p{L}++|"
            r"\p{N}{1,3}+|"
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+|"
            r"\s++$|"
            r"\s*[\r\n]|"
            r"\s+(?!\S)|"
            r"\s"
        ),
        special_tokens={
            "<|endoftext|>": 100_257,
            "<|fim_prefix|>": 100_258,
            "<|fim_middle|>": 100_259,
            "<|fim_suffix|>": 100_260,
            "<|endofprompt|>": 100_276,
        },
    ),
}


def load_encoding(name: EncodingName) -> tiktoken.Encoding:
    """Return the encoding called `name`, built at the first call (about 0.4 s) and kept for the process.

    Raises:
        UsageError: there is no vocabulary of that name here.
        VocabularyError: the vocabulary file is missing or is not the published one.
    """
    if name not in VOCABULARIES:
        cause = f"no vocabulary is called {shown(name)}; there are {', '.join(VOCABULARIES)}"
        raise UsageError(cause)
    return _built(name)


@cache
def _built(name: str) -> tiktoken.Encoding:
    import tiktoken

    vocabulary = VOCABULARIES[name]
    return tiktoken.Encoding(
        name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=parse_ranks(name, _packaged(name)),
        special_tokens=vocabulary.special_tokens,
    )


def parse_ranks(name: str, compressed: bytes) -> dict[bytes, int]:
    """Return the rank of every token of vocabulary `name`, read from its gzip-compressed rank file.

    Raises:
        VocabularyError: the bytes are not gzip, or what they hold is not the published vocabulary.
    """
    file = _file_name(name)
    try:
        ranks = gzip.decompress(compressed)
    except (OSError, EOFError, zlib.error) as error:
        cause = f"the vocabulary cannot be decompressed ({error}); reinstall foldproof"
        raise VocabularyError(cause, file=file) from error
    found, published = hashlib.sha256(ranks).hexdigest(), VOCABULARIES[name].sha256
    if found != published:
        cause = f"not the published vocabulary: its sha256 is {found}, expected {published}; reinstall foldproof"
        raise VocabularyError(cause, file=file)
    return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in ranks.splitlines())}


def _packaged(name: str) -> bytes:
    file = _file_name(name)
    try:
        return files("foldproof.tokens").joinpath("data", file).read_bytes()
    except OSError as error:
        cause = f"the vocabulary is missing from this installation ({error.strerror}); reinstall foldproof"
        raise VocabularyError(cause, file=file) from error


def _file_name(name: str) -> str:
    return f"{name}.tiktoken.gz"
