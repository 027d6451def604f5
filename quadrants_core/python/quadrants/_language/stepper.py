"""Stepwise execution of a launch of a kernel with graph=True: qd.graph.Stepper."""

import weakref as _weakref

from quadrants import _exceptions, _native
from quadrants._language.graph import GraphStatus

_TASK, _ITERATION, _CHECKPOINT, _END = range(4)  # engine::Until


def described(outline):
    """Returns the elements of a graph in order: tasks, and the levels, checkpoints, regions and sections that contain them, each with its
    depth. `at` is the index of the step in the core."""
    levels, checkpoints, rows = outline
    steps = []
    for kind, index, depth, name, line, at in rows:
        one = {"kind": kind, "index": index, "depth": depth, "at": at}
        if kind == "task":
            one.update(name=name, line=line)
        elif kind == "level":
            flag, parent, argument = levels[index]
            one.update(flag=flag, parent=parent, argument=argument)
        elif kind == "checkpoint":
            label, flag, argument = checkpoints[index]
            one.update(label=None if label is None else int(label), name=getattr(label, "name", None), flag=flag, argument=argument)
        steps.append(one)
    return steps


def kernel_of(kernel, what):
    """Returns (the kernel, the object that it is a method of, as a tuple)."""
    around = getattr(kernel, "__self__", None)
    own = getattr(kernel, "__func__", kernel)
    if getattr(own, "_qd_kind_", None) != "kernel":
        raise _exceptions.QuadrantsRuntimeError(f"{what} takes a kernel, got {kernel!r}")
    return own, () if around is None else (around,)


def _bytes(value):
    import operator

    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"keep_bytes must be an integer, not {value!r}") from None
    if not 0 <= number < 1 << 64:
        raise ValueError(f"keep_bytes must be from 0 to 2**64 - 1, got {value!r}")
    return number


_open = _weakref.WeakSet()


def stepped_launches():
    """Returns (kernel, specialisation) of the stepwise launches that have not ended."""
    launches = [stepper._steps.launch() for stepper in list(_open)]
    return {(kernel, specialisation) for kernel, specialisation, over in launches if not over}


