"""Fields: scalars, vectors and matrices stored in trees."""

import math
import weakref

from quadrants import _dtypes, _exceptions, _settings, _source
from quadrants._display import values as _values
from quadrants._language import kernel as _kernel, matrix as _matrix
from quadrants._storage import interop as _interop, naming as _naming, sized as _sized
from quadrants._trees import helpers as _helpers, layout as _layout, snode as _snode
from quadrants._factories import makes as _makes
from quadrants._trees.layout import Layout as _Layout
from quadrants._trees.layout import extents as _extents


class InProcess:
    """Base of fields, which cannot be pickled."""

    def _refuse(self, what, hint):
        name = _naming.named(self)
        return TypeError(f"the field{f' `{name}`' if name else ''} cannot be {what}\nHint: {hint}")

    def __reduce_ex__(self, protocol):
        raise self._refuse(
            "pickled: fields stay in the process that made them",
            "send an array of qd.ndarray instead, or the result of to_numpy(), and call from_numpy() in the other process",
        )

    def __copy__(self):
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo):
        import copy

        if any(member.place is not None for member in self._members()):
            raise self._refuse("copied with its memory", "make another field of the same shape, and call copy_from() of it")
        made = memo[id(self)] = type(self).__new__(type(self))
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made


class Field(InProcess, _sized.Array, _values.Shown):
    """Storage with an element type and a shape. In kernels and, one element at a time, in Python, `x[i, j]` reads and writes it.

    Attributes:
        shape: number of elements along each axis.
        dtype: type of the components.
        layout: the axes in storage order; None: the order of the indices.
        snode: the SNode that the field is placed in.
        grad: the field of gradients, or None.
        dual: the field of tangents for `qd.ad.FwdMode`, or None.
        name: the name of the field in errors.

    Example:
        >>> x = qd.field(qd.f32, shape=(2, 2))
        >>> x[0, 1] = 3.0
        >>> x.to_numpy()
        array([[0., 3.],
               [0., 0.]], dtype=float32)
        >>> (x.shape, x.dtype)
        ((2, 2), f32)
    """

    def __init__(self, dtype, name, members):
        self._dtype = dtype
        self._name = name
        self._parts = members
        self.grad = None
        self.dual = None
        self._qd_layout = None

    # public interface
    @property
    def dtype(self):
        return self._quant or self._dtype

    @property
    def shape(self):
        """The shape; () for a 0-dimensional field."""
        return self._node().shape

    @property
    def snode(self):
        """The SNode of the first member."""
        self._node()
        return self._parts[0].snode()

    _snode = snode

    def parent(self, n=1):
        """Returns the n-th SNode above the elements.

        Args:
            n: the number of levels; 1 is the SNode that contains the elements.
        """
        return self._node().parent(n - 1)

    def has_grad(self):
        """Returns whether the field has a `grad`."""
        return self.grad is not None and self.grad._placed()

    def has_dual(self):
        """Returns whether the field has a `dual`."""
        return self.dual is not None and self.dual._placed()

    @property
    def layout(self):
        """The requested storage order: for each level, outermost first, its index; None if it is the order of the indices."""
        return self._qd_layout

    @property
    def _physical_shape(self):
        """The shape in storage order."""
        shape = self.shape
        return shape if self._qd_layout is None else tuple(shape[axis] for axis in self._qd_layout)

    # placement
    def _members(self):
        return self._parts

    def _node(self):
        if self._parts[0].node is None:
            raise _exceptions.QuadrantsRuntimeError(_naming.not_allocated(self))
        return self._parts[0].node

    def _placed(self):
        return all(m.node is not None for m in self._parts)

    def _check_complete(self):
        if any(m.node is None for m in self._parts):
            raise _exceptions.QuadrantsRuntimeError(f"These field(s) are not placed: {self._name or 'some members of a field'}")
        nodes = [m.node for m in self._parts]
        if any(node is not nodes[0] for node in nodes) and len({node.shape for node in nodes}) > 1:
            raise _exceptions.QuadrantsRuntimeError("Members of the following field have different shapes: " + self._name)

    def _place_of(self, member):
        place = member.place
        if place is None:
            if member.generation == -1:
                raise _exceptions.QuadrantsRuntimeError("This field belongs to a tree that was destroyed")
            if member.node is None:
                raise _exceptions.QuadrantsRuntimeError(_naming.not_allocated(self))
            _snode.check_all_placed()
            member.node._builder._materialise()
            place = member.place
        return place

    def _place_in_kernel(self, member):
        if member.node is None and member.generation != -1 and self._name.rpartition(".")[2] in ("grad", "dual"):
            raise _exceptions.QuadrantsCompilationError(
                f"Gradient {self._name} has not been placed, check whether `needs_grad=True`"
            )
        return self._place_of(member)

    def _qd_packing_(self):
        """The packing of the components into words (frontend/packed.cpp), or None if each has storage of its own."""
        packings = [part.packing() for part in self._parts]
        return None if packings[0] is None else packings

    @property
    def _quant(self):
        return getattr(self._parts[0], "quant", None)

    # whole-field operations
    def _change(self, part, values):
        """Replaces the elements of one member by `values`; in a sparse tree, only existing elements."""
        place = self._place_of(part)
        if place.in_place:
            part.write(_view(place), values)
            return
        words = _copy_of(place)
        part.write(words, values)
        place.copy_in(words)

    def _element_shape(self):
        return ()

    @_values.in_kernels("fill")
    def fill(self, val):
        """Sets all elements to `val`; in a sparse tree, only active elements.

        Args:
            val: a number; for fields of vectors and matrices, also a vector or matrix.
        """
        flat = _matrix.flatten(val)
        if len(flat) == 1:
            flat = flat * len(self._parts)
        if len(flat) != len(self._parts):
            raise ValueError(f"fill: the elements have {len(self._parts)} components, {len(flat)} are given")
        if _kernel.recorder() is not None:
            _kernel.recorder().filled(self, val)
        kind = self._dtype
        for part, v in zip(self._parts, flat):
            self._change(part, v if kind.kind == "float" else kind(v))
        self._use("fill_field", "number" if isinstance(val, (int, float)) else "components")

    def _use(self, helper, form=""):
        _helpers.use(helper, [self._place_of(part) for part in self._parts], form)

    @_values.host_only
    def to_numpy(self, dtype=None, *, copy=True):
        """Returns the values as a NumPy array. Fields of vectors and matrices have additional axes at the end.

        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible.
        """
        out = _interop.to_numpy(self, self._copied, dtype, copy)
        self._use("field_to_ext_arr")
        return out

    def _copied(self):
        import numpy as np

        shape = self.shape
        if getattr(self._node(), "_kind", "") == "dynamic":
            _exceptions.warn_caller(
                "You are trying to convert a dynamic snode to a numpy array, be aware that inactive items in the snode "
                "will be converted to zeros in the resulting array."
            )
        out = np.empty(shape + (len(self._parts),), _dtypes.numpy_dtype(self._dtype))
        for k, part in enumerate(self._parts):
            place = self._place_of(part)
            out[..., k] = part.read(_view(place) if place.in_place else _copy_of(place)).reshape(shape)
        return out.reshape(shape + self._element_shape())

    @_values.host_only
    def from_numpy(self, arr):
        """Sets the values from a NumPy array; in a sparse tree, only of active elements. Numbers are converted to the type of the field,
        with a warning if integers change their value.

        Args:
            arr: an array with the shape of the field; for vectors and matrices, followed by their axes.

        Raises:
            ValueError: the shapes differ.
        """
        import numpy as np

        arr = np.asarray(arr)
        if self._quant is None:
            _interop.report_losses(arr, self._dtype)
        self._take(arr)
        self._use("ext_arr_to_field")
        if _kernel.recorder() is not None:
            _kernel.recorder().loaded(self, arr)

    def _take(self, arr):
        shape = self.shape
        own, given = self._element_shape(), arr.shape[len(shape) :]
        n = len(self._parts)
        column = {own, given} == {(n,), (n, 1)}  # a vector, or a matrix with one column
        column = column or (own == (n,) and given == (1, n))
        if arr.shape != shape + (given if column else own):
            raise ValueError(
                f"Mismatched shape: the field has {shape + self._element_shape()}, the numpy array {arr.shape}"
            )
        arr = arr.reshape(shape + (len(self._parts),))
        if len(self._parts) > 1:  # otherwise NumPy handles overlapping memory
            arr = self._without_aliases(arr)
        for k, part in enumerate(self._parts):
            self._change(part, arr[..., k])

    def _without_aliases(self, arr):
        """Returns the array, or a copy of it if it may share memory with the field."""
        import numpy as np

        places = [self._place_of(part) for part in self._parts]
        return arr.copy() if any(p.in_place and np.may_share_memory(arr, _view(p)) for p in places) else arr

    @_values.host_only
    def copy_from(self, other):
        """Copies the values of another field.

        Args:
            other: a field of the same shape.

        Raises:
            ValueError: the shapes differ.
        """
        other = getattr(other, "_impl", other)
        if not isinstance(other, Field):
            raise TypeError("Cannot copy from a non-field object")
        if other.shape != self.shape:
            raise ValueError(f"copy_from: shapes {self.shape} and {other.shape} differ")
        if _kernel.recorder() is not None:
            _kernel.recorder().copied(self, other)
        self._take(other._copied())
        self._use("field_to_field")

    @_values.host_only
    def to_torch(self, device=None, *, copy=True):
        """Returns the values as a torch tensor.

        Args:
            device: the torch device; None: the device of the field.
            copy: as for `to_numpy`.
        """
        return _interop.to_torch(self, self._copied, device, copy)

    @_values.host_only
    def from_torch(self, arr):
        """Sets the values from a torch tensor.

        Args:
            arr: a tensor with the shape that `from_numpy` expects.

        Raises:
            ValueError: the shapes differ.
        """
        _interop.from_torch(self, arr)

    @_values.host_only
    def to_dlpack(self, versioned=False):
        """Returns a DLPack capsule for the memory of the field.

        Args:
            versioned: whether to make a capsule of DLPack 1.0.

        Raises:
            ValueError: the memory is not that of a single array.
        """
        return _interop.dlpack(self, versioned)

    def __dlpack__(self, **keywords):
        return _interop.dlpack_protocol(self, **keywords)

    def __dlpack_device__(self):
        return _interop.dlpack_device()

    def _storage(self):
        """Returns (address, shape, strides) of the elements for interop.py; raises an error unless all levels are dense and the components
        are equally spaced."""
        places = [self._place_of(m) for m in self._parts]
        if any(p.sparse for p in places):
            raise _interop.no_storage(self)
        if not all(p.in_place for p in places):
            raise _interop.out_of_reach()
        seen = [p.view() for p in places]
        axes = [piece for axis in seen[0][1] for piece in axis]
        shape = self.shape
        steps = {b[0] - a[0] for a, b in zip(seen, seen[1:])}
        if not shape or tuple(n for n, _ in axes) != shape or any(v[1] != seen[0][1] for v in seen) or len(steps) > 1:
            raise _interop.no_storage(self)
        element = self._element_shape()
        strides = _interop.contiguous_strides(element, steps.pop() if steps else 0)
        return seen[0][0], shape + element, tuple(s for _, s in axes) + strides

    def _memory(self):
        """Returns objects that keep the memory alive, even after the tree is destroyed."""
        return self, [self._place_of(m) for m in self._parts]

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy(dtype=dtype, copy=copy is not False)

    def __iter__(self):
        raise NotImplementedError(
            "Struct for is only available in Quadrants scope. In a kernel write `for I in qd.grouped(x)`, without `enumerate`, `zip` or `map`; "
            "in Python, loop over x.to_numpy()."
        )

    def _state(self):
        """Returns the shape as text, or the reason why the field has none."""
        part = self._parts[0]
        if part.generation == -1:
            return "of a tree that was destroyed"
        if part.node is None:
            return "not placed"
        ended = getattr(part.node, "_builder", None) is not None and part.node._builder._program != _settings.programs_ended
        return "of an ended program" if ended else str(self.shape)

    def _bytes(self):
        """Returns the size of the elements in bytes; 0 for a sparse tree or a quantised field."""
        place = self._parts[0].place
        if place is None or place.sparse or self._quant is not None:
            return 0
        return _dtypes.size(self._dtype) * len(self._parts) * math.prod(self.shape)

    def _described(self, kind, what, name):
        """Returns the description for consoles, lists and debuggers: `kind`, the name if any, the shape, the element type, and the memory
        size of a large field."""
        name = f" {name!r}" if name else ""
        state = self._state()
        if not state.startswith("("):
            return f"<{kind}{name} {what}, {state}>"
        large = self._bytes() >> 20
        return f"<{kind}{name} {state} {what}{f', {large} MiB' if large else ''}>"

    def __repr__(self):
        return self._described("qd.field", self.dtype, self._name)

    def __str__(self):
        if not self._placed():
            return "<Field: Definition of this field is incomplete>"
        return _interop.printed(self, self._copied)


