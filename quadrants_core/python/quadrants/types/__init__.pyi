# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.types: scalar, vector, matrix, array, struct and template types."""
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
    """The result of qd.types.matrix(n, m, dtype) and qd.types.vector(n, dtype): an annotation, and a constructor of values. Without a dtype
    the components retain their types.
    
    Args:
        n: number of rows.
        m: number of columns.
        ndim: 1 for vectors, 2 for matrices.
        dtype: type of the components, or None.
    
    Attributes:
        n, m, ndim, dtype: the arguments.
        scalar_code: the core's code of the component type.
    
    Example:
        >>> vec = qd.types.vector(2, qd.f32)
        >>> (vec(1, 2), vec.field(shape=3).shape)
        ([1. 2.], (3,))"""

    def __init__(self, n: Any, m: Any, ndim: Any, dtype: Any) -> None: ...
    dtype: Any

    def element_type(self) -> Any:
        """Returns the type of the components."""

    def field(self, **keywords: Any) -> Any:
        """Makes a field with elements of this type.
        
        Args:
            **keywords: as for `qd.field`, without the type."""

    def get_shape(self) -> tuple[int, ...]:
        """Returns (n, m) of a matrix type, (n,) of a vector type."""
    m: int
    n: int

    def ndarray(self, **keywords: Any) -> Any:
        """Makes an ndarray with elements of this type.
        
        Args:
            **keywords: as for `qd.ndarray`, without the type."""
    ndim: int
    scalar_code: Any

    def shape(self) -> list[int]:
        """Returns `get_shape()` as a list."""

    def stored(self) -> Any:
        """Returns the dtype for elements in memory; raises if the dtype or the size is missing."""

    def stored_code(self) -> Any:
        """The `scalar_code` for elements in memory, which need a dtype and a size."""

    def to_string(self) -> str:
        """Returns the name of the type in errors."""

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
    """Makes a vector type. As an annotation of funcs and of array elements, it accepts any component type if dtype is None, and any length
    if n is None.
    
    Args:
        n: number of components.
        dtype: type of the components; None: any.
        unpacked: as a member of a struct, whether each component becomes a member of its own.
    
    Returns:
        A MatrixType.
    
    Example:
        >>> qd.types.vector(3, qd.f32)(1, 2, 3)
        [1. 2. 3.]"""

def matrix(n: int | None=None, m: int | None=None, dtype: _Type | None=None) -> _MatricesType:
    """Makes a matrix type. As an annotation of funcs and of array elements, it accepts any component type if dtype is None, and any shape
    if the sizes are None.
    
    Args:
        n: number of rows.
        m: number of columns.
        dtype: type of the components; None: any.
    
    Returns:
        A MatrixType.
    
    Example:
        >>> qd.types.matrix(2, 2, qd.i32)([[1, 2], [3, 4]])
        [[1 2]
         [3 4]]"""

class StructType:
    """A struct type, made by qd.types.struct(...) or by decorating a class with @qd.dataclass. Calling it makes a value.
    
    Args:
        **members: name -> type.
    
    Attributes:
        members: name -> type.
        methods: name -> func.
    
    Example:
        >>> pair = qd.types.struct(a=qd.i32, b=qd.f32)
        >>> pair(a=1, b=2.0).b
        2.0"""

    def __init__(self, **members: Any) -> None: ...

    def field(self, shape: _Shape | None=None, layout: Any=None, **keywords: Any) -> StructField:
        """Makes a field of such structs.
        
        Args:
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            layout: `qd.Layout.AOS` or `qd.Layout.SOA`.
            **keywords: as for `qd.Struct.field`."""
    methods: dict[str, Any]
    members: dict[str, Any]

    def __call__(self, *args: Any, **keywords: Any) -> Struct: ...

def struct(**members: Any) -> StructType:
    """Makes a struct type.
    
    Args:
        **members: name -> number, vector, matrix or struct type.
    
    Returns:
        A StructType.
    
    Example:
        >>> qd.types.struct(x=qd.math.vec2, n=qd.i32).field(shape=4).keys
        ['x', 'n']"""

class _Checker:
    """Which type checker reads this: mypy takes every condition with this name for true, pyright goes by its type."""
    MYPY: Literal[False]
if _Checker.MYPY:
    from quadrants._mypy import NDArray as NDArray
from quadrants._pyright import NDArray as NDArray

