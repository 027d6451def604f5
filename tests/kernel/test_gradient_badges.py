"""Badges of gradients below cells, in the Quadrants kernel and in ipykernel: verdicts, and the programs that have none."""

import time

import pytest
from conftest import PATIENCE

GRADIENTS = """import numpy as np
x = qd.field(qd.f64, shape=4, name="x", needs_grad=True)
loss = qd.field(qd.f64, shape=(), name="loss", needs_grad=True)
x.from_numpy(np.array([1.0, -2, 3, 4]))

@qd.kernel
def squares():
    for i in x:
        loss[None] += x[i] ** 2

@qd.kernel
def overwrite():
    for i in x:
        x[i] = x[i] ** 2

@qd.kernel
def kink():
    for i in x:
        loss[None] += abs(x[i] - 1)
"""

BADGE = "application/vnd.quadrants.gradients+json"


def badge_of(cell):
    assert cell.status == "ok", cell.of("error")
    found = [c["data"] for c in cell.of("display_data") if BADGE in c["data"]]
    assert len(found) <= 1
    return found[0] if found else None


def test_a_badge_says_whether_gradients_are_right(session):
    session.run(GRADIENTS)
    badge = badge_of(session.run("with qd.ad.Tape(loss):\n    squares()"))
    assert badge[BADGE] == {"version": 1, "checks": [{"name": "squares", "verdict": "agrees"}]}
    assert badge["text/plain"] == "squares: agrees (backward agrees with finite differences of `loss` by `x`: 2 directions)" and "gradients agree" in badge["text/html"]
    state = session.run("print(x.grad.to_numpy().tolist(), loss[None], x.has_dual())").text("stdout")
    assert state == "[2.0, -4.0, 6.0, 8.0] 30.0 False\n"
    counts = session.run("sum(sum(file.values()) for file in qd.coverage.snapshot().values())").result
    assert int(counts) == 5  # the loop counts once and its body four times, since launches of the check are not counted
    badge = badge_of(session.run("overwrite()\noverwrite.grad()"))
    assert badge[BADGE]["checks"] == [{"name": "overwrite", "verdict": "wrong"}]
    assert "the field `x` is overwritten after it was read" in badge["text/plain"] and "x[i] = x[i] ** 2" in badge["text/html"]
    badge = badge_of(session.run("kink.grad()\nsquares.grad()"))
    verdicts = {check["name"]: check["verdict"] for check in badge[BADGE]["checks"]}
    assert verdicts == {"kink": "cannot say", "squares": "agrees"}
    assert badge_of(session.run("squares()")) is None


def test_a_badge_names_missing_gradients(session):
    """This holds for any values, and for any value in the loss."""
    session.run("""import numpy as np
qd.init(arch=qd.cpu)
p = qd.field(qd.f32, 3, needs_grad=True)
L = qd.field(qd.f32, (), needs_grad=True)
tmp = qd.field(qd.f32, 3)

@qd.kernel
def via():
    for i in range(3):
        tmp[i] = p[i]**2
    for i in range(3):
        L[None] += tmp[i]

@qd.kernel
def direct():
    for i in range(3):
        L[None] += p[i]**2

@qd.kernel
def whole():
    for i in range(3):
        L[None] += p[i] * tmp[0]
""")
    for numbers in ([1, 1, 1], [0.2, 0.1, 3], [5, 5, 5]):
        badge = badge_of(session.run(f"p.from_numpy(np.array({numbers}, np.float32))\nwith qd.ad.Tape(L):\n    via()"))
        assert badge[BADGE]["checks"] == [{"name": "via", "verdict": "wrong"}]
        assert "no gradient flows back through `tmp`: created without needs_grad=True" in badge["text/plain"]
    badge = badge_of(session.run("L[None] = 100\nvia.grad()"))
    assert badge[BADGE]["checks"] == [{"name": "via", "verdict": "wrong"}]
    badge = badge_of(session.run("L[None] = 1e6\ndirect.grad()"))
    assert badge["text/plain"] == "direct: agrees (backward agrees with finite differences of `L` by `p`: 2 directions)"
    badge = badge_of(session.run("with qd.ad.Tape(L):\n    direct()\n    tmp[0] = float(p[0])\n    whole()"))
    assert badge[BADGE]["checks"][0]["verdict"] == "cannot say" and "Python writes to fields" in badge["text/plain"]


def test_a_badge_of_an_input_without_a_gradient(session):
    session.run("""import numpy as np
X, L = qd.field(qd.f64, shape=3), qd.field(qd.f64, shape=(), needs_grad=True)
X.fill(1.5)

@qd.kernel
def sq():
    for i in X:
        L[None] += X[i] ** 2

@qd.kernel
def na(a: qd.types.ndarray()):
    for i in a:
        L[None] += a[i]
""")
    badge = badge_of(session.run("with qd.ad.Tape(L):\n    sq()"))
    assert badge["text/plain"] == "sq: cannot say\n  no input has a gradient: give `X` needs_grad=True"
    assert "cannot say" in badge["text/html"] and "#2e7d32" not in badge["text/html"]
    badge = badge_of(session.run("with qd.ad.Tape(L):\n    na(np.ones(4))"))
    assert badge["text/plain"] == "na: cannot say\n  no input has a gradient: instead of the NumPy array `a` pass a qd.ndarray with needs_grad=True"
    assert badge_of(session.run("sq.grad()"))[BADGE]["checks"][0]["verdict"] == "cannot say"


