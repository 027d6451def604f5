"""Types beyond scalars: template, matrix and vector types, array annotations, structs."""

from quadrants import _dtypes, _exceptions
from quadrants._factories import make as _make
from quadrants._language import by_name as _by_name


def kind_word(x):
    """Returns the kind of package object that `x` is, or None for any other object, even if its __getattr__ raises."""
    try:
        return getattr(x, "_qd_kind_", None)
    except Exception:
        return None


class OrNone:
    """The result of `annotation | None` for annotations that are objects: None is accepted, too."""

    def __init__(self, annotation):
        self.annotation = annotation

    def __repr__(self):
        return f"{self.annotation!r} | None"


class _Annotation:
    """Base class that provides `annotation | None`."""

    def __or__(self, other):
        return OrNone(self) if other is None or other is type(None) else NotImplemented

    __ror__ = __or__


class Template(_Annotation):
    """Annotation of a parameter that is known at compile time: a field, a number, a func, any object. The kernel is compiled once for each
    distinct argument. In a func, the argument is passed by reference.

    Args:
        element_type: the type of the elements; informative only, not checked.
        ndim: the number of axes; informative only, not checked.

    Example:
        >>> x, y = qd.field(qd.i32, shape=3), qd.field(qd.i32, shape=3)
        >>> @qd.kernel
        ... def fill(f: qd.template(), value: qd.i32):
        ...     for i in f:
        ...         f[i] = value
        >>> fill(x, 1); fill(y, 2)
        >>> y.to_numpy()
        array([2, 2, 2], dtype=int32)
    """

    _qd_kind_ = "template"

    def __init__(self, element_type=object, ndim=None):
        self.element_type = element_type
        self.ndim = ndim


template = Template


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
        ([1. 2.], (3,))
    """

    _qd_kind_ = "matrix_type"
    __slots__ = ("n", "m", "dtype", "ndim")

    def __init__(self, n, m, ndim, dtype):
        self.n = 0 if n is None else int(n)  # 0: any
        self.m = 0 if m is None else int(m)
        if not 0 <= min(self.n, self.m) <= max(self.n, self.m) < 1 << 31:
            raise _exceptions.QuadrantsTypeError(f"Vectors and matrices have 1 to 2^31 - 1 components along an axis, not {(n, m)[:ndim]}")
        self.ndim = ndim
        self.dtype = None if dtype is None else _dtypes.dtype(dtype)

    def _sized(self):
        if not self.n or not self.m:
            name = "vector" if self.ndim == 1 else "matrix"
            raise _exceptions.QuadrantsTypeError(
                f"{self.to_string()} does not say how many components there are: that is for the elements of array parameters "
                f"and for parameters of funcs. Elsewhere write qd.types.{name}({'n' if self.ndim == 1 else 'n, m'}, dtype)"
            )

    @property
    def scalar_code(self):
        """The code of the component type, see _dtypes.scalar_code; 0 without a dtype."""
        return 0 if self.dtype is None else self.dtype._qd_scalar_

    def stored_code(self):
        """The `scalar_code` for elements in memory, which need a dtype and a size."""
        self.stored()
        return self.scalar_code

    def stored(self):
        """Returns the dtype for elements in memory; raises if the dtype or the size is missing."""
        self._sized()
        if self.dtype is None:
            raise _exceptions.QuadrantsTypeError(
                f"{self.to_string()} does not say what its components are: give it a dtype, such as "
                + ("qd.types.vector(n, qd.f32)" if self.ndim == 1 else "qd.types.matrix(n, m, qd.f32)")
            )
        return self.dtype

    def __eq__(self, other):
        return isinstance(other, MatrixType) and self._key() == other._key()

    def __hash__(self):
        return hash((self.n, self.m, self.ndim))

    def _key(self):
        return (self.n, self.m, self.ndim, self.dtype)

    def __repr__(self):
        return self.to_string()

    def to_string(self):
        """Returns the name of the type in errors."""
        n, m = self.n or "any", self.m or "any"
        if self.ndim == 1:
            return f"VectorType[{n}, {self.dtype}]"
        return f"MatrixType[{n},{m}, {self.dtype}]"

    def get_shape(self):
        """Returns (n, m) of a matrix type, (n,) of a vector type."""
        return (self.n,) if self.ndim == 1 else (self.n, self.m)

    def element_type(self):
        """Returns the type of the components."""
        return self.dtype

    def shape(self):
        """Returns `get_shape()` as a list."""
        return list(self.get_shape())

    def __call__(self, *args):
        """Makes a value from all components, from one number for all of them, or from a nested list. A vector may also be joined from
        shorter vectors."""
        self._sized()
        return _make("matrix", self, args[0] if len(args) == 1 else args)

    def field(self, **keywords):
        """Makes a field with elements of this type.

        Args:
            **keywords: as for `qd.field`, without the type.
        """
        return _make("field of matrices", self.n, self.m, self.ndim, self.stored(), **keywords)

    def ndarray(self, **keywords):
        """Makes an ndarray with elements of this type.

        Args:
            **keywords: as for `qd.ndarray`, without the type.
        """
        return _make("array of matrices", self.n, self.m, self.ndim, self.stored(), **keywords)


class DefaultMatrixType(MatrixType):
    """A matrix type whose components have a default type of the running program, given by its code."""

    __slots__ = ("scalar_code",)

    def __init__(self, n, m, ndim, code):
        self.n, self.m, self.ndim, self.scalar_code = n, m, ndim, code

    dtype = property(lambda self: _dtypes.of_code(self.scalar_code))

    def __reduce__(self):  # `dtype` is not part of the state
        return DefaultMatrixType, (self.n, self.m, self.ndim, self.scalar_code)


def matrix(n=None, m=None, dtype=None):
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
         [3 4]]
    """
    return MatrixType(n, m, 2, dtype)


