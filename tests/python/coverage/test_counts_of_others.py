"""Counts that other processes have reported (quadrants/_coverage/others.py)."""

import os

import pytest
import quadrants as qd
from quadrants._coverage import counts as _counts, others as _others


@qd.kernel
def add(n: qd.i32) -> qd.i32:
    total = 0
    for i in range(n):
        total += i
    return total


BODY = add.__wrapped__.__code__.co_firstlineno + 4


@pytest.fixture(autouse=True)
def fresh(arch, monkeypatch):
    monkeypatch.setattr(add._primal, "coverage", True)
    _counts._forget()
    _others.forget()
    yield
    _others.forget()


def report():
    """Returns the counts of this process as those of another one."""
    kernels = {key: dict(rows) for key, rows in _counts._by_kernel().items()}
    _counts._forget()
    return kernels


def count():
    return qd.coverage.snapshot().get(__file__, {}).get(BODY, 0)


def test_the_newest_report_of_each_process_counts():
    add(3)
    first = report()
    assert count() == 0
    _others.receive("a", 1, first)
    assert count() == 3
    _others.receive("a", 1, first)
    assert count() == 3, "a report that arrives twice changes nothing"
    _others.receive("b", 1, first)
    assert count() == 6
    more = {key: {row: 2 * count for row, count in rows.items()} for key, rows in first.items()}
    _others.receive("a", 3, more)
    _others.receive("a", 2, first)
    assert count() == 9, "nor does one that arrives late"
    add(4)
    assert count() == 13 and _counts.own_snapshot()[__file__][BODY] == 4


def test_clear_and_what_arrives_later():
    add(3)
    first = report()
    _others.receive("a", 1, first)
    qd.coverage.clear()
    assert count() == 0
    _others.receive("a", 2, {key: {row: 2 * count for row, count in rows.items()} for key, rows in first.items()})
    assert count() == 3
    with qd.coverage.record() as counts:
        _others.receive("b", 1, first)
    assert counts[__file__][BODY] == 3


def test_specialisations_have_the_same_number_everywhere():
    add(3)
    ((key, rows),) = report().items()
    qd.init(arch=qd.cfg.arch, offline_cache=False)
    _counts._forget()
    _others.receive("a", 1, {(key[0], 7, *key[2:]): rows})
    _others.receive("b", 1, {(key[0], 5, *key[2:]): rows})
    (one,) = qd.coverage.specialisations()
    assert (one.number, one.title, one.files[__file__][BODY]) == (5, "n: i32", 6)
    add(1)
    (one,) = qd.coverage.specialisations()
    assert (one.number, one.files[__file__][BODY]) == (0, 7)


def test_incremental_readings():
    changes, own = _counts.Changes(), _counts.Changes(others=False)
    add(3)
    (key,) = changes.take()
    row = next(row for row in changes.rows[key] if row[0] == "line" and row[3] == BODY)
    own.take()
    _others.receive("a", 1, {key: dict(changes.rows[key])})
    assert changes.take() == {key} and changes.rows[key][row] == 6
    assert own.take() == set() and own.rows[key][row] == 3
    assert changes.take() == set()
    add(2)
    assert changes.take() == {key} and changes.rows[key][row] == 8
    qd.init(arch=qd.cfg.arch, offline_cache=False)
    changes.take()
    assert changes.rows[key][row] == 8
    qd.coverage.clear()
    assert changes.take() and not any(changes.rows.get(key, {}).values())


def test_a_forked_child_has_a_name_of_its_own():
    name = _others.name_of_process()
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, _others.name_of_process().encode())
        os._exit(0)
    os.close(write)
    assert os.read(read, 1000).decode() not in ("", name) and _others.name_of_process() == name
    os.close(read)
    os.wait()