class ScalarField(Field):
    """A field of scalars, made by `qd.field(qd.f32, shape=...)`.

    Example:
        >>> isinstance(qd.field(qd.f32, shape=2), qd.ScalarField)
        True
    """

    _qd_kind_ = "field"

    def __getitem__(self, key):
        place = self._parts[0].place
        if place is None:
            place = self._place_of(self._parts[0])
        return place[key]

    def __setitem__(self, key, value):
        place = self._parts[0].place
        if place is None:
            place = self._place_of(self._parts[0])
        if isinstance(value, _matrix.Matrix):
            raise TypeError("a vector or matrix cannot be stored in an element of a scalar field")
        place[key] = value

    def _qd_place_(self):
        return self._place_in_kernel(self._parts[0]).id


class MatrixField(Field):
    """A field of vectors or matrices, made by `qd.Vector.field` and `qd.Matrix.field`.

    Attributes:
        n: number of rows of an element.
        m: number of columns; 1 for vectors.

    Args:
        n: number of rows.
        m: number of columns.
        ndim: number of indices of an element.
        dtype: type of the components.
        name: the name of the field in errors.
        members: the storage of each component.
        layout: AOS or SOA.

    Example:
        >>> v = qd.Vector.field(3, qd.f32, shape=2)
        >>> v[0] = [1.0, 2.0, 3.0]
        >>> v.get_scalar_field(1)[0]
        2.0
    """

    _qd_kind_ = "matrix_field"

    def __init__(self, n, m, ndim, dtype, name, members, layout):
        super().__init__(dtype, name, members)
        self.n, self.m, self.ndim = n, m, ndim
        self._layout = layout

    @_values.host_only
    def to_numpy(self, keep_dims=False, dtype=None, *, copy=True):
        """Returns the values as a NumPy array, see `Field.to_numpy`.

        Args:
            keep_dims: if True, vectors have a last axis of extent 1, like matrices with one column.
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible.
        """
        out = super().to_numpy(dtype, copy=copy)
        return out.reshape(out.shape + (1,)) if keep_dims and self.ndim == 1 else out

    @_values.host_only
    def to_torch(self, device=None, keep_dims=False, *, copy=True):
        """Returns the values as a torch tensor, see `Field.to_torch`.

        Args:
            device: the torch device; None: the device of the field.
            keep_dims: as for `to_numpy`.
            copy: as for `to_numpy`.
        """
        out = super().to_torch(device, copy=copy)
        return out.reshape(tuple(out.shape) + (1,)) if keep_dims and self.ndim == 1 else out

    def __getitem__(self, key):
        values = [self._place_of(p)[key] for p in self._parts]
        made = _matrix.from_components(values, self.n, self.m, self.ndim, self._dtype)
        made._target = (self, key)
        return made

    def __setitem__(self, key, value):
        flat = _matrix.flatten(value)
        if len(flat) == 1:
            flat = flat * len(self._parts)
        if len(flat) != len(self._parts):
            raise ValueError(f"an element has {len(self._parts)} components, {len(flat)} are given")
        for part, v in zip(self._parts, flat):
            self._place_of(part)[key] = v

    def get_scalar_field(self, *indices):
        """Returns the field of one component.

        Args:
            *indices: the indices of the component.
        """
        i, j = (tuple(indices) + (0,))[:2]
        return ScalarField(self._dtype, self._name, [self._parts[i * self.m + j]])

    def _get_dynamic_index_stride(self):
        """Returns the distance in bytes between consecutive components, or None if they are not equally spaced."""
        paths = [part.snode()._path_from_root() for part in self._parts]
        first = paths[0]
        if len(paths) == 1 or any(len(path) != len(first) for path in paths):
            return None
        fork = next(k for k in range(len(first)) if any(path[k] is not first[k] for path in paths))
        for path in paths:
            for k in range(fork, len(first) - 1):  # the levels on both paths must be alike and have all their cells
                alike = path[k]._kind == "dense" and path[k]._cell_size_bytes == first[k]._cell_size_bytes
                if not alike or path[k + 1]._offset_bytes_in_parent_cell != first[k + 1]._offset_bytes_in_parent_cell:
                    return None
        starts = [path[fork]._offset_bytes_in_parent_cell for path in paths]
        steps = {b - a for a, b in zip(starts, starts[1:])}
        return steps.pop() if len(steps) == 1 else None

    def _element_shape(self):
        return (self.n,) if self.ndim == 1 else (self.n, self.m)

    def _qd_places_(self):
        return [self._place_in_kernel(p).id for p in self._parts]

    def __repr__(self):
        return self._described(f"{self.n}x{self.m} qd.Matrix.field", self.dtype, self._name)


