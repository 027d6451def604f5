# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""Scalar types."""
import enum
from collections.abc import Iterator
from typing import Any, Self
all_types: list[Any]
from quadrants import f16 as f16
from quadrants import f32 as f32
from quadrants import f64 as f64
from quadrants import float16 as float16
from quadrants import float32 as float32
from quadrants import float64 as float64
from quadrants import i16 as i16
from quadrants import i32 as i32
from quadrants import i64 as i64
from quadrants import i8 as i8
from quadrants import int16 as int16
from quadrants import int32 as int32
from quadrants import int64 as int64
from quadrants import int8 as int8
integer_types: list[Any]
real_types: list[Any]
type_ids: list[Any]
from quadrants import u1 as u1
from quadrants import u16 as u16
from quadrants import u32 as u32
from quadrants import u64 as u64
from quadrants import u8 as u8
from quadrants import uint1 as uint1
from quadrants import uint16 as uint16
from quadrants import uint32 as uint32
from quadrants import uint64 as uint64
from quadrants import uint8 as uint8
