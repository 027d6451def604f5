"""The state that a session of many cells keeps."""

import pytest

from quadrants_jupyter import ordinary


class Compiler:
    """Names the code of cells by its text, as IPython does."""

    def get_code_name(self, text, code, number):
        return f"<cell of {text}>"


@pytest.fixture
def run():
    cells, names = ordinary.Cells(), {}

    def one(text, number):
        place = cells.ran(Compiler(), f"id {number}", number, text, text)
        exec(compile(text, place.file, "exec"), names)
        return place.file

    one.cells = cells
    return one


def test_cells_without_functions_are_forgotten(run):
    for number in range(5 * ordinary.MANY):
        last = run(f"x = {number}", number)
        run.cells.magic.add(last)
        assert len(run.cells.places) <= ordinary.MANY and len(run.cells.magic) <= ordinary.MANY
    assert last in run.cells.places


def test_cells_with_functions_that_live_stay(run):
    first = run("def f(): pass\nfs = [f]", 0)
    method = run("class C:\n    def f(self): pass", 1)
    dead = run("def g(): pass", 2)
    run("del g", 3)
    for number in range(4, 3 * ordinary.MANY):
        run(f"def h(): return {number}", number)
    assert {first, method} <= run.cells.places.keys() and dead not in run.cells.places
    run("fs.clear(); del f", 3 * ordinary.MANY)
    run.cells.forget()
    assert first not in run.cells.places and method in run.cells.places


def test_a_cell_that_runs_many_others_stays(run):
    outer = run("pass", 0)
    for number in range(1, ordinary.LATEST):
        run(f"y = {number}", number)
    run.cells.forget()
    assert outer in run.cells.places