class UnpackedVector:
    """qd.types.vector(n, dtype, unpacked=True): in a struct, n members `_name0`, ..., which kernels address as `name[k]`."""

    _qd_kind_ = "unpacked_vector_type"

    def __init__(self, n, dtype):
        if n is None:
            raise _exceptions.QuadrantsTypeError("a vector declared with unpacked=True needs a size")
        self.n = int(n)
        self.dtype = _dtypes.dtype(dtype)

    def __repr__(self):
        return f"VectorType[{self.n}, {self.dtype}, unpacked]"

    @staticmethod
    def refuse(what):
        return _exceptions.QuadrantsSyntaxError(
            f"cannot {what} a vector declared with unpacked=True; it is for annotations of the members of a @qd.dataclass. "
            "Drop unpacked=True, or write `r: qd.types.vector(N, dtype, unpacked=True)` in such a class"
        )

    def __call__(self, *args):
        raise self.refuse("instantiate")

    def field(self, *args, **keywords):
        raise self.refuse("create a field of")

    def ndarray(self, *args, **keywords):
        raise self.refuse("create an ndarray of")


def vector(n=None, dtype=None, *, unpacked=False):
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
        [1. 2. 3.]
    """
    return UnpackedVector(n, dtype) if unpacked else MatrixType(n, 1, 1, dtype)


class NdarrayType(_Annotation):
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
        5
    """

    _qd_kind_ = "ndarray_type"

    def __init__(
        self, dtype=None, ndim=None, element_dim=None, element_shape=None, field_dim=None, needs_grad=None, boundary="unsafe"
    ):
        if field_dim is not None:
            raise ValueError("The field_dim argument for ndarray is already deprecated. Please use ndim instead.")
        if boundary not in ("unsafe", "clamp"):
            raise ValueError(f"boundary={boundary!r}: choose 'unsafe' or 'clamp'")
        if element_dim is not None and element_dim not in (0, 1, 2):
            raise ValueError("Only scalars, vectors, and matrices are allowed as elements of ndarray")
        if ndim is not None and not 0 <= ndim <= 12:
            raise ValueError(f"ndim={ndim!r}: an array has 0 to 12 axes")
        self.dtype = dtype
        self.ndim = ndim
        self.needs_grad = needs_grad
        self.boundary = boundary
        self.scalar_code, self.rows, self.cols, self.element_dim = self._element(dtype, element_dim, element_shape)

    @property
    def scalar(self):
        """The scalar type of the elements or of their components; None: any."""
        return _dtypes.of_code(self.scalar_code) if self.scalar_code else None

    @staticmethod
    def _element(dtype, element_dim, element_shape):
        """Returns (code of the scalar type or 0, rows, columns, element_dim or None)."""
        if isinstance(dtype, MatrixType):
            return dtype.scalar_code, dtype.n, dtype.m, dtype.ndim
        scalar = 0 if dtype is None else _dtypes.scalar_code(dtype)
        if element_shape is not None:
            if element_dim is not None and element_dim != len(element_shape):
                raise ValueError(
                    "Both element_shape and element_dim are specified, but shape doesn't match specified dim: "
                    f"{len(element_shape)}!={element_dim}"
                )
            rows, cols = (tuple(element_shape) + (1, 1))[:2]
            return scalar, rows, cols, len(element_shape)
        if element_dim:
            return scalar, 0, 0 if element_dim == 2 else 1, element_dim  # elements of any shape
        return scalar, 1, 1, 0 if dtype is not None or element_dim == 0 else None

    def __repr__(self):
        return f"NdarrayType(dtype={self.dtype}, ndim={self.ndim})"

    def __class_getitem__(cls, parameters):
        if not isinstance(parameters, tuple):
            parameters = (parameters,)
        return cls(*parameters)


