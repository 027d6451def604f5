"""One display for all tests of windows, which no other program draws on."""

import signal

# A program that a shell starts in the background ignores Ctrl-C, and so would every program started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

import os
import subprocess

import pytest
import quadrants as qd
from quadrants._windows import process

if process.executable() is None:
    collect_ignore_glob = ["test_*.py"]  # a build without windows


@pytest.fixture(autouse=True, scope="session")
def initialised():
    qd.init(arch=qd.cpu)


@pytest.fixture(scope="session")
def display():
    ours, theirs = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], pass_fds=[theirs], stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours) as numbers:
        name = f":{numbers.readline().strip()}"
    yield name
    server.terminate()
    server.wait()


@pytest.fixture(params=["screen", "memory"])
def shown(request):
    """True if windows are on the screen; both cases must give the same pictures."""
    if request.param == "screen":
        display = request.getfixturevalue("display")
        request.getfixturevalue("monkeypatch").setenv("DISPLAY", display)
        return True
    return False


@pytest.fixture
def unseen(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
