"""Transitions between lines of kernels equal those that coverage.py measures in a Python function with the same text."""

import itertools
import sys
import types

import coverage
import numpy as np
import pytest
import quadrants as qd

import random_functions

FUNCTIONS = 100  # of each kind


@pytest.fixture(params=["interp", "cpu"])
def arch(request, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=request.param, offline_cache=False, compile_tiers=False)
    qd.coverage.clear()
    yield request.param
    qd.reset()
    qd.coverage.clear()


def load(path, text):
    path.write_text(text)
    module = types.ModuleType(path.stem)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def counted(fn, arguments, counts):
    """Returns the result of fn, and adds the counts of the transitions between its lines to `counts`."""
    entry = -fn.__code__.co_firstlineno
    last = {}

    def trace(frame, event, _):
        if frame.f_code is not fn.__code__:
            return None
        if event == "call":
            last[frame] = entry
        elif event in ("line", "return"):
            line = frame.f_lineno if event == "line" else entry
            counts[last[frame], line] = counts.get((last[frame], line), 0) + 1
            last[frame] = line
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return fn(*arguments)
    finally:
        sys.settrace(before)


def run_plain(path, body, seed):
    """Returns the results, the arcs of coverage.py and their counts."""
    measuring = coverage.Coverage(branch=True, data_file=None, config_file=False, include=[str(path)])
    measuring.start()
    try:
        module = load(path, random_functions.PLAIN + body)
        results = [[getattr(module, f"f{k}")(*given) for given in random_functions.inputs(k, seed)] for k in range(FUNCTIONS)]
    finally:
        measuring.stop()
    counts = {}
    for k in range(FUNCTIONS):
        for given in random_functions.inputs(k, seed):
            counted(getattr(module, f"f{k}"), given, counts)
    return results, set(measuring.get_data().arcs(str(path))), counts


def run_kernels(path, body, seed, decorator):
    module = load(path, random_functions.KERNEL.format(decorator=decorator) + body)
    calls = "".join(
        f"@qd.kernel\ndef k{k}(x: qd.types.ndarray(qd.i32, ndim=1)):\n    for i in range(x.shape[0] // 3):\n"
        f"        x[3 * i] = module.f{k}(x[3 * i + 1], x[3 * i + 2])\n"
        for k in range(FUNCTIONS)
    )
    caller = types.ModuleType("caller")
    caller.__dict__.update(module=module, qd=qd)
    file = path.with_name("caller.py")
    file.write_text(calls)
    exec(compile(calls, str(file), "exec"), caller.__dict__)
    results = []
    for k in range(FUNCTIONS):
        x = np.array([(0, *given) for given in random_functions.inputs(k, seed)], np.int32).ravel()
        getattr(caller, f"k{k}")(x)
        results.append(x[::3].tolist())
    return results, qd.coverage.snapshot()[str(path)]


@pytest.mark.parametrize("decorator", ["func", "real_func"])
def test_arcs_of_random_functions(arch, tmp_path, decorator):
    seed = 7
    body, ranges = random_functions.module(FUNCTIONS, seed, early_returns=decorator == "real_func")
    plain, plain_arcs, plain_counts = run_plain(tmp_path / "plain.py", body, seed)
    kernels, counts = run_kernels(tmp_path / "kernels.py", body, seed, decorator)
    assert kernels == plain
    text = [None, *(random_functions.PLAIN + body).splitlines()]
    for first, last in ranges:
        body_lines = range(first + 2, last + 1)  # the definition itself runs in the module
        inside = {a for a in plain_arcs if any(line in body_lines for line in a)}
        ours = {a for a in counts.arcs if first <= abs(a[0]) <= last}
        # For a `while` on one line, CPython reports only the second and later runs of its body.
        unseen = {(n, n) for n in body_lines if text[n].lstrip().startswith("while ")}
        inside, ours = inside - unseen, ours - unseen
        listing = "\n".join(f"{n:4} {text[n]}" for n in range(first, last + 1))
        assert ours == inside, f"not seen: {sorted(inside - ours)}, made up: {sorted(ours - inside)}\n{listing}"
        assert {a: counts.arcs[a] for a in ours} == {a: plain_counts[a] for a in ours}, listing


