# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.simt.grid: all threads of a launch."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def mem_fence() -> Any: ...

def memfence() -> Any: ...
