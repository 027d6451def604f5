# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.graph: kernels that launch as one graph. Programs know the module by this name."""
from typing import Any

class _Block:
    """For `with` in kernels."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *args: Any) -> None: ...

def do_while(condition: Any) -> bool: ...

def parallel() -> _Block: ...

def parallel_context() -> _Block: ...
