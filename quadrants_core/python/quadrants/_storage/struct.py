"""qd.Struct, values of a StructType, and fields of structs."""

from quadrants import _dtypes, _exceptions, _source
from quadrants._display import values as _values
from quadrants._language import annotations as _annotations, func as _func, matrix as _matrix
from quadrants._storage import field as _field, sized as _sized
from quadrants._factories import makes as _makes
from quadrants._trees import snode as _snode
from quadrants._trees.layout import Layout as _Layout


class Struct:
    """A struct value in Python scope; its members are accessed as attributes or by key. In a kernel, `qd.Struct(a=1, b=v)` makes a struct
    value.

    Args:
        *args: a dict of the members.
        **entries: the members by name.

    Attributes:
        entries: the members as a dict.
        keys: the names of the members.
        items: the pairs (name, value).
        methods: the methods of the struct, by name.

    Example:
        >>> s = qd.Struct(a=1, b=qd.Vector([1.0, 2.0]))
        >>> (s.a, s["b"], s.to_dict())
        (1, [1. 2.], {'a': 1, 'b': [1.0, 2.0]})
    """

    _qd_kind_ = "struct"
    _qd_name_ = "Struct"

    def __init__(self, *args, **entries):
        if args and (len(args) > 1 or entries or not isinstance(args[0], dict)):
            raise _exceptions.QuadrantsSyntaxError(
                "Custom structs need to be initialized using either dictionary or keyword arguments"
            )
        entries = args[0] if args else entries
        own = self.__dict__
        own["_entries"] = {k: _entry(v) for k, v in entries.items()}
        own["_target"] = None
        own["_type"] = None

    @property
    def entries(self):
        return self._entries

    @property
    def keys(self):
        return list(self._entries)

    @property
    def items(self):
        return self._entries.items()

    @property
    def methods(self):
        return {} if self._type is None else self._type.methods

    def to_dict(self, include_methods=False, include_ndim=False):
        """Returns the members as a dict: nested structs as dicts, vectors and matrices as lists.

        Args:
            include_methods: whether to add the methods under the key `__struct_methods`.
            include_ndim: whether to add the number of indices of vectors and matrices.
        """
        made = {k: _plain(v, include_methods, include_ndim) for k, v in self._entries.items()}
        if include_methods:
            made["__struct_methods"] = self.methods
        return made

    def __getattr__(self, name):
        own = self.__dict__
        if name in own.get("_entries", ()):
            return own["_entries"][name]
        if own.get("_type") is not None and name in own["_type"].methods:
            return own["_type"].methods[name].__get__(self, Struct)
        raise AttributeError(f"the struct has no member {name!r}")

    def __setattr__(self, name, value):
        self[name] = value

    def __dir__(self):
        return [*super().__dir__(), *self.keys]

    def __getitem__(self, name):
        return self._entries[name]

    def __setitem__(self, name, value):
        if name not in self._entries:
            raise AttributeError(f"the struct has no member {name!r}")
        self._entries[name] = _entry(value) if self._type is None else _member_value(self._type.members[name], value)
        if self._target is not None:
            owner, key = self._target
            owner[key] = self

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries.values())

    def __repr__(self):
        return str(self.to_dict())

    def __reduce__(self):
        return _restore, (self._type, self._entries)

    @staticmethod
    def field(
        members, methods={}, shape=None, name="<Struct>", offset=None, needs_grad=False, needs_dual=False,  # noqa: B006
        layout=_Layout.AOS, order=None,
    ):  # fmt: skip
        """Makes a field of structs with the given members.

        Args:
            members: name -> type.
            methods: name -> func.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            name: the name of the field in errors.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients for floating-point members, as their fields `grad`.
            needs_dual: whether to allocate duals for floating-point members, as their fields `dual`.
            layout: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member is stored apart.
            order: memory order of the axes, such as "ji".
        """
        return make_field(
            _annotations.StructType(**members, __struct_methods=methods), shape, layout, name="" if name == "<Struct>" else name,
            order=order, offset=offset, needs_grad=needs_grad, needs_dual=needs_dual,
        )  # fmt: skip


Struct.__module__ = "quadrants.lang.struct"  # the module name that messages show


def _restore(struct_type, entries):
    made = Struct(entries)
    made.__dict__["_type"] = struct_type
    return made