class _Memory:
    """Gives NumPy access to memory that it does not own."""

    def __init__(self, interface):
        self.__array_interface__ = interface


def _view(place):
    """Returns a strided NumPy array on the storage of a dense member, with one axis per level and index."""
    import numpy as np

    address, axes = place.view()
    pieces = [piece for axis in axes for piece in axis]
    kind = _dtypes.numpy_dtype(_dtypes.all_types[place.scalar - 1])
    interface = {
        "version": 3,
        "data": (address, False),
        "shape": tuple(extent for extent, _ in pieces),
        "strides": tuple(stride for _, stride in pieces),
        "typestr": kind.str,
    }
    return np.asarray(_Memory(interface))


def _copy_of(place):
    """Returns the values of a member as an array, with zeros where a sparse tree has no cells."""
    import numpy as np

    out = np.zeros(place.shape, _dtypes.numpy_dtype(_dtypes.all_types[place.scalar - 1]))
    place.copy_out(out)
    return out


def _storage_axes(shape, order):
    """Returns (axis, extent) in storage order."""
    if order is None:
        return list(enumerate(shape))
    if len(order) != len(shape):
        raise _exceptions.QuadrantsSyntaxError(
            f"The dimensionality of shape and order must be the same ({len(shape)} != {len(order)})"
        )
    if len(set(order)) != len(order):
        raise _exceptions.QuadrantsSyntaxError("The axes in order must be different")
    result = []
    for letter in order:
        axis = ord(letter) - ord("i")
        if not 0 <= axis < len(shape):
            raise _exceptions.QuadrantsSyntaxError(f"Invalid axis {letter}")
        result.append((axis, shape[axis]))
    return result


