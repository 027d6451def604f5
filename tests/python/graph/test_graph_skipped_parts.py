"""The parts that a launch skips after a yield and that a resumed launch skips before its checkpoint: loops at the top of the kernel or of a
do_while, and whole do_whiles anywhere. Assignments, calls and ifs run."""

import pytest
import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)


def flag(value=0):
    made = qd.ndarray(qd.i32, ())
    made[()] = value
    return made


@qd.kernel(graph=True, checkpoints=True)
def without(n: Line, w: Flag, f: Flag):
    for _ in range(1):
        n[0] += 1
    with qd.checkpoint(1, yield_on=f):
        for _ in range(1):
            n[1] += 1
    with qd.checkpoint(2, yield_on=f):
        for _ in range(1):
            n[2] += 1


@qd.kernel(graph=True, checkpoints=True)
def bare(n: Line, w: Flag, f: Flag):
    w[()] = 2
    while qd.graph.do_while(w):
        n[3] += 1
        w[()] -= 1
    for _ in range(1):
        n[0] += 1
    with qd.checkpoint(1, yield_on=f):
        for _ in range(1):
            n[1] += 1
    with qd.checkpoint(2, yield_on=f):
        for _ in range(1):
            n[2] += 1


@qd.func
def lowers(n: Line, w: Flag):
    while qd.graph.do_while(w):
        n[3] += 1
        for _ in range(1):
            w[()] -= 1


@qd.kernel(graph=True, checkpoints=True)
def func(n: Line, w: Flag, f: Flag):
    w[()] = 2
    lowers(n, w)
    for _ in range(1):
        n[0] += 1
    with qd.checkpoint(1, yield_on=f):
        for _ in range(1):
            n[1] += 1
    with qd.checkpoint(2, yield_on=f):
        for _ in range(1):
            n[2] += 1


@qd.kernel(graph=True, checkpoints=True)
def static(n: Line, w: Flag, f: Flag):
    w[()] = 2
    if qd.static(True):
        while qd.graph.do_while(w):
            n[3] += 1
            w[()] -= 1
    for _ in range(1):
        n[0] += 1
    with qd.checkpoint(1, yield_on=f):
        for _ in range(1):
            n[1] += 1
    with qd.checkpoint(2, yield_on=f):
        for _ in range(1):
            n[2] += 1


@qd.kernel(graph=True, checkpoints=True)
def within(n: Line, w: Flag, f: Flag):
    w[()] = 1
    while qd.graph.do_while(w):
        f[()] = 3
        while qd.graph.do_while(f):
            n[3] += 1
            f[()] -= 1
        for _ in range(1):
            n[0] += 1
        with qd.checkpoint(1, yield_on=f):
            for _ in range(1):
                n[1] += 1
        with qd.checkpoint(2, yield_on=f):
            for _ in range(1):
                n[2] += 1
                f[()] = 0
        w[()] -= 1


BEFORE = [(kernel, label) for kernel in (without, bare, func, static) for label in (1, 2)]


@pytest.mark.parametrize("kernel, label", (*BEFORE, (within, 2)))
def test_before_the_checkpoint_that_is_resumed(kernel, label):
    wanted = [0, int(label == 1), 1, 0]
    n, w, f = qd.ndarray(qd.i32, 4), flag(), flag()
    assert not kernel.resume(n, w, f, from_checkpoint=label).yielded
    assert n.to_numpy().tolist() == wanted
    n.fill(0)
    stepper = qd.graph.Stepper(kernel, n, w, f)
    stepper.resume(label)
    assert not stepper.run().yielded and n.to_numpy().tolist() == wanted


def test_at_the_first_checkpoint_of_all():
    """Resuming at the first checkpoint is not the same as launching from the start."""

    @qd.kernel(graph=True, checkpoints=True)
    def k(n: Line, w: Flag, f: Flag):
        n[0] += 1
        w[()] = 2
        while qd.graph.do_while(w):
            n[1] += 1
            w[()] -= 1
        with qd.checkpoint(1, yield_on=f):
            for _ in range(1):
                n[2] += 1
        w[()] = 3
        while qd.graph.do_while(w):
            n[3] += 1
            w[()] -= 1

    n, w, f = qd.ndarray(qd.i32, 4), flag(), flag()
    k(n, w, f)
    assert n.to_numpy().tolist() == [1, 2, 1, 3]
    k.resume(n, w, f, from_checkpoint=1)
    assert n.to_numpy().tolist() == [2, 2, 2, 6]


def test_the_second_pass_skips_nothing():
    @qd.kernel(graph=True, checkpoints=True)
    def k(n: Line, outer: Flag, w: Flag, f: Flag):
        while qd.graph.do_while(outer):
            w[()] = 2
            while qd.graph.do_while(w):
                n[0] += 1
                w[()] -= 1
            with qd.checkpoint(5, yield_on=f):
                for _ in range(1):
                    n[1] += 1
            outer[()] -= 1

    n, outer = qd.ndarray(qd.i32, 2), flag(3)
    k.resume(n, outer, flag(), flag(), from_checkpoint=5)
    assert n.to_numpy().tolist() == [4, 3] and outer[()] == 0


