"""Elements of fields, ndarrays and NumPy arguments, read and written one at a time."""

from quadrants import _dtypes, _exceptions
from quadrants._storage import field as _field, struct as _struct
from quadrants._language.annotations import kind_word
from quadrants._python_backend import numbers, places
from quadrants._python_backend.numbers import DryRun, Scalar, fail_type, kind_of, value_as
from quadrants._python_backend.values import Mat, Record, filled, is_number, like, make, value_of


def key_of(index):
    """Converts an index to a tuple of integers. A vector stands for its components, None for no index."""
    parts = index if isinstance(index, (tuple, list)) else (index,)
    key = []
    for part in parts:
        part = value_of(part)
        if part is None:
            continue
        if type(part) is Scalar and part.kind is numbers.i32:
            key.append(part.value)
            continue
        for one in part.components() if isinstance(part, Mat) else [part]:
            if not is_number(one) or numbers.is_real(kind_of(one)):
                fail_type(f"indices must be integers, however '{kind_of(one)}' is provided as index")
            key.append(numbers.index_value(one))
    return tuple(key)


arguments = {}  # id of a passed array -> (position of the argument, name of the parameter)


class _Storage:
    """Base class of the kinds of storage: `shape`, `kind`, `element` (its shape), `offset`, and raw `read` and `write`."""

    offset = ()
    clamp = False  # whether an index out of bounds refers to the nearest element

    def index(self, index):
        """Returns the key of an element, or None if the index is out of bounds and this is not an error."""
        key = key_of(index)
        if len(key) != len(self.shape):
            self.wrong_rank(len(key))
        if self.clamp:
            return tuple(max(0, min(i, n - 1)) for i, n in zip(key, self.shape))
        for k, (i, extent) in enumerate(zip(key, self.shape)):
            low = self.offset[k] if self.offset else 0
            if not low <= i < low + extent:
                if not DryRun.active:
                    self.refuse(key)
                return None
        return key

    def refuse(self, key):
        at, name = arguments.get(id(self.owner), (-1, "?"))
        places.fail(
            f"[kernel={places.kernel()}] Out of bound access to ndarray at arg {at} with indices {list(key)}: "
            f"`{name}` has the shape {_bracketed(self.shape)}"
        )

    def wrong_rank(self, given):
        raise _exceptions.QuadrantsIndexError(f"{len(self.shape)}d ndarray indexed with {given}d indices")

    def describe(self):
        """Returns the properties of an array, other than its elements, that kernels can read."""
        return {"shape": tuple(Scalar(numbers.i32, n) for n in self.shape)}

    def load(self, index):
        key = self.index(index)
        if key is None:
            key = tuple(self.offset) or (0,) * len(self.shape)
        if not self.element:
            return Scalar(self.kind, self.read(key, 0))
        n, m = (*self.element, 1)[:2]

        def write(mat, positions):
            for p in positions:
                self.write(key, p, mat.entries[p])

        return Mat(self.kind, n, m, len(self.element), [self.read(key, k) for k in range(n * m)], write, self.clamp)

    def store(self, index, value):
        key = self.index(index)
        if key is None or DryRun.active:
            return
        n, m = (*self.element, 1, 1)[:2]
        for k, v in enumerate(filled(value, self.kind, n, m, len(self.element))):
            self.write(key, k, v)


def _bracketed(numbers_):
    return f"({', '.join(map(str, numbers_))})"


class FieldStorage(_Storage):
    def __init__(self, field):
        self.parts = [field._place_in_kernel(p) for p in field._parts]
        self.shape = field.shape
        self.offset = tuple(getattr(field._parts[0], "offset", ()))
        self.kind = field._dtype
        self.element = field._element_shape()
        self.name = "" if field._name in ("grad", "dual") else field._name
        self.default_name = field._parts[0].name

    def wrong_rank(self, given):
        raise _exceptions.QuadrantsIndexError(f"Field with dim {len(self.shape)} accessed with indices of dim {given}")

    def refuse(self, key):
        shifted = f" offset {_bracketed(self.offset)}" if any(self.offset) else ""
        places.fail(
            f"(kernel={places.kernel()}) Accessing field ({self.name or places.subscripted() or self.default_name}) of size {_bracketed(self.shape)}{shifted} "
            f"with indices {_bracketed(key)}"
        )

    def read(self, key, k):
        value = self.parts[k][key if key else None]
        return value if numbers.is_real(self.kind) else int(value)

    def write(self, key, k, value):
        self.parts[k][key if key else None] = value


class NdarrayStorage(_Storage):
    def __init__(self, array):
        self.array = self.owner = array
        self.shape = array.shape
        self.kind = array.dtype
        self.element = array._element_shape

    def raw(self, key):
        return self.array[key if len(key) != 1 else key[0]]

    def read(self, key, k):
        value = self.raw(key)
        value = value._entries[k] if self.element else value
        return value if numbers.is_real(self.kind) else int(value)

    def write(self, key, k, value):
        key = key if len(key) != 1 else key[0]
        if not self.element:
            self.array[key] = value
            return
        element = self.array[key]
        element._entries[k] = value
        self.array[key] = element


class ClampedArray(NdarrayStorage):
    """An ndarray passed as an argument with boundary="clamp"."""

    _qd_kind_ = "numpy argument"
    clamp = True

    def __getattr__(self, name):
        return getattr(self.array, name)