_ROLES = {"grad": _snode.SNodeGradType.ADJOINT, "dual": _snode.SNodeGradType.DUAL}


def _add_derivatives(field, make, needs_grad, needs_dual):
    """Adds `grad` and `dual` to a field of real numbers. These are fields of the same kind; they are placed only on request."""
    if field._dtype.kind != "float" or field._quant is not None:
        if needs_grad or needs_dual:
            named = f" The field is `{field._name}`." if field._name else ""
            raise _exceptions.QuadrantsRuntimeError(
                f"{field.dtype} is not supported for field with `needs_grad=True` or `needs_dual=True`.{named}"
            )
        return
    for suffix, needed in (("grad", needs_grad), ("dual", needs_dual)):
        other = make(f"{field._name}.{suffix}" if field._name else suffix)
        other.grad = other.dual = None
        setattr(field, suffix, other)
        for member, its in zip(field._parts, other._parts):
            setattr(member, suffix, its)
            its.role = _ROLES[suffix]
            if needed:
                _snode.unplaced_derivatives[its] = weakref.ref(other)
                its.asked = f"needs_{suffix}"


def note_unplaced(field):
    made = weakref.ref(field), _source.place_outside()
    _snode.unplaced.update({m: made for m in field._members() if isinstance(m, _snode.Member)})


