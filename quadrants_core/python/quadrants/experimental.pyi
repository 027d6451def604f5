# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.experimental: former names."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def real_func(func: Any) -> Any:
    """Former name of qd.real_func."""