@pytest.mark.parametrize("form", ("bare", "func", "loop", "static"))
def test_do_whiles_after_a_yield_make_no_pass(form):
    @qd.kernel(graph=True, checkpoints=True)
    def k(n: Line, outer: Flag, w: Flag, f: Flag):
        while qd.graph.do_while(outer):
            with qd.checkpoint(1, yield_on=f):
                for _ in range(1):
                    n[0] += 1
            w[()] = 3
            if qd.static(form == "static"):
                while qd.graph.do_while(w):
                    n[3] += 1
                    w[()] -= 1
            if qd.static(form == "func"):
                lowers(n, w)
            outer[()] -= 1
        w[()] += 1
        while qd.graph.do_while(w):
            n[1] += 1
            w[()] -= 1

    @qd.kernel(graph=True, checkpoints=True)
    def loop(n: Line, outer: Flag, w: Flag, f: Flag):
        while qd.graph.do_while(outer):
            with qd.checkpoint(1, yield_on=f):
                for _ in range(1):
                    n[0] += 1
            w[()] = 3
            while qd.graph.do_while(w):
                n[3] += 1
                for _ in range(1):
                    w[()] -= 1
            outer[()] -= 1
        w[()] += 1
        while qd.graph.do_while(w):
            n[1] += 1
            w[()] -= 1

    k = loop if form == "loop" else k
    n, outer, w, f = qd.ndarray(qd.i32, 4), flag(2), flag(), flag(1)
    assert k(n, outer, w, f).yielded
    assert n.to_numpy().tolist() == [1, 0, 0, 0] and (outer[()], w[()]) == (1, 4)
    f[()] = 0
    assert not k.resume(n, outer, w, f, from_checkpoint=1).yielded
    passes = 0 if form == "bare" else 3
    assert n.to_numpy().tolist() == [2, 1 if passes else 4, 0, passes] and (outer[()], w[()]) == (0, 0)


@qd.func
def adds(x: Line, at: qd.template()):
    for _ in range(1):
        x[at] += 1


def test_statements_run_with_the_loops_in_them():
    """Only the kernel's own loops are skipped, including static ones; a call and an if are statements."""

    @qd.kernel(graph=True, checkpoints=True)
    def k(x: Line, f: Flag):
        for _ in range(1):
            x[0] += 1
        adds(x, 1)
        if qd.static(True):
            for _ in range(1):
                x[2] += 1
        for _ in qd.static(range(2)):
            for _ in range(1):
                x[3] += 1
            x[3] += 10
        with qd.checkpoint(1, yield_on=f):
            for _ in range(1):
                x[4] += 1
        for _ in range(1):
            x[5] += 1
        adds(x, 6)
        if qd.static(True):
            for _ in range(1):
                x[7] += 1
        for _ in qd.static(range(2)):
            for _ in range(1):
                x[8] += 1
            x[8] += 10

    x, f = qd.ndarray(qd.i32, 9), flag(1)
    assert k(x, f).yielded and x.to_numpy().tolist() == [1, 1, 1, 22, 1, 0, 1, 1, 0]
    assert k._primal.checkpoint_user_labels_by_cp_id == [None, None, 1, None, None]
    x.fill(0)
    f[()] = 0
    assert not k.resume(x, f, from_checkpoint=1).yielded and x.to_numpy().tolist() == [0, 1, 1, 0, 1, 1, 1, 1, 22]


def test_do_whiles_in_static_loops():
    @qd.kernel(graph=True)
    def plain(x: Line, w: Flag):
        for q in qd.static(range(2)):
            w[()] = q + 1
            while qd.graph.do_while(w):
                for _ in range(1):
                    x[q] += 1
                w[()] -= 1

    @qd.kernel(graph=True, checkpoints=True)
    def staged(x: Line, w: Flag, f: Flag):
        for q in qd.static(range(2)):
            w[()] = q + 1
            while qd.graph.do_while(w):
                for _ in range(1):
                    x[q] += 1
                w[()] -= 1
        with qd.checkpoint(1, yield_on=f):
            for _ in range(1):
                x[2] += 1

    x, w = qd.ndarray(qd.i32, 3), flag()
    plain(x, w)
    assert x.to_numpy().tolist() == [1, 2, 0] and len(plain._primal.graph_do_while_levels) == 2
    staged(x, w, flag())
    assert x.to_numpy().tolist() == [2, 4, 1] and staged._primal.checkpoint_user_labels_by_cp_id == [None, 1]
    staged.resume(x, w, flag(), from_checkpoint=1)
    assert x.to_numpy().tolist() == [2, 4, 2]


def test_a_checkpoint_cannot_be_inside_a_loop_that_is_one():
    """A launch resumed at the inner checkpoint would skip the loop around it."""

    @qd.kernel(graph=True, checkpoints=True)
    def static(x: Line, f: Flag):
        for q in qd.static(range(1)):
            with qd.checkpoint(1, yield_on=f):
                for _ in range(1):
                    x[q] += 1

    @qd.kernel(graph=True, checkpoints=True)
    def running(x: Line, f: Flag):
        for q in range(1):
            with qd.checkpoint(1, yield_on=f):
                for _ in range(1):
                    x[q] += 1

    for k in (static, running):
        with pytest.raises(qd.QuadrantsSyntaxError, match=r"qd.checkpoint\(\) cannot be nested inside another"):
            k(qd.ndarray(qd.i32, 1), flag())


def test_a_skipped_do_while_is_not_a_step():
    """step() stops where checkpoints were skipped, but not at a do_while without a checkpoint."""
    n, w, f = qd.ndarray(qd.i32, 4), flag(), flag()
    stepper = qd.graph.Stepper(bare, n, w, f)
    stepper.resume(2)
    stepper.step()
    states = [one["state"] for one in stepper.state()["steps"] if one["kind"] == "checkpoint"]
    assert states == ["skipped", "pending", "pending"]
    (level,) = [one for one in stepper.state()["steps"] if one["kind"] == "level"]
    assert level["iteration"] == 0 and n[3] == 0
