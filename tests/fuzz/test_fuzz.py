"""A fixed sample of random and corrupted programs; `python -m tests.fuzz` runs more."""

import gc

import pytest
from quadrants._language import kernel as _kernel

from tests.fuzz import generate, hazards, mutate, run, shrink, spelling, worker
from tests.fuzz.writer import Function
from tests.syntax import corpus


@pytest.mark.parametrize("part", range(2))
def test_programs(part):
    programs = [(generate.program(n), True) for n in range(25 * part, 25 * part + 25)]
    for text, fault, detail in worker.faults(programs):
        pytest.fail(f"{fault}\n{detail}\n{shrink.smallest(text, fault, True)}")


def test_mutants():
    assert len(mutate.corpus()) > 150
    programs = [(mutate.program(n, of_tests=False), False) for n in range(30)]  # the tests of the repository change
    for text, fault, detail in worker.faults(programs):
        pytest.fail(f"{fault}\n{detail}\n{text}")


@pytest.mark.filterwarnings("ignore")
def test_functions_with_unusual_spelling():
    functions = [found for n in range(25) for found in corpus.compare(spelling.program(n, of_tests=False))]
    assert [found for found in functions if found[0] == "differs"] == []
    assert sum(outcome == "same" for outcome, *_ in functions) > 100


def test_a_fault_is_found_and_shrunk():
    """A program that ends its process represents one that crashes the compiler."""
    text = generate.program(3).replace("    result = k(", "    import os\n    os._exit(3)\n    result = k(")
    (found,) = worker.faults([(text, True)])
    assert found[1] == "the process ended with 3"
    small = shrink.smallest(text, found[1], True, attempts=40)
    assert "os._exit(3)" in small and len(small) < 0.7 * len(text)


def test_another_result_is_a_fault():
    text = "import quadrants as qd\n\n\ndef main():\n    return [1 if qd.cfg is None else 2], []\n"
    (found,) = worker.faults([(text, True)])
    assert found[1:] == ("interp: another result", "result 0: 1 as Python, 2 compiled")


ACCUMULATED = """import numpy as np
import quadrants as qd


@qd.kernel
def k(values: qd.types.ndarray(qd.f32, ndim=1), sums: qd.types.ndarray(qd.f32, ndim=1)):
    for i in sums:
        for j in range(values.shape[0]):
            sums[i] OP values[j]


def main():
    sums = qd.ndarray(qd.f32, 3)
    sums.fill(START)
    k(np.array(VALUES, np.float32), sums)
    if qd.cfg is not None:
        sums[1] = np.float32("GOT")
    return [], [sums.to_numpy()]
"""
inf, nan = float("inf"), float("nan")


@pytest.mark.parametrize(
    "op, start, values, got, is_fault",
    [
        ("*=", 0, [1e10] * 5, nan, False),
        ("*=", 0, [1e10] * 5, inf, True),
        ("*=", 0, [1e10] * 3, nan, True),
        ("*=", 0, [1e10] * 5, 1.0, True),
        ("*=", 1, [1e20, 1e20, 1e-10], 1e30, False),
        ("*=", 1, [1e20, 1e20, 1e-10], -1e30, True),
        ("*=", 1, [1e20, 1e20, 1e-10], nan, True),
        ("*=", 1, [1e20, 1e20, 1e20], 1.0, True),
        ("*=", 1, [1e-10, 1e30, 1e30], -inf, True),
        ("*=", 1, [1e-10, 1e15, 1e30], inf, False),
        ("*=", 1, [1e-30, 1e-30, 1e30, 1e30], nan, False),
        ("*=", 2, [0.0, inf], 0.0, True),
        ("*=", 1, [2.0], nan, True),
        ("+=", 0, [3e38, 3e38, -3e38], 3e38, False),
        ("+=", 0, [3e38, -3e38, 3e38, -3e38], nan, False),
        ("+=", 0, [3e38, -3e38, 3e38], -inf, True),
        ("+=", 0, [3e38, 3e38], 3e38, True),
        ("-=", 0, [-3e38, 3e38, -3e38], inf, False),
        ("-=", 0, [3e38, -3e38, 3e38], inf, True),
        ("+=", 0, [inf, 1.0], 3.0, True),
        ("+=", 0, [1.0, 2.0], inf, True),
    ],
)
def test_another_result_may_be_due_to_another_order(op, start, values, got, is_fault):
    values = ", ".join(f"float('{v}')" for v in values)
    text = ACCUMULATED.replace("OP", op).replace("START", f"{start:.1f}").replace("VALUES", f"[{values}]").replace("GOT", str(got))
    fault = run.fault(text, True, archs=("cpu",))
    assert (fault is not None) == is_fault
    assert not is_fault or fault[0] == "cpu: another result"


ASSERTED = """import numpy as np
import quadrants as qd
ACTIVE

@qd.kernel
def k(c: qd.template()):
    qd.loop_config(serialize=True)
    for i, j in c:
        assert c[i, j] == 0, f"claim {c[i, j]}"


def main():
    c = qd.field(qd.i32)
    active(qd.root).pointer(qd.ij, (2, 3)).dense(qd.i, 2).place(c)
    for at in np.ndindex((4, 3)):
        c[at] = 3 * at[0] + at[1]
    if qd.cfg is not None:
        c[0, 1] = OTHER  # of 1
    k(c)
    return [], []


OPTIONS = {"debug": True}
"""


def test_a_loop_over_sparse_cells_may_fail_elsewhere():
    """Its iterations come in the order of its cells, which is not that of the indices: here the compiled kernel finds 3, and Python 1."""
    assert run.fault(ASSERTED.replace("ACTIVE", hazards.ACTIVE).replace("OTHER", "1"), True, archs=("cpu",)) is None
    plain = ASSERTED.replace("ACTIVE", "").replace("active(qd.root).pointer", "qd.root.dense").replace("OTHER", "7")
    assert run.fault(plain, True, archs=("cpu",))[0] == "cpu: another assertion"


def test_structs_are_not_summed():
    writer = generate.Program(0)
    writer.program()
    for result, words in (("record", "f(x)"), ("int", "sum(map(f, [x, ")):
        assert writer.through(Function("f", [("p", result, "")], result), ["x"]).startswith(words)


def test_programs_are_freed():
    gc.collect()
    before = len(_kernel._all_kernels)
    for number in range(7):
        assert run.fault(generate.program(number), True) is None
    run._compiled.cache_clear()
    gc.collect()
    assert len(_kernel._all_kernels) == before