EXAMPLE = '''import quadrants as qd


@qd.func
def sign(v):
    result = 0
    if v > 0:
        result = 1
    elif v < 0:
        result = -1
    return result


@qd.kernel
def work(x: qd.types.ndarray(qd.i32, ndim=1), fast: qd.template()):
    for i in x:
        if qd.static(fast):
            x[i] = 1
        else:
            x[i] = sign(x[i])
        for k in range(4):
            if k == x[i]: break
        while x[i] > 100:
            x[i] -= 1
'''


def test_branches_and_loops(arch, tmp_path):
    module = load(tmp_path / "example.py", EXAMPLE)
    module.work(np.array([3, 5, 0, 9], np.int32), False)
    counts = qd.coverage.snapshot()[str(tmp_path / "example.py")]
    line = {text.strip(): number for number, text in enumerate(EXAMPLE.splitlines(), 1)}
    assert counts.branches[line["if v > 0:"]] == {"taken": 3, "not_taken": 1}
    assert counts.branches[line["elif v < 0:"]] == {"taken": 0, "not_taken": 1}
    assert counts.branches[line["if qd.static(fast):"]] == {"taken": 0, "not_taken": 4}
    assert counts.get(line["x[i] = 1"], 0) == 0
    assert counts.loops[line["for k in range(4):"]] == {"started": 4, "zero_trips": 0, "exhausted": 0, "broken": 4}
    assert counts.loops[line["while x[i] > 100:"]] == {"started": 4, "zero_trips": 4, "exhausted": 4, "broken": 0}
    assert counts.loops[line["for i in x:"]]["exhausted"] == 1
    module.work(np.array([300, 5], np.int32), True)
    loops = qd.coverage.snapshot()[str(tmp_path / "example.py")].loops
    assert loops[line["while x[i] > 100:"]] == {"started": 6, "zero_trips": 6, "exhausted": 6, "broken": 0}
    module.work(np.array([300, 5], np.int32), False)
    loops = qd.coverage.snapshot()[str(tmp_path / "example.py")].loops
    assert loops[line["while x[i] > 100:"]]["zero_trips"] == 8, "sign() left nothing above 100"
    first = next(n for n, text in enumerate(EXAMPLE.splitlines(), 1) if text.startswith("@qd.func"))
    arcs = {arc for arc in counts.arcs if first <= abs(arc[0]) <= first + 7}
    assert arcs == {(-4, 6), (6, 7), (7, 8), (7, 9), (9, 11), (8, 11), (11, -4)}


WHILES = '''import quadrants as qd


@qd.kernel
def work(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        while x[i] > 3:
            x[i] -= 1
'''


def test_zero_trips_of_while(arch, tmp_path):
    """The arc past the loop is not counted, but it is known as long as the loop never iterated."""
    module = load(tmp_path / "whiles.py", WHILES)
    module.work(np.array([1, 2], np.int32))
    loops = qd.coverage.snapshot()[str(tmp_path / "whiles.py")].loops
    assert loops[7] == {"started": 2, "zero_trips": 2, "exhausted": 2, "broken": 0}
    module.work(np.array([1, 5], np.int32))
    loops = qd.coverage.snapshot()[str(tmp_path / "whiles.py")].loops
    assert loops[7] == {"started": 4, "zero_trips": None, "exhausted": 4, "broken": 0}


def test_specialisations_are_kept_apart(arch, tmp_path):
    module = load(tmp_path / "example.py", EXAMPLE)
    module.work(np.array([3, 5], np.int32), False)
    module.work(np.array([1, 2, 7], np.int32), True)
    line = {text.strip(): number for number, text in enumerate(EXAMPLE.splitlines(), 1)}
    merged = qd.coverage.snapshot()[str(tmp_path / "example.py")]
    assert (merged[line["x[i] = 1"]], merged[line["x[i] = sign(x[i])"]]) == (3, 2)
    slow, fast = [one.files[str(tmp_path / "example.py")] for one in qd.coverage.specialisations() if one.kernel == "work"]
    assert slow.get(line["x[i] = 1"], 0) == 0 and slow[line["x[i] = sign(x[i])"]] == 2
    assert fast[line["x[i] = 1"]] == 3 and fast.get(line["x[i] = sign(x[i])"], 0) == 0


