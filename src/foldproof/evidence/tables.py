"""Tables in text that is not JSON: which lines form one, and where each of their cells stands.

Found line by line, also inside prose, each format conservatively: what is none of them is no table.

* Markdown: a line with bars over a rule (`|---|---|`); `psql`, `mysql` and box-drawn tables are the same.
* Delimited by tab, bar, semicolon or comma: a line of distinct titles over lines with as many cells. Two columns need
  two rows. A quoted cell may hold separators and line ends; its text is what stands between the quotes, as written.
* `ls -l`: its columns have no titles, and get `mode`, `links`, `owner`, `group`, `size`, `modified` and `name`.
* Log lines with a time in front: the column `""` is the whole line, and each `key=value` in it is a column.
* logfmt: lines that open with `key=value` and hold two or more of them.
* Aligned by spaces: titles in capitals, or two or more spaces apart, over cells that stand under them. `df` has some
  one space apart, and `Mounted on` last: four or more that start with a capital, over rows of just as many words.
* Fields (`key: value` or `key = value`, one a line): a record each block, and a new one where its first key comes
  again, also after a blank line. What is indented below a key is dotted (`spec.replicas`).

Every line is looked at a fixed number of times, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

from foldproof.evidence.titles import FEWEST_TITLES, LONGEST_TITLE, Span, capitalised, distinct, titles_of

CellSpan = tuple[str, int, int]
"""A cell's column, and where its text starts and ends in the result (code points)."""


class TextRow(NamedTuple):
    """One record: the line it starts on (0 is the first that was handed over) and its cells."""

    line: int
    cells: list[CellSpan]


class TextTable(NamedTuple):
    """One table: the line it starts on, its records, and whether it is known to end where its records do."""

    line: int
    rows: list[TextRow]
    whole: bool


_Found = tuple[TextTable | None, int]
"""A table, or none, and the line after what was read."""
_RowReader = Callable[[int], tuple[list[CellSpan], int] | None]
"""Reads the row that starts on a line: its cells and the line after it, or None where the table ends."""

_BARS = "|│┃"
_BAR = re.compile(rf"\\.|(?P<bar>[{_BARS}])")
_RULE = re.compile(rf"[-:+=\s─━═┄{_BARS}╞╪╡├┼┤┡╇┩┝┿┥╟╫╢╠╬╣┌┬┐└┴┘]+")
_JOINTS = re.compile(rf"[+{_BARS}┼╇╪┿╫╬┬┴]")
_STROKE = re.compile(r"[-=─━═┄]")
_PADDING = " \t\r\ufeff"
_EMPHASIS = " \t\r*`"

