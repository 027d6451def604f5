"""A launch of a kernel with graph=True, made step by step: qd.graph.Stepper."""

from quadrants import _exceptions, _native
from quadrants._language.graph import GraphStatus

_TASK, _TURN, _CHECKPOINT, _END = range(4)  # engine::Until


class Stepper:
    """A launch of `kernel(*args, **keywords)` that stops where it is told to: `step()` goes to the end of the next checkpoint,
    run or left out, `turn()` to the end of a pass of the next qd.graph.do_while, `task()` past one task, `run()` to the end.
    `resume(label)` begins a launch anew from a checkpoint; `back()` takes the last of these back, with what the kernel may have
    written. `state()` says as plain data what has happened. The flag of a checkpoint that yielded is set to 0."""

    def __init__(self, kernel, *args, keep_bytes=256 << 20, **keywords):
        self_of_method = getattr(kernel, "__self__", None)
        own = getattr(kernel, "__func__", kernel)
        if getattr(own, "_qd_kind_", None) != "kernel":
            raise _exceptions.QuadrantsRuntimeError(f"qd.graph.Stepper takes a kernel, got {kernel!r}")
        given = args if self_of_method is None else (self_of_method, *args)
        self.kernel = own
        self.args = own._bind(*given, **keywords)
        self._steps = _native.core().Steps(own, self.args, keep_bytes)
        self._levels, self._checkpoints = self._steps.graph()

    def _advance(self, until):
        self._steps.advance(until)
        yielded = self._steps.state()["yielded"]
        if yielded >= 0:
            self._steps.clear_flag(yielded)
        return self.status

    @property
    def over(self):
        """Whether the launch has ended."""
        return self._steps.state()["over"]

    @property
    def status(self):
        """What the launch would give if it ended here."""
        yielded = self._steps.state()["yielded"]
        return GraphStatus(yielded >= 0, self._checkpoints[yielded][0] if yielded >= 0 else None)

    def task(self):
        return self._advance(_TASK)

    def turn(self):
        return self._advance(_TURN)

    def step(self):
        return self._advance(_CHECKPOINT)

    def run(self):
        return self._advance(_END)

    def resume(self, label):
        """Begins a launch anew that leaves out what stands before the checkpoint with this label."""
        if not any(own is not None for own, _, _ in self._checkpoints):
            raise _exceptions.QuadrantsRuntimeError("there is no qd.checkpoint to resume from")
        self._steps.begin(self._steps.find(label))

    def back(self):
        """Takes the last call of step, turn, task, run or resume back; False if nothing is kept of it."""
        return self._steps.back()

    def state(self):
        """The launch as plain data: `steps` (tasks, levels and checkpoints in order, each with its depth, name, state, times,
        turns and flag), which comes `next`, whether it is `over`, which label `yielded`, and how many steps `back` are kept."""
        now = self._steps.state()
        steps, at = [], None
        for number, (kind, index, depth, name, line) in enumerate(self._steps.plan()):
            if kind.endswith("_end"):
                continue
            one = {"kind": kind, "index": index, "depth": depth}
            if kind == "task":
                one.update(name=name, line=line, runs=now["runs"][index], microseconds=now["microseconds"][index])
            elif kind == "level":
                flag, parent, argument = self._levels[index]
                one.update(flag=flag, value=self._steps.flag_at(argument), turn=now["turns"][index], parent=parent)
            else:
                label, flag, argument = self._checkpoints[index]
                one.update(label=None if label is None else int(label), name=getattr(label, "name", None), flag=flag)
                one.update(state=now["checkpoints"][index], value=None if flag is None else self._steps.flag_at(argument))
            if number >= now["at"] and at is None:
                at = len(steps)
            steps.append(one)
        label = self._checkpoints[now["yielded"]][0] if now["yielded"] >= 0 else None
        return {
            "kernel": self.kernel._primal.name, "steps": steps, "next": at, "over": now["over"],
            "yielded": None if label is None else int(label), "back": now["kept"],
        }  # fmt: skip
