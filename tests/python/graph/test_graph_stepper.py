"""Launches in steps: where they stop, stepping back, resuming, the result of state()."""

import enum
import json
import threading

import numpy as np
import pytest
import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)


class Stage(enum.IntEnum):
    FIRST = 4
    SECOND = 5


def flag(value=0):
    made = qd.ndarray(qd.i32, ())
    made[()] = value
    return made


@qd.kernel(graph=True, checkpoints=True)
def staged(x: Line, stop: Flag, n: Flag):
    total = 0
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
        with qd.checkpoint(Stage.FIRST, yield_on=stop):
            for i in x:
                x[i] *= 2
        with qd.checkpoint(Stage.SECOND, yield_on=stop):
            for i in x:
                x[i] += 100
        total += n[()]
        n[()] -= 1
    x[0] += 1000 * total


def fresh(turns=2):
    return qd.ndarray(qd.i32, 3), flag(), flag(turns)


def test_steps_lead_to_the_same_end():
    wanted, stop, n = fresh()
    staged(wanted, stop, n)
    for way in ("task", "iteration", "step", "run"):
        x, stop, n = fresh()
        stepper = qd.graph.Stepper(staged, x, stop, n)
        calls = 0
        while not stepper.over:
            assert not getattr(stepper, way)().yielded
            calls += 1
        assert x.to_numpy().tolist() == wanted.to_numpy().tolist() and n[()] == 0
        assert calls == {"run": 1, "iteration": 3, "step": 7}.get(way, calls)


@pytest.mark.parametrize("way", ("task", "iteration", "step", "run"))
def test_back_brings_the_flag_of_a_checkpoint_back(way):
    x, stop, n = fresh()
    stop[()] = 1
    stepper = qd.graph.Stepper(staged, x, stop, n)
    calls = 0
    while not getattr(stepper, way)().yielded:
        calls += 1
    assert stop[()] == 0
    for _ in range(calls + 1):
        assert stepper.back()
    assert stop[()] == 1 and x.to_numpy().tolist() == [0, 0, 0]
    assert stepper.run().checkpoint is Stage.FIRST


def test_where_steps_stop():
    x, stop, n = fresh()
    stepper = qd.graph.Stepper(staged, x, stop, n)
    seen = []
    while not stepper.over:
        stepper.step()
        seen.append(int(x[1]))
    assert seen == [1, 2, 102, 103, 206, 306, 306]


def test_back_and_forward_again():
    x, stop, n = fresh(3)
    stepper = qd.graph.Stepper(staged, x, stop, n)
    states = []
    while not stepper.over:
        states.append((x.to_numpy().tolist(), int(n[()]), stepper.state()["next"]))
        stepper.task()
    end = x.to_numpy().tolist()
    for wanted in reversed(states):
        assert stepper.back()
        assert (x.to_numpy().tolist(), int(n[()]), stepper.state()["next"]) == wanted
    assert not stepper.back()
    stepper.run()
    assert x.to_numpy().tolist() == end


def test_other_kernels_run_between_steps():
    """Values that cross tasks belong to the launch."""

    @qd.kernel
    def other(y: Line):
        a = y[0] + 7
        for i in y:
            y[i] += a
        b = y[1] * 3
        for i in y:
            y[i] += b

    wanted, stop, n = fresh()
    staged(wanted, stop, n)
    x, stop, n = fresh()
    stepper = qd.graph.Stepper(staged, x, stop, n)
    while not stepper.over:
        stepper.task()
        other(qd.ndarray(qd.i32, 5))
    assert x.to_numpy().tolist() == wanted.to_numpy().tolist()


