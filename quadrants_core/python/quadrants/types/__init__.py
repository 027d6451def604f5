"""qd.types: scalar, vector, matrix, array, struct and template types."""

from quadrants._language.annotations import (
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
from quadrants._language.func import ref

float16, float32, float64 = f16, f32, f64
int8, int16, int32, int64 = i8, i16, i32, i64
uint1, uint8, uint16, uint32, uint64 = u1, u8, u16, u32, u64


def __getattr__(name):
    if name == "BufferViewType":
        from quadrants._storage import buffer_view as _buffer_view

        return _buffer_view.BufferViewType
    if name == "quant":
        globals()[name] = _quant()
        return globals()[name]
    if name in ("annotations", "enums", "primitive_types"):
        import importlib

        return importlib.import_module("quadrants.types." + name)
    raise AttributeError(f"module 'quadrants.types' has no attribute {name!r}")


def is_tensor(value):
    """Returns whether `value` is a vector or matrix type.

    Args:
        value: any object.

    Example:
        >>> qd.types.is_tensor(qd.math.vec2)
        True
    """
    return isinstance(value, MatrixType)


def _quant():
    from quadrants._trees import quant as made

    class quant:
        """Types with few bits, for `qd.BitpackedFields` and `SNode.quant_array`.

        Example:
            See `qd.BitpackedFields`.
        """

        int = staticmethod(made.int)
        fixed = staticmethod(made.fixed)
        float = staticmethod(made.float_)

    quant.__qualname__ = "quant"
    return quant


def __dir__():
    return sorted({*globals(), "quant"})