def _entry(value):
    if isinstance(value, dict):
        return Struct(value)
    return _matrix.Matrix(value) if isinstance(value, (list, tuple)) else value


def _plain(value, include_methods, include_ndim):
    if isinstance(value, Struct):
        return value.to_dict(include_methods, include_ndim)
    if isinstance(value, _matrix.Matrix):
        return (value.to_list(), value.ndim) if include_ndim else value.to_list()
    return value


def _member_value(kind, value):
    if isinstance(kind, _annotations.StructType):
        return make(kind, (value,), {})
    if isinstance(kind, _annotations.MatrixType):
        return kind(value)
    return _dtypes.dtype(kind)(value)


@_makes("struct")
def make(struct_type, args, keywords):
    """Makes a value of `struct_type`; members that are not given are zero."""
    names = list(struct_type.members)
    if len(args) == 1 and isinstance(args[0], (dict, Struct)):
        nested = names and isinstance(struct_type.members[names[0]], _annotations.StructType)
        if not nested or set(args[0]._entries if isinstance(args[0], Struct) else args[0]) == set(names):
            keywords = args[0].entries if isinstance(args[0], Struct) else args[0]
            args = ()
    given = dict(zip(names, args))
    given.update(keywords)
    unknown = [k for k in given if k not in struct_type.members]
    if unknown or len(args) > len(names):
        raise _exceptions.QuadrantsCompilationError(f"{struct_type!r} has no member {unknown or args[len(names):]}")
    entries = {}
    for name, kind in struct_type.members.items():
        empty = {} if isinstance(kind, _annotations.StructType) else 0
        entries[name] = _member_value(kind, given.get(name, empty))
    return _restore(struct_type, entries)