def _place_shaped(field, shape, order, offset, soa=False, derivatives=()):
    """Places a field in a tree of one dense level of rank N (one per member for SOA). `derivatives` are placed likewise in the same
    tree."""
    if shape is None:
        note_unplaced(field)
        _snode.unchecked.add(field)
        if offset is not None:
            raise _exceptions.QuadrantsSyntaxError("shape cannot be None when offset is set")
        if order is not None:
            raise _exceptions.QuadrantsSyntaxError("shape cannot be None when order is set")
        return field
    shape = _extents(shape)
    offset = None if offset is None else _extents(offset)
    if offset is not None and len(offset) != len(shape):
        raise _exceptions.QuadrantsSyntaxError(
            f"The dimensionality of shape and offset must be the same ({len(shape)} != {len(offset)})"
        )
    levels = _storage_axes(shape, order)
    layout = None if order is None else _layout.unless_in_order(tuple(axis for axis, _ in levels))
    builder = _snode.Builder()

    def put(one):
        one._qd_layout = layout
        owned = _snode.owned(one)
        for group in [[pair] for pair in owned] if soa else [owned]:
            node = builder._root
            if levels:
                node = node.dense([_snode.Axis(a) for a, _ in levels], [n for _, n in levels])
            for owner, member in group:
                node._place_member(owner, member, offset)

    def put_derivative(which):
        other = getattr(field, which)
        if other is not None and not other._placed():
            put(other)

    for one in (field, *derivatives):
        put(one)
    builder._place_derivative = put_derivative
    _snode.Builder.shaped.add(builder)
    return field


