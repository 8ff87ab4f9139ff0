"""Stand-in for the Hugging Face hub on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ABOUT = re.compile(r"/api/models/(?P<name>.+)/revision/(?P<revision>[^/]+)")
FILE = re.compile(r"/(?P<name>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")
REVISIONS = ("main", "v1", COMMIT)


@dataclass
class Hub:
    """Repositories: {file: content}; `refused`: status and error code by
    repository, or by repository/file; `said`: false sizes;
    `asked`: fetched files."""

    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    refused: dict[str, tuple[int, str]] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        about, file = ABOUT.fullmatch(path), FILE.fullmatch(path)
        found = about or file
        if found is None:
            self.refuse(404, "")
        elif refused := self.refusal(found["name"], file["file"] if file else ""):
            self.refuse(*refused)
        elif found["name"] not in self.server.hub.repositories:
            self.refuse(404, "RepoNotFound")
        elif found["revision"] not in REVISIONS:
            self.refuse(404, "RevisionNotFound")
        elif about:
            self.tell(about["name"])
        else:
            self.give(found["name"], found["file"])

    def tell(self, name: str) -> None:
        files = self.server.hub.repositories[name]
        siblings = [
            {"rfilename": each, "size": self.server.hub.said.get(each, len(content))}
            for each, content in files.items()
        ]
        card = {"license": "apache-2.0"}
        about = {"id": name, "sha": COMMIT, "siblings": siblings, "cardData": card}
        self.send(200, json.dumps(about).encode(), {"Content-Type": "application/json"})

    def give(self, name: str, file: str) -> None:
        content = self.server.hub.repositories[name].get(file)
        if content is None:
            self.refuse(404, "EntryNotFound")
            return
        if self.command == "GET":
            self.server.hub.asked.append(file)
        etag = sha1(content).hexdigest()
        self.send(200, content, {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT})

    def refusal(self, name: str, file: str) -> tuple[int, str] | None:
        refused = self.server.hub.refused
        return refused.get(name) or refused.get(f"{name}/{file}")

    def refuse(self, status: int, code: str) -> None:
        self.send(status, b"", {"X-Error-Code": code})

    def send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, served: Hub) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.hub = served


@contextmanager
def hub() -> Iterator[Hub]:
    """Empty at first."""
    with Server(Hub()) as server:
        server.hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.hub
        finally:
            server.shutdown()
            thread.join()
