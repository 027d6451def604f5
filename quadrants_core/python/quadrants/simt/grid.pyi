# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.simt.grid: all threads of a launch."""
import enum
from typing import Any

def mem_fence() -> Any: ...

def memfence() -> Any: ...
