"""The counts of lines and branches in qd.coverage."""

import numpy as np
import pytest
import quadrants as qd
from quadrants._coverage import counts as _coverage


@pytest.fixture
def covered(arch, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch)
    _coverage.clear()
    yield
    _coverage.clear()


@qd.func
def halve(v):
    r = v
    if v % 2 == 0:
        r = v // 2
    return r


@qd.kernel
def work(x: qd.types.ndarray(qd.i32, ndim=1)):
    """The docstring is not a statement."""
    for i in range(x.shape[0]):
        if x[i] > 3:
            x[i] = 3; x[i] += 0  # fmt: skip
        elif x[i] < 0:
            x[i] = 0
        for k in range(x[i]):
            if k == 2: break  # fmt: skip
        x[i] = halve(x[i])
    a = 1 if x[0] > 100 else 2
    for i in qd.static(range(3)):
        a += i


def test_lines_and_branches(covered):
    x = np.array([5, 2, 1, 7, 2], np.int32)
    work(x)
    code = work.fn.__code__
    first = code.co_firstlineno + 1
    func_first = halve.fn.__code__.co_firstlineno + 1
    counts = _coverage.snapshot()[code.co_filename]
    of_kernel = {line - first: n for line, n in counts.items() if line >= first}
    assert of_kernel == {2: 1, 3: 5, 4: 2, 5: 3, 6: 0, 7: 5, 8: 3 + 2 + 1 + 3 + 2, 9: 5, 10: 1, 11: 1, 12: 3}
    of_func = {line - func_first: n for line, n in counts.items() if func_first <= line < first - 2}
    assert of_func == {1: 5, 2: 5, 3: 2, 4: 5}
    branches = {line - first: t for line, t in _coverage.branches()[code.co_filename].items() if line >= first}
    assert branches[3] == {"taken": 2, "not_taken": 3}
    assert branches[5] == {"taken": 0, "not_taken": 3}
    assert branches[7] == {"entered": 5, "zero_trips": 0}
    assert branches[8]["broken"] == 2
    assert branches[10] == {"taken": 0, "not_taken": 1}
