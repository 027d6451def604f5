"""Vectors, matrices and structs of a running kernel, and variables that a func may change for its caller."""

from quadrants import _dtypes, _exceptions
from quadrants._language import annotations as _annotations, matrix as _matrix
from quadrants._storage import struct as _struct
from quadrants._language.annotations import kind_word
from quadrants._python_backend import numbers, places
from quadrants._python_backend.numbers import Scalar, as_kind, fail_type, kind_of, typed, value_as


class Unset:
    """The state of a local variable before its first assignment and after the end of its scope."""

    __slots__ = ("name", "like")

    def __init__(self, name, like=None):
        self.name = name
        self.like = like  # determines the type: the value that an arm would have assigned


def is_number(x):
    return type(x) is Scalar or numbers.is_constant(x) or numbers.plain(x) is not None


class Mat:
    """A vector (ndim 1) or matrix: row-major values of one type. `write` is called for changes if it is an element of storage. `clamps`: an
    index out of range refers to the first or last component."""

    __slots__ = ("kind", "n", "m", "ndim", "entries", "write", "clamps")
    __hash__ = None
    __array_priority__ = 2000

    def __init__(self, kind, n, m, ndim, entries, write=None, clamps=False):
        self.kind = kind
        self.n = n
        self.m = m
        self.ndim = ndim
        self.entries = entries
        self.write = write
        self.clamps = clamps

    def shape(self):
        return (self.n,) if self.ndim == 1 else (self.n, self.m)

    def component(self, k):
        return Scalar(self.kind, self.entries[k])

    def components(self):
        return [Scalar(self.kind, v) for v in self.entries]

    def copy(self):
        return Mat(self.kind, self.n, self.m, self.ndim, list(self.entries))

    def cast(self, kind):
        return Mat(kind, self.n, self.m, self.ndim, [numbers.convert(v, self.kind, kind) for v in self.entries])

    def rows(self):
        """Returns the components of a vector or the rows of a matrix."""
        if self.ndim == 1:
            return self.components()
        m = self.m
        return [Mat(self.kind, m, 1, 1, self.entries[i * m : (i + 1) * m]) for i in range(self.n)]

    def __len__(self):
        return self.n

    def __iter__(self):
        return iter(self.rows())

    def _selected(self, key):
        """Returns (positions, n, m, ndim) for an index or slice."""
        key = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, Mat) for k in key):
            key = tuple(part for k in key for part in (k.components() if isinstance(k, Mat) else [k]))
        if len(key) != self.ndim:
            raise _exceptions.QuadrantsIndexError(f"Expected {self.ndim} indices, got {len(key)}.")
        picked = [_axis(k, extent, self.clamps) for k, extent in zip(key, (self.n, self.m))]
        if None in picked:
            if not numbers.DryRun.active:
                self._refuse(key)
            picked = [[0] if p is None else p for p in picked]
        if self.ndim == 1:
            picked.append([0])
        positions = [i * self.m + j for i in picked[0] for j in picked[1]]
        if self.clamps:
            positions = [max(0, min(k, self.n * self.m - 1)) for k in positions]
        slices = [isinstance(k, slice) for k in key]
        if not any(slices):
            return positions, 1, 1, 0
        if all(slices) and self.ndim == 2:
            return positions, len(picked[0]), len(picked[1]), 2
        return positions, len(positions), 1, 1

    def _refuse(self, key):
        shape = self.n if self.ndim == 1 else f"{self.n}, {self.m}"
        index = [numbers.index_value(k) for k in key if not isinstance(k, slice)]
        places.fail(f"(kernel={places.kernel()}) Out of bound access to a [{shape}] matrix with index {index}")

    def get(self, key):
        positions, n, m, ndim = self._selected(key)
        if ndim == 0:
            return self.component(positions[0])
        return Mat(self.kind, n, m, ndim, [self.entries[p] for p in positions])

    def set(self, key, value):
        positions, n, m, ndim = self._selected(key)
        self._put(positions, n, m, ndim, value)

    def _put(self, positions, n, m, ndim, value):
        values = filled(value, self.kind, n, m, ndim)
        if numbers.DryRun.active:
            return
        for p, v in zip(positions, values):
            self.entries[p] = v
        if self.write:
            self.write(self, positions)

    def swizzle(self, name):
        indices = _swizzle(self, name)
        if len(indices) == 1:
            return self.component(indices[0])
        return Mat(self.kind, len(indices), 1, 1, [self.entries[i] for i in indices])

    def set_swizzle(self, name, value):
        indices = _swizzle(self, name)
        if isinstance(value, Mat) and value.n != len(indices):
            raise _exceptions.QuadrantsRuntimeError(f"value len does not match the swizzle pattern={name}")
        self._put(indices, len(indices), 1, 0 if len(indices) == 1 else 1, value)

    def fill(self, value):
        self._put(range(self.n * self.m), self.n, self.m, self.ndim, value)

    def host(self):
        """Returns the Matrix or Vector for Python."""
        return _matrix.from_components([host_number(c) for c in self.components()], self.n, self.m, self.ndim, self.kind)

    def __repr__(self):
        return f"{'Vector' if self.ndim == 1 else 'Matrix'}({self.rows()})"


