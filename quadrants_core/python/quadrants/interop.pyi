# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.interop."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def get_mps_command_queue() -> Any: ...
