"""Tokens: how a tool said the identifier that an answer states, and what each kind of token is read as."""

from __future__ import annotations

import pytest
from tests.evidence.judging import how, spans

from foldproof.evidence.candidates import scan

UUID = "a50d8400-e29b-41d4-a716-446655440000"
SHA1 = "3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718"
SHA256 = "ab12cd34ef56ab12cd34ef56ab12cd34ef56ab12cd34ef56ab12cd34ef56ab12"
BASE64 = "iVBORw0KGgo+AAAANSUhEUgAAAAUA12345/AAFCAYAAACNbyblAA=="


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ORD-4471", [("identifier", "ord-4471")]),
        ("ab12cd34ef", [("identifier", "ab12cd34ef")]),
        (BASE64, [("identifier", BASE64.casefold())]),
        ("10.0.0.5", [("ip", "10.0.0.5")]),
        ("10.0.0.5:8080", [("ip", "10.0.0.5"), ("number", "8080")]),
        ("fe80::1%eth0", [("ip", "fe80::1%eth0")]),
        ("ab1::2::3", [("identifier", "ab1::2::3")]),  # `::` may stand for zeros once
        ("00:1a:2b:3c:4d:5e", [("mac", "00:1a:2b:3c:4d:5e")]),
        ("00:11:22:33:44:55", [("mac", "00:11:22:33:44:55")]),
        ("0011.2233.4455", [("identifier", "0011.2233.4455")]),
        ("0:1a:2b:3c:4d:5e", [("mac", "00:1a:2b:3c:4d:5e")]),
        ("1:2:3:4:5:6", [("identifier", "1:2:3:4:5:6")]),
        ("50:06:01:60:bb:20:0c:11", [("identifier", "50:06:01:60:bb:20:0c:11")]),
        ("001a2b3c4d5e", [("identifier", "001a2b3c4d5e")]),
        ("12345678901e", [("identifier", "12345678901e")]),
        (UUID, [("uuid", UUID)]),
        (UUID.replace("-", ""), [("uuid", UUID)]),
        (f"urn:uuid:{UUID.upper()}", [("uuid", UUID)]),
        ("12345678-1234-1234-1234-123456789012", [("uuid", "12345678-1234-1234-1234-123456789012")]),
        ("10345678901234567890123456789012", [("number", "10345678901234567890123456789012")]),
        ("01345678901234567890123456789012", [("identifier", "01345678901234567890123456789012")]),
        ("1034567890" * 4, [("number", "1034567890" * 4)]),
        ("0134567890" * 4, [("identifier", "0134567890" * 4)]),
        (SHA1, [("hash", SHA1)]),
        (f"sha256:{SHA256.upper()}", [("hash", SHA256)]),
        ("md5:1234567", [("hash", "1234567")]),
        ("v1.2", [("version", "v1.2")]),
        ("v1.2.3", [("version", "1.2.3")]),
        ("1.2.3-rc1", [("version", "1.2.3-rc1")]),
        ("1.2.x3", [("identifier", "1.2.x3")]),
        ("v1.2-beta", [("version", "1.2-beta")]),
        ("0x1F2A", [("identifier", "0x1f2a")]),
        ("PT2H", [("duration", "2")]),
        ("PT5M", [("duration", "5")]),
        ("PT1H30M", [("duration", "90")]),
        ("10-20", [("range", "10-20")]),
        ("1.5:2", [("ratio", "1.5:2")]),
        ("2012-13", [("range", "2012-2013")]),
        ("2009-10", [("range", "2009-10")]),
        ("2013-12", [("range", "2013-12")]),
        ("2012-12", [("range", "2012-12")]),
        ("src1/lib/app.py", [("path", "src1/lib/app.py")]),
        ("ab1.2/app1", [("identifier", "ab1.2/app1")]),
        ("ab1/c.d/e2", [("identifier", "ab1/c.d/e2")]),
        ("APP1.py", [("identifier", "app1.py")]),
        ("HAT136/HAT039", [("identifier", "hat136/hat039")]),
        ("PO-4471", [("identifier", "po-4471")]),
        ("48-port", [("number", "48")]),
        ("20/month", [("number", "20")]),
        ("5GB/month", [("quantity", "5")]),
        ("port:8080", [("number", "8080")]),
        ("uid:0042", [("identifier", "uid:0042")]),
        ("24/7", []),
        ("9/11", []),
        ("50/50", []),
    ],
)
def test_what_a_token_is(text: str, read: list[tuple[str, str]]) -> None:
    for answer in (text, f"It is {text}, yes.", f"({text})"):
        values = scan(answer)
        assert [(value.kind, value.form) for value in values] == read
        assert all(answer[start:end] == spelled for value in values for start, end, spelled in spans(value))


