"""Regions of graphs: their sections run as written, whatever they hold."""

import pytest
import quadrants as qd

Line = qd.types.ndarray(qd.i32, ndim=1)
Flag = qd.types.ndarray(qd.i32, ndim=0)


def line(n=4):
    return qd.ndarray(qd.i32, n)


def test_sections_and_what_follows():
    @qd.kernel(graph=True)
    def k(x: Line, y: Line, out: Line):
        with qd.graph.parallel_context():
            """Two sections."""
            with qd.graph.parallel():
                for i in x:
                    x[i] = i
                for i in x:
                    x[i] *= 2
            with qd.graph.parallel():
                for i in y:
                    y[i] = 10 * i
            pass
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                out[0] = x[1] + y[1]
                for i in range(1, 4):
                    out[i] = x[i] + y[i]
        for i in out:
            out[i] += 1

    x, y, out = line(), line(), line()
    k(x, y, out)
    assert out.to_numpy().tolist() == [13, 13, 25, 37]


def test_static_sections():
    parts = [line(), line(), line()]

    @qd.func
    def once(x):
        for i in x:
            x[i] += 1

    @qd.func
    def twice(x):
        once(x)
        once(x)

    choices = [once, twice, once]

    @qd.kernel(graph=True)
    def k(a: Line, b: Line, c: Line, more: qd.template()):
        with qd.graph.parallel_context():
            for j in qd.static(range(3)):
                with qd.graph.parallel():
                    choices[j](qd.static([a, b, c][j]))
            if qd.static(more):
                with qd.graph.parallel():
                    for i in a:
                        a[i] += 10
            else:
                with qd.graph.parallel():
                    for i in a:
                        a[i] += 20
            for j in qd.static(range(0)):
                with qd.graph.parallel():
                    for i in a:
                        a[i] += 1000

    k(*parts, True)
    assert [p[0] for p in parts] == [11, 2, 1]
    k(*parts, False)
    assert [p[3] for p in parts] == [32, 4, 2]


def test_regions_in_levels():
    @qd.kernel(graph=True)
    def k(x: Line, n: Flag):
        while qd.graph.do_while(n):
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for i in range(2):
                        x[i] += 1
                with qd.graph.parallel():
                    for i in range(2):
                        x[i + 2] += 10
            n[()] -= 1

    x, n = line(), qd.ndarray(qd.i32, ())
    n[()] = 3
    k(x, n)
    assert x.to_numpy().tolist() == [3, 3, 30, 30]


def test_empty_regions():
    @qd.kernel(graph=True)
    def k(x: Line):
        with qd.graph.parallel_context():
            pass
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                pass
        for i in x:
            x[i] += 1

    x = line()
    k(x)
    assert x.to_numpy().tolist() == [1] * 4


def test_fields_through_self():
    @qd.data_oriented
    class Model:
        def __init__(self):
            self.a, self.b = qd.field(qd.f32, 3), qd.field(qd.f32, 3)

        @qd.kernel(graph=True)
        def step(self):
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for i in self.a:
                        self.a[i] += 1
                with qd.graph.parallel():
                    for i in self.b:
                        self.b[i] += 2

    model = Model()
    model.step()
    model.step()
    assert model.a.to_numpy().tolist() == [2] * 3 and model.b.to_numpy().tolist() == [4] * 3


def test_counted_lines(arch, monkeypatch):
    """Lines directly in a region count as others do, and so do those of levels."""
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()

    @qd.kernel(graph=True)
    def k(x: Line, n: Flag):
        while qd.graph.do_while(n):
            with qd.graph.parallel_context():
                for j in qd.static(range(2)):
                    with qd.graph.parallel():
                        for i in x:
                            x[i] += 1
                if qd.static(False):
                    with qd.graph.parallel():
                        for i in x:
                            x[i] += 100
            n[()] -= 1

    x, n = line(), qd.ndarray(qd.i32, ())
    n[()] = 3
    k(x, n)
    assert x.to_numpy().tolist() == [6] * 4
    counts = qd.coverage.snapshot()[__file__]
    first = k._primal.fn.__code__.co_firstlineno + 2
    expected = [1, 3, 3, 6, 6, 24, 3, 0, 0, 0, 3]
    assert [counts.get(first + i, 0) for i in range(len(expected))] == expected
    qd.coverage.clear()


def test_counted_lines_of_checkpoints(arch, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()

    @qd.kernel(graph=True, checkpoints=True)
    def k(x: Line, stop: Flag):
        for i in x:
            x[i] += 1
        with qd.checkpoint(1, yield_on=stop):
            for i in x:
                x[i] += 1
        with qd.checkpoint(2, yield_on=stop):
            for i in x:
                x[i] += 1

    x, stop = line(), qd.ndarray(qd.i32, ())
    stop[()] = 1
    assert k(x, stop).checkpoint == 1
    stop[()] = 0
    assert not k.resume(x, stop, from_checkpoint=1).yielded
    assert x.to_numpy().tolist() == [4] * 4
    counts = qd.coverage.snapshot()[__file__]
    first = k._primal.fn.__code__.co_firstlineno + 3
    assert [counts.get(first + i, 0) for i in (0, 3, 6)] == [4, 8, 4]
    qd.coverage.clear()


@pytest.mark.parametrize("checkpoints", (False, True))
def test_grouping_is_part_of_the_kernel(checkpoints):
    """The same loops in one region, in two, or in none have code of their own where it differs, and equal results."""

    @qd.kernel(graph=True)
    def one(x: Line, y: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[0] += 1
            with qd.graph.parallel():
                for i in y:
                    y[0] += 1

    @qd.kernel(graph=True)
    def two(x: Line, y: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[0] += 1
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in y:
                    y[0] += 1

    @qd.kernel(graph=True, checkpoints=checkpoints)
    def none(x: Line, y: Line):
        for i in x:
            x[0] += 1
        for i in y:
            y[0] += 1

    x, y = line(), line(5)
    for k in (one, two, none):
        k(x, y)
    assert (x[0], y[0]) == (12, 15)