class StructField(_field.InProcess, _sized.Sized, _values.Shown):
    """A field of structs: one field per member, interleaved (AOS) or apart (SOA). `f.member` is the field of a member.

    Args:
        struct_type: a struct type, made by `qd.types.struct` or `@qd.dataclass`.
        fields: the fields of the members, by name.
        layout: AOS or SOA.

    Attributes:
        shape: number of elements along each axis.
        keys: the names of the members.
        dtype: the struct type.
        layout: `qd.Layout.AOS` or `qd.Layout.SOA`.
        snode: the SNode that the field is placed in.
        grad: the struct field of the gradients of the members.
        dual: the struct field of the tangents of the members.

    Example:
        >>> f = qd.Struct.field({"x": qd.f32, "n": qd.i32}, shape=3)
        >>> f.n.fill(2)
        >>> (f[0].n, sorted(f.to_numpy()))
        (2, ['n', 'x'])
    """

    _qd_kind_ = "struct_field"

    def __init__(self, struct_type, fields, layout):
        self._type = struct_type
        self._fields = fields
        self._layout = layout
        self.grad = self._derivative("grad")
        self.dual = self._derivative("dual")

    def _derivative(self, which):
        """Returns the struct field of the gradients or duals of the members that have one; None if no member has one."""
        fields = {k: getattr(f, which) for k, f in self._fields.items() if getattr(f, which) is not None}
        if not fields:
            return None
        members = {k: f._type if isinstance(f, StructField) else self._type.members[k] for k, f in fields.items()}
        return StructField(_annotations.StructType(**members), fields, self._layout)

    @property
    def keys(self):
        return list(self._fields)

    def get_member_field(self, key):
        """Returns the field of one member.

        Args:
            key: the name of the member.
        """
        return self._fields[key]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(f"the struct field has no member {name!r}")
        return self._fields[name]

    def __dir__(self):
        return [*super().__dir__(), *self._fields]

    def _first(self):
        return next(iter(self._fields.values()))

    def _members(self):
        return [m for f in self._fields.values() for m in f._members()]

    def _owned(self):
        return [pair for field in self._fields.values() for pair in _snode.owned(field)]

    def _check_complete(self):
        for field in self._fields.values():
            field._check_complete()

    dtype = property(lambda self: self._type)
    shape = property(lambda self: self._first().shape)
    snode = property(lambda self: self._first().snode)
    layout = property(lambda self: self._layout)
    _qd_layout = property(lambda self: self._first()._qd_layout)

    def has_grad(self):
        """Returns whether the members have a `grad`."""
        return self.grad is not None and self.grad._placed()

    def has_dual(self):
        """Returns whether the members have a `dual`."""
        return self.dual is not None and self.dual._placed()

    def _placed(self):
        return all(f._placed() for f in self._fields.values())

    def parent(self, n=1):
        """Returns the n-th SNode above the elements.

        Args:
            n: the number of levels; 1 is the SNode that contains the elements.
        """
        return self._first().parent(n)

    def __repr__(self):
        first = self._first()
        while not hasattr(first, "_described"):  # the first member may be a struct itself
            first = first._first()
        return first._described("qd.Struct.field", f"of {', '.join(self._fields)}", "")

    def __str__(self):
        return str(self.to_numpy()) if self._placed() else "<Field: Definition of this field is incomplete>"

    def __getitem__(self, key):
        made = _restore(self._type, {name: f[key] for name, f in self._fields.items()})
        made.__dict__["_target"] = (self, key)
        return made

    def __setitem__(self, key, value):
        entries = value.entries if isinstance(value, Struct) else value
        for name, v in entries.items():
            self._fields[name][key] = v

    @_values.host_only
    def fill(self, val):
        """Sets all elements to the struct or dict `val`, or all members to the number `val`.

        Args:
            val: a struct, a dict or a number.
        """
        for name, f in self._fields.items():
            f.fill(val[name] if isinstance(val, (dict, Struct)) else val)

    @_values.host_only
    def to_numpy(self, *, copy=True):
        """Returns the values of the members as NumPy arrays, by name.

        Args:
            copy: as for `Field.to_numpy`.
        """
        return {name: f.to_numpy(copy=copy) for name, f in self._fields.items()}

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a structured array is a copy of a field of structs: use np.asarray(x), or the fields of the members")
        return _sized.structured(self, dtype)

    @_values.host_only
    def from_numpy(self, array_dict):
        """Sets the values from NumPy arrays.

        Args:
            array_dict: member name -> array with the shape that the member's field expects.
        """
        arrays = self._without_aliases({name: array_dict[name] for name in self._fields})
        for name, f in self._fields.items():
            f.from_numpy(arrays[name])

    def _without_aliases(self, given):
        """Returns the arrays, with copies of those that may overlap with a member."""
        import numpy as np

        if isinstance(given, dict):
            return {name: self._without_aliases(arr) for name, arr in given.items()}
        given = np.asarray(given)
        for f in self._fields.values():
            given = f._without_aliases(given)
        return given

    @_values.host_only
    def copy_from(self, other):
        """Copies the values of another field with the same struct type and shape.

        Args:
            other: the struct field to copy from.
        """
        if not isinstance(other, StructField):
            raise TypeError("Cannot copy from a non-field object")
        for name, f in self._fields.items():
            f.copy_from(other.get_member_field(name))

    @_values.host_only
    def to_torch(self, device=None, *, copy=True):
        """Returns the values of the members as torch tensors, by name.

        Args:
            device: the torch device; None: the device of the field.
            copy: as for `Field.to_torch`.
        """
        return {name: f.to_torch(device, copy=copy) for name, f in self._fields.items()}

    @_values.host_only
    def from_torch(self, array_dict):
        """Sets the values from torch tensors.

        Args:
            array_dict: member name -> tensor with the shape that the member's field expects.
        """
        for name, f in self._fields.items():
            f.from_torch(array_dict[name])

    @_values.host_only
    def to_dlpack(self, versioned=False):
        """Raises an error, since a struct field is not a single array; use the fields of its members.

        Args:
            versioned: as for `Field.to_dlpack`.
        """
        raise _exceptions.not_available("to_dlpack", "to_numpy() gives copies")


@_makes("field of structs")
def make_field(struct_type, shape, layout, *, name="", order=None, offset=None, needs_grad=False, needs_dual=False):
    layout = _Layout.AOS if layout is None else layout
    fields = {}
    for key, kind in struct_type.members.items():
        inner = {"name": f"{name}.{key}" if name else key, "needs_grad": needs_grad, "needs_dual": needs_dual}
        if isinstance(kind, _annotations.StructType):
            fields[key] = make_field(kind, None, layout, **inner)
        else:
            fields[key] = _field.field(kind, **inner)
    made = StructField(struct_type, fields, layout)
    made._name = name
    if shape is None:
        _field.note_unplaced(made)
        return made
    for one in [made] + [made.grad] * needs_grad + [made.dual] * needs_dual:
        for part in one._fields.values() if layout == _Layout.SOA else [one]:
            _field._place_shaped(_Group(part), shape, order, offset)
    return made