def _axis(k, extent, unbounded):
    """Returns the positions along an axis that an index selects; None if it is out of bounds."""
    if isinstance(k, slice):
        return list(range(extent))[k]
    if not is_number(k) or numbers.is_real(kind_of(k)):
        fail_type(f"indices must be integers, however '{type_name(k)}' is provided as index")
    i = numbers.index_value(k)
    return [i] if unbounded or 0 <= i < extent else None


_LETTERS = ("xyzw", "rgba", "stpq")


def is_swizzle(name):
    return 0 < len(name) <= 4 and any(all(c in letters for c in name) for letters in _LETTERS)


def _swizzle(v, name):
    letters = next(group for group in _LETTERS if all(c in group for c in name))
    indices = [letters.index(c) for c in name]
    if v.ndim != 1:
        raise _exceptions.QuadrantsIndexError(f"Expected 2 indices, got 1: a matrix has no attribute '{name}'")
    if v.n > 4 or max(indices) >= v.n:
        raise _exceptions.QuadrantsSyntaxError(f"vec{v.n} only has attributes={tuple(letters[: v.n])}, got={tuple(name)}")
    return indices


def host_number(x):
    return bool(x.value) if x.kind is numbers.u1 else x.value


def type_name(x):
    if is_number(x):
        return str(kind_of(x))
    if isinstance(x, Mat):
        return f"[Tensor ({', '.join(map(str, x.shape()))}) {x.kind}]"
    return type(x).__name__


def is_tensor(x):
    return isinstance(x, (Mat, list, tuple, _matrix.Matrix))


def make(scalars, n, m, ndim, kind=None):
    """Makes a Mat from these numbers, with their common type unless one is given."""
    if kind is None:
        kind = kind_of(scalars[0])
        for s in scalars[1:]:
            kind = numbers.promote(kind, kind_of(s))
    return Mat(kind, n, m, ndim, [value_as(s, kind) for s in scalars])


def to_mat(x):
    if isinstance(x, Mat):
        return x
    if isinstance(x, _matrix.Matrix):
        return make(x._entries, x.n, x.m, x.ndim)
    x = value_of(x)
    if isinstance(x, Mat):
        return x
    if type(x).__name__ == "ndarray":
        x = x.tolist()
    if not isinstance(x, (list, tuple)) or not x:
        fail_type(f"A vector or matrix is needed here, not {type_name(x)}")
    rows = [value_of(r) for r in x]
    if not is_tensor(rows[0]):
        return make(rows, len(rows), 1, 1)
    rows = [(to_mat(r), r) for r in rows]
    n = rows[0][0].n
    if any(r.ndim != 1 or r.n != n for r, _ in rows):
        fail_type("Rows of a matrix must have the same length")
    items = [map(value_of, row) if isinstance(row, (list, tuple)) else r.components() for r, row in rows]
    return make([c for part in items for c in part], len(rows), n, 2)


def filled(value, kind, n, m, ndim):
    """Returns the values of `value` for a place of this shape; a number is broadcast."""
    value = value_of(value)
    if is_number(value):
        return [value_as(value, kind)] * (n * m)
    v = to_mat(value)
    if (v.n, v.m, v.ndim) != (n, m, ndim):
        shape = ", ".join(map(str, (n, m)[: max(ndim, 1)]))
        fail_type(f"cannot assign '{type_name(v)}' to '{f'[Tensor ({shape}) {kind}]' if ndim else kind}'")
    return [numbers.convert(e, v.kind, kind) for e in v.entries]


