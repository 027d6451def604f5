# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.graph: constructs for kernels with graph=True, under the module name that programs import."""
from typing import Any

class _Block:
    """For `with` in kernels."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *args: Any) -> None: ...

def do_while(condition: Any) -> bool:
    """`while qd.graph.do_while(flag):` in a kernel with graph=True executes its body once, and again as long as the array `flag` is nonzero
    after an execution. In Python it is True.
    
    Args:
        condition: a parameter of the kernel, an array with one element of type i32.
    
    Returns:
        True, in Python.
    
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
    """`with qd.graph.parallel():` in a kernel is one of the blocks of a `qd.graph.parallel_context()`.
    
    Example:
        See `qd.graph.parallel_context`."""

def parallel_context() -> _Block:
    """`with qd.graph.parallel_context():` in a kernel with graph=True contains blocks of `qd.graph.parallel()` that do not depend on each
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
        (True, 1)"""

    def __init__(self, kernel: Any, *args: Any, keep_bytes: Any=268435456, **keywords: Any) -> None: ...

    def back(self) -> Any:
        """Undoes the last call of step, iteration, task, run or resume, including its writes to arrays of the kernel; returns False if no data
        are saved for it. Read-only arrays that take more than a quarter of `keep_bytes` are not restored."""

    def iteration(self) -> Any:
        """Advances to the end of an iteration of a `qd.graph.do_while`."""
    over: Any

    def resume(self, label: Any) -> Any:
        """Starts a new launch, like `kernel.resume`, without executing any of it yet.
        
        Args:
            label: the label of the checkpoint to start at."""

    def run(self) -> Any:
        """Advances to the end of the launch."""

    def state(self) -> Any:
        """Returns the state of the launch as plain data that can be converted to JSON: `kernel`, its name; `steps`, in order; `next`, the
        index of the next step, or None (a level also at the end of its iterations); `over`; `yielded`, the label as a number, or None;
        `back`, the number of calls that can be undone.
        Each step has its `kind`, its `index` among those of its kind, and its `depth`. A "task" has `name`, `line`, `runs`, and
        `microseconds` of its last run; a "level" (a do_while) has `flag`, its current `value`, `parent` (a level or -1), and `iteration`, the
        number of iterations started since it was entered; a "checkpoint" has `label` and `name` (None if it has none), `flag`, its `value`,
        and `state`: "pending", "skipped", "running", "done" or "yielded". A "region" and a "section" have nothing else."""
    status: Any

    def step(self) -> Any:
        """Advances to the end of the next checkpoint, executed or skipped."""

    def task(self) -> Any:
        """Executes one task; returns the `status`, like the other methods that advance the launch."""
