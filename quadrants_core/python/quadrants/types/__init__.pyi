# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.types: scalar types, vectors, matrices, arrays, structs, templates."""
import builtins
from collections.abc import Iterator
from typing import Any, Literal, Protocol, Self
import numpy as np
from quadrants import Matrix, MatrixNdarray, Struct, StructField, Template as Template, Vector, VectorNdarray, _MatricesField, _Shape, _Type, _VectorsField
from quadrants import f16 as f16, f32 as f32, f64 as f64, i8 as i8, i16 as i16, i32 as i32, i64 as i64, u1 as u1, u8 as u8, u16 as u16, u32 as u32, u64 as u64
from quadrants import float16 as float16, float32 as float32, float64 as float64, int8 as int8, int16 as int16, int32 as int32, int64 as int64
from quadrants import uint1 as uint1, uint8 as uint8, uint16 as uint16, uint32 as uint32, uint64 as uint64
from quadrants import ref as ref, sparse_matrix_builder as sparse_matrix_builder, template as template
from quadrants.types import annotations as annotations, enums as enums, primitive_types as primitive_types

class MatrixType:
    """qd.types.matrix(n, m, dtype) or qd.types.vector(n, dtype): an annotation, and a maker of values. Without a dtype the
    components keep the types they have."""

    def __init__(self, n: Any, m: Any, ndim: Any, dtype: Any) -> None: ...
    dtype: Any

    def element_type(self) -> Any:
        """The type of the components."""

    def field(self, **keywords: Any) -> Any: ...

    def get_shape(self) -> tuple[int, ...]: ...
    m: int
    n: int

    def ndarray(self, **keywords: Any) -> Any: ...
    ndim: int
    scalar_code: Any

    def shape(self) -> list[int]: ...

    def stored(self) -> Any:
        """The dtype of what has memory of its own: that needs one, and a size."""

    def stored_code(self) -> Any:
        """`scalar_code` of what has memory of its own."""

    def to_string(self) -> str: ...

    def __call__(self, *args: Any) -> Any: ...

class _VectorType(MatrixType):
    """The type of vectors of one length."""

    def __call__(self, *args: Any) -> Vector: ...

    def field(self, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Any=...) -> _VectorsField: ...

    def ndarray(self, *, shape: _Shape, needs_grad: bool=False) -> VectorNdarray: ...

class _MatricesType(MatrixType):
    """The type of matrices of one shape."""

    def __call__(self, *args: Any) -> Matrix: ...

    def field(self, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Any=...) -> _MatricesField: ...

    def ndarray(self, *, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray: ...

def vector(n: int | None=None, dtype: _Type | None=None, *, unpacked: bool=False) -> _VectorType:
    """Type of vectors with n components. As an annotation of funcs and of elements of arrays: without a dtype of any numbers,
    without n of any length. `unpacked`, as a member of a struct: each component is a member of its own."""

def matrix(n: int | None=None, m: int | None=None, dtype: _Type | None=None) -> _MatricesType:
    """Type of n x m matrices. As an annotation of funcs and of elements of arrays: without a dtype of any numbers, without
    sizes of any size."""

class StructType:
    """qd.types.struct(...) or a class decorated with @qd.dataclass."""

    def __init__(self, **members: Any) -> None: ...

    def field(self, shape: _Shape | None=None, layout: Any=None, **keywords: Any) -> StructField: ...
    methods: dict[str, Any]
    members: dict[str, Any]

    def __call__(self, *args: Any, **keywords: Any) -> Struct: ...

def struct(**members: Any) -> StructType:
    """Type of records with these members."""

class NdarrayType(Protocol):
    """Annotation of an array parameter: `qd.types.NDArray[qd.f32, 1]`; None means any."""

    def __class_getitem__(cls, parameters: Any, /) -> Any: ...

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...
NDArray = NdarrayType

def ndarray(dtype: _Type | None=None, ndim: int | None=None, element_dim: int | None=None, element_shape: tuple[int, ...] | None=None, field_dim: None=None, needs_grad: bool | None=None, boundary: Literal['unsafe', 'clamp']='unsafe') -> Any:
    """Annotation of an array parameter; None means any."""

def is_integral(value: Any) -> bool: ...

def is_real(value: Any) -> bool: ...

def is_signed(value: Any) -> bool: ...

def is_tensor(value: Any) -> bool:
    """Whether `value` is a vector or matrix type."""

class quant:
    """Types of few bits for BitpackedFields and quant_array."""

    @staticmethod
    def fixed(bits: builtins.int, signed: bool=True, max_value: Any=1.0, compute: Any=None, scale: Any=None) -> Any:
        """A fixed-point number of `bits` bits in [-max_value, max_value) or [0, max_value); or multiples of `scale`."""

    @staticmethod
    def float(exp: builtins.int, frac: builtins.int, signed: bool=True, compute: Any=None) -> Any:
        """A floating-point number with `exp` bits of exponent and `frac` bits of fraction, its sign among them."""

    @staticmethod
    def int(bits: builtins.int, signed: bool=True, compute: Any=None) -> Any:
        """An integer of `bits` bits."""

class BufferViewType:
    """Annotation of a parameter that takes a BufferView: `qd.BufferView[qd.f32]`; without a type, of any elements."""

    def __init__(self, dtype: Any=None, boundary: Any='unsafe') -> None: ...
    element: Any

    def __call__(self) -> Any: ...
