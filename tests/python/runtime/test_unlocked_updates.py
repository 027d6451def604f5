"""Tasks are compiled without lock prefixes, and with them once a launch needs it; the results are the same."""

import subprocess
import sys

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native


@pytest.fixture(params=["cpu"])
def arch(request):
    return request.param


MANY = 200_000  # a trip count that is worth several threads
CELLS = 3_000_000  # too many for a privatised copy on each thread


@pytest.fixture(autouse=True)
def shares_what_pays(monkeypatch):
    monkeypatch.delenv("QD_SHARE_LITTLE", raising=False)


def program(arch, **options):
    qd.init(arch=arch, cpu_max_num_threads=3, **{"offline_cache": False, **options})


def appending():
    @qd.kernel
    def append(to: qd.types.ndarray(qd.i32, 1), used: qd.types.ndarray(qd.i32, 1), rounds: qd.i32):
        for i in range(rounds):
            if i % 3 == 0:
                at = qd.atomic_add(used[0], 1)
                to[at] = i

    return append


def how(kernel):
    """Returns the variant of the kernel's first task that ran last."""
    return next(tasks[0][1] for name, _, tasks in _native.core().last_updates() if name.rpartition(".")[2] == kernel)


def test_small_launches_need_none_and_large_ones_do(arch):
    program(arch)
    append = appending()
    for rounds, expected in ((60, "unlocked"), (MANY, "locked"), (60, "unlocked"), (MANY, "locked")):
        to, used = qd.ndarray(qd.i32, MANY), qd.ndarray(qd.i32, 1)
        append(to, used, rounds)
        wanted = np.arange(0, rounds, 3)
        assert used[0] == len(wanted)
        np.testing.assert_array_equal(np.sort(to.to_numpy()[: len(wanted)]), wanted)
        assert how("append") == expected


@pytest.mark.parametrize("large", [False, True], ids=["copies", "locks"])
def test_sums_into_fields(arch, large):
    program(arch)
    cells = CELLS if large else 64
    to = qd.field(qd.i32, cells)

    @qd.kernel
    def scatter():
        for i in range(MANY):
            to[(i * 7919) % cells] += 1

    for _ in range(2):
        scatter()
    wanted = np.bincount(np.arange(MANY) * 7919 % cells, minlength=cells) * 2
    np.testing.assert_array_equal(to.to_numpy(), wanted)
    assert how("scatter") == ("locked" if large else "copies")


def test_one_sum_has_copies_and_the_other_locks(arch):
    program(arch)
    small, large = qd.field(qd.i32, 16), qd.field(qd.i32, CELLS)

    @qd.kernel
    def both():
        for i in range(MANY):
            small[i % 16] += 1
            large[(i * 7919) % CELLS] += 1

    both()
    assert small.to_numpy().tolist() == [MANY // 16] * 16
    assert large.to_numpy().sum() == MANY


def test_one_thread_never_needs_any(arch):
    program(arch)
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=1)
    append = appending()
    to, used = qd.ndarray(qd.i32, MANY), qd.ndarray(qd.i32, 1)
    append(to, used, MANY)
    np.testing.assert_array_equal(to.to_numpy()[: used[0]], np.arange(0, MANY, 3))
    assert how("append") == "unlocked"


def test_arrays_that_overlap(arch):
    program(arch)
    append = appending()
    memory = np.zeros(MANY + 1, np.int32)
    append(memory[1:], memory[:1], MANY)
    append_over = np.zeros(MANY, np.int32)
    used = append_over[MANY - 1 :]
    append(append_over, used, MANY)
    assert memory[0] == used[0] == len(range(0, MANY, 3))


def test_a_fault_in_such_code_is_found(arch):
    program(arch)

    @qd.kernel
    def beyond(to: qd.types.ndarray(qd.i32, 1), used: qd.types.ndarray(qd.i32, 1), far: qd.i32):
        for i in range(MANY):
            at = qd.atomic_add(used[0], 1)
            if i == MANY - 7:
                to[at + far] = 1

    to, used = qd.ndarray(qd.i32, MANY), qd.ndarray(qd.i32, 1)
    beyond(to, used, 0)
    assert how("beyond") == "locked"
    used.fill(0)
    with pytest.raises(qd.QuadrantsRuntimeError, match="outside of its arrays") as caught:
        beyond(to, used, 1 << 30)
    assert "to[at + far] = 1" in str(caught.value)


PROGRAM = """
import sys
import quadrants as qd
qd.init(arch=qd.cpu, cpu_max_num_threads=3, log_level="error", offline_cache_file_path=sys.argv[1])

@qd.kernel
def append(to: qd.types.ndarray(qd.i32, 1), used: qd.types.ndarray(qd.i32, 1), rounds: qd.i32):
    for i in range(rounds):
        to[qd.atomic_add(used[0], 1)] = i

for rounds in 60, 300_000:
    to, used = qd.ndarray(qd.i32, rounds), qd.ndarray(qd.i32, 1)
    append(to, used, rounds)
    assert used[0] == rounds and int(to.to_numpy().sum(dtype="i8")) == rounds * (rounds - 1) // 2
from quadrants import _native
print(_native.core().last_updates()[-1][2][0][1], "libquadrants_llvm" in open("/proc/self/maps").read())
"""


def test_the_next_start_finds_it_on_disk(tmp_path):
    program = tmp_path / "appending.py"
    program.write_text(PROGRAM)
    said = [
        subprocess.run([sys.executable, program, tmp_path / "cache"], capture_output=True, text=True, check=True).stdout.split()[-2:]
        for _ in range(2)
    ]
    assert said == [["locked", "True"], ["locked", "False"]]


def test_only_one_compilation_is_reported(arch):
    program(arch)
    append = appending()
    _native.core().take_reports()
    for rounds in (60, MANY):
        append(qd.ndarray(qd.i32, MANY), qd.ndarray(qd.i32, 1), rounds)
    assert how("append") == "locked"
    assert [report["kernel"].rpartition(".")[2] for report in _native.core().take_reports()] == ["append"]


@pytest.mark.parametrize("exact", ["0", "1"])
def test_kernels_that_count(arch, monkeypatch, exact):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    monkeypatch.setenv("QD_COVERAGE_COUNTS", exact)
    program(arch)
    append = appending()
    for _ in range(3):
        to, used = qd.ndarray(qd.i32, MANY), qd.ndarray(qd.i32, 1)
        append(to, used, MANY)
        assert used[0] == len(range(0, MANY, 3))
        _native.core().settle()  # the variant that no longer counts, with `exact` 0
    hows = [tasks[0][1] for name, _, tasks in _native.core().last_updates() if name.rpartition(".")[2] == "append"]
    assert hows == ["locked"] * len(hows) and hows
    qd.reset()
    qd.coverage.clear()
