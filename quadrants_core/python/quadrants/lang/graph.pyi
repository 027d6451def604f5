# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.graph: what kernels with graph=True hold. Programs know the module by this name."""
from typing import Any

class _Block:
    """For `with` in kernels."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *args: Any) -> None: ...

def do_while(condition: Any) -> bool:
    """`while qd.graph.do_while(flag):` in a kernel with graph=True runs its body once, and again as long as the array `flag` is not 0
    after it. In Python it is True.
    
    Args:
        condition: a parameter of the kernel, an array of one i32.
    
    Returns:
        In Python, True.
    
    Example:
        >>> @qd.kernel(graph=True)
        ... def count(n: qd.types.NDArray[qd.i32, 0], flag: qd.types.NDArray[qd.i32, 0]):
        ...     while qd.graph.do_while(flag):
        ...         for i in range(1):
        ...             n[None] += 1
        ...             flag[None] = 1 if n[None] < 5 else 0
        >>> n, flag = qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
        >>> flag.fill(1)
        >>> count(n, flag)
        >>> n[None]
        5"""

def parallel() -> _Block:
    """`with qd.graph.parallel():` in a kernel: one of the blocks of a `qd.graph.parallel_context()`.
    
    Example:
        See `qd.graph.parallel_context`."""

def parallel_context() -> _Block:
    """`with qd.graph.parallel_context():` in a kernel with graph=True holds blocks of `qd.graph.parallel()` that do not depend on each
    other.
    
    Example:
        >>> @qd.kernel(graph=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1]):
        ...     with qd.graph.parallel_context():
        ...         with qd.graph.parallel():
        ...             for i in range(1):
        ...                 x[0] = 1
        ...         with qd.graph.parallel():
        ...             for i in range(1):
        ...                 x[1] = 2
        >>> x = qd.ndarray(qd.i32, 2)
        >>> f(x)
        >>> x.to_numpy()
        array([1, 2], dtype=int32)"""

class Stepper:
    """A launch of `kernel(*args, **keywords)` that stops where it is told to. The flag of a checkpoint that yielded is set to 0. It is
    for one thread at a time.
    
    Args:
        kernel: a kernel, or a method that is one; with graph=True it has more than tasks to stop at.
        *args: what the kernel is called with.
        keep_bytes: how many bytes are kept for `back()`, at most; what is oldest goes first.
        **keywords: likewise.
    
    Attributes:
        over: whether the launch has ended.
        status: the `qd.GraphStatus` that the launch would give if it ended here.
    
    Raises:
        TypeError, ValueError: `keep_bytes` is no whole number, or less than 0. QuadrantsRuntimeError: the kernel uses sparse trees, or is
        moved by another thread.
    
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
        (True, 1)"""

    def __init__(self, kernel: Any, *args: Any, keep_bytes: Any=268435456, **keywords: Any) -> None: ...

    def back(self) -> Any:
        """Takes the last call of step, turn, task, run or resume back, and what was written since then into arrays of the kernel;
        False if nothing is kept of it. Arrays that the kernel only reads stay as they are where they take more than a quarter of
        `keep_bytes`."""
    over: Any

    def resume(self, label: Any) -> Any:
        """Begins a launch anew, as `kernel.resume` does; nothing of it runs yet.
        
        Args:
            label: of the checkpoint that it begins with."""

    def run(self) -> Any:
        """Goes on to the end."""

    def state(self) -> Any:
        """The launch as plain data, fit for JSON: `kernel`, its name; `steps`, in order; `next`, the number of the step that comes next, or
        None; `over`; `yielded`, the label as a number, or None; `back`, how many calls can be taken back. A step has its `kind`, its `index`
        among those, and its `depth`. A "task" has `name`, `line`, `runs`, and `microseconds` of its last run; a "level" (a do_while) `flag`,
        its `value` now, `parent` (a level or -1), and `turn`, the passes begun since it was entered; a "checkpoint" `label` and `name` (None
        if it has none), `flag`, its `value`, and `state`: "pending", "skipped", "running", "done" or "yielded"; a "region" and a "section" no more."""
    status: Any

    def step(self) -> Any:
        """Goes on to the end of the next checkpoint, run or left out."""

    def task(self) -> Any:
        """Goes on past one task; gives the `status`, as the other calls that go on do."""

    def turn(self) -> Any:
        """Goes on to the end of a pass of a `qd.graph.do_while`."""