def test_yields_and_resumes():
    x, stop, n = fresh()
    stop[()] = 1
    stepper = qd.graph.Stepper(staged, x, stop, n)
    status = stepper.run()
    assert status.yielded and status.checkpoint is Stage.FIRST and stepper.over
    assert stop[()] == 0  # the stepper owns the flags
    assert x[1] == 2
    stepper.resume(status.checkpoint)
    assert not stepper.over and not stepper.run().yielded
    expected, s, m = fresh()
    s[()] = 1
    staged(expected, s, m)
    s[()] = 0
    staged.resume(expected, s, m, from_checkpoint=Stage.FIRST)
    assert x.to_numpy().tolist() == expected.to_numpy().tolist()
    for _ in range(2):
        assert stepper.back()
    assert stepper.over and stepper.status.checkpoint is Stage.FIRST and x[1] == 2
    with pytest.raises(RuntimeError, match="from_checkpoint=9 does not match any"):
        stepper.resume(9)


def test_state_is_plain_data():
    x, stop, n = fresh()
    stepper = qd.graph.Stepper(staged, x, stop, n)
    state = stepper.state()
    assert json.loads(json.dumps(state)) == state
    assert state["kernel"] == "staged" and state["next"] == 0 and not state["over"] and state["yielded"] is None
    kinds = [(one["kind"], one["depth"]) for one in state["steps"] if one["kind"] != "task"]
    assert kinds == [("level", 0), ("checkpoint", 1), ("checkpoint", 1), ("checkpoint", 1)]
    stepper.step()
    stepper.step()
    checkpoints = [one for one in stepper.state()["steps"] if one["kind"] == "checkpoint"]
    assert [(c["label"], c["name"], c["flag"], c["state"]) for c in checkpoints] == [
        (None, None, None, "done"), (4, "FIRST", "stop", "done"), (5, "SECOND", "stop", "pending")
    ]  # fmt: skip
    stepper.resume(Stage.SECOND)
    stepper.step()
    stepper.step()
    checkpoints = [one["state"] for one in stepper.state()["steps"] if one["kind"] == "checkpoint"]
    assert checkpoints == ["skipped", "skipped", "pending"]
    stepper.iteration()
    (level,) = [one for one in stepper.state()["steps"] if one["kind"] == "level"]
    assert (level["flag"], level["value"], level["iteration"]) == ("n", 1, 2)
    ran = [one for one in stepper.state()["steps"] if one["kind"] == "task" and one["runs"]]
    assert ran and all(one["microseconds"] > 0 and one["line"] > 0 for one in ran)
    stop[()] = 1
    stepper.run()
    assert stepper.state()["yielded"] == 4 and "yielded" in [c.get("state") for c in stepper.state()["steps"]]


def test_plain_graphs_fields_and_methods():
    @qd.data_oriented
    class Model:
        def __init__(self):
            self.f = qd.field(qd.i32, 3)

        @qd.kernel(graph=True)
        def step(self, by: qd.i32):
            for i in self.f:
                self.f[i] += by
            for i in self.f:
                self.f[i] *= 2

    model = Model()
    stepper = qd.graph.Stepper(model.step, 3)
    stepper.task()
    assert model.f.to_numpy().tolist() == [3] * 3
    stepper.task()
    assert model.f.to_numpy().tolist() == [6] * 3 and stepper.over
    assert stepper.back() and stepper.back() and not stepper.back()
    assert model.f.to_numpy().tolist() == [0] * 3


def test_saved_steps_have_a_limit():
    x, stop, n = fresh(5)
    stepper = qd.graph.Stepper(staged, x, stop, n, keep_bytes=64)
    while not stepper.over:
        stepper.task()
    kept = stepper.state()["back"]
    assert 0 < kept <= 64 // 4  # each but the first has its own array of at least 4 bytes
    for _ in range(kept):
        assert stepper.back()
    assert not stepper.back()


@pytest.mark.parametrize("keep_bytes, error", ((-1, ValueError), ("x", TypeError), (1.5, TypeError), (None, TypeError), (1 << 64, ValueError)))
def test_invalid_limits(keep_bytes, error):
    with pytest.raises(error, match="keep_bytes must be (an integer|from 0 to)"):
        qd.graph.Stepper(staged, *fresh(), keep_bytes=keep_bytes)


