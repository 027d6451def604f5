"""Types of the members of messages, from the window to a program and from a program to the window."""

import os
import random
import socket

import pytest
from quadrants._windows import messages
from quadrants._windows.process import Process
from test_process import window

RIGHT = {
    "hello": {"version": 1, "renderer": "x", "software": True, "seen": False, "size": [3, 4]},
    "input": {"events": [{"type": "key", "key": "a", "down": True}, {"type": "move", "x": 1, "y": 2.5}, {"type": "close"}]},
    "picture": {"size": [3, 4]},
    "depth": {"size": [3, 4]},
    "want": {"panes": ["log"], "views": [{"id": 1, "width": 2, "height": 3, "component": -1, "slice": [0], "first": []}]},
    "set": {"name": "p", "value": 1.5},
    "edit": {"view": 1, "index": [0, 2], "component": 0, "value": "3"},
    "do": {"what": "step"},
    "save": {"path": ""},
    "attach": {"version": 1},
    "attached": {},
    "refused": {"why": "x"},
    "program": {"program": "x", "attached": False},
}
JUNK = (None, True, 1, -1, 0.5, 2**70, float("nan"), float("inf"), "", "x", [], [1], ["x"], [[1]], {}, {"a": 1}, [None], [{}])


def places(value, path=()):
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def replaced(value, path, junk):
    if not path:
        return junk
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], junk)
    return copy


def same_type(a, b):
    number = (int, float)
    return type(a) is type(b) or type(a) in number and type(b) in number


def at(value, path):
    for key in path:
        value = value[key]
    return value


def test_every_member_has_a_type():
    tables = messages.ANSWERS | messages.REQUESTS | messages.MEETING
    tables["shown"] = messages.REQUESTS["shown"]
    right = RIGHT | {"shown": {"view": 1}, "ask": {}}
    assert set(right) == set(tables)
    for kind, members in right.items():
        message = {"kind": kind, **members}
        assert messages.is_message(message, tables) and messages.is_message({**message, "more": [1]}, tables)
        for path in places(members):
            for junk in JUNK:
                if path and not same_type(at(members, path), junk) and not (kind == "hello" and junk is None and path != ("version",)):
                    assert not messages.is_message({"kind": kind, **replaced(members, path, junk)}, tables), (kind, path, junk)
        for name in members:
            if kind != "hello" or name == "version":
                assert not messages.is_message({"kind": kind, **{k: v for k, v in members.items() if k != name}}, tables)
    for value in (*JUNK, {"kind": 7}, {"kind": None}):
        assert not messages.is_message(value, tables)


@pytest.mark.parametrize("line", [
    b'{"kind": "shown", "number": "x", "size": [1, 2], "widgets": {}}',
    b'{"kind": "shown", "number": NaN, "size": [1, 2], "widgets": {}}',
    b'{"kind": "shown", "number": 1, "size": 3, "widgets": {}}',
    b'{"kind": "shown", "number": 1, "size": [1, 2], "widgets": [1]}',
    b'{"kind": "input", "events": [{"type": "move", "x": null, "y": 1}]}',
    b'{"kind": "input", "events": [{"type": "key", "key": 3, "down": 1}]}',
    b'{"kind": "hello", "version": [1]}',
    b'[1]', b'7', b'{"kind": {}}',
])  # fmt: skip
def test_a_window_that_sends_something_else_is_ended(line):
    ours, theirs = socket.socketpair()
    process = Process({"mode": "window"}, connected=ours)
    theirs.sendall(line + b"\n")
    assert process.receive(1.0) == [] and not process.alive
    theirs.close()


def test_junk_ends_the_connection_and_not_the_window():
    """The members of a frame get another type one after another: the window lives until the connection ends."""
    random.seed(1)
    good = {"kind": "frame", "number": 1, "memory": 1, "size": [64, 48], "background": 0, "draw": [], "widgets": [
        {"do": "slider_int", "key": "k", "text": "t", "value": 1, "least": 0, "most": 5}, {"do": "checkbox", "key": "c", "text": "t", "value": True}]}
    kinds = [good, {"kind": "read", "memory": 1, "at": 0, "bytes": 4}, {"kind": "title", "title": "x"}, {"kind": "input", "events": [{"type": "move", "x": 1, "y": 1}]}]
    cases = [(one, path, junk) for one in kinds for path in places(one) if path and path[0] != "kind" for junk in JUNK
             if not (isinstance(junk, float) and junk - junk != 0)]  # fmt: skip
    for one, path, junk in random.sample(cases, 25):
        process = window()
        pid, process.pid = process.pid, None  # the test itself checks how it ends
        process.send(replaced(one, path, junk))
        process.send({"kind": "read", "memory": 99, "at": 0, "bytes": 1})  # ends the connection if the message did not
        while process.alive:
            process.receive(0.5)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, (path, junk)
