"""A window that only records its messages, and programs that are shown in it."""

import pathlib
import queue
import re
import threading
import time

import numpy as np
import pytest
import quadrants as qd
from quadrants._inspect import inspector, publisher

PROTOCOL = pathlib.Path(__file__).resolve().parents[3] / "widgets/protocol"
PATIENCE = 30


class Memory:
    def __init__(self, number, size):
        self.number, self.view = number, memoryview(bytearray(size))


class Window:
    """Has the interface of _windows.process.Process."""

    def __init__(self):
        self.alive, self.told, self.asked, self.memories = True, [], queue.Queue(), {}
        self.answer = {"seen": True}
        self.news = threading.Condition()

    def greet(self):
        pass

    def send(self, message):
        import json

        json.dumps(message, allow_nan=False)  # as it is sent over the socket
        with self.news:
            self.told.append(message)
            self.news.notify_all()

    def receive(self, timeout=0):
        try:
            return [self.asked.get(timeout=timeout)]
        except queue.Empty:
            return []

    def leave(self):
        self.alive = False

    def memory(self, number, size):
        self.memories[number] = Memory(number, size)
        return self.memories[number]

    # methods for tests

    def ask(self, kind, **members):
        self.asked.put({"kind": kind, **members})

    def want(self, *wanted, panes=("lines", "tasks", "adstack", "graph")):
        one = {"width": 512, "height": 512, "component": 0, "slice": [], "first": []}
        self.ask("want", panes=list(panes), views=[{**one, **w} for w in wanted])

    def wait(self, kind, suits=lambda message: True, after=0):
        """Returns the next suitable message, which may need the main thread."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for message in list(self.told)[after:]:
                if message["kind"] == kind and suits(message):
                    return message
            time.sleep(0.002)
        raise AssertionError(f"no {kind}: {[m for m in self.told if m['kind'] in (kind, 'state')]}")

    def samples(self, picture):
        n = picture["width"] * picture["height"]
        values = np.frombuffer(self.memories[picture["memory"]].view, np.float32, n, picture["at"])
        return values.reshape(picture["width"], picture["height"])


@pytest.fixture
def window(monkeypatch):
    made = Window()
    qd.coverage.clear()
    monkeypatch.setattr(inspector, "_open", lambda *_: (made, made.memory))
    monkeypatch.setattr(publisher, "_share", 1.0)  # the counts of all earlier tests are read too
    yield made
    if inspector._current is not None:
        inspector._current.close()


@pytest.fixture
def program():
    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN)


def members(interface, file="inspector.ts"):
    text = re.sub(r"/\*.*?\*/", "", (PROTOCOL / file).read_text(), flags=re.DOTALL)
    body = re.search(rf"export interface {interface}\b[^{{]*\{{(.*?)\n\}}", text, re.DOTALL).group(1)
    return re.findall(r"(?:^|[{;])\s*(\w+)\??:", body, re.MULTILINE)
