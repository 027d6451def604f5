"""Types beyond scalars: template, matrix and vector types, array annotations, structs."""

from quadrants import _dtypes, _exceptions
from quadrants._factories import make as _make


def kind_word(x):
    """What kind of object of the package `x` is; None of any other, whatever its __getattr__ raises."""
    try:
        return getattr(x, "_qd_kind_", None)
    except Exception:
        return None


class OrNone:
    """What `annotation | None` gives for annotations that are objects: None is accepted too."""

    def __init__(self, annotation):
        self.annotation = annotation

    def __repr__(self):
        return f"{self.annotation!r} | None"


class _Annotation:
    """Gives annotations `| None`."""

    def __or__(self, other):
        return OrNone(self) if other is None or other is type(None) else NotImplemented

    __ror__ = __or__


class Template(_Annotation):
    """Annotation of a parameter that is known at compile time."""

    _qd_kind_ = "template"

    def __init__(self, element_type=object, ndim=None):
        self.element_type = element_type
        self.ndim = ndim


template = Template


class MatrixType:
    """qd.types.matrix(n, m, dtype) or qd.types.vector(n, dtype): an annotation, and a maker of values. Without a dtype the
    components keep the types they have."""

    _qd_kind_ = "matrix_type"
    __slots__ = ("n", "m", "dtype", "ndim")

    def __init__(self, n, m, ndim, dtype):
        self.n = 0 if n is None else int(n)  # 0: any
        self.m = 0 if m is None else int(m)
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
        """See _dtypes.scalar_code; 0 without a dtype."""
        return 0 if self.dtype is None else self.dtype._qd_scalar_

    def stored_code(self):
        """`scalar_code` of what has memory of its own."""
        self.stored()
        return self.scalar_code

    def stored(self):
        """The dtype of what has memory of its own: that needs one, and a size."""
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
        n, m = self.n or "any", self.m or "any"
        if self.ndim == 1:
            return f"VectorType[{n}, {self.dtype}]"
        return f"MatrixType[{n},{m}, {self.dtype}]"

    def get_shape(self):
        return (self.n,) if self.ndim == 1 else (self.n, self.m)

    def element_type(self):
        """The type of the components."""
        return self.dtype

    def shape(self):
        return list(self.get_shape())

    def __call__(self, *args):
        """A value: from all components, from one for all, or from a nested list; vectors also join shorter vectors."""
        self._sized()
        return _make("matrix", self, args[0] if len(args) == 1 else args)

    def field(self, **keywords):
        return _make("field of matrices", self.n, self.m, self.ndim, self.stored(), **keywords)

    def ndarray(self, **keywords):
        return _make("array of matrices", self.n, self.m, self.ndim, self.stored(), **keywords)


class DefaultMatrixType(MatrixType):
    """A matrix type whose components have the default type of the running program: the one that this code means."""

    __slots__ = ("scalar_code",)

    def __init__(self, n, m, ndim, code):
        self.n, self.m, self.ndim, self.scalar_code = n, m, ndim, code

    dtype = property(lambda self: _dtypes.of_code(self.scalar_code))


def matrix(n=None, m=None, dtype=None):
    """Type of n x m matrices. As an annotation of funcs and of elements of arrays: without a dtype of any numbers, without
    sizes of any size."""
    return MatrixType(n, m, 2, dtype)


class UnpackedVector:
    """qd.types.vector(n, dtype, unpacked=True): in a struct, n members `_name0`, ... that `name[k]` stands for in kernels."""

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
    """Type of vectors with n components. As an annotation of funcs and of elements of arrays: without a dtype of any numbers,
    without n of any length. `unpacked`, as a member of a struct: each component is a member of its own."""
    return UnpackedVector(n, dtype) if unpacked else MatrixType(n, 1, 1, dtype)


class NdarrayType(_Annotation):
    """Annotation of an array parameter; None means any."""

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
        self.dtype = dtype
        self.ndim = ndim
        self.needs_grad = needs_grad
        self.boundary = boundary
        self.scalar_code, self.rows, self.cols, self.element_dim = self._element(dtype, element_dim, element_shape)

    @property
    def scalar(self):
        """The type of elements and components; None: any."""
        return _dtypes.of_code(self.scalar_code) if self.scalar_code else None

    @staticmethod
    def _element(dtype, element_dim, element_shape):
        """(code of the scalar type or 0, rows, cols, element_dim or None)"""
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
            return scalar, 0, 0 if element_dim == 2 else 1, element_dim  # elements of any extents
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
    """Annotation of a parameter that takes a qd.linalg.SparseMatrixBuilder."""

    _qd_kind_ = "sparse_matrix_builder_type"


sparse_matrix_builder = SparseMatrixBuilderType


def _member_type(name, kind):
    if isinstance(kind, MatrixType):
        kind.stored()
    if isinstance(kind, (StructType, MatrixType)) or kind in (int, float, bool):
        return kind
    if not _dtypes.is_dtype(kind):
        raise _exceptions.QuadrantsTypeError(f"the member {name!r} of a struct cannot have the type {kind!r}")
    return _dtypes.dtype(kind)


class StructType:
    """qd.types.struct(...) or a class decorated with @qd.dataclass."""

    _qd_kind_ = "struct_type"

    def __init__(self, **members):
        self.methods = members.pop("__struct_methods", {})
        self.unpacked = {}  # name -> names of its members
        self.members = {}
        for name, kind in members.items():
            if isinstance(kind, UnpackedVector):
                self.unpacked[name] = [f"_{name}{k}" for k in range(kind.n)]
                self._add(dict.fromkeys(self.unpacked[name], kind.dtype))
            else:
                self._add({name: _member_type(name, kind)})

    @property
    def _unpacked_groups(self):
        """name -> (length, dtype, names of the members) of each vector declared with unpacked=True"""
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
        return _make("field of structs", self, shape, layout, **keywords)


def _shown(member):
    if isinstance(member, MatrixType):
        return f"<{member}>"
    return repr(_dtypes.dtype(member) if member in (int, float, bool) else member)


def struct(**members):
    """Type of records with these members."""
    return StructType(**members)
