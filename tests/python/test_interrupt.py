"""Ctrl-C leaves an endless kernel soon, and the program goes on."""

import os
import signal
import threading
import time

import pytest
import quadrants as qd


@qd.kernel
def endless(n: qd.i32) -> qd.i32:
    a = 0
    while n > 0:
        a += 1
    return a


@qd.kernel
def endless_everywhere(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        while x[i] < 1:
            x[i] += 0


def interrupt_soon(sent):
    def send():
        time.sleep(0.2)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


@pytest.mark.parametrize("parallel", [False, True])
def test_interrupt(parallel):
    assert endless(0) == 0
    sent = []
    thread = interrupt_soon(sent)
    with pytest.raises(KeyboardInterrupt):
        if parallel:
            endless_everywhere(qd.ndarray(qd.i32, 1000))
        else:
            endless(1)
    assert time.monotonic() - sent[0] < 2.0  # 0.1 s on an idle machine
    thread.join()
    assert endless(0) == 0


def test_handler_of_the_program_is_called():
    seen = []
    old = signal.signal(signal.SIGINT, lambda *args: seen.append(1))
    try:
        endless(0)
        time.sleep(0.02)
        thread = interrupt_soon([])
        with pytest.raises(KeyboardInterrupt):
            endless(1)
        thread.join()
        assert seen == [1]
    finally:
        signal.signal(signal.SIGINT, old)