def broadcast(op, a, b, f):
    """Applies f to numbers, or elementwise."""
    if not is_tensor(a) and not is_tensor(b):
        return f(a, b)
    if not (is_tensor(a) or is_number(a)) or not (is_tensor(b) or is_number(b)):
        fail_type(f"unsupported operand type(s) for '{op}': '{type_name(a)}' and '{type_name(b)}'")
    a = to_mat(a) if is_tensor(a) else a
    b = to_mat(b) if is_tensor(b) else b
    shape = a if isinstance(a, Mat) else b
    if isinstance(a, Mat) and isinstance(b, Mat) and (a.n, a.m, a.ndim) != (b.n, b.m, b.ndim):
        fail_type(f"unsupported operand type(s) for '{op}': '{type_name(a)}' and '{type_name(b)}'")
    count = shape.n * shape.m
    left = a.components() if isinstance(a, Mat) else [a] * count
    right = b.components() if isinstance(b, Mat) else [b] * count
    results = [typed(f(x, y)) for x, y in zip(left, right)]
    return Mat(results[0].kind, shape.n, shape.m, shape.ndim, [r.value for r in results])


def each(x, f):
    """Applies f to a number, or to each component."""
    x = value_of(x)
    if not is_tensor(x):
        return f(x)
    v = to_mat(x)
    results = [typed(f(c)) for c in v.components()]
    return Mat(results[0].kind, v.n, v.m, v.ndim, [r.value for r in results])


def matmul(a, b):
    if not is_tensor(a) or not is_tensor(b):
        fail_type(f"unsupported operand type(s) for '@': '{type_name(a)}' and '{type_name(b)}'")
    a, b = to_mat(a), to_mat(b)
    rows, inner = (1, a.n) if a.ndim == 1 else (a.n, a.m)
    if inner != b.n:
        fail_type(f"unsupported operand type(s) for '@': '{type_name(a)}' and '{type_name(b)}'")
    entries = []
    for i in range(rows):
        for j in range(b.m):
            total = None
            for k in range(inner):
                term = numbers.binary("*", a.component(i * inner + k), b.component(k * b.m + j))
                total = term if total is None else numbers.binary("+", total, term)
            entries.append(total)
    ndim = a.ndim + b.ndim - 2
    if ndim == 0:
        return entries[0]
    n = b.m if a.ndim == 1 else rows
    return make(entries, n, b.m if ndim == 2 else 1, ndim)


_HEAP_TYPE = 1 << 9  # flag of classes written in Python


def _has_own(x, reflected):
    """Returns whether the class of an operand defines the operator itself."""
    return bool(type(x).__flags__ & _HEAP_TYPE) and not is_number(x) and not is_tensor(x) and hasattr(type(x), reflected)


def _add_operators():
    names = {
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&", "or": "|",
        "xor": "^", "lshift": "<<", "rshift": ">>",
    }  # fmt: skip
    for name, op in names.items():

        def f(x, y, op=op):
            return numbers.binary(op, x, y)

        def forward(a, b, op=op, f=f, reflected=f"__r{name}__"):
            return NotImplemented if _has_own(b, reflected) else broadcast(op, a, b, f)

        setattr(Mat, f"__{name}__", forward)
        setattr(Mat, f"__r{name}__", lambda a, b, op=op, f=f: broadcast(op, b, a, f))
    for name, op in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():

        def c(x, y, op=op):
            return numbers.compare(op, x, y)

        setattr(Mat, f"__{name}__", lambda a, b, op=op, c=c: broadcast(op, a, b, c))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(Mat, f"__{name}__", lambda a, name=f"__{name}__": each(a, lambda c: getattr(c, name)()))
    Mat.__matmul__ = lambda a, b: NotImplemented if _has_own(b, "__rmatmul__") else matmul(a, b)
    Mat.__rmatmul__ = lambda a, b: matmul(b, a)
    Mat.__hash__ = None


_add_operators()


