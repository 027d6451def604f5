"""Text that kernels print reaches sys.stdout while they run, from every thread, without loss."""

import io
import os
import signal
import sys
import threading
import time

import pytest
import quadrants as qd


@qd.kernel
def says_and_stays(n: qd.i32):
    print("started")
    a = 0
    while n > 0:
        a += 1


@qd.kernel
def every_index(n: qd.i32):
    for i in range(n):
        print("index", i)


def test_text_comes_while_the_kernel_runs(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    says_and_stays(0)
    seen = []

    def watch():
        end = time.monotonic() + 300
        while time.monotonic() < end and written.getvalue().count("started") < 2:
            time.sleep(0.01)
        seen.append(written.getvalue().count("started"))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=watch)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        says_and_stays(1)
    thread.join()
    assert seen == [2]


def test_prints_of_all_threads(capsys):
    capsys.readouterr()
    every_index(3000)
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted(f"index {i}" for i in range(3000))


def test_stdout_may_be_missing(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    every_index(3)


def test_failing_stdout_does_not_stop_the_kernel(monkeypatch):
    class Broken:
        def write(self, text):
            raise OSError("no space left")

        def flush(self):
            raise OSError("no space left")

    monkeypatch.setattr(sys, "stdout", Broken())
    every_index(3)
