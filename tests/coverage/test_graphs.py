"""Graphs under coverage: all bodies have probes, and the uninstrumented code of a kernel follows its flags too."""

import pytest
import quadrants as qd
from quadrants import _native

from test_arcs import load

TEXT = '''import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)


@qd.kernel(graph=True, checkpoints=True)
def staged(x: Line, stop: Flag, n: Flag):
    while qd.graph.do_while(n):
        with qd.checkpoint(1, yield_on=stop):
            for i in x:
                x[i] += 1
        for i in x:
            x[i] += 10
        n[()] -= 1


@qd.kernel(graph=True)
def regions(x: Line, n: Flag):
    while qd.graph.do_while(n):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[i] += 1
        n[()] -= 1


@qd.kernel
def plain(x: Line):
    for i in x:
        x[i] += 1
'''

SKIPS = '''import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)


@qd.kernel(graph=True, checkpoints=True)
def skips(x: Line, stop: Flag):
    for i in x:
        x[i] += 1
    with qd.checkpoint(2, yield_on=stop):
        for i in x:
            x[i] += 10
    with qd.checkpoint(3, yield_on=stop):
        for i in x:
            x[i] += 20
    for i in x:
        x[i] += 30
'''


@pytest.fixture(params=["interp", "cpu", "far"])
def arch(request, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    yield request.param
    qd.reset()
    qd.coverage.clear()


def start(arch):
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()


def test_lines_and_arcs(arch, tmp_path):
    start(arch)
    program = load(tmp_path / "program.py", TEXT)
    x, stop, n = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
    n[()] = 2
    program.staged(x, stop, n)
    counts = qd.coverage.snapshot()[str(tmp_path / "program.py")]
    assert {line: counts.get(line, 0) for line in range(9, 16)} == {9: 1, 10: 2, 11: 2, 12: 6, 13: 2, 14: 6, 15: 2}
    wanted = {(9, 10), (10, 11), (11, 12), (12, 11), (11, 10), (10, 13), (13, 14), (14, 13), (13, 15), (15, 9)}
    assert wanted <= set(counts.arcs)  # the end of a `with` returns to its line, as in Python
    assert counts.arcs[15, 9] == 2


def test_skipped_checkpoints_are_not_counted(arch, tmp_path):
    start(arch)
    program = load(tmp_path / "program.py", SKIPS)
    x, stop = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ())

    def counts():
        found = qd.coverage.snapshot()[str(tmp_path / "program.py")]
        qd.coverage.clear()
        return [found.get(line, 0) for line in range(9, 19)]

    stop[()] = 1
    assert program.skips(x, stop).checkpoint == 2
    assert counts() == [1, 3, 1, 1, 3, 0, 0, 0, 0, 0]
    stop[()] = 0
    assert not program.skips.resume(x, stop, from_checkpoint=3).yielded
    assert counts() == [0, 0, 0, 0, 0, 1, 1, 3, 1, 3]


def test_the_clean_build(arch, tmp_path, monkeypatch):
    from quadrants._coverage import files as _coverage_files

    monkeypatch.setenv("QD_COVERAGE_COUNTS", "0")
    monkeypatch.setattr(_coverage_files, "_measured", (False, False))
    start(arch)
    program = load(tmp_path / "program.py", TEXT)
    x, stop, n = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
    counted = []
    for launch in range(4):
        n[()], stop[()] = 2, 0
        assert not program.staged(x, stop, n).yielded
        n[()] = 3
        program.regions(x, n)
        program.plain(x)
        assert x.to_numpy().tolist() == [(launch + 1) * (22 + 3 + 1)] * 3 and n[()] == 0
        _native.core().settle()
        counted.append(_native.core().counted()[1])
    assert counted[2] == counted[3]  # it no longer counts
    stop[()] = 1
    status = program.staged(x, stop, n)
    assert status.yielded and status.checkpoint == 1
