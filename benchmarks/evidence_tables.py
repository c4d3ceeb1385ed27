"""Arithmetic over real tables: is a right answer derivable, and how many wrong ones pass as derived?

For each arithmetic question about an annual report (TAT-QA) the evidence is one tool result: the table, in one of three
layouts, and the paragraphs around it. The answer states its operands as the table spells them and then the result: on
the same line, on the next line, or not at all. Then digits of the result are changed, one at a time. A changed result
that stands in the report itself (`collides`) is counted apart.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, DivisionByZero, InvalidOperation
from typing import Any

from benchmarks.evidence_data import annual_reports
from benchmarks.evidence_print import percent, table

import foldproof as fp

MOST_PASSED = 0.03
LAYOUTS = ("JSON", "CSV", "Markdown")
SCOPES = ("same line", "next line", "not stated")
SHAPES = ("a-b", "(a-b)/b", "a/b", "mean", "sum", "other")
_WORDS = {
    "a-b": "change",
    "(a-b)/b": "percentage change",
    "a/b": "ratio",
    "mean": "average",
    "sum": "total",
    "other": "result",
}
_PASSED = ("derived", "grounded", "exempt")

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_CELL = re.compile(
    r"[$€£]?\s*(?P<minus>[(\-\u2212\u2013]?)\s*[$€£]?\s*(?P<number>\d[\d,]*(?:\.\d+)?|\.\d+)\s*%?\s*\)?\s*%?"
)
_HAS_FIGURE = re.compile(r"\d")
_SUMS = str.maketrans(
    {"[": "(", "]": ")", "\u2212": "-", "\u2013": "-", "\u00d7": "*", "$": "", "%": "", ",": "", "€": "", "£": ""}
)


@dataclass(frozen=True)
class Operand:
    """A number that a result is computed of, as the report spells it, and the name of its row."""

    spelling: str
    row: str


@dataclass(frozen=True)
class Question:
    """An arithmetic question: which operands, which result, in the spelling of a person."""

    report: int
    shape: str
    operands: tuple[Operand, ...]
    result: str

    @property
    def digits(self) -> str:
        """How many significant digits the result has: `1`, `2`, `3` or `4+`."""
        count = len(re.sub(r"\D", "", self.result).lstrip("0"))
        return "4+" if count > 3 else str(max(count, 1))


@dataclass
class Share:
    """What became of right results and of changed ones."""

    asked: int = 0
    unexamined: int = 0
    passed: int = 0
    ambiguous: int = 0
    changed: int = 0
    changed_unexamined: int = 0
    changed_passed: int = 0
    changed_ambiguous: int = 0
    collides: int = 0
    operations: Counter[str] = field(default_factory=Counter)

    @property
    def wrongly_passed(self) -> float:
        """Which share of the examined changed results that stand nowhere in the report passes all the same."""
        examined = self.changed - self.changed_unexamined - self.collides
        return self.changed_passed / examined if examined else 0.0

    @property
    def rightly_passed(self) -> float:
        """Which share of the right results that are examined passes."""
        examined = self.asked - self.unexamined
        return self.passed / examined if examined else 0.0


Key = tuple[str, str, str, str]  # layout, scope, shape, digits


@dataclass
class Figures:
    """What was found, by layout, scope, shape and digits, and why questions were left out."""

    shares: dict[Key, Share] = field(default_factory=lambda: defaultdict(Share))
    left_out: Counter[str] = field(default_factory=Counter)

    def total(self, layout: str = "", scope: str = "", shape: str = "", digits: str = "") -> Share:
        """Add up what fits; an empty word fits everything."""
        total = Share()
        for key, share in self.shares.items():
            if all(asked in ("", word) for asked, word in zip((layout, scope, shape, digits), key, strict=True)):
                for name in vars(total):
                    setattr(total, name, getattr(total, name) + getattr(share, name))
        return total


# The reports


class Report:
    """A table and its paragraphs, as evidence and as numbers."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.rows: list[list[str]] = document["table"]["table"]
        self.paragraphs: list[str] = [paragraph["text"] for paragraph in document["paragraphs"]]
        self.cells: dict[Decimal, list[tuple[bool, Operand]]] = defaultdict(list)
        for row in self.rows:
            for cell in row:
                self._add(cell, row[0])
        texts = [*self.paragraphs, *(cell for row in self.rows for cell in row)]
        self.numbers = {_plain(match.group()) for text in texts for match in _NUMBER.finditer(text)}

    def _add(self, cell: str, name: str) -> None:
        match = _CELL.fullmatch(cell.strip())
        if match:
            spelling = re.sub(r"(?<=[$€£(])\s+|\s+(?=[%)])", "", cell.strip())
            self.cells[_plain(match["number"])].append((bool(match["minus"]), Operand(spelling, name)))

    def operand(self, number: Decimal) -> Operand | None:
        """Return how the report spells a number, its own sign first; None when it has no such number."""
        found = self.cells.get(abs(number))
        if found:
            return next((operand for minus, operand in found if minus == (number < 0)), found[0][1])
        return Operand(f"{number:,}", "") if abs(number) in self.numbers else None

    def as_json(self) -> str:
        """The rows as objects, by the words of the header, and the paragraphs."""
        header, body = self._header()
        rows = [dict(zip(header, row, strict=True)) for row in body]
        return json.dumps({"table": rows if len(set(header)) == len(header) else self.rows, "text": self.paragraphs})

    def as_csv(self) -> str:
        """The rows as CSV, then the paragraphs."""
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(self.rows)
        return "\n".join([written.getvalue(), *self.paragraphs])

    def as_markdown(self) -> str:
        """The rows as a Markdown table, then the paragraphs."""
        header, body = self._header()
        lines = ["| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *body)]
        return "\n\n".join(["\n".join(lines), *self.paragraphs])

    def _header(self) -> tuple[list[str], list[list[str]]]:
        depth = next((depth for depth, row in enumerate(self.rows) if _is_body(row)), 0)
        if not depth:
            return ["item", *(f"column {column}" for column in range(1, len(self.rows[0])))], self.rows
        words = [" ".join(filter(None, column)) for column in zip(*self.rows[:depth], strict=True)]
        return [words[0] or "item", *(word or f"column {at}" for at, word in enumerate(words[1:], 1))], self.rows[
            depth:
        ]


def _is_body(row: list[str]) -> bool:
    """Whether a row states something: its name, and a figure that is no year."""
    figures = [cell for cell in row[1:] if _CELL.fullmatch(cell.strip())]
    return bool(row[0]) and any(not re.fullmatch(r"(?:19|20)\d\d", cell.strip()) for cell in figures)


def _plain(number: str) -> Decimal:
    return Decimal(number.replace(",", "")).normalize()


# The questions


def questions(reports: Iterable[int], left_out: Counter[str]) -> Iterator[Question]:
    """Yield the arithmetic questions of some reports; count those that cannot be asked."""
    documents = annual_reports()
    for number in reports:
        report = Report(documents[number])
        for row in documents[number]["questions"]:
            if row["answer_type"] == "arithmetic":
                question = _question(number, report, row)
                if isinstance(question, str):
                    left_out[question] += 1
                else:
                    yield question


def _question(number: int, report: Report, row: dict[str, Any]) -> Question | str:
    try:
        tree = ast.parse(row["derivation"].translate(_SUMS).strip(), mode="eval").body
        value = _value(tree)
    except (SyntaxError, ValueError, InvalidOperation, DivisionByZero):
        return "the derivation is no formula"
    answer = Decimal(str(row["answer"]))
    if not any(abs(value * factor - answer) <= Decimal("0.0051") for factor in (1, 100, Decimal("0.01"))):
        return "the derivation does not give the answer"
    operands = list(dict.fromkeys(filter(None, (report.operand(leaf) for leaf in _leaves(tree)))))
    if any(report.operand(leaf) is None and not _is_count(leaf) for leaf in _leaves(tree)):
        return "an operand stands nowhere in the report"
    shape = _shape(tree)
    return Question(number, shape, tuple(operands), _spelled(answer, row["scale"], shape, operands))


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Decimal(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
    raise ValueError(ast.dump(node))


def _is_leaf(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and _is_leaf(node.operand))


def _leaves(node: ast.expr) -> Iterator[Decimal]:
    """Yield the numbers of a formula, but not how many numbers a mean is of, nor the one of `a/b - 1`."""
    if _is_leaf(node):
        yield _value(node)
    elif isinstance(node, ast.UnaryOp):
        yield from _leaves(node.operand)
    elif isinstance(node, ast.BinOp):
        yield from _leaves(node.left)
        if not (_is_mean(node) or _is_ratio_less_one(node)):
            yield from _leaves(node.right)


def _added(node: ast.expr) -> int:
    """How many numbers a chain of sums adds; 0 when it is none."""
    if _is_leaf(node):
        return 1
    if isinstance(node, ast.UnaryOp):
        return _added(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _added(node.left), _added(node.right)
        return left + right if left and right else 0
    return 0


def _is_mean(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Div) and _is_leaf(node.right) and 2 <= _added(node.left) == _value(node.right)


def _is_ratio_less_one(node: ast.BinOp) -> bool:
    ratio = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Div)
    return ratio and isinstance(node.op, ast.Sub) and _is_leaf(node.right) and _value(node.right) == 1


def _is_count(number: Decimal) -> bool:
    return number == int(number) and abs(number) <= 100


def _shape(node: ast.expr) -> str:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if not isinstance(node, ast.BinOp):
        return "other"
    if _is_mean(node):
        return "mean"
    if _added(node) > 1:
        return "sum"
    if _is_leaf(node.left) and _is_leaf(node.right):
        return {ast.Sub: "a-b", ast.Div: "a/b"}.get(type(node.op), "other")
    return "(a-b)/b" if _is_ratio_less_one(node) or _is_relative(node) else "other"


def _is_relative(node: ast.BinOp) -> bool:
    change = node.left
    if not (isinstance(node.op, ast.Div) and isinstance(change, ast.BinOp) and isinstance(change.op, ast.Sub)):
        return False
    if not all(map(_is_leaf, (change.left, change.right, node.right))):
        return False
    return abs(_value(change.right)) == abs(_value(node.right))


def _spelled(answer: Decimal, scale: str, shape: str, operands: list[Operand]) -> str:
    money = scale != "percent" and shape in ("a-b", "mean", "sum") and any("$" in one.spelling for one in operands)
    number = f"{abs(answer).normalize():,f}"
    sign = "-" if answer < 0 else ""
    unit = "%" if scale == "percent" else f" {scale}" if scale else ""
    return f"{sign}{'$' if money else ''}{number}{unit}"


# The answers


def answer(question: Question, scope: str, result: str) -> tuple[str, int]:
    """Return an answer, and where its result starts."""
    word = _WORDS[question.shape]
    if scope == "not stated":
        before = f"The {word} is "
    elif scope == "next line":
        before = f"{_stated(question.operands)}.\nThe {word} is "
    else:
        before = f"{_stated(question.operands)}, so the {word} is "
    return f"{before}{result}.", len(before)


def _stated(operands: tuple[Operand, ...]) -> str:
    names = [
        operand.row if operand.row and not _HAS_FIGURE.search(operand.row) else "The figure" for operand in operands
    ]
    spellings = [operand.spelling for operand in operands]
    if len(set(names)) > 1:
        return " and ".join(f"{name} was {spelling}" for name, spelling in zip(names, spellings, strict=True))
    if len(spellings) == 2:
        return f"{names[0]} was {spellings[0]} in one year and {spellings[1]} in the other"
    return f"{names[0]} was {', '.join(spellings[:-1])} and {spellings[-1]} in the years compared"


def corrupted(result: str, chance: random.Random, each: int) -> Iterator[str]:
    """Yield results in which one digit is another; `each` of them for every digit."""
    places = [place for place, character in enumerate(result) if character.isdecimal()]
    for place in places:
        lowest = 1 if place == places[0] and not result[place + 1 :].startswith(".") else 0
        others = [str(digit) for digit in range(lowest, 10) if str(digit) != result[place]]
        for digit in chance.sample(others, each):
            yield result[:place] + digit + result[place + 1 :]


def measure(*, every: int = 1, each: int = 1, layouts: Iterable[str] = LAYOUTS, seed: int = 1) -> Figures:
    """Ask the questions of every `every`-th report, in each layout and scope."""
    chance = random.Random(seed)  # noqa: S311 - which digit, not a secret
    figures = Figures()
    asked = defaultdict(list)
    for question in questions(range(0, len(annual_reports()), every), figures.left_out):
        wrong = list(corrupted(question.result, chance, each))
        asked[question.report].append((question, wrong))
    for number, here in asked.items():
        report = Report(annual_reports()[number])
        written = {"JSON": report.as_json, "CSV": report.as_csv, "Markdown": report.as_markdown}
        for layout in layouts:
            index = fp.EvidenceIndex([fp.Message(role="tool", content=written[layout](), tool_call_id="1")])
            for question, wrong in here:
                for scope in SCOPES:
                    share = figures.shares[layout, scope, question.shape, question.digits]
                    _count_right(_verdict(question, scope, question.result, index), share)
                    for result in wrong:
                        _count_wrong(_verdict(question, scope, result, index), result, report, share)
    return figures


def _verdict(question: Question, scope: str, result: str, index: fp.EvidenceIndex) -> fp.ValueVerdict | None:
    text, start = answer(question, scope, result)
    end = start + len(result)
    return next((value for value in index.judge(text).values if value.start < end and start < value.end), None)


def _count_right(value: fp.ValueVerdict | None, share: Share) -> None:
    share.asked += 1
    if value is None:
        share.unexamined += 1
    elif value.verdict in _PASSED:
        share.passed += 1
        share.ambiguous += value.how == "ambiguous"
    share.operations[_operation(value)] += 1


def _count_wrong(value: fp.ValueVerdict | None, result: str, report: Report, share: Share) -> None:
    share.changed += 1
    if value is None:
        share.changed_unexamined += 1
    elif value.verdict in _PASSED:
        number = _NUMBER.search(result)
        if number and _plain(number.group()) in report.numbers:
            share.collides += 1
        else:
            share.changed_passed += 1
            share.changed_ambiguous += value.how == "ambiguous"


def _operation(value: fp.ValueVerdict | None) -> str:
    if value is None:
        return "unexamined"
    operation = getattr(getattr(value, "derivation", None), "operation", None)
    return str(operation) if operation else value.verdict


# What was found, as text

_HEAD = (
    "answers",
    "unexamined",
    "derivable",
    "ambiguous",
    "changed",
    "collides",
    "still derived",
    "of these ambiguous",
)


def report(figures: Figures) -> Iterator[str]:
    """Yield what was found, as text."""
    yield "## Arithmetic over tables (TAT-QA)"
    left_out = ", ".join(f"{count} ({why})" for why, count in figures.left_out.most_common())
    yield f"Left out: {left_out or 'nothing'}. Asked: at most 3 % are still derived, collisions aside."
    layouts = [layout for layout in LAYOUTS if figures.total(layout=layout).asked]
    rows = [(layout, scope, *_row(figures.total(layout, scope))) for layout in layouts for scope in SCOPES]
    yield table(["layout", "operands", *_HEAD], rows)
    digits = ("1", "2", "3", "4+")
    rows = [(scope, size, *_row(figures.total("JSON", scope, digits=size))) for scope in SCOPES for size in digits]
    yield table(["operands (JSON)", "digits", *_HEAD], rows)
    rows = [(scope, shape, *_row(figures.total("JSON", scope, shape))) for scope in SCOPES for shape in SHAPES]
    yield table(["operands (JSON)", "shape", *_HEAD], rows)
    for scope in SCOPES:
        found = figures.total("JSON", scope).operations.most_common()
        yield f"{scope} (JSON): " + ", ".join(f"{count} {what}" for what, count in found)


def _row(share: Share) -> Iterator[object]:
    examined = share.changed - share.changed_unexamined - share.collides
    yield from (share.asked, share.unexamined, percent(share.passed, share.asked - share.unexamined))
    yield percent(share.ambiguous, share.passed)
    yield from (share.changed, share.collides, percent(share.changed_passed, examined))
    yield percent(share.changed_ambiguous, share.changed_passed)
