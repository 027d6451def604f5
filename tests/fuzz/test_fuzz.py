"""A few random programs and spoiled ones, always the same; `python -m tests.fuzz` runs more."""

import pytest

from tests.fuzz import generate, mutate, shrink, worker


@pytest.mark.parametrize("part", range(2))
def test_programs(part):
    programs = [(generate.program(n), True) for n in range(25 * part, 25 * part + 25)]
    for text, fault, detail in worker.faults(programs):
        pytest.fail(f"{fault}\n{detail}\n{shrink.smallest(text, fault, True)}")


def test_mutants():
    programs = [(mutate.program(n), False) for n in range(30)]
    for text, fault, detail in worker.faults(programs):
        pytest.fail(f"{fault}\n{detail}\n{text}")


def test_a_fault_is_found_and_shrunk():
    """A program that ends its process stands for one that crashes the compiler."""
    text = generate.program(3).replace("    result = k(", "    import os\n    os._exit(3)\n    result = k(")
    (found,) = worker.faults([(text, True)])
    assert found[1] == "the process ended with 3"
    small = shrink.smallest(text, found[1], True, attempts=60)
    assert "os._exit(3)" in small and len(small) < len(text) / 2
