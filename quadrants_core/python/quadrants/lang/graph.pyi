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