class NdarrayType(Protocol):
    """Annotation of an array parameter: `qd.types.NDArray[qd.f32, 1]`; None means any. The kernel takes ndarrays, NumPy arrays, torch
    tensors and what speaks DLPack, and reads and writes their memory.

    Example:
        >>> import numpy as np
        >>> @qd.kernel
        ... def fill(x: qd.types.NDArray[qd.f32, 1]):
        ...     for i in x:
        ...         x[i] = 2.0 * i
        >>> a = np.zeros(3, dtype=np.float32)
        >>> fill(a)
        >>> a
        array([0., 2., 4.], dtype=float32)
    """

    def __class_getitem__(cls, parameters: Any, /) -> Any: ...

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

def ndarray(dtype: _Type | None=None, ndim: int | None=None, element_dim: int | None=None, element_shape: tuple[int, ...] | None=None, field_dim: None=None, needs_grad: bool | None=None, boundary: Literal['unsafe', 'clamp']='unsafe') -> Any:
    """Annotation of an array parameter, see `qd.types.NdarrayType`.
    
    Args:
        dtype: type of the elements; None: any.
        ndim: number of axes; None: any.
        element_dim: number of axes of an element.
        element_shape: shape of an element.
        field_dim: the former name of ndim.
        needs_grad: whether the array must have gradients; None: either.
        boundary: treatment of an index out of bounds: "unsafe": it is an error; "clamp": it refers to the nearest element.
    
    Example:
        >>> @qd.kernel
        ... def last(x: qd.types.ndarray(dtype=qd.i32, ndim=1, boundary="clamp")) -> qd.i32:
        ...     return x[100]
        >>> x = qd.ndarray(qd.i32, 3)
        >>> x.fill(5)
        >>> last(x)
        5"""

def is_integral(value: Any) -> bool:
    """Returns whether a type, or the type of a number, is an integer type.
    
    Args:
        value: a number type, or a number of Python or NumPy.
    
    Example:
        >>> qd.types.is_integral(qd.i32)
        True"""

def is_real(value: Any) -> bool:
    """Returns whether a type, or the type of a number, is floating-point.
    
    Args:
        value: a number type, or a number of Python or NumPy.
    
    Example:
        >>> qd.types.is_real(qd.i32)
        False"""

def is_signed(value: Any) -> bool:
    """Returns whether a type, or the type of a number, can represent negative values.
    
    Args:
        value: a number type, or a number of Python or NumPy.
    
    Example:
        >>> qd.types.is_signed(qd.u8)
        False"""

def is_tensor(value: Any) -> bool:
    """Returns whether `value` is a vector or matrix type.
    
    Args:
        value: any object.
    
    Example:
        >>> qd.types.is_tensor(qd.math.vec2)
        True"""

class quant:
    """Types with few bits, for `qd.BitpackedFields` and `SNode.quant_array`.
    
    Example:
        See `qd.BitpackedFields`."""

    @staticmethod
    def fixed(bits: builtins.int, signed: bool=True, max_value: Any=1.0, compute: Any=None, scale: Any=None) -> Any:
        """Makes a fixed-point type with the range [-max_value, max_value) or [0, max_value).
        
        Args:
            bits: number of bits, including the sign.
            signed: whether values can be negative.
            max_value: the upper bound.
            compute: the type that kernels compute with; None: `default_fp`.
            scale: the distance between consecutive values, used instead of `max_value`."""

    @staticmethod
    def float(exp: builtins.int, frac: builtins.int, signed: bool=True, compute: Any=None) -> Any:
        """Makes a floating-point type.
        
        Args:
            exp: number of exponent bits.
            frac: number of fraction bits, including the sign.
            signed: whether values can be negative.
            compute: the type that kernels compute with; None: `default_fp`."""

    @staticmethod
    def int(bits: builtins.int, signed: bool=True, compute: Any=None) -> Any:
        """Makes an integer type.
        
        Args:
            bits: number of bits.
            signed: whether values can be negative.
            compute: the type that kernels compute with; None: `default_ip`."""

class BufferViewType:
    """Annotation of a parameter that takes a BufferView: `qd.BufferView[qd.f32]`.
    
    Args:
        dtype: type of the elements; None: any.
        boundary: as for `qd.types.ndarray`.
    
    Attributes:
        element: the type of the elements.
    
    Example:
        See `qd.BufferView`."""

    def __init__(self, dtype: Any=None, boundary: Any='unsafe') -> None: ...
    element: Any

    def __call__(self) -> Any: ...
