"""Archives of Inspect of which a member is damaged: the others are read, and stay as they were."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message
from foldproof.transcripts import dump, load, read_text

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "inspect_eval_log"
POOLED = DATA / "log_message_deduplication.eval"
FRAME = Message(role="user", content="[foldproof summary frame] what was said")


def archive(**members: bytes) -> bytes:
    """The log of one sample, with other members: what is given under `header` or `s_<n>` stands in a sample's place."""
    packed = io.BytesIO()
    with zipfile.ZipFile(POOLED) as source, zipfile.ZipFile(packed, "w") as target:
        names = {"header": "header.json", "summaries": "summaries.json"}
        target.writestr("header.json", members.pop("header", source.read("header.json")))
        for name, raw in members.items():
            target.writestr(names.get(name, f"samples/{name}_epoch_1.json"), raw)
    return packed.getvalue()


def one_sample() -> bytes:
    with zipfile.ZipFile(POOLED) as source:
        return source.read("samples/0_epoch_1.json")


def test_a_member_that_cannot_be_read_hides_no_other_sample() -> None:
    raw = archive(s_1=one_sample(), s_2=b"[", s_3=b"\xff", summaries=b"{", s_4=one_sample())
    conversations = list(read_text(raw, name="log.eval"))
    assert [bool(one.messages) for one in conversations] == [True, False, False, True]
    found = [(one.path, one.cause.partition(" ")[0]) for conversation in conversations for one in conversation.damage]
    assert found == [
        ("$.summaries.json", "not"),
        ("$.samples/s_2_epoch_1.json", "not"),
        ("$.samples/s_3_epoch_1.json", "not"),
    ]
    out = io.BytesIO()
    dump(conversations[3].replace([FRAME]), out)
    with zipfile.ZipFile(out) as after:
        assert after.read("samples/s_3_epoch_1.json") == b"\xff"


def test_a_log_is_read_without_its_header_and_not_without_its_samples() -> None:
    (conversation,) = read_text(archive(header=b"{", s_1=one_sample()), name="log.eval")
    assert conversation.messages == load(POOLED).messages
    assert [one.path for one in conversation.damage] == ["$.header.json"]
    with pytest.raises(TranscriptError, match=r"\$\.samples/s_1_epoch_1\.json: not JSON.*no sample can be read"):
        list(read_text(archive(s_1=b"["), name="log.eval"))