_SEPARATORS = "\t|;,"
_FIELDS = {
    mark: re.compile(
        rf'[ \ufeff]*+"(?P<quoted>(?:[^"]++|"")*+)"[ ]*+(?={re.escape(mark)}|\r?\n|\Z)'
        rf"|(?P<bare>[^{re.escape(mark)}\n]*+)"
    )
    for mark in _SEPARATORS
}

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_LISTED = re.compile(
    r"(?P<mode>[-bcdlps][-rwxsStT]{9}[.+@]?)\s+(?P<links>\d+)\s+(?P<owner>\S+)\s+(?P<group>\S+)\s+(?P<size>\d[\d.,]*\w?)\s+"
    rf"(?P<modified>{_MONTH}\s+\d{{1,2}}\s+(?:\d\d:\d\d|\d{{4}})|\d{{4}}-\d\d-\d\d\s+\d\d:\d\d(?::\d\d\S*)?(?:\s[-+]\d{{4}})?)"
    r"\s(?P<name>.*\S)"
)
_TIMED = re.compile(
    r"\s*+\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d(?!\w)"
    rf"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?{_MONTH} [ \d]\d \d\d:\d\d:\d\d)"
)
_PAIR = re.compile(
    r"(?<![^\s,;(\[{])(?P<key>[A-Za-z_][\w.-]*+)="
    r'(?:"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?P<bare>(?:[^\s,;"()\[\]{}]|,(?=\d))++))'
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\S+")
_WIDE = re.compile(r"\S++(?: \S++)*+")
_CAPITALS = re.compile(r"[%#]?[A-Z][A-Z_%/().#-]*")
_FIELD = re.compile(
    r"(?P<indent>[ \t]*+(?:[-*•][ ]++)?)\*{0,2}(?P<key>[^\W\d][\w()/#%&.-]*+(?: [\w()/#%&.-]++){0,3}+)\*{0,2}"
    r"(?:[ \t]*+:\*{0,2}(?=[ \t]|\Z)|[ \t]*+=(?![=>~]))[ \t]*+"
)
_OPEN_END = re.compile(r"[,;{\[(]\s*+\Z")
_BULLET = re.compile(r"\s*[-*•]")
_FEWEST_FIELDS = 2


class TextTables:
    """Reads the tables of `text` from `begin` on, up to `most` cells; `complete` says whether that was all."""

    def __init__(self, text: str, begin: int, *, most: int) -> None:
        self.complete = True
        self._text = text
        self._left = most
        self._lines = text[begin:].split("\n")
        self._starts: list[int] = []
        for line in self._lines:
            self._starts.append(begin)
            begin += len(line) + 1

    def read(self) -> Iterator[TextTable]:
        """Yield every table, in order."""
        formats = (
            self._markdown,
            self._delimited,
            self._listing,
            self._log,
            self._logfmt,
            self._aligned,
            self._fields,
        )
        line = 0
        while line < len(self._lines) and self.complete:
            if not self._lines[line] or self._lines[line].isspace():
                line += 1
                continue
            found = next(filter(None, (reader(line) for reader in formats)), None)
            table, line = found or (None, line + 1)
            if table is not None:
                yield table

    def _line(self, at: int) -> str:
        return self._lines[at] if at < len(self._lines) else ""

    def _spend(self, cells: int) -> bool:
        """Return whether so many cells may still be read."""
        self._left -= cells
        self.complete = self._left >= 0
        return self.complete

    def _rows(self, head: int, at: int, read: _RowReader, *, goes_on: Callable[[str], bool] | None = None) -> _Found:
        """Read rows from line `at` on; `goes_on` tells of the line after them whether the table may not end there."""
        rows: list[TextRow] = []
        while at < len(self._lines) and (row := read(at)) is not None:
            cells, after = row
            if cells and not self._spend(len(cells)):
                return TextTable(head, rows, whole=False), at
            if cells:
                rows.append(TextRow(at, cells))
            at = after
        whole = goes_on is None or not goes_on(self._line(at))
        return (TextTable(head, rows, whole) if rows else None), at

    def _cell(self, column: str, at: int, span: Span, strip: str = _PADDING) -> list[CellSpan]:
        """Return the cell of a span of line `at`, without what `strip` names at its ends; none if nothing is left."""
        start, end = _stripped(self._lines[at], span, strip)
        return [(column, self._starts[at] + start, self._starts[at] + end)] if start < end else []

    def _markdown(self, at: int) -> _Found | None:
        head, rule = self._lines[at], self._line(at + 1)
        if not (_JOINTS.search(rule) and _STROKE.search(rule) and _RULE.fullmatch(rule)) or _RULE.fullmatch(head):
            return None
        spans = [_stripped(head, span, _EMPHASIS) for span in _between_bars(head)]
        if not spans:
            return None
        titles = distinct([head[start:end] for start, end in spans])

        def row(at: int) -> tuple[list[CellSpan], int] | None:
            line = self._lines[at]
            if not line or line.isspace():
                return None
            if _RULE.fullmatch(line):
                return [], at + 1
            spans = _between_bars(line)
            found = (self._cell(title, at, span, _EMPHASIS) for title, span in zip(titles, spans, strict=False))
            return ([cell for cells in found for cell in cells], at + 1) if spans else None

        return self._rows(at, at + 2, row)

    def _delimited(self, at: int) -> _Found | None:
        head = self._lines[at]
        for mark in "" if head[0].isspace() else _SEPARATORS:
            if mark in head and at + 1 < len(self._lines):
                titles = titles_of([self._text[start:end] for start, end in self._fields_of(at, mark)[0]])
                found = self._under(titles, at, mark)
                if found:
                    return found
        return None

    def _under(self, titles: list[str], at: int, mark: str) -> _Found | None:
        """Return the delimited table under the titles on line `at`, if it is one."""

        def row(at: int) -> tuple[list[CellSpan], int] | None:
            spans, after = self._fields_of(at, mark, most=len(titles))
            if len(spans) != len(titles):
                return None
            cells = [(title, *span) for title, span in zip(titles, spans, strict=True) if span[0] < span[1]]
            return cells, after

        # Prose has commas too: as many in two lines, with a space after each.
        first = row(at + 1)
        if first is None or (mark in ",;" and mark + " " in self._lines[at] and not _DIGIT.search(self._lines[at + 1])):
            return None
        if len(titles) == FEWEST_TITLES and (first[1] >= len(self._lines) or row(first[1]) is None):
            return None
        return self._rows(at, at + 1, row, goes_on=lambda line: mark in line)

    def _fields_of(self, at: int, mark: str, *, most: int | None = None) -> tuple[list[Span], int]:
        """Return where the cells of the row on line `at` stand in the text, and the line after it.

        A row with more than `most` cells is read no further than shows it.
        """
        text, position, spans = self._text, self._starts[at], list[Span]()
        last = self._starts[at] + len(self._lines[at])
        while True:
            match = _FIELDS[mark].match(text, position)
            assert match is not None  # noqa: S101 - a bare cell may be empty
            spans.append(_stripped(text, match.span(match.lastgroup or 0), _PADDING))
            position = match.end()
            while position > last:  # a quoted cell went over the end of a line
                at += 1
                last = self._starts[at] + len(self._lines[at])
            if not text.startswith(mark, position) or (most is not None and len(spans) > most):
                return spans, at + 1
            position += 1

    def _listing(self, at: int) -> _Found | None:
        def row(at: int) -> tuple[list[CellSpan], int] | None:
            match = _LISTED.match(self._lines[at])
            if match is None:
                return None
            return [cell for name in match.groupdict() for cell in self._cell(name, at, match.span(name))], at + 1

        return self._rows(at, at, row) if _LISTED.match(self._lines[at]) else None

    def _log(self, at: int) -> _Found | None:
        def row(at: int) -> tuple[list[CellSpan], int] | None:
            line = self._lines[at]
            if not _TIMED.match(line):
                return None
            return [*self._cell("", at, (0, len(line))), *self._pairs(at)], at + 1

        return self._rows(at, at, row) if _TIMED.match(self._lines[at]) else None

    def _logfmt(self, at: int) -> _Found | None:
        def row(at: int) -> tuple[list[CellSpan], int] | None:
            pairs = self._pairs(at) if _PAIR.match(self._lines[at]) else []
            return (pairs, at + 1) if len(pairs) >= _FEWEST_FIELDS else None

        return self._rows(at, at, row) if row(at) else None

    def _pairs(self, at: int) -> list[CellSpan]:
        matches = _PAIR.finditer(self._lines[at]) if "=" in self._lines[at] else ()
        found = (self._cell(match["key"], at, match.span(match.lastgroup or 0)) for match in matches)
        return [cell for cells in found for cell in cells]

    def _aligned(self, at: int) -> _Found | None:
        head, first = self._lines[at], self._line(at + 1)
        if "  " not in head.strip() or "\t" in head or not _DIGIT.search(first):
            return None
        spans = [match.span() for match in _WIDE.finditer(head)]
        titles = titles_of([head[start:end] for start, end in spans])
        starts = {start: index for index, (start, _) in enumerate(spans)}
        ends = {end: index for index, (_, end) in enumerate(spans)}
        row = partial(self._in_columns, starts=starts, ends=ends, titles=titles)
        if not titles or not row(at + 1):
            heads = [match.span() for match in _WORD.finditer(head)]
            capitals = all(_CAPITALS.fullmatch(head[start:end]) for start, end in heads)
            if not capitals:
                heads = capitalised(head, heads, first)
            titles = distinct([head[start:end] for start, end in heads])
            row = partial(self._in_words, heads=heads, titles=titles, just=not capitals)
            if not heads:
                return None
        return self._rows(at, at + 1, row, goes_on=_is_text) if row(at + 1) else None

    def _in_columns(
        self, at: int, starts: dict[int, int], ends: dict[int, int], titles: list[str]
    ) -> tuple[list[CellSpan], int] | None:
        """Read a row whose cells, two spaces apart, start or end where their titles do; one before them has none."""
        before = next(iter(starts))
        cells: list[CellSpan] = []
        last = -1
        for match in _WIDE.finditer(self._lines[at]):
            index = starts.get(match.start(), ends.get(match.end()))
            if index is None and not cells and match.end() <= before:
                cells += self._cell("", at, match.span())
            elif index is None or index <= last:
                return None
            else:
                last = index
                cells += self._cell(titles[index], at, match.span())
        return (cells, at + 1) if len(cells) >= FEWEST_TITLES else None  # one is a sentence below the table

    def _in_words(
        self, at: int, heads: list[Span], titles: list[str], *, just: bool
    ) -> tuple[list[CellSpan], int] | None:
        """Read a row of words, each under or over a part of its title; the last cell is the rest of the line.

        `just` asks for a row with no word more than there are titles.
        """
        line = self._lines[at]
        spans = [match.span() for match in islice(_WORD.finditer(line), len(titles) + 1)]
        if len(spans) < len(titles) or (just and len(spans) > len(titles)):
            return None
        del spans[len(titles) :]
        spans[-1] = (spans[-1][0], len(line))
        if any(end <= head[0] or start >= head[1] for (start, end), head in zip(spans, heads, strict=True)):
            return None
        return [cell for title, span in zip(titles, spans, strict=True) for cell in self._cell(title, at, span)], at + 1

    def _fields(self, at: int) -> _Found | None:
        head, rows, above, count = at, list[TextRow](), list[tuple[int, str]](), 0
        first, said = "", set[str]()
        while at < len(self._lines):
            line = self._lines[at]
            after_blank = bool(rows) and not line.strip()
            match = _field(self._line(at + after_blank))
            if match is None:
                break
            column = _column(match, above)
            if after_blank and column != first:
                break
            at += after_blank
            line = self._lines[at]
            cells = self._cell(column, at, (match.end(), len(line)), _EMPHASIS + "\"'")
            if not self._spend(len(cells) + len(column) // 256):
                return TextTable(head, rows, whole=False), at
            if cells and (not rows or column == first or (column in said and _BULLET.match(line))):
                first = first or column
                said = set()
                rows.append(TextRow(at, []))
            if cells:
                rows[-1].cells.extend(cells)
                said.add(column)
                count += 1
            at += 1
        table = TextTable(head, rows, whole=not _is_text(self._line(at))) if count >= _FEWEST_FIELDS else None
        return (table, at) if at > head else None


def _is_text(line: str) -> bool:
    return bool(line.strip())


def _stripped(text: str, span: Span, strip: str) -> Span:
    start, end = span
    while start < end and text[start] in strip:
        start += 1
    while end > start and text[end - 1] in strip:
        end -= 1
    return start, end


def _between_bars(line: str) -> list[Span]:
    """Return the spans between the bars of a line; none if it has no bar. A bar after a backslash is text."""
    bars = [match.start() for match in _BAR.finditer(line) if match["bar"]]
    if not bars:
        return []
    spans = [(before + 1, after) for before, after in pairwise([-1, *bars, len(line)])]
    if not line[: spans[0][1]].strip():
        del spans[0]
    if spans and not line[spans[-1][0] :].strip():
        del spans[-1]
    return spans


def _field(line: str) -> re.Match[str] | None:
    """Return the match of a line that says one field: a title, a sign, and a value. A line of code says none."""
    match = _FIELD.match(line)
    if match is None or len(match["key"]) > LONGEST_TITLE or "()" in match["key"] or _OPEN_END.search(line):
        return None
    # Assignments stand indented in code, and pairs are read as such.
    return None if "=" in match.group() and (match["indent"] or _PAIR.search(line, match.end())) else match


def _column(match: re.Match[str], above: list[tuple[int, str]]) -> str:
    """Return a field's key below the keys it is indented under, and keep those that may have fields below them."""
    indent = len(match["indent"])
    while above and above[-1][0] >= indent:
        above.pop()
    column = f"{above[-1][1]}.{match['key']}" if above else match["key"]
    if match.end() == len(match.string.rstrip()):
        above.append((indent, column))
    return column
