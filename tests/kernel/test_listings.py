"""The kernels that %qd_coverage and %qd_tasks list: those whose cell was edited, those of one name, those made inside functions."""

import pytest
from test_live import run

KERNEL = "@qd.kernel\ndef k(x: qd.i32) -> qd.i32:\n    y = x\n    for i in range(3):\n        y += 1\n    return y\n"
OTHER = "@qd.kernel\ndef other(x: qd.i32) -> qd.i32:\n    return x\n"
MAKE = "def make{n}():\n    @qd.kernel\n    def k(x: qd.i32) -> qd.i32:\n        return x + {n}\n    return k\n"


@pytest.fixture(scope="module")
def session(kernel):
    assert kernel.run("%load_ext quadrants_jupyter\nimport quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.ERROR)").status == "ok"
    return kernel


def counts(text):
    return [line.split()[1] for line in text.splitlines() if "|" in line and line.split()[1] != "|"]


@pytest.mark.parametrize("head", ["", "%%qd_kernel --quiet\n"])
@pytest.mark.parametrize("edited", [OTHER, "z = 1\n"])
def test_a_kernel_whose_cell_was_edited_keeps_its_counts(session, head, edited):
    run(session, head + KERNEL, "a")
    run(session, "k(1)", "b")
    run(session, head + edited, "a")
    run(session, "k(1)", "b")
    shown = run(session, "%qd_coverage k", "c").result
    assert counts(shown) == ["2", "2", "6", "2"], shown
    assert shown.splitlines()[0].endswith(", edited since)")
    run(session, head + KERNEL.replace("1\n", "2\n"), "a")
    assert set(counts(run(session, "%qd_coverage k", "c").result)) <= {"not"}, "a new kernel"
    run(session, "k(1)", "b")
    shown = run(session, "%qd_coverage k", "c").result
    assert counts(shown) == ["1", "1", "3", "1"] and "edited since" not in shown


def test_kernels_of_one_name_are_told_apart(session):
    cell = run(session, KERNEL + "k(1)\n" + KERNEL.replace("1\n", "2\n") + "k(2)\n", "two")
    number = cell.reply["content"]["execution_count"]
    titles = [f"k (cell {number}, line 1)", f"k (cell {number}, line 8)"]
    assert [line for line in run(session, "%qd_coverage", "c").result.splitlines() if line.startswith("k (")] == titles
    live = run(session, "%qd_coverage --live", "live")
    key = live.of("display_data")[0]["transient"]["display_id"]
    cell = run(session, "k(2)", "d")
    stored = [c["data"]["text/plain"] for c in cell.of("update_display_data") if c["transient"]["display_id"] == key][-1]
    assert [line for line in stored.splitlines() if line.startswith("k (")] == titles
    assert counts(stored) == ["1", "1", "3", "1", "2", "2", "6", "2"]
    run(session, "%%qd_kernel --quiet\n" + KERNEL + "k(1)\n" + KERNEL.replace("1\n", "2\n") + "k(2)\n", "two")
    assert counts(run(session, "%qd_coverage", "c").result) == ["1", "1", "3", "1"], "the last one, once"


def test_kernels_made_inside_functions(session):
    run(session, MAKE.format(n=1) + MAKE.format(n=2) + "make1()(1), make2()(2)", "made")
    shown = run(session, "%qd_coverage", "c").result
    assert [line.split(" (")[0] for line in shown.splitlines() if "(cell" in line] == ["make1.k", "make2.k"]
    for name in ("make2.k", "make2.<locals>.k"):
        assert run(session, f"%qd_coverage {name}", "c").result.startswith("make2.k (cell")
        assert run(session, f"%qd_tasks {name}", "c").result.startswith("make2.k.0 ")
    said = session.run("%qd_coverage make3.k").text("stderr")
    assert "known: " in said and "make2.k" in said and "locals" not in said
