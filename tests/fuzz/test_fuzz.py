"""A few random programs and spoiled ones, always the same; `python -m tests.fuzz` runs more."""

import gc

import pytest
from quadrants._language import kernel as _kernel

from tests.fuzz import generate, mutate, run, shrink, spelling, worker
from tests.syntax import corpus


@pytest.mark.parametrize("part", range(2))
def test_programs(part):
    programs = [(generate.program(n), True) for n in range(25 * part, 25 * part + 25)]
    for text, fault, detail in worker.faults(programs):
        pytest.fail(f"{fault}\n{detail}\n{shrink.smallest(text, fault, True)}")


def test_mutants():
    assert len(mutate.corpus()) > 150
    programs = [(mutate.program(n, of_tests=False), False) for n in range(30)]  # tests change
    for text, fault, detail in worker.faults(programs):
        pytest.fail(f"{fault}\n{detail}\n{text}")


@pytest.mark.filterwarnings("ignore")
def test_functions_spelled_oddly():
    functions = [found for n in range(25) for found in corpus.compare(spelling.program(n, of_tests=False))]
    assert [found for found in functions if found[0] == "differs"] == []
    assert sum(outcome == "same" for outcome, *_ in functions) > 100


def test_a_fault_is_found_and_shrunk():
    """A program that ends its process stands for one that crashes the compiler."""
    text = generate.program(3).replace("    result = k(", "    import os\n    os._exit(3)\n    result = k(")
    (found,) = worker.faults([(text, True)])
    assert found[1] == "the process ended with 3"
    small = shrink.smallest(text, found[1], True, attempts=40)
    assert "os._exit(3)" in small and len(small) < 0.7 * len(text)


def test_another_result_is_a_fault():
    text = "import quadrants as qd\n\n\ndef main():\n    return [1 if qd.cfg is None else 2], []\n"
    (found,) = worker.faults([(text, True)])
    assert found[1:] == ("interp: another result", "result 0: 1 as Python, 2 compiled")


def test_nothing_is_left_of_programs():
    gc.collect()
    before = len(_kernel._all_kernels)
    for number in range(7):
        assert run.fault(generate.program(number), True) is None
    run._compiled.cache_clear()
    gc.collect()
    assert len(_kernel._all_kernels) == before
