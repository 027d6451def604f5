# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.experimental."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def real_func(func: Any) -> Any:
    """The earlier name of qd.real_func."""
