"""Pages of large arrays and fields are first touched by the threads that compute with them: on NUMA machines a page lies on the node where
it was first written."""

import pathlib

import numpy as np
import pytest
import quadrants as qd

MB = 1 << 20
ELEMENTS = 64 * MB  # 256 MB of f32


@pytest.fixture(autouse=True)
def start():
    qd.init(arch=qd.cpu, cpu_max_num_threads=2, offline_cache=False)
    yield
    qd.reset()


def resident():
    """Returns the bytes of resident anonymous memory of the process."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) << 10


def faults_of_workers():
    """Returns the number of pages that threads of the pool touched first so far; a huge page counts once."""
    total = 0
    for task in pathlib.Path("/proc/self/task").iterdir():
        name, rest = (task / "stat").read_text().rsplit(")", 1)
        if "qd-worker" in name:
            total += int(rest.split()[7])
    return total


def a_field():
    return qd.field(qd.f32, ELEMENTS)


def an_ndarray():
    return qd.ndarray(qd.f32, ELEMENTS)


def first_of_kernel():
    @qd.kernel
    def write(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in x:
            x[i] = 1.0

    write(qd.ndarray(qd.f32, 4))
    return write


@pytest.mark.parametrize("make", [a_field, an_ndarray])
def test_unwritten_memory_has_no_pages(make):
    qd.sync()
    before = resident()
    made = make()
    qd.sync()
    assert resident() - before < 16 * MB
    made[ELEMENTS - 1] = 1.0
    assert made[ELEMENTS // 2] == 0 and made[ELEMENTS - 1] == 1
    assert resident() - before < 24 * MB


def by_kernel():
    write = first_of_kernel()
    return lambda: write(an_ndarray())


def by_filling():
    return lambda: an_ndarray().fill(1.0)


def by_copying():
    values = np.ones(ELEMENTS, np.float32)
    return lambda: an_ndarray().from_numpy(values)


@pytest.mark.parametrize("make", [by_kernel, by_filling, by_copying])
def test_threads_of_the_pool_touch_their_share(make):
    run = make()
    for _ in range(30):  # a thread may not have been scheduled in a single launch
        before = faults_of_workers()
        run()
        if faults_of_workers() - before >= 8:
            return
    pytest.fail("the thread that asks was the first everywhere")


@pytest.mark.parametrize("elements", [1, 5, 3 * MB, 3 * MB + 7])
def test_filling_and_copying_reach_every_element(elements):
    plain = qd.ndarray(qd.f32, elements)
    plain.fill(3.0)
    assert (plain.to_numpy() == 3).all()
    values = np.arange(elements, dtype=np.float32)
    plain.from_numpy(values)
    assert (plain.to_numpy() == values).all()
    vectors = qd.Vector.ndarray(3, qd.f32, elements)
    vectors.fill([1, 2, 3])
    assert (vectors.to_numpy() == [1, 2, 3]).all()