class _Group:
    """Members of several fields that are placed in one level."""

    def __init__(self, field):
        self._field = field

    def _members(self):
        return self._field._members()

    def _owned(self):
        return _snode.owned(self._field)

    def _placed(self):
        return self._field._placed()

    def _check_complete(self):
        pass

    @property
    def _qd_layout(self):
        return self._field._qd_layout

    @_qd_layout.setter
    def _qd_layout(self, layout):
        """Sets the layout of every member."""
        fields = self._field._fields.values() if isinstance(self._field, StructField) else [self._field]
        for field in fields:
            (_Group(field) if isinstance(field, StructField) else field)._qd_layout = layout

    grad = property(lambda self: self._field.grad and _Group(self._field.grad))
    dual = property(lambda self: self._field.dual and _Group(self._field.dual))


def _annotations_of(cls, frame):
    """Returns the annotations of a class body; those that are strings are evaluated."""
    import sys

    scope = getattr(sys.modules.get(cls.__module__), "__dict__", {})
    return {
        name: eval(kind, dict(scope), dict(frame.f_locals)) if isinstance(kind, str) else kind
        for name, kind in cls.__annotations__.items()
    }


def dataclass(cls):
    """Makes a struct type of a class: its annotations become the members, its functions the methods.

    Args:
        cls: the class. Its members have number, vector, matrix or struct types.

    Returns:
        The struct type. Calling it makes a value; `.field(shape=...)` makes a field of such values.

    Raises:
        QuadrantsSyntaxError: a member has no type.

    Example:
        >>> @qd.dataclass
        ... class Ball:
        ...     x: qd.math.vec2
        ...     r: qd.f32
        ...     @qd.func
        ...     def area(self):
        ...         return qd.math.pi * self.r ** 2
        >>> balls = Ball.field(shape=4)
        >>> balls[0].r
        0.0
    """
    if isinstance(cls, _annotations.StructType):
        raise _exceptions.QuadrantsSyntaxError(f"{cls.__name__} is a @qd.dataclass already: decorate it once")
    members = _annotations_of(cls, _source.caller(1))
    for name in members:
        if name in cls.__dict__:
            raise _exceptions.QuadrantsSyntaxError("Default value in @dataclass is not supported.")
    methods = {}
    for name, value in cls.__dict__.items():
        if isinstance(value, (staticmethod, classmethod)):
            word = "static" if isinstance(value, staticmethod) else "class"
            raise _exceptions.QuadrantsSyntaxError(
                f"`{cls.__name__}.{name}` is a {word} method, which a @qd.dataclass cannot have\n"
                f"Hint: write it as a @qd.func outside of the class"
            )
        if isinstance(value, _func.Func):
            methods[name] = value
        elif hasattr(value, "__code__") and not name.startswith("__"):
            methods[name] = _func.PyFunc(value, _source.caller(1))
    made = _annotations.StructType(**members, __struct_methods=methods)
    made.__name__, made.__qualname__, made.__module__, made.__doc__ = cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__
    return made


def leaves(struct_type, path=()):
    """Returns ((member names, scalar code, rows, columns, element_dim), ...) of all scalars, vectors and matrices, depth first."""
    found = []
    for name, kind in struct_type.members.items():
        at = (*path, name)
        if isinstance(kind, _annotations.StructType):
            found.extend(leaves(kind, at))
        elif isinstance(kind, _annotations.MatrixType):
            found.append((at, kind.dtype._qd_scalar_, kind.n, kind.m, kind.ndim))
        else:
            found.append((at, _dtypes.scalar_code(kind), 1, 1, 0))
    return tuple(found)


def from_leaves(struct_type, flat):
    """Makes a value from the numbers of all its members, depth first."""
    numbers = iter(flat)

    def read(kind):
        if isinstance(kind, _annotations.StructType):
            return _restore(kind, {name: read(member) for name, member in kind.members.items()})
        if isinstance(kind, _annotations.MatrixType):
            components = [next(numbers) for _ in range(kind.n * kind.m)]
            return _matrix.from_components(components, kind.n, kind.m, kind.ndim, kind.dtype)
        return next(numbers)

    return read(struct_type)