def field(dtype, shape=None, order=None, name="", offset=None, needs_grad=False, needs_dual=False, **keywords):
    """Makes a field: storage with an element type and a shape, which kernels access as a global or as a template argument. Before
    `qd.init`, the field gets its shape but no memory; `qd.init` then allocates it.

    Args:
        dtype: a number, vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of integers; `()` means one element. None: the field is placed in a tree
            (`qd.root.dense(...).place(x)`).
        order: memory order of the axes, such as "ji"; None: the last index varies fastest.
        name: the name of the field in errors and profiles.
        offset: the first index of each axis; None: 0.
        needs_grad: whether to allocate gradients, as the field `grad` of the same shape.
        needs_dual: whether to allocate duals for `qd.ad.FwdMode`, as the field `dual`.
        layout: for vectors, matrices and structs: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member
            is stored apart.

    Returns:
        A ScalarField, MatrixField or StructField, filled with zeros.

    Raises:
        QuadrantsRuntimeError: an extent is not positive, or the field does not fit in memory; also when the field is used before
        `qd.init`. TypeError, QuadrantsTypeError: the shape or type is not valid for a field.

    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)
    """
    kind = getattr(dtype, "_qd_kind_", None)
    if kind == "matrix_type":
        return matrix_field(
            dtype.n, dtype.m, dtype.ndim, dtype.stored(), shape, order=order, name=name, offset=offset, needs_grad=needs_grad,
            needs_dual=needs_dual, **keywords,
        )  # fmt: skip
    if kind == "struct_type":
        return dtype.field(
            shape=shape, order=order, name=name, offset=offset, needs_grad=needs_grad, needs_dual=needs_dual, **keywords
        )
    if keywords:
        raise TypeError(f"field() got an unexpected keyword argument {next(iter(keywords))!r}")
    scalar = dtype.compute if kind == "quant_type" else _dtypes.dtype(dtype)

    def make(text, kind=dtype):
        return ScalarField(scalar, text, [_member(text or "x", kind)])

    made = make(name)
    _add_derivatives(made, lambda text: make(text, scalar), needs_grad, needs_dual)
    derivatives = [made.grad] * bool(needs_grad) + [made.dual] * bool(needs_dual)
    return _place_shaped(made, shape, order, offset, derivatives=derivatives)