ABORTED = '''import quadrants as qd


@qd.kernel
def work(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in range(1):
        for k in range(5):
            x[k] += 1
            if k > 2:
                x[k] += 1
            else:
                x[k] += 2
            assert k < 2
            x[k] += 3
'''


def test_no_arc_is_invented_where_a_kernel_is_left(arch, tmp_path):
    qd.init(arch=arch, offline_cache=False, debug=True)
    module = load(tmp_path / "aborted.py", ABORTED)
    with pytest.raises(AssertionError):
        module.work(np.zeros(5, np.int32))
    counts = qd.coverage.snapshot()[str(tmp_path / "aborted.py")]
    assert [counts[line] for line in (8, 9, 12, 13, 14)] == [3, 3, 3, 3, 2]
    inside = {arc: n for arc, n in counts.arcs.items() if min(arc) > 6}
    assert inside == {(7, 8): 3, (8, 9): 3, (9, 12): 3, (12, 13): 3, (13, 14): 2, (14, 7): 2}


COPIES = '''import quadrants as qd


@qd.kernel
def work(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        for k in qd.static(range(4)):
            if x[i] == k:
                x[i] = 10
'''


def test_static_copies(arch, tmp_path):
    module = load(tmp_path / "copies.py", COPIES)
    module.work(np.array([1, 1, 3, 7], np.int32))
    (one,) = qd.coverage.specialisations()
    counts = one.files[str(tmp_path / "copies.py")]
    assert counts.copies[9] == [0, 2, 0, 1]
    assert counts[9] == 3 and counts[8] == 16
    assert counts.arcs == {(-4, 6): 1, (6, 7): 4, (7, 8): 16, (8, 9): 3, (9, 7): 3, (8, 7): 13, (7, 6): 4, (6, -4): 1}


SECTIONS = '''{head}
@mark
def work(x{annotation}):
    with section():
        for i in range(3):
            if x[i] > 1:
                x[i] += 1
    with section():
        for i in range(3):
            x[i] += 2
        for i in range(3):
            x[i] += 3
'''


def test_parallel_sections(arch, tmp_path):
    path = tmp_path / "plain.py"
    head = "import contextlib; section = contextlib.nullcontext; mark = lambda fn: fn"
    measuring = coverage.Coverage(branch=True, data_file=None, config_file=False, include=[str(path)])
    measuring.start()
    try:
        load(path, SECTIONS.format(head=head, annotation="")).work([0, 1, 2])
    finally:
        measuring.stop()
    plain = {arc for arc in measuring.get_data().arcs(str(path)) if max(arc) > 3}
    head = "import quadrants as qd; section = qd.stream_parallel; mark = qd.kernel"
    module = load(tmp_path / "kernels.py", SECTIONS.format(head=head, annotation=": qd.types.ndarray(qd.i32, ndim=1)"))
    x = np.array([0, 1, 2], np.int32)
    module.work(x)
    assert x.tolist() == [5, 6, 8]
    counts = qd.coverage.snapshot()[str(tmp_path / "kernels.py")]
    assert set(counts.arcs) == plain
    assert counts == {4: 1, 5: 1, 6: 3, 7: 1, 8: 1, 9: 1, 10: 3, 11: 1, 12: 3}


PACKAGE = '''import quadrants as qd


@qd.kernel
def work(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        u, s, v = qd.svd(qd.Matrix([[x[i], 1.0], [0.0, 2.0]]), qd.f32)
        x[i] = s[0, 0]
'''


def test_funcs_of_the_package_are_not_counted(arch, tmp_path):
    module = load(tmp_path / "package.py", PACKAGE)
    module.work(np.ones(3, np.float32))
    assert {file: dict(counts) for file, counts in qd.coverage.snapshot().items()} == {str(tmp_path / "package.py"): {6: 1, 7: 3, 8: 3}}
