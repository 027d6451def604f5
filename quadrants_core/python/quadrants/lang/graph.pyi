# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.graph: what kernels with graph=True hold. Programs know the module by this name."""
from typing import Any

class _Block:
    """For `with` in kernels."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *args: Any) -> None: ...

def do_while(condition: Any) -> bool:
    """`while qd.graph.do_while(flag):` in a kernel runs its body once, and again as long as the array `flag`, a parameter with
    one element of type i32, is not 0 after it. In Python it is True."""

def parallel() -> _Block:
    """`with qd.graph.parallel():` in a kernel: one of the blocks of a qd.graph.parallel_context()."""

def parallel_context() -> _Block:
    """`with qd.graph.parallel_context():` in a kernel holds blocks of qd.graph.parallel() that do not depend on each other."""