class Stepper:
    """A launch of `kernel(*args, **keywords)` that is executed in steps. The flag of a checkpoint that has yielded is set to 0. A Stepper
    may be used by one thread at a time.

    Args:
        kernel: a kernel or a kernel method; with graph=True, it has other steps than tasks, too.
        *args: the arguments of the kernel.
        keep_bytes: maximum number of bytes saved for `back()`; the oldest data are dropped first.
        **keywords: the keyword arguments of the kernel.

    Attributes:
        over: whether the launch has ended.
        status: the `qd.GraphStatus` that the launch would return if it ended now.

    Raises:
        TypeError, ValueError: `keep_bytes` is not an integer, or is negative. QuadrantsRuntimeError: the kernel uses sparse trees, or
        another thread is advancing the launch.

    Example:
        >>> @qd.kernel(graph=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1]):
        ...     for i in x:
        ...         x[i] += 1
        ...     for i in x:
        ...         x[i] *= 10
        >>> x = qd.ndarray(qd.i32, 2)
        >>> stepper = qd.graph.Stepper(f, x)
        >>> stepper.task().yielded, x[0], stepper.over
        (False, 1, False)
        >>> stepper.run().yielded, x[0], stepper.over
        (False, 10, True)
        >>> stepper.back(), x[0]
        (True, 1)
    """

    def __init__(self, kernel, *args, keep_bytes=256 << 20, **keywords):
        self.kernel, first = kernel_of(kernel, "qd.graph.Stepper")
        keep_bytes = _bytes(keep_bytes)
        self.args = self.kernel._bind(*first, *args, **keywords)
        self._steps = _native.core().Steps(self.kernel, self.args, keep_bytes)
        _open.add(self)
        outline = self._steps.graph()
        self._checkpoints = outline[1]
        self._described = described(outline)

    def __repr__(self):
        state = self.state()
        tasks = [one for one in state["steps"] if one["kind"] == "task"]
        ran = sum(one["runs"] for one in tasks)
        where = "over" if state["over"] else "before its first task" if not ran else f"after {ran} task{'s' * (ran != 1)}"
        return f"<Stepper of {state['kernel']}: {where}>"

    def _status(self, yielded):
        return GraphStatus(yielded >= 0, self._checkpoints[yielded][0] if yielded >= 0 else None)

    def _advance(self, until):
        return self._status(self._steps.advance(until))

    @property
    def over(self):
        """True if the launch has ended."""
        return self._steps.state()["over"]

    @property
    def status(self):
        """The `qd.GraphStatus` that the launch would return if it ended now."""
        return self._status(self._steps.state()["yielded"])

    def task(self):
        """Executes one task; returns the `status`, like the other methods that advance the launch."""
        return self._advance(_TASK)

    def iteration(self):
        """Advances to the end of an iteration of a `qd.graph.do_while`."""
        return self._advance(_ITERATION)

    def step(self):
        """Advances to the end of the next checkpoint, executed or skipped."""
        return self._advance(_CHECKPOINT)

    def run(self):
        """Advances to the end of the launch."""
        return self._advance(_END)

    def resume(self, label):
        """Starts a new launch, like `kernel.resume`, without executing any of it yet.

        Args:
            label: the label of the checkpoint to start at.
        """
        if not any(own is not None for own, _, _ in self._checkpoints):
            raise _exceptions.QuadrantsRuntimeError("there is no qd.checkpoint to resume from")
        self._steps.begin(self._steps.find(label))

    def back(self):
        """Undoes the last call of step, iteration, task, run or resume, including its writes to arrays of the kernel; returns False if no data
        are saved for it. Read-only arrays that take more than a quarter of `keep_bytes` are not restored."""
        return self._steps.undo()

    def state(self):
        """Returns the state of the launch as plain data that can be converted to JSON: `kernel`, its name; `steps`, in order; `next`, the
        index of the next step, or None (a level also at the end of its iterations); `over`; `yielded`, the label as a number, or None;
        `back`, the number of calls that can be undone.
        Each step has its `kind`, its `index` among those of its kind, and its `depth`. A "task" has `name`, `line`, `runs`, and
        `microseconds` of its last run; a "level" (a do_while) has `flag`, its current `value`, `parent` (a level or -1), and `iteration`, the
        number of iterations started since it was entered; a "checkpoint" has `label` and `name` (None if it has none), `flag`, its `value`,
        and `state`: "pending", "skipped", "running", "done" or "yielded". A "region" and a "section" have nothing else."""
        now = self._steps.state()
        steps, at = [], None
        for number, one in enumerate(self._described):
            one = dict(one)
            place, index, argument = one.pop("at"), one["index"], one.pop("argument", -1)
            if one["kind"] == "task":
                one.update(runs=now["runs"][index], microseconds=now["microseconds"][index])
            elif one["kind"] == "level":
                one.update(value=self._steps.flag_at(argument), iteration=now["iterations"][index])
            elif one["kind"] == "checkpoint":
                has_flag = one["flag"] is not None
                one.update(state=now["checkpoints"][index], value=self._steps.flag_at(argument) if has_flag else None)
            if now["ends"] >= 0:
                here = one["kind"] == "level" and one["index"] == now["ends"]
            else:
                here = place >= now["at"] and one["kind"] not in ("region", "section")
            if here and at is None:
                at = number
            steps.append(one)
        label = self._checkpoints[now["yielded"]][0] if now["yielded"] >= 0 else None
        return {
            "kernel": self.kernel._primal.name, "steps": steps, "next": at, "over": now["over"],
            "yielded": None if label is None else int(label), "back": now["kept"],
        }  # fmt: skip
