"""A provider on this machine: a real HTTP server that answers as it is told to, and keeps what it was asked."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Json = Any


class Asked(NamedTuple):
    """A request that came in."""

    path: str
    headers: dict[str, str]
    body: Json


class Server(ThreadingHTTPServer):
    daemon_threads = False  # closing the server waits for its threads, so that no socket is left open
    asked: list[Asked]
    behave: Behaviour
    was_asked: threading.Event
    was_left: threading.Event
    closing: threading.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(Asked(self.path, dict(self.headers), json.loads(body)))
        self.server.was_asked.set()
        try:
            self.server.behave(self)
        except (BrokenPipeError, ConnectionResetError):
            self.server.was_left.set()

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def send(self, content: bytes, *, status: int = 200, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def is_left_within(self, seconds: float) -> bool:
        """Whether whoever asked hung up, or this server is closing."""
        if self.server.closing.is_set():
            return True
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            self.server.was_left.set()
            return True
        return False


Behaviour = Callable[[Handler], None]


@contextmanager
def serving(behave: Behaviour) -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as server:
        server.asked, server.behave = [], behave
        server.was_asked, server.was_left, server.closing = threading.Event(), threading.Event(), threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


def says(body: Json, *, status: int = 200) -> Behaviour:
    return lambda handler: handler.send(json.dumps(body).encode(), status=status)


def sends(content: bytes, *, kind: str = "application/json") -> Behaviour:
    return lambda handler: handler.send(content, kind=kind)


def never_answers(handler: Handler) -> None:
    while not handler.is_left_within(0.02):
        pass


def drips(handler: Handler) -> None:
    """Send an answer that goes on and on, a space at a time: no read ever waits for long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not handler.is_left_within(0.02):
        handler.wfile.write(b" ")


def drips_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not handler.is_left_within(0.02):
        handler.wfile.write(b"x")


def hangs_up(_: Handler) -> None:
    """Close the connection without a word."""
