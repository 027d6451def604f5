"""A device whose memory the host cannot reach: `far` runs there, `null` counts what a program asks of it."""

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native


@pytest.fixture(params=["far"], autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()


@pytest.fixture
def calls(arch):
    """calls(work) -> how often `work` called each verb of the device."""
    qd.init(arch="null", offline_cache=False)

    def count(work):
        before = _native.core().device_calls()
        work()
        after = _native.core().device_calls()
        return {verb: n - before[verb] for verb, n in after.items() if n != before[verb]}

    return count


@qd.kernel
def double(x: qd.types.ndarray()):
    for i in x:
        x[i] = 2 * x[i]


@qd.kernel
def add(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in y:
        y[i] = y[i] + x[i]


def test_arrays_of_the_host_go_there_and_back():
    x = np.arange(5, dtype=np.float32)
    double(x)
    assert x.tolist() == [0, 2, 4, 6, 8]
    y = np.ones(5, np.float32)
    add(x, y)
    assert y.tolist() == [1, 3, 5, 7, 9] and x.tolist() == [0, 2, 4, 6, 8]
    empty = np.zeros(0, np.float32)
    double(empty)


def test_arrays_of_the_host_that_share_memory_share_it_there():
    x = np.arange(6, dtype=np.float32)
    add(x, x)
    assert x.tolist() == [0, 2, 4, 6, 8, 10]

    @qd.kernel
    def shift(a: qd.types.ndarray(), b: qd.types.ndarray()):
        qd.loop_config(serialize=True)
        for i in range(a.shape[0]):
            b[i] = a[i] + 1

    x = np.zeros(6, np.float32)
    shift(x[:5], x[1:])  # each element is made of the one before, just written
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_what_a_failed_launch_did_to_arrays_of_the_host_comes_back():
    @qd.kernel
    def fails(x: qd.types.ndarray()):
        x[0] = 7
        assert x[1] > 0, "no"
        x[2] = 7

    qd.init(arch="far", offline_cache=False, debug=True)
    x = np.zeros(3, np.float32)
    with pytest.raises(AssertionError, match="no"):
        fails(x)
    assert x.tolist() == [7, 0, 0]


def test_views_of_the_memory_are_refused():
    x = qd.ndarray(qd.f32, 4)
    f = qd.field(qd.f32, 4)
    x.fill(3)
    f.fill(4)
    for array in (x, f):
        with pytest.raises(ValueError, match="the memory of this arch cannot be reached by the host"):
            array.to_dlpack()
        with pytest.raises(ValueError, match="the memory of this arch cannot be reached by the host"):
            array.to_numpy(copy=False)
        copied = array.to_numpy(copy=None)
        copied[:] = 0
        assert array[0] != 0


def test_members_that_lie_between_others_are_written_alone():
    a, b = qd.field(qd.i32), qd.field(qd.f64)
    qd.root.dense(qd.i, 4).place(a, b)
    b.fill(0.5)
    a.from_numpy(np.arange(4, dtype=np.int32))
    assert a.to_numpy().tolist() == [0, 1, 2, 3] and b.to_numpy().tolist() == [0.5] * 4


def test_counts_of_lines_come_back(monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch="far", offline_cache=False)
    x = qd.ndarray(qd.f32, 10)
    double(x)
    double(x)
    line = open(__file__).read().splitlines().index("        x[i] = 2 * x[i]") + 1
    rows = _native.core().coverage()
    assert [row[-1] for row in rows if row[:2] == ("line", __file__) and row[3] == line] == [20]


def test_transfers_of_arrays(calls):
    x = qd.ndarray(qd.f32, 1000)
    assert calls(lambda: x[3]) == {"download": 1, "wait": 1}

    def set_one():
        x[3] = 1

    assert calls(set_one) == {"upload": 1, "wait": 1}
    assert calls(x.to_numpy) == {"download": 1, "wait": 1}
    assert calls(lambda: x.from_numpy(np.zeros(1000, np.float32))) == {"upload": 1, "wait": 1}
    assert calls(lambda: x.fill(1)) == {"upload": 1, "copy": 10, "wait": 1}
    v = qd.Vector.ndarray(3, qd.f32, 10)
    assert calls(lambda: v[3]) == {"download": 1, "wait": 1}
    y = qd.ndarray(qd.f32, 1000)
    assert calls(lambda: y.copy_from(x)) == {"copy": 1, "wait": 1}


def test_transfers_of_fields(calls):
    f = qd.field(qd.f32, 1000)
    f[0] = 1
    assert calls(lambda: f[3]) == {"download": 1, "wait": 1}
    assert calls(f.to_numpy) == {"download": 1, "wait": 1}


def test_transfers_of_launches(calls):
    x = qd.ndarray(qd.f32, 1000)
    double(x)
    own = calls(lambda: double(x))
    assert own == {"upload": 1, "launch": 1, "download": 1, "wait": 1}
    host, other = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
    add(host, other)
    # two arrays there, one back
    assert calls(lambda: add(host, other)) == {
        "alloc": 2, "free": 2, "upload": own["upload"] + 2, "launch": 1, "download": own["download"] + 1,
        "wait": own["wait"] + 3,
    }  # fmt: skip


def test_the_architectures_for_tests_are_not_offered():
    with pytest.raises(ValueError) as failed:
        qd.init(arch="nowhere")
    assert "far" not in str(failed.value) and "null" not in str(failed.value)