class ViewStorage(_Storage):
    """A contiguous range of a 1-dimensional ndarray."""

    _qd_kind_ = "kernel view"

    def __init__(self, whole, first, size, clamp=False):
        self.whole = whole
        self.clamp = clamp
        self.first = first
        self.shape = (size,)
        self.kind = whole.kind
        self.element = whole.element

    def describe(self):
        size = Scalar(numbers.i32, self.shape[0])
        return {"shape": (size,), "size": size, "offset": Scalar(numbers.i32, self.first)}

    def subview(self, offset, size):
        first, size = (value_as(value_of(x), numbers.i32) for x in (offset, size))
        return self.part(first, first + size)

    def part(self, first, last, what="BufferView subview Out Of Range"):
        if not 0 <= first <= last <= self.shape[0] and not DryRun.active:
            places.fail(f"{what}: kernel[{places.kernel()}], got [{first}, {last}) of {self.shape[0]} elements")
        return ViewStorage(self.whole, self.first + first, last - first, self.clamp)

    def refuse(self, key):
        text, indent = "", "\n"
        trace = places.here()
        for file, name, line, *_ in trace:
            text += f"{indent}{name.rpartition('.')[2]} ({file}:{line})"
            indent += "  "
        places.fail(
            f"BufferView Out Of Range: kernel[{trace[0][1]}] tid=0, got index {key[0]} (offset={self.first}, "
            f"size={self.shape[0]}).\nCallstack:{text}"
        )

    def read(self, key, k):
        return self.whole.read((key[0] + self.first,), k)

    def write(self, key, k, value):
        self.whole.write((key[0] + self.first,), k, value)


class NumpyArray(_Storage):
    """A NumPy array passed as an argument."""

    _qd_kind_ = "numpy argument"

    def __init__(self, array, annotation):
        element_dim = annotation.element_dim or 0
        rank = array.ndim - element_dim
        self.array = array
        self.owner = self
        self.shape = array.shape[:rank]
        self.element = array.shape[rank:]
        self.kind = _dtypes.from_numpy_dtype(array.dtype)
        self.clamp = annotation.boundary == "clamp"

    def _at(self, key, k):
        if not self.element:
            return key
        return key + (divmod(k, self.element[1]) if len(self.element) == 2 else (k,))

    def read(self, key, k):
        value = self.array[self._at(key, k)]
        return float(value) if numbers.is_real(self.kind) else int(value)

    def write(self, key, k, value):
        self.array[self._at(key, k)] = value


class FieldRecord(Record):
    """An element of a field of structs; its members are places."""

    __slots__ = ("field", "key")

    def __init__(self, field, key):
        super().__init__(field._type, {})
        self.field = field
        self.key = key

    def names(self):
        return list(self.field._fields)

    def get(self, name):
        if name not in self.field._fields:
            return self.unpacked(name)
        return load(self.field._fields[name], self.key)

    def set(self, name, value):
        if name not in self.field._fields:
            self.unpacked(name).fill(value)
            return
        store(self.field._fields[name], self.key, value)

    def copy(self):
        return Record(self.type, {name: _copied(self.get(name)) for name in self.names()})


def _copied(value):
    return value.copy() if isinstance(value, (Mat, Record)) else value


def storage_of(x):
    """Returns the storage of an object of the host, or None."""
    if isinstance(x, (NumpyArray, ClampedArray, ViewStorage)):
        return x
    if isinstance(x, _field.Field):
        known = x.__dict__.get("_qd_elements")
        if known is None or known.parts[0] is not x._parts[0].place:
            known = x.__dict__["_qd_elements"] = FieldStorage(x)
        return known
    kind = kind_word(x)
    if kind == "ndarray":
        return NdarrayStorage(x)
    if kind == "buffer_view_type" and hasattr(x, "get_ndarray") and not isinstance(x, type):
        return ViewStorage(NdarrayStorage(x.arr), x.offset, x.size)
    return None


def load(base, index):
    """Implements base[index]."""
    base = value_of(base)
    if isinstance(base, (Mat, Record)):
        return base.get(index)
    storage = storage_of(base)
    if storage is not None:
        return slice_of(storage, index) if isinstance(index, slice) else storage.load(index)
    if isinstance(base, _struct.StructField):
        return FieldRecord(base, key_of(index))
    if isinstance(base, (tuple, list)) and type(index) is Scalar:
        return make_mat(base).get(index)
    _refuse_triplet(base)
    return base[index]


def slice_of(storage, index):
    """Implements x[first:last] for an array or view."""
    storage = storage if isinstance(storage, ViewStorage) else ViewStorage(storage, 0, storage.shape[0])
    bounds = ((0, index.start), (storage.shape[0], index.stop))
    return storage.part(*(otherwise if x is None else value_as(value_of(x), numbers.i32) for otherwise, x in bounds))


def _refuse_triplet(base):
    if kind_word(base) == "sparse_matrix_builder":
        fail_type("An entry of a sparse matrix builder can only be added to")


def make_mat(items):
    items = [value_of(i) for i in items]
    return make(items, len(items), 1, 1)


def store(base, index, value):
    """Implements base[index] = value."""
    base = value_of(base)
    if isinstance(base, (Mat, Record)):
        base.set(index, value)
        return
    storage = storage_of(base)
    if storage is not None:
        storage.store(index, value)
    elif isinstance(base, _struct.StructField):
        set_record(FieldRecord(base, key_of(index)), value)
    else:
        _refuse_triplet(base)
        base[index] = value


def set_record(record, value):
    """Assigns every member of an element of a field of structs."""
    for name, member in like(record.copy(), value).members.items():
        record.set(name, member)
