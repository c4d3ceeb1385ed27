"""Addresses in their spellings: of the web, of mail, of telephones, of hardware, and of files."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.address_forms import (
    address_form,
    ip_form,
    mac_form,
    path_form,
    path_forms,
    phone_forms,
    uuid_form,
)
from foldproof.evidence.candidates import scan
from foldproof.messages import Message


def how_said(answer: str, said: str, *, rare: bool = False) -> str | None:
    """How a tool said the only value of an answer; None when none did."""
    index = EvidenceIndex([result(said)])
    options = EvidenceOptions(min_digits=1, rare_spellings=rare)
    (value,) = index.judge(f"It is {answer} of course.", options=options).values
    return value.how if value.verdict == "grounded" else None


@pytest.mark.parametrize(
    ("text", "ends_at"),
    [
        ("https://example.com/a.", "https://example.com/a"),
        ("https://example.com/a?!", "https://example.com/a"),
        ("https://example.com/a), and", "https://example.com/a"),
        ("(https://example.com/a)", "https://example.com/a"),
        ("https://example.com/a_(b)", "https://example.com/a_(b)"),
        ("https://example.com/a_(b)).", "https://example.com/a_(b)"),
        ("https://example.com/a_(b).)", "https://example.com/a_(b)"),
        ("https://example.com/a)b", "https://example.com/a)b"),
        ("https://example.com/(a)b))", "https://example.com/(a)b"),
        ("**https://example.com/a**", "https://example.com/a"),
    ],
)
def test_an_address_of_the_web_ends_where_the_sentence_goes_on(text: str, ends_at: str) -> None:
    (value,) = scan(f"See {text} there")
    assert (value.kind, value.text) == ("url", ends_at)


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("HTTPS://Example.com/Path", "https://EXAMPLE.com/Path", "exact"),
        ("https://example.com/Path", "https://example.com/path", None),
        ("https://example.com/Web/http://b.org/c", "https://example.com/web/http://b.org/c", None),
        ("https://example.com/", "https://example.com", "spelling"),
        ("https://example.com/a/", "https://example.com/a", None),
        ("https://Example.com/?to=http://b.org/C", "HTTPS://example.com/?to=http://b.org/C", "exact"),
        ("https://example.com/?to=http://b.org/C", "https://example.com/?to=http://b.org/c", None),
        ("http://example.com/a", "https://example.com/a", None),
        ("https://example.com/a,b", "https://example.com/a", "spelling"),  # a comma of the sentence
        ("https://example.com/a,b,c", "https://example.com/a", "spelling"),
        ("https://example.com/a,7", "https://example.com/a", None),
        ("ORD-4471", "https://example.com/orders/ORD-4471", "part"),
        ("src/app.py", "https://example.com/repo/blob/main/src/app.py", "part"),
        ("blob/main/src/app.py", "https://example.com/repo/blob/main/src/app.py", "part"),
        ("repo/blob/main/src/app.py", "https://example.com/repo/blob/main/src/app.py", "part"),
        ("/srv/main/src", "https://example.com/srv/main/src/app.py", "part"),
        ("/srv/main/app.py", "https://example.com/srv/main/src/app.py", None),
        ("/srv/main/src", "https://example.com/srv/main/src", None),  # no file
        ("src/app.py", "https://example.com/src/app.py", "part"),
        ("b.org/src/app.py", "https://example.com/at/http://b.org/src/app.py", "part"),
        ("lib/app.py", "https://example.com/repo/blob/main/src/app.py", None),
        ("example.com/repo/app.py", "https://example.com/repo/app.py", None),
        ("src/app.py", "https://example.com/src/app.py?raw", None),
    ],
)
def test_who_said_an_address_of_the_web(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "same"),
    [
        ("hxxp://evil.example/a1", "http://evil.example/a1", True),
        ("hxxps://evil.example/a1", "https://evil.example/a1", True),
        ("hXXp://evil.example/a1", "http://evil.example/a1", True),
        ("http://evil[.]example/a1", "http://evil.example/a1", True),
        ("hxxp://evil[.]example/a1", "http://evil.example/a1", True),
        ("hxxp://evil.example/hxxp", "http://evil.example/hxxp", True),
        ("hxxp://evil.example/hxxp", "http://evil.example/http", False),
        ("hxxp://evil.example/a1", "https://evil.example/a1", False),
        ("http://evil.example/a1", "seen: hxxp://evil[.]example/a1", True),
        ("http://example.com:80/a", "http://example.com/a", True),
        ("http://example.com:80", "http://example.com", True),
        ("http://example.com:80?a", "http://example.com?a", True),
        ("https://example.com:443/a", "https://example.com/a", True),
        ("https://example.com/a", "https://example.com:443/a", True),
        ("https://example.com:80/a", "https://example.com/a", False),
        ("http://example.com:443/a", "http://example.com/a", False),
        ("http://example.com:8080/a", "http://example.com/a", False),
    ],
)
def test_a_rare_spelling_of_an_address(answer: str, said: str, same: bool) -> None:  # noqa: FBT001
    assert how_said(answer, said, rare=True) == ("spelling" if same else None)
    assert how_said(answer, said) is None


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("A.Lee7@Example.com", "a.lee7@example.com", "exact"),
        ("a.lee7@example.com", "a.lee8@example.com", None),
        ("a.lee7@example.org", "a.lee7@example.com", None),
        ("a.lee7", "a.lee7@example.com", "part"),
        ("lee7", "a.lee7@example.com", "part"),
        ("lee8", "a.lee7@example.com", None),
        ("1803", "1803@example.com", "part"),
        ("803", "803@example.com", None),  # too short to be told apart
    ],
)
def test_who_said_an_address_of_mail(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


def test_what_stands_in_front_of_the_at_sign_is_a_part() -> None:
    (value,) = scan("anna@example.com")
    assert value.stated == ("anna@example.com", "…anna")


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("+1 425-803-8080", "+14258038080", "spelling"),
        ("+1 425-803-8080", "(425) 803-8080", "spelling"),
        ("(425) 803-8080", "+1 425-803-8080", "spelling"),
        ("(425) 803-8080", "+7 425 803-80-80", "spelling"),  # no country blocks nothing
        ("+1 425-803-8080", "+7 425 803-80-80", None),
        ("+7 425 803-80-80", "+74258038080", "spelling"),
        ("+7 425 803-80-80", "425-803-8080", "spelling"),
        ("1-425-803-8080", "+1 425 803 8080", "spelling"),
        ("1-425-803-8080", "425.803.8080", "spelling"),
        ("+1 425 803 8080", "1-425-803-8080", "spelling"),
        ("1-425-803-8080", "+7 425 803-80-80", None),
        ("1-425-803-8081", "425.803.8080", None),
        ("030 1234 5678", "030 1234 5678", "exact"),
        ("011 2345 6789", "1 345-678-9", None),
        ("+44 20 7946 0018", "+442079460018", "spelling"),
        ("+44 (0)20 7946 0018", "+442079460018", "spelling"),
        ("+44 20 7946 0018", "+45 20 7946 0018", None),
        ("+353 1 234 5678", "+35312345678", "spelling"),
        ("+353 1 234 5678", "tel 1234 and 12345678", "spelling"),
        ("+353 1 234 5678", "12345679", None),
        ("+1 425-803-8080", "14258038080", "spelling"),
        ("4258038080", "+1 425-803-8080", "part"),
        ("14258038080", "+1 425-803-8080", "part"),
        ("4258038080", "(425) 803-8080", "part"),
        ("8080", "425-803-8080", "part"),
        ("803", "425-803-8080", None),
        ("425 803 8080", "425, 803 and 8080", "part"),
        ("425 803 8080", "425, 803 and 8081", None),
        ("425-803-8080", "425, 803 and 8080", None),
        ("803", "425 803 8080", "exact"),
        ("030 1234 5678", "#030, 1234 and 5678", "part"),
        ("030 1234 5678", "30, 1234 and 5678", None),
        ("1234", "+44 20 1234 0018", "part"),
        ("20", "+44 20 1234 0018", None),
    ],
)
def test_who_said_a_number_of_a_telephone(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "same"),
    [
        ("020 7946 0018", "+44 20 7946 0018", True),
        ("020 7946 0018", "+44 20 7946 0019", False),
        ("+44 20 7946 0018", "020 7946 0018", True),
        ("+44 20 7946 0019", "020 7946 0018", False),
        ("425-803-8080", "+351 258 038 080", False),  # there is none
        ("425-803-8080", "+7 425 803-80-81", False),
    ],
)
def test_a_zero_in_front_of_a_telephones_number_is_dropped_behind_a_country(
    answer: str,
    said: str,
    same: bool,  # noqa: FBT001
) -> None:
    assert how_said(answer, said, rare=True) == ("spelling" if same else None)
    assert how_said(answer, said) is None


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("425 803 8080", [("number", "425"), ("number", "803"), ("number", "8080")]),
        ("030 1234 5678", [("identifier", "030"), ("number", "1234"), ("number", "5678")]),
        ("100 200 3000", [("number", "100"), ("number", "200"), ("number", "3000")]),
        ("425-803-8080", []),
        ("+44 20 7946 0018", []),
        ("1 425 803 8080", []),
        ("(425) 803-8080", [("number", "425"), ("number", "803"), ("number", "8080")]),
        ("(425)803-8080", []),
    ],
)
def test_a_telephones_number_with_spaces_may_be_several_numbers(text: str, pieces: list[tuple[str, str]]) -> None:
    whole = f"Call {text} now"
    (value,) = scan(whole)
    assert (value.kind, value.text, value.start, value.end) == ("phone", text, 5, 5 + len(text))
    assert [(piece.kind, piece.form) for piece in value.pieces] == pieces
    assert [whole[piece.start : piece.end] for piece in value.pieces] == [piece.text for piece in value.pieces]
    assert all(piece.is_examined(3) for piece in value.pieces)


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("00-1a-2b-3c-4d-5e", "001a.2b3c.4d5e", "spelling"),
        ("00-1a-2b-3c-4d-5e", "001A2B3C4D5E", "spelling"),
        ("001a.2b3c.4d5e", "001A2B3C4D5E", "spelling"),
        ("001a.2b3c.4d5e", "0:1a:2b:3c:4d:5e", "spelling"),
        ("001a.2b3c.4d5e", "00:1a:2b:3c:4d:5f", None),
        ("{550e8400-e29b-41d4-a716-446655440000}", "550E8400E29B41D4A716446655440000", "exact"),
        ("8400-e29b", "550e8400-e29b-41d4-a716-446655440000", None),
        ("550e8400", "550E8400E29B41D4A716446655440000", "part"),
        ("e29b", "550E8400E29B41D4A716446655440000", "part"),
        ("41d4", "550E8400E29B41D4A716446655440000", "part"),
        ("a716", "550E8400E29B41D4A716446655440000", "part"),
        ("446655440000", "550E8400E29B41D4A716446655440000", "part"),
        ("9b41", "550E8400E29B41D4A716446655440000", None),
        ("2001:DB8:0:0::1", "2001:db8::1", "spelling"),
    ],
)
def test_who_said_an_address_of_a_network(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("/srv/data", [("path", "/srv/data", True)]),
        ("/api/users", [("path", "/api/users", False)]),
        ("./src", []),
        ("/srv/", []),
        ("./src/lib", [("path", "src/lib", False)]),
        (".\\src\\lib", [("path", "src/lib", False)]),
        ("..\\src\\lib", [("path", "../src/lib", False)]),
        ("../src/lib", [("path", "../src/lib", False)]),
        ("/srv/BOX", [("path", "/srv/box", True)]),
        ("~/notes/today", [("path", "~/notes/today", True)]),
        ("C:\\Work\\notes", [("path", "c:/work/notes", True)]),
        ("src/app.py", [("path", "src/app.py", True)]),
        ("src/app", []),
        ("a.m./p.m", []),
        ("text/x.plain", []),
        ("multipart/form.data", []),
        ("src/app.py:42", [("path", "src/app.py:42", True)]),
        ("src/app.py:42:7", [("path", "src/app.py:42:7", True)]),
        ("src/lib.", []),
        ("/srv/data/.", [("path", "/srv/data", True)]),
    ],
)
def test_what_is_a_path(text: str, values: list[tuple[str, str, bool]]) -> None:
    found = scan(f"See {text} there")
    assert [(value.kind, value.form, value.is_examined(1)) for value in found] == values
    assert all(not value.text.endswith(("/", ".", "\\")) for value in found)


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("src\\app.py", ".\\src\\app.py", "spelling"),
        ("src/app.py", "SRC/App.py", "exact"),
        ("src/app.py", "/srv/src/app.py", "part"),
        ("/srv/app.py", "/data/srv/app.py", "part"),
        ("/srv/src/lib", "/srv/src/lib/a.py", "part"),  # each two neighbours are neighbours there
        ("/srv/src/lib", "/srv/lib/src/a.py", None),
        ("/srv/src/lib", "/srv/src/a.py and /opt/src/lib/b.py", "part"),
        ("/usr/a/b", "/usr/a/b/c.py", "part"),
        ("src/app.py", "src/xapp.py", None),
        ("src/app.py:42", "src/app.py:42", "exact"),
        ("src/app.py:42", "line 42 of /srv/src/app.py", "part"),
        ("src/app.py:42", "line 43 of /srv/src/app.py", None),
        ("src/app.py:42", "line 42 of /srv/src/app.ts", None),
        ("src/app.py", "src/app.py:42", "exact"),
        # A line and its file go together where a tool said them so
        ("app.py:42", "lib/src/app.py:42:7: x", "part"),
        ("src/app.py:42", "lib/src/app.py:42:7: x", "part"),
        ("app.py:42", "src/app.py:43 and src/lib.py:42", None),
        ("app.py:42", "line 42 of /srv/src/app.py", "part"),
        ("app.py:42", "src/app.py(42,2): error", "part"),
        ("app.py:42", "src/lib.py(42,2): error", None),
        ("app.py:42", 'File "app.py", line 42', "part"),
        ("app.py:42", 'File "lib.py", line 42', None),
        ("app.py:42", 'File "app.py", line 43', None),
        ("app2.py:42", 'File "src1/app2.py", line 42', "part"),
        ("src1/app2.py:42", 'File "/srv/src1/app2.py", line 42', "part"),
        ("src1/app2.py:42", 'File "/srv/src1/app3.py", line 42', None),
        ("app.py:18-62", "app.py, lines 18 to 62", "part"),
        ("app.py:18-62", "app.py, lines 18 to 63", None),
        ("db.example.com:5432", "host db.example.com, port 5432", "part"),
        ("db.example.com:5432", "host db.example.org, port 5432", None),
        ('"Q3 report.pdf"', "/home/u/Q3 report.pdf", "part"),
        ('"Q3 report.pdf"', "u/Q3 report.pdf", "part"),
        ('"u/Q3 report.pdf"', "u/Q3 report.pdf", "exact"),
        ('"Q3 report.pdf"', "Q3 report.pdf", "exact"),
        ('"Q4 report.pdf"', "/home/u/Q3 report.pdf", None),
    ],
)
def test_who_said_a_path(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("line 142", "src/app.py:142: x", "part"),
        ("Line **142**", "src/app.py:142:7: x", "part"),
        ("lines `142-155`", "app.py:142 and app2.py:155", "part"),
        ("line 142", "app.py:118-142", "part"),
        ("L142", "app.py:142", None),
        ("line 143", "src/app.py:142: x", None),
        ("lines 142-156", "app.py:142 and app2.py:155", None),
        ("page 142", "src/app.py:142: x", None),
        ("line 142", "ORD-7:142", None),
    ],
)
def test_a_line_is_known_from_a_place_in_a_file(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


def test_the_bare_name_of_a_file_may_be_the_persons() -> None:
    asked = Message(role="user", content="Look at main.py, and at nothing else.")
    index = EvidenceIndex([asked, result("line 42: bad")])
    assert [(value.verdict, value.how) for value in index.judge("It is main.py:42.").values] == [("grounded", "part")]
    assert [value.verdict for value in index.judge("It is main.py:43.").values] == ["invented"]
    asked = Message(role="user", content="Look at main.py, line 42.")
    assert [value.verdict for value in EvidenceIndex([asked]).judge("It is main.py:42.").values] == ["exempt"]


def test_a_path_is_carried_by_what_holds_all_of_it_and_else_by_what_holds_its_neighbours() -> None:
    messages = [result(text) for text in ("/srv/src/b.py", "/data/srv/src/app.py", "/data/src/app.py")]
    for said, carriers in ((messages, [1]), ([messages[0], messages[2]], [0, 1])):
        (value,) = EvidenceIndex(said).judge("It is in /srv/src/app.py, yes.").values
        assert [carrier.message for carrier in value.carriers] == carriers
    (path,) = scan("/srv/src/app.py")
    assert [(piece.kind, piece.form) for piece in path.pieces] == [("path", "srv/src"), ("path", "src/app.py")]


def test_of_a_long_path_the_last_sixteen_segments_are_told() -> None:
    names = [f"dir{letter}" for letter in "abcdefghijklmnopqrs"] + ["app.py"]
    path = "/" + "/".join(names)
    assert how_said("/".join(names[4:]), path) == "part"
    assert how_said("/".join(names), path) == "part"  # each two neighbours of the last sixteen
    assert how_said("/".join(names[:4]) + "/app.py", path) is None


@pytest.mark.parametrize(
    "text",
    [
        "src/app.py:42",
        "/srv/src/lib/a.py",
        "https://example.com/a7.",
        "a.lee7@example.com",
        '"Q3 report.pdf"',
        "C:\\a\\b7",
    ],
)
def test_an_address_and_its_pieces_stand_where_they_say(text: str) -> None:
    whole = f"See {text} there"
    (value,) = scan(whole)
    assert [whole[one.start : one.end] for one in (value, *value.pieces)] == [
        one.text for one in (value, *value.pieces)
    ]


def test_forms_of_addresses() -> None:
    for mac in ("001a.2b3c.4d5e", "00-1A-2B-3C-4D-5E", "0:1a:2b:3c:4d:5e"):
        assert mac_form(mac) == "00:1a:2b:3c:4d:5e"
    assert address_form("HTTPS://Example.com/Path") == "https://example.com/Path"
    assert address_form("https://Example.com/") == "https://example.com"
    assert uuid_form("0123456789abcdef0123456789abcdef") == "01234567-89ab-cdef-0123-456789abcdef"
    assert ip_form("2001:DB8:0:0:0:0:0:1") == "2001:db8::1"
    assert ip_form("1::2::3") is None
    for path in ("src/a.py", ".\\SRC\\a.py", ".//./src/a.py", "src/a.py/.", "src/a.py//"):
        assert path_form(path) == "src/a.py"
    assert path_form("/src/a.py") == "/src/a.py"
    assert path_forms("/srv//src/a.py") == ("/srv//src/a.py", "…srv/src/a.py", "…src/a.py", "…a.py", "…srv/src")


@pytest.mark.parametrize(
    ("text", "digits", "country", "national"),
    [
        ("+1 (425) 803-8080", "14258038080", "1", "4258038080"),
        ("+7 425 803 8080", "74258038080", "7", "4258038080"),
        ("+44 (0)20 7946 0018", "4402079460018", "44", "2079460018"),
        ("+353 1 234 5678", "35312345678", "353", "12345678"),
        ("+39 06 1234 5678", "390612345678", "39", "612345678"),
        ("1-425-803-8080", "14258038080", "1", "4258038080"),
        ("1 425 803 808", "1425803808", None, "1425803808"),
        ("1 425 803 80801", "142580380801", None, "142580380801"),
        ("21425803808", "21425803808", None, "21425803808"),
        ("(425) 803-8080", "4258038080", None, "4258038080"),
        ("020 7946 0018", "02079460018", None, "02079460018"),
    ],
)
def test_the_country_of_a_telephones_number(text: str, digits: str, country: str | None, national: str) -> None:
    assert phone_forms(text) == (digits, country, national)