@pytest.mark.parametrize(
    ("answer", "said", "expected"),
    [
        ("ord-4471", "order ORD-4471", "exact"),
        ("4471", "order ORD-4471", "part"),
        (BASE64, f"data {BASE64.lower()}", "exact"),
        (BASE64, BASE64.replace("12345", "12354"), None),
        # Networks and their hardware
        ("10.0.0.5", "at 10.0.0.5", "exact"),
        ("10.0.0.5", "at 10.0.0.5:8080", "part"),
        ("10.0.0.6", "at 10.0.0.5:8080", None),
        ("10.0.0.5", "in 10.0.0.5/24", "part"),
        ("FE80::1%ETH0", "on fe80::1%eth0", "exact"),
        ("fe80::1", "on fe80::1%eth0", "part"),
        ("fe80::1%eth0", "on fe80:0:0:0:0:0:0:1", "part"),
        ("fe80::1%eth0", "on fe80::1%eth1", None),
        ("00:1A:2B:3C:4D:5E", "at 00:1a:2b:3c:4d:5e", "exact"),
        ("00-1A-2B-3C-4D-5E", "at 001a.2b3c.4d5e", "spelling"),
        ("00-1A-2B-3C-4D-5E", "at 001a2b3c4d5e", "spelling"),
        ("001a.2b3c.4d5e", "at 0:1a:2b:3c:4d:5e", "spelling"),
        ("001a.2b3c.4d5f", "at 0:1a:2b:3c:4d:5e", None),
        ("50:06:01:60:BB:20:0C:11", "at 50:06:01:60:bb:20:0c:11", "exact"),
        # Hashes and UUIDs
        (UUID.upper(), UUID, "exact"),
        (UUID.replace("-", ""), UUID, "spelling"),
        (f"urn:uuid:{UUID}", UUID.replace("-", ""), "spelling"),
        ("12345678-1234-1234-1234-123456789012", "12345678123412341234123456789012", "spelling"),
        (f"urn:uuid:{UUID}", UUID, "spelling"),
        ("a50d8400", UUID, "part"),
        ("446655440000", UUID, "part"),
        ("a50d840", UUID, "prefix"),
        ("a50d840", UUID.replace("-", ""), "prefix"),
        ("a50d841", UUID, None),
        (SHA1.upper(), SHA1, "exact"),
        (SHA1[:7], SHA1, "prefix"),
        (SHA1[:16], SHA1, "prefix"),
        (SHA1[:6], SHA1, None),
        (SHA1[:17], SHA1, "prefix"),
        (SHA1[1:9], SHA1, None),
        (f"sha256:{SHA256}", f"sha256:{SHA256}", "exact"),
        (f"sha256:{SHA256}", SHA256, "spelling"),
        (f"sha256:{SHA256}", f"sha256:{SHA256[:-1]}3", None),
        ("123e456", "123e456cd34ef56ab12cd34ef56ab12cd34ef56a", "prefix"),
        ("123E45", "123e456cd34ef56ab12cd34ef56ab12cd34ef56a", None),
        ("123e457", "123e456cd34ef56ab12cd34ef56ab12cd34ef56a", None),
        (f"sha256:{SHA256[:8]}", SHA256, "prefix"),
        (f"sha256:{SHA256[:8]}", f"sha256:{SHA256}", "prefix"),
        (f"sha256:{SHA256[:8]}", SHA1, None),
        (f"sha256:{SHA256[:6]}", SHA256, None),
        # Versions
        ("v1.2", "release v1.2", "exact"),
        ("v1.2", "release 1.2", "spelling"),
        ("V1.2", "release v1.2.3", "part"),
        ("v1.2.3", "release 1.2.3.4-rc1", "part"),
        ("v1.2.3.4.5", "release 1.2.3.4.5.6", "part"),
        ("v1.2.3", "release v1.2.3", "exact"),
        ("v1.2.3", "release 1.2.3", "spelling"),
        ("v1.2.4", "release 1.2.3.4", None),
        ("v3.10", "release v3.10.4", "part"),
        ("v3.1", "release v3.10", None),
        ("v3.10", "python-3.10-slim", "part"),
        ("v3.10", "python-3.11-slim", None),
        ("July 4, 2025", "released 2025.07.04", "ambiguous"),
        ("July 4, 2025", "released 2.025.07.04", None),
        ("2025.07.04", "released on July 4", None),
        ("2025.07.04", "released on July 4, 2025", "ambiguous"),
        ("2025.07.04", "released 2025.07.04", "exact"),
        ("2025.07.05", "released on July 4, 2025", None),
        # Hexadecimal numbers
        ("0x1F2A", "flags 0x1f2a", "exact"),
        ("0x1F2A", "flags 1f2a", "spelling"),
        ("0x1234", "1234", None),
        ("1234", "flags 0x1234", None),
        # Durations that may be names
        ("PT2H", "after 2 hours", "spelling"),
        ("PT5M", "after 5 minutes", "spelling"),
        ("5 seconds", "after PT5S", "spelling"),
        ("2 hours", "after PT2H", "spelling"),
        ("PT2H", "sensor pt2h", "exact"),
        ("pt2h", "sensor PT2H", "exact"),
        # Ranges, ratios and lists
        ("150-400", "150-400", "exact"),
        ("150-400", "from $150 up to $400", "part"),
        ("13.50-17.50", "from 13.5 up to 17.5", "part"),
        ("3.10-3.12", "from v3.10 up to v3.12", "part"),
        ("150", "150-400", "ambiguous"),
        ("13.5", "13.5-17.5", "ambiguous"),
        ("400", "400-400", None),
        ("150", "150-250-400", None),
        ("555", "555-1234", None),
        ("1.5", "1.50:2.50", None),
        # Places in files
        ("lib/app2.py", "in src1/lib/app2.py:42:7", "part"),
        ("lib/app3.py", "in src1/lib/app2.py:42:7", None),
        ("007-012", "7 and 12", None),
        ("007-012", "agents 007 and 012", "part"),
        ("2012-13", "2012-2013", "spelling"),
        ("_HAT136_/_HAT039_", "HAT136 and HAT039", "part"),
        ("XBR136/HAT03X", "XBR136 and HAT03X", "part"),
        ("HAT136/HAT039", "HAT136 and HAT038", None),
        # A dash that lists, and an `@` ahead of a clock
        ("HAT136-HAT039", "HAT136 and HAT039", "part"),
        ("HAT136\u2013HAT039", "HAT136 and HAT039", "part"),
        ("HAT136\u2014HAT039", "HAT136 and HAT039", "part"),
        ("HAT136-HAT039", "HAT136 and HAT038", None),
        ("HAT136-HAT039", "HAT136-HAT039", "exact"),
        ("ORD-4471\u2013ORD-4480", "ORD-4471, ORD-4480", "part"),
        ("ORD-4471\u2013ORD-4481", "ORD-4471, ORD-4480", None),
        ("HAT136-ORD-4480-HAT039", "HAT136, HAT039, ORD-4480", "part"),
        ("e29b-a716", "550e8400-e29b-41d4-a716-446655440000", None),
        ("HAT136@09:30", "HAT136 leaves at 09:30", "part"),
        ("HAT136@9:30AM", "HAT136 leaves at 09:30", "part"),
        ("HAT136@09:30", "HAT136 leaves at 09:35", None),
        ("HAT136@09:30", "HAT135 leaves at 09:30", None),
        # Letters apart from their digits
        ("HAT 136", "HAT136", "spelling"),
        ("HAT 136", "HAT-136", "spelling"),
        ("hat 039", "HAT039", "spelling"),
        ("HAT 137", "HAT136", None),
        ("flight 136", "HAT136", None),
        ("136", "HAT136", None),
        ("X-HAT 136", "HAT136", None),
        # What stands behind a package
        ("0.7.29", "> @mario/pi-agent@0.7.29 check", "part"),
        ("v0.7.29", "> @mario/pi-agent@0.7.29 check", "part"),
        ("0.7.28", "> @mario/pi-agent@0.7.29 check", None),
        ("pi-agent@0.7.29", "> @mario/pi-agent@0.7.29 check", "part"),
        ("4.1.2", "uses: actions/checkout@v4.1.2", "part"),
        ("v4.1.2", "uses: actions/checkout@v4.1.2", "part"),
        ("4.1.2", "lib/app.x@4.1.2", "part"),
    ],
)
def test_how_a_tool_said_it(answer: str, said: str, expected: str | None) -> None:
    assert how(answer, said) == expected


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("001a2b3c4d5e", "at 0:1a:2b:3c:4d:5e"),
        ("00:1a:2b:3c:4d:5e", "at 001a2b3c4d5e"),
        ("12345678123412341234123456789012", "12345678-1234-1234-1234-123456789012"),
        (UUID, UUID.replace("-", "")),
        (SHA256, f"sha256:{SHA256}"),
        ("1F2A", "flags 0x1f2a"),
        ("2025-07-04", "2025.07.04"),
    ],
)
def test_the_usual_spelling_where_the_tool_used_another(answer: str, said: str) -> None:
    assert how(answer, said) is not None


