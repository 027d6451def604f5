"""With QD_COVERAGE_COUNTS=0 a kernel whose coverage is complete runs its uninstrumented code: it no longer counts, and the report stays the
same."""

import re
import threading

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native

import random_functions
from sample_project import ARCS, RAN
from test_arcs import load
from test_processes import lines_in
from test_projects import arcs_in, check


@pytest.fixture(params=["interp", "cpu"])
def arch(request, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    monkeypatch.setenv("QD_COVERAGE_COUNTS", "0")
    qd.init(arch=request.param, offline_cache=False)
    from quadrants._coverage import files as _coverage_files

    monkeypatch.setattr(_coverage_files, "_measured", (True, False))
    qd.coverage.clear()
    yield request.param
    qd.reset()
    qd.coverage.clear()


@pytest.fixture
def lines_alone(arch, monkeypatch):
    from quadrants._coverage import files as _coverage_files

    monkeypatch.setattr(_coverage_files, "_measured", (False, False))


def settle():
    _native.core().settle()


TEXT = '''import quadrants as qd


@qd.func
def clipped(v, limit):
    result = v
    if v > limit:
        result = limit
    return result


@qd.kernel
def work(x: qd.types.ndarray(qd.i32, ndim=1), limit: qd.i32):
    for i in x:
        x[i] = clipped(x[i], limit) + 1


@qd.kernel
def search(x: qd.types.ndarray(qd.i32, ndim=1), y: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        for k in range(3):
            if x[i] == k:
                break
        y[i] += 1


@qd.kernel
def endless(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        while True:
            x[i] += 1
            if x[i] > 3:
                break


@qd.kernel
def static(x: qd.types.ndarray(qd.i32, ndim=1), wanted: qd.template()):
    for i in x:
        for k in qd.static(range(3)):
            if qd.static(k == wanted):
                break
            x[i] += k


@qd.kernel
def checked(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        assert x[i] < 9
        x[i] += 1


@qd.kernel
def add(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        x[i] += 1
'''
NUMBER = {text.strip(): number for number, text in enumerate(TEXT.splitlines(), 1)}


@pytest.fixture
def module(arch, tmp_path):
    return load(tmp_path / "kernels.py", TEXT)


class Counts:
    def __init__(self, module, tmp_path):
        self.file = str(tmp_path / "kernels.py")

    def __getitem__(self, text):
        return qd.coverage.snapshot()[self.file].get(NUMBER[text], 0)

    def arcs(self):
        return set(qd.coverage.snapshot()[self.file].arcs)


@pytest.fixture
def counts(module, tmp_path):
    return Counts(module, tmp_path)


def clip(module, values, limit=10):
    x = np.array(values, np.int32)
    module.work(x, limit)
    assert x.tolist() == [min(v, limit) + 1 for v in values]


def test_a_complete_kernel_no_longer_counts(module, counts):
    clip(module, [1, 20])
    settle()
    for _ in range(3):
        clip(module, [1, 2, 30])
    assert counts["result = v"] == 2 and counts["result = limit"] == 1


def test_code_reached_later_is_counted(module, counts):
    for _ in range(3):
        clip(module, [1, 2])
        settle()
    assert counts["result = v"] == 6 and counts["result = limit"] == 0
    clip(module, [20, 30])
    assert counts["result = v"] == 8 and counts["result = limit"] == 2
    settle()
    clip(module, [20, 30])
    assert counts["result = v"] == 8


def test_the_other_outcome_of_a_branch_is_counted_too(module, counts):
    clip(module, [20])
    settle()
    clip(module, [30])
    assert counts["result = v"] == 2, "it was never false"
    clip(module, [1])
    settle()
    clip(module, [30])
    assert counts["result = v"] == 3


def test_lines_alone(lines_alone, module, counts):
    clip(module, [20])
    settle()
    clip(module, [30])
    assert counts["result = v"] == 1


def test_the_end_of_a_loop(module, counts):
    y = np.zeros(2, np.int32)
    after = NUMBER["for k in range(3):"], NUMBER["y[i] += 1"]
    for _ in range(2):
        module.search(np.array([1, 2], np.int32), y)
        settle()
    assert counts["y[i] += 1"] == 4 and after not in counts.arcs()
    module.search(np.array([7, 2], np.int32), y)
    assert after in counts.arcs()
    settle()
    module.search(np.array([7, 2], np.int32), y)
    assert counts["y[i] += 1"] == 6 and after in counts.arcs()
    assert y.tolist() == [4, 4]


def test_loops_without_an_end(module, counts):
    module.endless(np.array([0, 1], np.int32))
    settle()
    module.endless(np.array([0, 1], np.int32))
    assert counts["if x[i] > 3:"] == 4 + 3
    assert (NUMBER["while True:"], -(NUMBER["def endless(x: qd.types.ndarray(qd.i32, ndim=1)):"] - 1)) not in counts.arcs()


def test_static_loops(module, counts):
    """One specialisation leaves a loop by `break`, another at its end."""
    x = np.zeros(2, np.int32)
    for _ in range(2):
        for wanted in (1, 7):
            module.static(x, wanted)
            settle()
    assert x.tolist() == [6, 6]
    lines = qd.coverage.snapshot()[counts.file]
    assert lines[NUMBER["x[i] += k"]] >= 4 and lines.loops[NUMBER["for k in qd.static(range(3)):"]]["exhausted"] >= 1


def test_arrays_that_overlap(module, counts):
    y = np.zeros(6, np.int32)
    x = np.array([7, 2], np.int32)
    for _ in range(3):
        module.search(x, y[:2])
        settle()
    for _ in range(3):
        module.search(y[:2], y[:2])
        settle()
    assert x.tolist() == [7, 2] and y.tolist() == [6, 6, 0, 0, 0, 0]


def launches_after_one_that_was_left(arch, tmp_path):
    """One launch fails in an assertion, three complete."""
    qd.init(arch=arch, offline_cache=False, debug=True)
    module = load(tmp_path / "kernels.py", TEXT)
    qd.coverage.clear()
    with pytest.raises(AssertionError):
        module.checked(np.array([9], np.int32))
    for _ in range(3):
        module.checked(np.array([1], np.int32))
        settle()


def test_an_interrupted_kernel_continues_counting(arch, tmp_path, counts):
    launches_after_one_that_was_left(arch, tmp_path)
    assert counts["assert x[i] < 9"] == 4


def test_lines_of_an_interrupted_kernel_are_known(lines_alone, arch, tmp_path, counts):
    launches_after_one_that_was_left(arch, tmp_path)
    assert counts["assert x[i] < 9"] == 2


def test_an_assertion_in_the_clean_build(arch, tmp_path, counts):
    qd.init(arch=arch, offline_cache=False, debug=True)
    module = load(tmp_path / "kernels.py", TEXT)
    qd.coverage.clear()
    messages = []
    for first in ([9], [1], [9]):
        try:
            module.checked(np.array(first, np.int32))
        except AssertionError as error:
            messages.append(str(error))
            qd.coverage.clear()
        settle()
    assert len(messages) == 2 and messages[0] == messages[1]


def test_forgotten_counts_are_counted_again(module, counts):
    for _ in range(2):
        clip(module, [1, 20])
        settle()
    assert counts["result = v"] == 2
    qd.coverage.clear()
    clip(module, [1, 20])
    assert counts["result = v"] == 2
    clip(module, [1, 20])
    assert counts["result = v"] == 2


def test_reset(arch, module, counts):
    for _ in range(2):
        clip(module, [1, 20])
        settle()
    qd.init(arch=arch, offline_cache=False)
    assert counts["result = v"] == 2
    for _ in range(2):
        clip(module, [1, 20])
        settle()
    assert counts["result = v"] == 4


def test_a_program_that_ends_while_the_clean_build_is_made(arch, module):
    for _ in range(5):
        clip(module, [1, 20])
        qd.init(arch=arch, offline_cache=False)
    clip(module, [1, 20])


def test_kernels_with_requested_counts(module, counts):
    module.work._primal.coverage = True
    for _ in range(3):
        clip(module, [1, 20])
        settle()
    assert counts["result = v"] == 6


def test_threads(module, counts):
    x = np.zeros(50, np.int32)
    launches = 40

    def go():
        for _ in range(launches):
            module.add(x)

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.tolist() == [4 * launches] * 50
    assert counts["x[i] += 1"] >= 50
    settle()
    module.add(x)
    before = counts["x[i] += 1"]
    module.add(x)
    assert counts["x[i] += 1"] == before and x[0] == 4 * launches + 2


FUNCTIONS = 40


def calls(path, body, decorator):
    module = load(path, random_functions.KERNEL.format(decorator=decorator) + body)
    text = "import quadrants as qd\n" + "".join(
        f"@qd.kernel\ndef k{k}(x: qd.types.ndarray(qd.i32, ndim=1)):\n    for i in range(x.shape[0] // 3):\n"
        f"        x[3 * i] = functions.f{k}(x[3 * i + 1], x[3 * i + 2])\n"
        for k in range(FUNCTIONS)
    )
    space = {"functions": module}
    file = path.with_name("calls_" + path.name)
    file.write_text(text)
    exec(compile(text, str(file), "exec"), space)
    return [space[f"k{k}"] for k in range(FUNCTIONS)]


def run(path, body, decorator):
    """Calls each function with all inputs; returns the results and the final coverage."""
    kernels = calls(path, body, decorator)
    results = []
    for number in range(8):
        for k, kernel in enumerate(kernels):
            given = [random_functions.inputs(k, seed)[0] for seed in (number, number + 100)]
            x = np.array([(0, *one) for one in given], np.int32).ravel()
            kernel(x)
            results.append(x[::3].tolist())
        settle()
    return results, qd.coverage.snapshot()[str(path)]


@pytest.mark.parametrize("decorator", ["func", "real_func"])
def test_random_functions(arch, tmp_path, monkeypatch, decorator):
    body, _ = random_functions.module(FUNCTIONS, 11, early_returns=decorator == "real_func")
    results, whether = run(tmp_path / "kernels.py", body, decorator)
    monkeypatch.setenv("QD_COVERAGE_COUNTS", "1")
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()
    expected, exact = run(tmp_path / "kernels.py", body, decorator)
    assert results == expected
    assert {line for line, n in whether.items() if n} == {line for line, n in exact.items() if n}
    assert set(whether.arcs) == set(exact.arcs)
    assert all(whether[line] <= n for line, n in exact.items())
    assert sum(whether.values()) < sum(exact.values()), "no kernel became complete"


# --- in processes of their own -----------------------------------------------------------------------------------------

SETTLED = (
    "import quadrants as qd\nfrom quadrants import _native\nfrom shapes import kernels\nqd.init(src_ll_cache=False)\n"
    "kernels.go([1, 20, -1], 10)\n_native.core().settle()\nprint(kernels.go([1, 20], 10))\n_native.core().settle()\n"
)


def objects(folder):
    """Returns key of a task -> its code, from all files with kernels."""
    tasks = {}
    for path in folder.rglob("*.qdc"):
        data = path.read_bytes()
        assert data.startswith(b"QDKERN")
        at = int.from_bytes(data[12:16], "little")

        def take(count):
            nonlocal at
            at += count
            return data[at - count : at]

        def blob():
            return take(int.from_bytes(take(8), "little"))

        blob()  # the kernel's name
        take(12)  # the library's version
        for _ in range(int.from_bytes(take(8), "little")):
            key, _weight = take(16), take(8)
            code = (blob(), blob())  # the processor, and the code for it
            assert tasks.setdefault(key, code) == code
            take(112)  # its range: abi::Range
        assert at == len(data)
    return tasks


def test_the_code_is_that_of_the_clean_build(project):
    def run(name, **variables):
        cache = project.folder / name
        said = project.program(SETTLED, QD_ARCH="x64", QD_OFFLINE_CACHE="1", QD_OFFLINE_CACHE_FILE_PATH=str(cache), **variables)
        assert "[1, 10]" in said
        return objects(cache)

    clean = run("clean", covered="0")
    whether = run("whether", QD_COVERAGE_COUNTS="0")
    counts = run("counts", QD_COVERAGE_COUNTS="1")
    assert clean and not clean.keys() & counts.keys()
    assert {name: whether.get(name) for name in clean} == clean
    assert whether.keys() == clean.keys() | counts.keys()
    again = run("clean", QD_COVERAGE_COUNTS="0")
    assert {name: again[name] for name in clean} == clean


def test_the_file_is_the_same(project):
    for counts in "10":
        project.program(SETTLED, QD_COVERAGE_COUNTS=counts, _QD_KCOV_ARC="1")
    one, other = lines_in(project.folder)
    assert one == other == RAN | {20, 21}
    assert arcs_in(project) >= ARCS


def test_pytest(project):
    project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", "tests", QD_COVERAGE_COUNTS="0")
    assert arcs_in(project) == ARCS
    check(project.of_kernels(), branches=True)


def test_reports_show_no_counts(project):
    project.program(SETTLED, QD_COVERAGE_COUNTS="0")
    project.run("-m", "quadrants.coverage", "report", "--annotate", "listing")
    text = (project.folder / "listing/shapes/kernels.py,cover").read_text()
    assert re.search(r"^ +8 +> +result = v", text, re.M)


def test_a_forked_child_counts_for_itself(project):
    project.program(
        SETTLED + "import os\npid = os.fork()\nif pid == 0:\n    kernels.go([1], 10)\n    os._exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n",
        QD_COVERAGE_COUNTS="0",
    )
    parent, child = sorted(lines_in(project.folder), key=len, reverse=True)
    assert parent == RAN | {20, 21} and child == RAN - {10}
