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
    """What qd.types.matrix(n, m, dtype) and qd.types.vector(n, dtype) are: an annotation, and a maker of values. Without a dtype the
    components keep the types they have.
    
    Args:
        n: rows.
        m: columns.
        ndim: 1 of vectors, 2 of matrices.
        dtype: type of the components, or None.
    
    Attributes:
        n, m, ndim, dtype: likewise.
        scalar_code: what the core knows the type of the components by.
    
    Example:
        >>> vec = qd.types.vector(2, qd.f32)
        >>> (vec(1, 2), vec.field(shape=3).shape)
        ([1. 2.], (3,))"""

    def __init__(self, n: Any, m: Any, ndim: Any, dtype: Any) -> None: ...
    dtype: Any

    def element_type(self) -> Any:
        """The type of the components."""

    def field(self, **keywords: Any) -> Any:
        """A field, or an ndarray, of such elements.
        
        Args:
            **keywords: as of `qd.field` or `qd.ndarray`, without the type."""

    def get_shape(self) -> tuple[int, ...]:
        """(n, m) of a matrix, (n,) of a vector."""
    m: int
    n: int

    def ndarray(self, **keywords: Any) -> Any:
        """A field, or an ndarray, of such elements.
        
        Args:
            **keywords: as of `qd.field` or `qd.ndarray`, without the type."""
    ndim: int
    scalar_code: Any

    def shape(self) -> list[int]:
        """The same as a list."""

    def stored(self) -> Any:
        """The dtype of what has memory of its own: that needs one, and a size."""

    def stored_code(self) -> Any:
        """`scalar_code` of what has memory of its own."""

    def to_string(self) -> str:
        """How errors call it."""

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
    """Type of vectors. As an annotation of funcs and of elements of arrays: without a dtype of any numbers, without n of any length.
    
    Args:
        n: components.
        dtype: their type; None: as they come.
        unpacked: as a member of a struct: each component is a member of its own.
    
    Returns:
        A MatrixType.
    
    Example:
        >>> qd.types.vector(3, qd.f32)(1, 2, 3)
        [1. 2. 3.]"""

def matrix(n: int | None=None, m: int | None=None, dtype: _Type | None=None) -> _MatricesType:
    """Type of matrices. As an annotation of funcs and of elements of arrays: without a dtype of any numbers, without sizes of any size.
    
    Args:
        n: rows.
        m: columns.
        dtype: type of the components; None: as they come.
    
    Returns:
        A MatrixType.
    
    Example:
        >>> qd.types.matrix(2, 2, qd.i32)([[1, 2], [3, 4]])
        [[1 2]
         [3 4]]"""

class StructType:
    """What qd.types.struct(...) makes, and a class decorated with @qd.dataclass: called, it makes a value.
    
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
        """A field of such structs.
        
        Args:
            shape: an integer or a tuple of them; None: it is placed in a tree.
            layout: `qd.Layout.AOS` or `qd.Layout.SOA`.
            **keywords: as of `qd.Struct.field`."""
    methods: dict[str, Any]
    members: dict[str, Any]

    def __call__(self, *args: Any, **keywords: Any) -> Struct: ...

def struct(**members: Any) -> StructType:
    """Type of records.
    
    Args:
        **members: name -> number, vector, matrix or struct type.
    
    Returns:
        A StructType.
    
    Example:
        >>> qd.types.struct(x=qd.math.vec2, n=qd.i32).field(shape=4).keys
        ['x', 'n']"""

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
NDArray = NdarrayType

def ndarray(dtype: _Type | None=None, ndim: int | None=None, element_dim: int | None=None, element_shape: tuple[int, ...] | None=None, field_dim: None=None, needs_grad: bool | None=None, boundary: Literal['unsafe', 'clamp']='unsafe') -> Any:
    """Annotation of an array parameter, see `qd.types.NdarrayType`.
    
    Args:
        dtype: type of the elements; None: any.
        ndim: how many axes; None: any.
        element_dim: axes of an element.
        element_shape: its shape.
        field_dim: the earlier name of ndim.
        needs_grad: whether it must have gradients; None: as it comes.
        boundary: an index outside: "unsafe", is a mistake; "clamp", means the nearest element.
    
    Example:
        >>> @qd.kernel
        ... def last(x: qd.types.ndarray(dtype=qd.i32, ndim=1, boundary="clamp")) -> qd.i32:
        ...     return x[100]
        >>> x = qd.ndarray(qd.i32, 3)
        >>> x.fill(5)
        >>> last(x)
        5"""

def is_integral(value: Any) -> bool:
    """Whether a type, or a number, is an integer.
    
    Args:
        value: a number type or a number.
    
    Example:
        >>> qd.types.is_integral(qd.i32)
        True"""

def is_real(value: Any) -> bool:
    """Whether a type, or a number, is a float.
    
    Args:
        value: a number type or a number.
    
    Example:
        >>> qd.types.is_real(qd.i32)
        False"""

def is_signed(value: Any) -> bool:
    """Whether a type of integers has negative ones.
    
    Args:
        value: a number type.
    
    Example:
        >>> qd.types.is_signed(qd.u8)
        False"""

def is_tensor(value: Any) -> bool:
    """Whether `value` is a vector or matrix type.
    
    Args:
        value: anything.
    
    Example:
        >>> qd.types.is_tensor(qd.math.vec2)
        True"""

class quant:
    """Types of few bits, for `qd.BitpackedFields` and `SNode.quant_array`.
    
    Example:
        See `qd.BitpackedFields`."""

    @staticmethod
    def fixed(bits: builtins.int, signed: bool=True, max_value: Any=1.0, compute: Any=None, scale: Any=None) -> Any:
        """A fixed-point number in [-max_value, max_value) or [0, max_value).
        
        Args:
            bits: how many it has, its sign among them.
            signed: whether it can be negative.
            max_value: the bound.
            compute: the type that kernels compute with; None: `default_fp`.
            scale: the number is a multiple of this, instead of `max_value`."""

    @staticmethod
    def float(exp: builtins.int, frac: builtins.int, signed: bool=True, compute: Any=None) -> Any:
        """A floating-point number.
        
        Args:
            exp: bits of the exponent.
            frac: bits of the fraction, its sign among them.
            signed: whether it can be negative.
            compute: the type that kernels compute with; None: `default_fp`."""

    @staticmethod
    def int(bits: builtins.int, signed: bool=True, compute: Any=None) -> Any:
        """An integer.
        
        Args:
            bits: how many it has.
            signed: whether it can be negative.
            compute: the type that kernels compute with; None: `default_ip`."""

class BufferViewType:
    """Annotation of a parameter that takes a BufferView: `qd.BufferView[qd.f32]`.
    
    Args:
        dtype: type of the elements; None: any.
        boundary: as of `qd.types.ndarray`.
    
    Attributes:
        element: the type of the elements.
    
    Example:
        See `qd.BufferView`."""

    def __init__(self, dtype: Any=None, boundary: Any='unsafe') -> None: ...
    element: Any

    def __call__(self) -> Any: ...