def test_the_name_of_a_port_without_its_colons_is_a_rare_spelling() -> None:
    colons, bare = "50:06:01:60:bb:20:0c:11", "50060160bb200c11"
    for answer, said in ((colons, bare), (bare, colons)):
        assert how(answer, said) is None
        assert how(answer, said, rare=True) == "spelling"


@pytest.mark.parametrize(
    ("text", "digits"),
    [("10-20", 2), ("100-20", 3), ("3:1500", 4), ("16:9", 2), ("000", 0), ("0123", 4)],
)
def test_a_range_counts_for_as_much_as_its_longer_end(text: str, digits: int) -> None:
    (value,) = scan(text)
    assert [floor for floor in range(1, 9) if value.is_examined(floor)] == list(range(1, digits + 1))


@pytest.mark.parametrize("text", ["A12", "x86", "B-1"])
def test_an_identifier_of_three_characters_is_not_examined(text: str) -> None:
    assert not any(value.is_examined(1) for value in scan(text))
    assert all(value.is_examined(9) for value in scan(f"{text}X"))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("HAT136/HAT039", [("identifier", "hat136"), ("identifier", "hat039")]),
        ("10-20", [("number", "10"), ("number", "20")]),
        ("10-007", [("number", "10"), ("identifier", "007")]),
        ("1.5-2.5", [("number", "1.5"), ("number", "2.5")]),
        ("AB12/CD34", [("identifier", "ab12"), ("identifier", "cd34")]),
        ("AB12-CD34", []),  # digits of one hash, too
        ("XY12-CD34", [("identifier", "xy12"), ("identifier", "cd34")]),
        ("XY1-CD34", []),
        ("ORD-4471-4480", []),
        ("XY12@10:30", [("identifier", "xy12"), ("clock", "10:30")]),
        ("XY12@30:10", []),
        ("src1/abc", []),
        ("src1/ab2", []),  # too short to be told from a word
        ("ORD-4471", []),
    ],
)
def test_what_a_token_lists(text: str, pieces: list[tuple[str, str]]) -> None:
    (value,) = scan(f"It is {text}.")
    assert [(piece.kind, piece.form) for piece in value.pieces] == pieces
