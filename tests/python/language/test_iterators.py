"""Python iterators that a kernel consumes at compile time."""

import itertools

import pytest
import quadrants as qd


@qd.kernel
def results() -> qd.types.vector(8, qd.i32):
    total = 0
    for x in qd.static(itertools.islice(itertools.count(1), 4)):
        total += x
    return qd.Vector([
        total, sum(iter([1, 2, 3])), max(iter([3, 7, 5])), int(any(itertools.count())), int(all(itertools.count())),
        len(list(zip(range(3), itertools.count()))), sorted(iter([3, 1, 2]))[0], next(itertools.count(9)),
    ])  # fmt: skip


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
def test_iterators_that_end_or_need_not():
    qd.init(arch=qd.cpu, offline_cache=False)
    assert list(results()) == [10, 6, 7, 1, 0, 3, 1, 9]


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
@pytest.mark.parametrize("consume", [sum, list, tuple, set, frozenset, max, min, sorted])
def test_endless_iterators_are_refused(consume):
    qd.init(arch=qd.cpu, offline_cache=False)

    @qd.kernel
    def endless():
        qd.static(consume(itertools.count()))

    with pytest.raises(qd.QuadrantsTypeError, match="An iterator of more than 1048576 items is too long"):
        endless()