def test_a_check_shows_its_own_verdict_and_frames(session):
    session.run(GRADIENTS)
    assert badge_of(session.run("found = qd.ad.check(squares); found.verdict")) is None
    for code in ("qd.ad.check(3)", "def raises():\n    1 / 0\nqd.ad.check(raises)"):
        (error,) = session.run(code).of("error")
        assert "_gradients" not in "".join(error["traceback"])


def test_a_badge_repeats_no_warning(session):
    session.run(GRADIENTS)
    session.run("import warnings\nfrom quadrants._gradients import agreement\nreal = agreement.run_calls\n"
                "def warns(*args):\n    warnings.warn('once more')\n    return real(*args)\nagreement.run_calls = warns")
    cell = session.run("squares.grad()")
    assert badge_of(cell)[BADGE]["checks"][0]["verdict"] == "agrees" and "once more" not in cell.text("stderr")


def test_badges_can_be_switched_off(session):
    session.run(GRADIENTS)
    assert badge_of(session.run("%qd_gradients --off\nsquares.grad()")) is None
    assert badge_of(session.run("squares.grad()")) is None
    assert badge_of(session.run("%qd_gradients --on\nsquares.grad()")) is not None
    assert "UsageError: %qd_gradients" in session.run("%qd_gradients").text("stderr")
    failed = session.run("squares.grad()\n1 / 0")
    assert failed.status == "error" and not [c for c in failed.of("display_data") if BADGE in c["data"]]


SLOW = f"""qd.init(arch=qd.cpu, ad_stack_experimental_enabled=True)
{GRADIENTS}
a = qd.field(qd.f64, shape=64, needs_grad=True)
a.fill(0.5)

@qd.kernel
def slow(m: qd.i32):
    for i in a:
        v = a[i]
        for j in range(m):
            v = qd.sin(v * 1.01)
        loss[None] += v
"""


@pytest.mark.parametrize("code", ["with qd.ad.Tape(loss):\n    slow(m)", "slow.grad(m)"], ids=["tape", "grad"])
def test_long_programs_are_not_run_again_for_a_badge(session, code):
    assert session.run(SLOW).status == "ok"
    session.run("import time, threading\nlaunched = lambda: qd._native.core().launches_made()")
    assert session.run(f"m = 8\n{code}").status == "ok"
    session.run("m, took = 4000, 0")
    while float(session.run("took").result) < 0.5:
        session.run("m *= 2\nbegan = time.monotonic()\nslow(m)\ntook = time.monotonic() - began")
    before = int(session.run("launched()").result)
    badge = badge_of(session.run(code))
    assert badge["text/plain"] == "slow: cannot say\n  a check takes too long; qd.ad.check(.., seconds=60) allows more time"
    assert int(session.run("launched()").result) - before <= (3 if "Tape" in code else 2), "it was launched once more"


def test_a_badge_of_a_previously_slow_program(session):
    assert session.run(SLOW + "slow(300_000)").status == "ok"
    badge = badge_of(session.run("with qd.ad.Tape(loss):\n    slow(2)"))
    assert badge["text/plain"].startswith("slow: agrees")


def test_stop_while_a_badge_is_computed(session):
    """It is like the Stop of a cell: the queued cells do not run."""
    session.run(GRADIENTS)
    session.run("from quadrants._gradients import agreement\nreal = agreement.run_calls\n"
                "def slow(*args):\n    print('checks', flush=True)\n    while True: real(*args)\nagreement.run_calls = slow")
    first, second = session.send("squares.grad()"), session.send("print('ran')")
    session.wait_for_text("checks")
    time.sleep(0.3)
    session.interrupt()
    cell = session.collect(first)
    assert cell.status == "error" and cell.error == "KeyboardInterrupt"
    (badge,) = [c["data"] for c in cell.of("display_data") if BADGE in c["data"]]
    assert badge["text/plain"] == "squares: cannot say\n  Stop was pressed"
    behind = session.raw.get_shell_msg(timeout=PATIENCE)
    assert behind["parent_header"]["msg_id"] == second and behind["content"]["status"] in ("error", "aborted")
    assert session.run("agreement.run_calls = real; squares.grad()").status == "ok"


def test_programs_that_a_badge_does_not_check(session):
    session.run(GRADIENTS + '''
@qd.kernel
def speaks():
    for i in x:
        print("x", x[i])
        loss[None] += x[i]

big = qd.field(qd.f32, shape=2_000_000, needs_grad=True)

@qd.kernel
def large():
    for i in big:
        loss[None] += big[i]
''')
    badge = badge_of(session.run("speaks.grad()"))
    assert badge[BADGE]["checks"] == [{"name": "speaks", "verdict": "cannot say"}] and "prints" in badge["text/plain"]
    badge = badge_of(session.run("large.grad()"))
    assert badge[BADGE]["checks"][0]["verdict"] == "cannot say" and "elements" in badge["text/plain"]
    badge = badge_of(session.run("with qd.ad.Tape(loss):\n    squares()\n    x.from_numpy(x.to_numpy())\n    squares()"))
    assert badge[BADGE]["checks"][0]["verdict"] == "cannot say" and "loads external data" in badge["text/plain"], badge["text/plain"]
    badge = badge_of(session.run("with qd.ad.Tape(loss):\n    squares()\n    x.fill(2)\n    squares()"))
    assert badge[BADGE]["checks"][0]["verdict"] == "agrees", "the field holds 2 by now"
