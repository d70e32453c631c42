"""An API that responds as a test says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from settle_client import App, SettleClient, Tokens


@dataclass(frozen=True)
class Received:
    method: str
    url: str
    headers: dict[str, str]
    body: str
    at_s: float


@dataclass(frozen=True)
class Reply:
    """A response; `close` closes the connection without one, and `wait` never responds."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    close: bool = False
    wait: bool = False


def ok(body: Any) -> Reply:
    return Reply(body=json.dumps(body))


def rejection(status: int, code: str, **headers: str) -> Reply:
    body = json.dumps({"error": {"message": f"About {code}.", "code": code}})
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


CLOSE = Reply(close=True)
WAIT = Reply(wait=True)

Script = Callable[[Received, int], Reply]


def in_turn(*replies: Reply) -> Script:
    """Responds with one reply after another, and with the last one to all later requests."""
    return lambda _, earlier: replies[min(earlier, len(replies) - 1)]


class ScriptedApi:
    def __init__(self) -> None:
        self.script: Script = in_turn(WAIT)
        self.received: list[Received] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.app = App(f"http://127.0.0.1:{self._server.server_port}/v1", "app-1", "secret-1")
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def client(self, **options: Any) -> SettleClient:
        return SettleClient(self.app, options.pop("tokens", Tokens("access-1", "refresh-1")), **options)

    def stop(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length", "0"))).decode()
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            request = Received(handler.command, handler.path, headers, body, time.monotonic())
            self.received.append(request)
            reply = self.script(request, len(self.received) - 1)
        handler.close_connection = True
        if reply.wait:
            self._stopping.wait(30)
        if reply.close or reply.wait:
            return
        handler.send_response(reply.status)
        for name, value in {"x-request-id": "request-1", **reply.headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(reply.body.encode())))
        handler.end_headers()
        handler.wfile.write(reply.body.encode())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api._respond(self)

            do_POST = do_PUT = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Prints nothing."""

        return Handler


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    started = ScriptedApi()
    yield started
    started.stop()