def test_a_limit_may_be_any_whole_number():
    for keep_bytes in (0, True, np.int64(64), (1 << 64) - 1):
        stepper = qd.graph.Stepper(staged, *fresh(), keep_bytes=keep_bytes)
        stepper.task()
        assert stepper.back() == (keep_bytes > 8)


@pytest.mark.parametrize("keep_bytes, comes_back", ((1 << 20, True), (600, False)))
def test_back_and_arrays_that_the_kernel_only_reads(keep_bytes, comes_back):
    @qd.kernel(graph=True)
    def k(x: Line, by: Line):
        for i in x:
            x[i] += by[i]
        for i in x:
            x[i] += by[i]

    x, by = qd.ndarray(qd.i32, 50), qd.ndarray(qd.i32, 50)
    stepper = qd.graph.Stepper(k, x, by, keep_bytes=keep_bytes)
    stepper.task()
    by[3] = 7
    assert stepper.back() and by[3] == (0 if comes_back else 7)
    by[3] = 1
    stepper.run()
    assert x[3] == 2


def test_one_thread_at_a_time(arch):
    @qd.kernel(graph=True)
    def k(x: Line, n: Flag):
        while qd.graph.do_while(n):
            for i in x:
                x[i] += 1
            n[()] -= 1

    x, n = qd.ndarray(qd.i32, 3), flag(1)
    k(x, n)
    n[()] = turns = 2_000_000 if arch == "cpu" else 20_000
    stepper = qd.graph.Stepper(k, x, n)
    mover = threading.Thread(target=stepper.run)
    mover.start()
    refused = []
    while mover.is_alive() and len(refused) < 5:
        for call in (stepper.state, stepper.run, stepper.back, lambda: stepper.over, lambda: stepper.status):
            try:
                call()
                break  # the other thread has not started
            except RuntimeError as error:
                refused.append(str(error))
    mover.join()
    assert len(refused) == 5 and set(refused) == {
        "another thread is advancing this launch; use a Stepper from one thread at a time"
    }
    assert stepper.over and x[0] == turns + 1 and stepper.back() and x[0] == 1


def test_sections_are_steps():
    @qd.kernel(graph=True)
    def k(x: Line, y: Line, n: Flag):
        while qd.graph.do_while(n):
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for i in x:
                        x[i] += 1
                    for i in x:
                        x[i] *= 2
                with qd.graph.parallel():
                    for i in y:
                        y[i] += 1
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for i in y:
                        y[i] += 1
            n[()] -= 1

    stepper = qd.graph.Stepper(k, qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, 3), flag(1))
    steps = stepper.state()["steps"]
    assert [(one["kind"], one["depth"]) for one in steps] == [
        ("level", 0), ("region", 1), ("section", 2), ("task", 3), ("task", 3), ("section", 2), ("task", 3),
        ("region", 1), ("section", 2), ("task", 3), ("task", 1),
    ]  # fmt: skip
    assert [one["index"] for one in steps if one["kind"] == "section"] == [0, 1, 0]
    seen = []
    while not stepper.over:
        stepper.task()
        seen.append(stepper.state()["next"])
    assert seen == [4, 6, 9, 10, 0, None]  # the loop itself has to end


def test_a_new_iteration_begins_with_pending_checkpoints():
    x, stop, n = fresh()
    stepper = qd.graph.Stepper(staged, x, stop, n)
    seen = []
    for _ in range(4):
        stepper.step()
        seen.append([one["state"] for one in stepper.state()["steps"] if one["kind"] == "checkpoint"])
    assert seen == [["done", "pending", "pending"], ["done", "done", "pending"], ["done"] * 3, ["done", "pending", "pending"]]
    stepper.run()
    assert {one["state"] for one in stepper.state()["steps"] if one["kind"] == "checkpoint"} == {"done"}


