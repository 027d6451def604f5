# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.experimental."""
import enum
from typing import Any

def real_func(func: Any) -> Any:
    """The earlier name of qd.real_func."""