def _ambiguous(_):
    raise _exceptions.QuadrantsCompilationError(
        "The truth value of vectors/matrices is ambiguous. Consider using `any` or `all` when comparing vectors/matrices"
    )


Mat.__bool__ = _ambiguous


class Record:
    """A struct: members that are numbers, vectors, matrices or structs, each with a fixed type."""

    __slots__ = ("type", "members")
    __hash__ = None

    def __init__(self, struct_type, members):
        self.type = struct_type
        self.members = members

    def names(self):
        return list(self.members)

    def get(self, name):
        if name not in self.members:
            return self.unpacked(name)
        return self.members[name]

    def unpacked(self, name):
        """Returns a vector whose components are separate members."""
        parts = self.type.unpacked.get(name) if self.type is not None else None
        if parts is None:
            raise _exceptions.QuadrantsCompilationError(f"the struct has no member '{name}'")

        def write(mat, positions):
            for p in positions:
                self.set(parts[p], mat.component(p))

        values = [self.get(part) for part in parts]
        return Mat(values[0].kind, len(parts), 1, 1, [v.value for v in values], write)

    def set(self, name, value):
        if self.type is not None and name in self.type.unpacked:
            self.unpacked(name).fill(value)
            return
        changed = like(self.get(name), value)
        if not numbers.DryRun.active:
            self.members[name] = changed

    def __iter__(self):
        return iter([self.get(name) for name in self.names()])

    def with_members(self, members):
        return Record(self.type, members)

    def copy(self):
        return Record(self.type, {name: fresh(self.get(name)) for name in self.names()})

    def host(self):
        members = {name: host_value(self.get(name)) for name in self.names()}
        return _struct._restore(self.type, members) if self.type is not None else _struct.Struct(members)


def zero(kind):
    if isinstance(kind, _annotations.StructType):
        return Record(kind, {name: zero(member) for name, member in kind.members.items()})
    if isinstance(kind, _annotations.MatrixType):
        return Mat(kind.dtype, kind.n, kind.m, kind.ndim, [numbers.convert(0, numbers.i32, kind.dtype)] * (kind.n * kind.m))
    return as_kind(0, _dtypes.dtype(kind))


def member_value(kind, value, name):
    """Converts `value` to a member of type `kind`; a number is broadcast to a vector or matrix, and becomes the first member of a
    struct."""
    value = value_of(value)
    if isinstance(kind, _annotations.StructType) and is_number(value):
        return record_from(kind, dict.fromkeys(list(kind.members)[:1], value))
    if isinstance(kind, _annotations.MatrixType) and is_number(value):
        return Mat(kind.dtype, kind.n, kind.m, kind.ndim, filled(value, kind.dtype, kind.n, kind.m, kind.ndim))
    return converted(kind, value, f"Member '{name}'")


def record_from(struct_type, given):
    for name in given:
        if name not in struct_type.members:
            raise _exceptions.QuadrantsCompilationError(f"{struct_type!r} has no member '{name}'")
    return Record(
        struct_type,
        {
            name: member_value(kind, given[name], name) if name in given else zero(kind)
            for name, kind in struct_type.members.items()
        },
    )


def converted(annotation, value, what, elementwise=False):
    """Converts `value` to a variable or parameter of type `annotation`. `elementwise`: a scalar type applies to each element of a vector or
    matrix, as for inlined funcs."""
    value = value_of(value)
    if isinstance(annotation, _annotations.MatrixType):
        if is_number(value):
            raise _exceptions.QuadrantsSyntaxError(f"{what} is expected to be a Matrix, but got {type_name(value)}")
        v = to_mat(value)
        for name, wanted, got in (("n", annotation.n, v.n), ("m", annotation.m, v.m)):
            if wanted not in (0, got) or (name == "m" and annotation.ndim != v.ndim):
                raise _exceptions.QuadrantsSyntaxError(f"{what} is expected to be a Matrix with {name} {wanted}, but got {got}")
        return v.copy() if annotation.dtype is None else v.cast(annotation.dtype)
    if isinstance(annotation, _annotations.StructType):
        if isinstance(value, dict):
            return record_from(annotation, value)
        if not isinstance(value, Record):
            fail_type(f"{what} (type={type_name(value)}) cannot be converted into required type {annotation!r}")
        return record_from(annotation, {name: value.get(name) for name in value.names()})
    if _dtypes.is_dtype(annotation):
        if elementwise and isinstance(value, (Mat, tuple, list)):
            return to_mat(value).cast(_dtypes.dtype(annotation))
        if not is_number(value):
            fail_type(f"{what} (type={type_name(value)}) cannot be converted into required type {_dtypes.dtype(annotation)}")
        return as_kind(value, _dtypes.dtype(annotation))
    return value