def test_the_next_step_at_the_end_of_an_iteration_is_its_loop():
    @qd.kernel(graph=True)
    def nested(x: Line, outer: Flag, inner: Flag):
        while qd.graph.do_while(outer):
            while qd.graph.do_while(inner):
                inner[()] -= 1
            outer[()] -= 1

    stepper = qd.graph.Stepper(nested, qd.ndarray(qd.i32, 3), flag(1), flag(1))
    seen = []
    while not stepper.over:
        stepper.task()
        state = stepper.state()
        seen.append(state["next"] if state["next"] is None else state["steps"][state["next"]].get("flag", "task"))
    assert seen == ["inner", "outer", None]


def test_the_outline_of_a_kernel():
    assert staged._outline(None) is None
    args = staged._bind(*fresh())
    levels, checkpoints, steps = staged._outline(args)
    assert [flag for flag, *_ in levels] == ["n"] and [label for label, *_ in checkpoints] == [None, Stage.FIRST, Stage.SECOND]
    assert staged._specialisations() == 1
    assert staged._outline(args)[2] == staged._outline(None)[2] == steps and staged._specialisations() == 1
    assert args[0].to_numpy().tolist() == [0, 0, 0]


def test_the_outline_of_a_kernel_with_sparse_trees():
    f = qd.field(qd.i32)
    qd.root.pointer(qd.i, 4).place(f)

    @qd.kernel(graph=True)
    def k():
        for i in range(4):
            f[i] = i

    assert [kind for kind, *_ in k._outline(())[2]] == ["task"]


def test_wrong_use(arch):
    with pytest.raises(RuntimeError, match="qd.graph.Stepper takes a kernel"):
        qd.graph.Stepper(lambda: None)
    stepper = qd.graph.Stepper(staged, *fresh())
    qd.init(arch=arch, offline_cache=False)
    with pytest.raises(RuntimeError, match="belongs to a program that has ended"):
        stepper.run()


def test_sparse_trees_are_refused():
    f = qd.field(qd.i32)
    qd.root.pointer(qd.i, 4).place(f)

    @qd.kernel(graph=True)
    def k():
        for i in range(4):
            f[i] = i

    with pytest.raises(RuntimeError, match="sparse"):
        qd.graph.Stepper(k)


def test_a_failed_assertion_ends_the_launch(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)

    @qd.kernel(graph=True)
    def k(x: Line):
        for i in x:
            x[i] += 1
        for i in x:
            assert x[i] < 2

    x = qd.ndarray(qd.i32, 3)
    x.from_numpy(np.array([1, 1, 1], np.int32))
    stepper = qd.graph.Stepper(k, x)
    stepper.task()
    with pytest.raises(AssertionError):
        stepper.task()
    assert stepper.over and stepper.back()
    x.fill(0)
    stepper.run()
    assert stepper.over and x[0] == 0


@pytest.mark.parametrize("way", ("task", "run"))
def test_tasks_are_in_the_timeline(arch, tmp_path, way):
    from quadrants.lang.misc import timeline_clear, timeline_save

    def tasks():
        timeline_save(str(tmp_path / "t.json"))
        rows = json.loads((tmp_path / "t.json").read_text())
        return sorted(row["name"] for row in rows if row["ph"] == "X" and row["cat"] == "task")

    qd.init(arch=arch, offline_cache=False, timeline=True)
    timeline_clear()
    staged(*fresh())
    whole = tasks()
    timeline_clear()
    stepper = qd.graph.Stepper(staged, *fresh())
    while not stepper.over:
        getattr(stepper, way)()
    assert tasks() == whole and len(whole) > 6
    timeline_clear()


def test_representation_of_a_stepper():
    stepper = qd.graph.Stepper(staged, *fresh())
    assert repr(stepper) == "<Stepper of staged: before its first task>"
    stepper.task()
    assert repr(stepper) == "<Stepper of staged: after 1 task>"
    stepper.iteration()
    assert repr(stepper).startswith("<Stepper of staged: after ")
    stepper.run()
    assert repr(stepper) == "<Stepper of staged: over>"
