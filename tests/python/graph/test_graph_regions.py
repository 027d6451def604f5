"""Regions of graphs: their sections run as if in program order, whatever they contain."""

import importlib.util
import inspect

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
    """Lines directly in a region or in a level are counted like other lines."""
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
    """The same loops in one region, in two or in none are compiled separately where the code differs, and have equal results."""

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


def raced(kernel, *args):
    with pytest.raises(AssertionError) as failure:
        kernel(*args)
    return str(failure.value)


def line_of(kernel, text):
    lines, first = inspect.getsourcelines(kernel._primal.fn)
    return first + next(at for at, line in enumerate(lines) if text in line)


@pytest.fixture
def debug(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)


def test_a_write_and_a_read_race(debug):
    @qd.kernel(graph=True)
    def k(x: Line, y: Line, out: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(4):
                    x[i] = i  # writes
            with qd.graph.parallel():
                for i in y:
                    out[i] = y[i]
            with qd.graph.parallel():
                for i in range(1):
                    out[0] = y[0] + x[2]  # reads

    words = raced(k, line(), line(), line())
    assert f"section 3 reads an element here that section 1 writes in line {line_of(k, '# writes')};" in words
    assert f"line {line_of(k, '# reads')}, in" in words and "out[0] = y[0] + x[2]" in words


@pytest.mark.parametrize("first, second, races", [
    ("x[1] = 3", "x[1] = 3", True), ("y[0] = x[1]", "x[1] = 4", True), ("x[1] = 4", "y[0] = x[1]", True),
    ("x[1] += 1", "x[1] = 4", True), ("x[1] += 1", "y[0] = x[1]", True), ("y[0] = x[1]", "x[1] += 1", True),
    ("x[1] = 4", "x[1] += 1", True),
    ("x[1] = 4", "x[2] = 4", False), ("x[1] += 1", "x[1] += 2", False), ("y[0] = x[1]", "z[0] = x[1]", False),
    ("x[1] = 4", "y[1] = x[2]", False), ("x[1] = 4", "y[1] = 2", False),
])  # fmt: skip
@pytest.mark.parametrize("form", ("{}", "for _ in range(1):\n                    {}", "if y[3] == 0:\n                    {}"))
def test_accesses_that_race(debug, tmp_path, first, second, races, form):
    path = tmp_path / "raced.py"
    path.write_text(f"""import quadrants as qd
Line = qd.types.ndarray(qd.i32, ndim=1)

@qd.kernel(graph=True)
def k(x: Line, y: Line, z: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                {form.format(first)}
            with qd.graph.parallel():
                {form.format(second)}
""")
    spec = importlib.util.spec_from_file_location("raced", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    args = line(), line(), line()
    if races:
        assert "Sections of a qd.graph.parallel_context() race: section 2" in raced(module.k, *args)
    else:
        module.k(*args)


def test_fields_and_matrices_race(debug):
    v = qd.Vector.field(2, qd.f32, shape=3)
    w = qd.field(qd.f32, shape=3)

    @qd.kernel(graph=True)
    def components():
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in v:
                    v[i].x = 1.0
            with qd.graph.parallel():
                for i in v:
                    v[i].y = 2.0
            with qd.graph.parallel():
                for i in w:
                    w[i] = 1.0

    components()

    @qd.kernel(graph=True)
    def whole():
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in v:
                    v[i].x = 1.0
            with qd.graph.parallel():
                for i in v:
                    w[i] = v[i].norm()

    assert "section 2 reads an element here that section 1 writes" in raced(whole)


def test_one_array_twice_races(debug):
    @qd.kernel(graph=True)
    def k(x: Line, y: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[i] = i
            with qd.graph.parallel():
                for i in y:
                    y[i] = -i

    k(line(), line())
    x = line()
    assert "section 2 writes" in raced(k, x, x)


def test_regions_one_after_another_and_turns_do_not_race(debug):
    @qd.kernel(graph=True)
    def k(x: Line, y: Line, n: Flag):
        while qd.graph.do_while(n):
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for i in x:
                        x[i] = y[i] + 1
                    for i in x:
                        x[i] = x[i] * 2
                with qd.graph.parallel():
                    n[()] -= 1
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for i in x:
                        y[i] = x[i]
                with qd.graph.parallel():
                    for i in range(1):
                        pass
            for i in x:
                y[i] = y[i] - x[3]

    x, y, n = line(), line(), qd.ndarray(qd.i32, ())
    n[()] = 3
    k(x, y, n)
    assert x.to_numpy().tolist() == [2] * 4 and y.to_numpy().tolist() == [0] * 4


def test_races_are_checked_only_in_debug_mode(arch):
    qd.init(arch=arch, offline_cache=False)

    @qd.kernel(graph=True)
    def k(x: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(1):
                    x[0] = 1
            with qd.graph.parallel():
                for i in range(1):
                    x[0] = 2

    x = line()
    k(x)
    assert x[0] == 2