ndarray = NdarrayType
NDArray = NdarrayType


class SparseMatrixBuilderType(_Annotation):
    """Annotation of a parameter that takes a `qd.linalg.SparseMatrixBuilder`. In the kernel, `A[i, j] += v` adds an entry.

    Example:
        >>> @qd.kernel
        ... def unit(A: qd.types.sparse_matrix_builder()):
        ...     for i in range(2):
        ...         A[i, i] += 1.0
        >>> K = qd.linalg.SparseMatrixBuilder(2, 2, max_num_triplets=4)
        >>> unit(K)
        >>> K.build().shape
        (2, 2)
    """

    _qd_kind_ = "sparse_matrix_builder_type"


sparse_matrix_builder = SparseMatrixBuilderType


def _member_type(name, kind):
    if isinstance(kind, MatrixType):
        kind.stored()
    if isinstance(kind, (StructType, MatrixType)) or kind in (int, float, bool):
        return kind
    if not _dtypes.is_dtype(kind):
        hint = "\nHint: a plain Python dataclass is not supported here: decorate it with @qd.dataclass" if hasattr(kind, "__dataclass_fields__") else ""
        raise _exceptions.QuadrantsTypeError(f"the member {name!r} of a struct cannot have the type {kind!r}{hint}")
    return _dtypes.dtype(kind)


class StructType(_by_name.ByName):
    """A struct type, made by qd.types.struct(...) or by decorating a class with @qd.dataclass. Calling it makes a value.

    Args:
        **members: name -> type.

    Attributes:
        members: name -> type.
        methods: name -> func.

    Example:
        >>> pair = qd.types.struct(a=qd.i32, b=qd.f32)
        >>> pair(a=1, b=2.0).b
        2.0
    """

    _qd_kind_ = "struct_type"

    def __init__(self, **members):
        self.methods = members.pop("__struct_methods", {})
        self.unpacked = {}  # name -> names of its members, of vectors declared with unpacked=True
        self.members = {}
        for name, kind in members.items():
            if isinstance(kind, UnpackedVector):
                self.unpacked[name] = [f"_{name}{k}" for k in range(kind.n)]
                self._add(dict.fromkeys(self.unpacked[name], kind.dtype))
            else:
                self._add({name: _member_type(name, kind)})

    def __reduce_ex__(self, protocol):
        if self.methods and "__qualname__" in self.__dict__:
            return super().__reduce_ex__(protocol)
        return object.__reduce_ex__(self, protocol)  # by value: types with the same members are equal

    def __mro_entries__(self, _):
        name = getattr(self, "__name__", "it")
        raise _exceptions.QuadrantsTypeError(
            f"a @qd.dataclass cannot be a base class\nHint: make {name} a member of the other: `base: {name}`"
        )

    @property
    def _unpacked_groups(self):
        """name -> (length, dtype, names of the members) of each vector declared with unpacked=True."""
        return {name: (len(parts), self.members[parts[0]], tuple(parts)) for name, parts in self.unpacked.items()}

    def _add(self, members):
        for name in members:
            if name in self.members or name in self.unpacked:
                if any(name in parts for parts in self.unpacked.values()):
                    raise _exceptions.QuadrantsSyntaxError(
                        f"member name {name!r} collides with a synthetic field generated by an earlier vector field "
                        "declared with ``unpacked=True``. Rename the colliding field or the unpacked vector."
                    )
        self.members.update(members)

    def __getattr__(self, name):
        methods = self.__dict__.get("methods", {})
        if name not in methods:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return methods[name]

    def __eq__(self, other):
        return isinstance(other, StructType) and self.members == other.members and self.methods == other.methods

    def __hash__(self):
        return hash(tuple(self.members))

    def __repr__(self):
        inside = ", ".join(f"{k}={_shown(v)}" for k, v in self.members.items())
        return f"<qd.StructType {inside}>"

    def __call__(self, *args, **keywords):
        return _make("struct", self, args, keywords)

    def field(self, shape=None, layout=None, **keywords):
        """Makes a field of such structs.

        Args:
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            layout: `qd.Layout.AOS` or `qd.Layout.SOA`.
            **keywords: as for `qd.Struct.field`.
        """
        return _make("field of structs", self, shape, layout, **keywords)


def _shown(member):
    if isinstance(member, MatrixType):
        return f"<{member}>"
    return repr(_dtypes.dtype(member) if member in (int, float, bool) else member)


def struct(**members):
    """Makes a struct type.

    Args:
        **members: name -> number, vector, matrix or struct type.

    Returns:
        A StructType.

    Example:
        >>> qd.types.struct(x=qd.math.vec2, n=qd.i32).field(shape=4).keys
        ['x', 'n']
    """
    return StructType(**members)