@_makes("field of matrices")
def matrix_field(
    n, m, ndim, dtype, shape=None, order=None, name="", offset=None, needs_grad=False, needs_dual=False, layout=_Layout.AOS
):
    if n < 1 or m < 1:
        raise _exceptions.QuadrantsTypeError(f"Vectors and matrices have at least one component, not {(n, m)[:ndim]}")
    if isinstance(dtype, (list, tuple)):
        shape_of_list = (len(dtype), *{len(row) for row in dtype if isinstance(row, (list, tuple))})
        kinds = _flat(dtype)
        if shape_of_list != (n, m) and (m > 1 or shape_of_list != (n,)):
            name, needed = ("Vector", f"({n}, )") if m == 1 else ("Matrix", f"({n}, {m})")
            raise AssertionError(
                f"Please set correct dtype list for {name}. The shape of dtype list should be {needed} instead of {shape_of_list}"
            )
    else:
        kinds = [dtype] * (n * m)
    quant = [getattr(t, "_qd_kind_", None) == "quant_type" for t in kinds]
    if len({t.compute if q else _dtypes.dtype(t) for t, q in zip(kinds, quant)}) > 1 or len(set(quant)) > 1:
        raise _exceptions.QuadrantsRuntimeError("Member fields of a matrix field must have the same compute type")
    scalar = kinds[0].compute if quant[0] else _dtypes.dtype(kinds[0])

    def make(text, kinds):
        base = text or "v"
        names = [f"{base}[{i}]" if ndim == 1 else f"{base}[{i}, {j}]" for i in range(n) for j in range(m)]
        return MatrixField(int(n), int(m), ndim, scalar, text, [_member(*part) for part in zip(names, kinds)], layout)

    made = make(name, kinds)
    _add_derivatives(made, lambda text: make(text, [scalar] * (n * m)), needs_grad, needs_dual)
    derivatives = [made.grad] * bool(needs_grad) + [made.dual] * bool(needs_dual)
    return _place_shaped(made, shape, order, offset, soa=layout == _Layout.SOA, derivatives=derivatives)


def _member(name, dtype):
    if getattr(dtype, "_qd_kind_", None) == "quant_type":
        from quadrants._trees import quant as _quant

        return _quant.Member(name, dtype)
    return _snode.Member(name, _dtypes.dtype(dtype)._qd_scalar_)


def _flat(value):
    return [x for item in value for x in _flat(item)] if isinstance(value, (list, tuple)) else [value]
