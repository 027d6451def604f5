"""qd.types: scalar types, vectors, matrices, arrays, structs, templates."""

from quadrants._annotations import (
    MatrixType,
    NDArray,
    NdarrayType,
    StructType,
    Template,
    matrix,
    ndarray,
    sparse_matrix_builder,
    struct,
    template,
    vector,
)
from quadrants._dtypes import (
    f16, f32, f64, i8, i16, i32, i64, is_integral, is_real, is_signed, u1, u8, u16, u32, u64,
)  # fmt: skip
from quadrants._kernel import ref
from quadrants import _quant

float16, float32, float64 = f16, f32, f64
int8, int16, int32, int64 = i8, i16, i32, i64
uint1, uint8, uint16, uint32, uint64 = u1, u8, u16, u32, u64


def __getattr__(name):
    if name == "BufferViewType":
        from quadrants import _buffer_view

        return _buffer_view.BufferViewType
    if name in ("annotations", "enums", "primitive_types"):
        import importlib

        return importlib.import_module("quadrants.types." + name)
    raise AttributeError(f"module 'quadrants.types' has no attribute {name!r}")


def is_tensor(value):
    """Whether `value` is a vector or matrix type."""
    return isinstance(value, MatrixType)


class quant:
    """Types of few bits for BitpackedFields and quant_array."""

    int = staticmethod(_quant.int)
    fixed = staticmethod(_quant.fixed)
    float = staticmethod(_quant.float_)