class Var:
    """A variable passed by reference: funcs with template or ref parameters, and atomics, can change it."""

    __slots__ = ("value",)
    made = None  # variables that get their first value in an arm of a conditional expression -> their previous state

    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value

    def set(self, value):
        if Var.made is not None and isinstance(self.value, Unset):
            Var.made[self] = self.value
        changed = assigned(self.value, value)
        if not numbers.DryRun.active or isinstance(self.value, Unset):
            self.value = changed


class Place:
    """An element or member passed by reference."""

    __slots__ = ("get", "set")

    def __init__(self, get, set):
        self.get = get
        self.set = set


_VALUES = frozenset([Scalar, Mat, int, float, bool, str, type(None)])


def value_of(x):
    """Returns the value of an object that may be a place, a matrix or struct of Python, or a NumPy number."""
    if type(x) in _VALUES:
        return x
    if isinstance(x, (Var, Place)):
        return value_of(x.get())
    if isinstance(x, Unset):
        if numbers.DryRun.active and x.like is not None:
            return x.like
        raise _exceptions.QuadrantsNameError(f'Name "{x.name}" is not defined')
    if isinstance(x, _matrix.Matrix):
        return to_mat(x)
    if isinstance(x, _struct.Struct):
        return record_of(x)
    if kind_word(x) == "tensor" and not isinstance(x, type):
        return x._impl
    number = numbers.plain(x)
    return x if number is None else number


def record_of(struct):
    """Converts a struct made in Python."""
    if struct._type is not None:
        return record_from(struct._type, dict(struct.items))
    return Record(None, {name: fresh(value) for name, value in struct.items})


def fresh(x):
    """Returns the value of a new variable: a copy, with a type."""
    x = value_of(x)
    if type(x) is Scalar:
        return x
    if numbers.is_constant(x):
        return typed(x)
    if isinstance(x, (Mat, Record)):
        return x.copy()
    if type(x) in (tuple, list):
        return type(x)(fresh(item) for item in x)
    return x


def unmodified(x):
    """Returns a copy that is not a variable: the constant members of an instance have no type yet."""
    if numbers.is_constant(x):
        return x
    if isinstance(x, Record):
        return x.with_members({name: unmodified(value) for name, value in x.members.items()})
    return fresh(x)


def like(old, value):
    """Converts `value` to the type of a variable that contains `old`."""
    value = value_of(value)
    if type(old) is Scalar:
        if not is_number(value):
            fail_type(f"cannot assign '{type_name(value)}' to '{old.kind}'")
        return as_kind(value, old.kind)
    if isinstance(old, Mat):
        return Mat(old.kind, old.n, old.m, old.ndim, filled(value, old.kind, old.n, old.m, old.ndim))
    if isinstance(old, Record):
        if isinstance(value, dict):
            value = Record(None, value)
        if not isinstance(value, Record) or set(value.names()) != set(old.names()):
            fail_type(f"cannot assign '{type_name(value)}' to a struct with the members {old.names()}")
        return old.with_members({name: like(old.get(name), value.get(name)) for name in old.names()})
    if isinstance(old, (tuple, list)) and isinstance(value, (tuple, list)) and len(old) == len(value):
        return type(old)(like(a, b) for a, b in zip(old, value))
    return fresh(value)


def assigned(old, value):
    """Returns the contents of a variable that contained `old` after an assignment."""
    return fresh(value) if isinstance(old, Unset) else like(old, value)


def host_value(x):
    """Converts a value for Python."""
    x = value_of(x)
    if type(x) is Scalar:
        return host_number(x)
    if isinstance(x, (Mat, Record)):
        return x.host()
    if isinstance(x, (tuple, list)):
        return type(x)(host_value(item) for item in x)
    return x
