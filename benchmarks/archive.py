"""What an archive costs beside what any program would do: the same JSON into a plain table, and `json.loads`.

    make bench-archive                    10,000 messages of 400 characters; --messages 2000 for a quick look

Process time, the best of several rounds, each with a file of its own, closed at the end; the garbage collector is off
while the clock runs. Ratios travel from one machine to another, milliseconds do not. Messages are made anew for every
round, so that nothing about them was worked out before.
"""

from __future__ import annotations

import gc
import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import click
from conversation import window

from foldproof.archive import SqliteArchive
from foldproof.messages import Message
from foldproof.window import span_address

ROUNDS = 5
SEARCHES = ("ORD-004471", "order was fine", "47", '"nothing like this"')


def best(make: Callable[[Path], Callable[[], object]]) -> float:
    """Return the milliseconds of the best round of what `make` prepares."""
    rounds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            call = make(Path(folder))
            gc.collect()
            gc.disable()
            start = process_time()
            call()
            rounds.append((process_time() - start) * 1_000)
            gc.enable()
    return min(rounds)


def made(messages: int) -> list[Message]:
    return [
        message.model_copy(update={"content": f"ORD-{index:06} {message.text}"})
        for index, message in enumerate(window(messages))
    ]


def plain_insert(texts: list[str]) -> Callable[[Path], Callable[[], object]]:
    def make(folder: Path) -> Callable[[], object]:
        connection = sqlite3.connect(folder / "plain.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, json TEXT)")

        def insert() -> None:
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO message (json) VALUES (?)", [(text,) for text in texts])
            connection.execute("COMMIT")
            connection.close()

        return insert

    return make


def keep(count: int) -> Callable[[Path], Callable[[], object]]:
    def make(folder: Path) -> Callable[[], object]:
        archive, span = SqliteArchive(folder / "a.db"), made(count)
        address = span_address(span)

        def call() -> None:
            archive.keep({address: span})
            archive.close()

        return call

    return make


def with_archive(count: int, call: Callable[[SqliteArchive, str], object]) -> Callable[[Path], Callable[[], object]]:
    def make(folder: Path) -> Callable[[], object]:
        archive, span = SqliteArchive(folder / "a.db"), made(count)
        address = span_address(span)
        archive.keep({address: span})
        return lambda: (call(archive, address), archive.close())

    return make


def append(count: int) -> Callable[[Path], Callable[[], object]]:
    def make(folder: Path) -> Callable[[], object]:
        archive, messages = SqliteArchive(folder / "a.db"), made(count)
        stored = archive.conversation("one")
        return lambda: (stored.append(messages), archive.close())

    return make


@click.command()
@click.option("--messages", default=10_000, show_default=True, help="How many messages to keep.")
def main(messages: int) -> None:
    """Print what the archive costs, in milliseconds and as a multiple of the plain way."""
    texts = [json.dumps(message.model_dump()) for message in made(messages)]
    inserted = best(plain_insert(texts))
    loaded = best(lambda _: lambda: [json.loads(text) for text in texts])
    click.echo(f"{messages:,} messages, {sum(map(len, texts)) // messages:,} bytes of JSON each")
    click.echo(f"plain insert {inserted:7.1f} ms")
    click.echo(f"json.loads   {loaded:7.1f} ms")
    for name, took, plain, of in (
        ("keep", best(keep(messages)), inserted, "plain insert"),
        ("append", best(append(messages)), inserted, "plain insert"),
        (
            "expand",
            best(with_archive(messages, lambda archive, address: archive.expand(address))),
            loaded,
            "json.loads",
        ),
    ):
        click.echo(f"{name:12} {took:7.1f} ms   {took / plain:5.1f} x {of}")
    for query in SEARCHES:
        took = best(with_archive(messages, lambda archive, _, query=query: archive.search(query)))  # type: ignore[misc]
        click.echo(f"search       {took:7.1f} ms   for {query}")


if __name__ == "__main__":
    main()
