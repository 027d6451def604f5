"""Errors of users as cells show them."""

import pytest


@pytest.fixture(scope="module")
def session(kernel):
    assert kernel.run("import quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.WARN)").status == "ok"
    return kernel


def message(cell):
    (error,) = cell.of("error")
    return error["evalue"]


def new_kernel(session):
    return session.run("@qd.kernel\ndef three() -> qd.i32:\n    return 3\n\nthree()")


@pytest.mark.parametrize("made", ["qd.field(qd.f32)", "qd.Vector.field(2, qd.f32)", "qd.Struct.field({'a': qd.f32})"])
def test_fields_that_only_the_history_of_results_holds(session, made):
    session.run(made)
    assert new_kernel(session).result == "3"
    session.run(f"forgotten = {made}\nforgotten")
    assert "not placed: `forgotten`, made at Cell In[" in message(new_kernel(session))
    session.run("del forgotten")
    assert new_kernel(session).result == "3"
