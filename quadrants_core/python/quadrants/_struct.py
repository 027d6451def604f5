"""qd.Struct, StructType values and fields of structs."""

from quadrants import _annotations, _dtypes, _exceptions, _field, _matrix, _ndarray


class Struct:
    """A record in Python scope: members by attribute or key."""

    _qd_kind_ = "struct"

    def __init__(self, *args, **entries):
        if len(args) == 1 and isinstance(args[0], dict):
            entries = dict(args[0])
        self.__dict__["_entries"] = {k: _matrix.Matrix(v) if isinstance(v, (list, tuple)) else v for k, v in entries.items()}
        self.__dict__["_target"] = None

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
        return {}

    def to_dict(self, include_methods=False, include_ndim=False):
        return {k: v.to_dict() if isinstance(v, Struct) else v for k, v in self._entries.items()}

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._entries:
            raise AttributeError(f"the struct has no member {name!r}")
        return self._entries[name]

    def __setattr__(self, name, value):
        self[name] = value

    def __getitem__(self, name):
        return self._entries[name]

    def __setitem__(self, name, value):
        if name not in self._entries:
            raise AttributeError(f"the struct has no member {name!r}")
        self._entries[name] = value
        if self._target is not None:
            owner, key = self._target
            owner[key] = self

    def __repr__(self):
        return "<qd.Struct " + ", ".join(f"{k}={v}" for k, v in self._entries.items()) + ">"

    @staticmethod
    def field(members, shape=None, **keywords):
        """A field of structs with these members."""
        return make_field(_annotations.StructType(**members), shape, None, **keywords)


def _member_value(kind, value):
    if isinstance(kind, _annotations.StructType):
        return make(kind, (), value) if isinstance(value, dict) else value
    if isinstance(kind, _annotations.MatrixType):
        return kind(value)
    return _dtypes.dtype(kind)(value)


def make(struct_type, args, keywords):
    """A value of `struct_type`; members that are not given are zero."""
    names = list(struct_type.members)
    if len(args) == 1 and isinstance(args[0], (dict, Struct)):
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
    return Struct(entries)


class StructField:
    """Field of structs: one field per member, stored together (AOS) or apart (SOA)."""

    _qd_kind_ = "struct_field"

    def __init__(self, struct_type, fields, layout):
        self._type = struct_type
        self._fields = fields
        self._layout = layout
        self.grad = None
        self.dual = None

    @property
    def keys(self):
        return list(self._fields)

    def get_member_field(self, key):
        """The field of one member."""
        return self._fields[key]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(f"the struct field has no member {name!r}")
        return self._fields[name]

    def _first(self):
        return next(iter(self._fields.values()))

    def _members(self):
        return [m for f in self._fields.values() for m in f._members()]

    dtype = property(lambda self: self._type)
    shape = property(lambda self: self._first().shape)
    snode = property(lambda self: self._first().snode)
    layout = property(lambda self: self._layout)
    has_grad = property(lambda self: False)
    has_dual = property(lambda self: False)

    def parent(self, n=1):
        return self._first().parent(n)

    def __getitem__(self, key):
        made = Struct({name: f[key] for name, f in self._fields.items()})
        made.__dict__["_target"] = (self, key)
        return made

    def __setitem__(self, key, value):
        entries = value.entries if isinstance(value, Struct) else value
        for name, v in entries.items():
            self._fields[name][key] = v

    def fill(self, value):
        """Every element becomes the struct or dict `value`, or every member the number `value`."""
        for name, f in self._fields.items():
            f.fill(value[name] if isinstance(value, (dict, Struct)) else value)

    def to_numpy(self):
        """dict: member -> numpy array."""
        return {name: f.to_numpy() for name, f in self._fields.items()}

    def from_numpy(self, arrays):
        for name, f in self._fields.items():
            f.from_numpy(arrays[name])

    def copy_from(self, other):
        for name, f in self._fields.items():
            f.copy_from(other.get_member_field(name))

    def to_torch(self, device=None):
        raise _exceptions.not_available("to_torch", "use to_numpy()")

    def from_torch(self, tensors):
        raise _exceptions.not_available("from_torch", "use from_numpy()")

    def to_dlpack(self, versioned=False):
        raise _exceptions.not_available("to_dlpack", "to_numpy() gives copies")


def make_field(struct_type, shape, layout, **keywords):
    layout = _ndarray.Layout.AOS if layout is None else layout
    name = keywords.pop("name", "")
    _field._check_later(keywords.pop("needs_grad", False), keywords.pop("needs_dual", False))
    fields = {}
    for key, kind in struct_type.members.items():
        inner = f"{name}.{key}" if name else key
        if isinstance(kind, _annotations.StructType):
            fields[key] = make_field(kind, None, layout, name=inner)
        else:
            fields[key] = _field.field(kind, name=inner)
    made = StructField(struct_type, fields, layout)
    order, offset = keywords.pop("order", None), keywords.pop("offset", None)
    if keywords:
        raise TypeError(f"unexpected keyword argument {next(iter(keywords))!r}")
    if shape is None:
        return made
    for field in made._fields.values() if layout == _ndarray.Layout.SOA else [made]:
        _place_group(field, shape, order, offset)
    return made


def _place_group(field, shape, order, offset):
    _field._place_shaped(_Group(field), shape, order, offset)


class _Group:
    """Members of several fields, placed in one level."""

    def __init__(self, field):
        self._field = field

    def _members(self):
        return self._field._members()

    def _check_complete(self):
        pass


def dataclass(cls):
    """A class whose annotations are the members of a struct type; its funcs become methods."""
    members = {}
    for name, kind in cls.__dict__.get("__annotations__", {}).items():
        if name in cls.__dict__:
            raise _exceptions.QuadrantsSyntaxError("Default value in @dataclass is not supported.")
        members[name] = kind
    from quadrants import _kernel

    methods = {}
    for name, value in cls.__dict__.items():
        if isinstance(value, _kernel.Func):
            methods[name] = value
        elif callable(value) and not name.startswith("__"):
            methods[name] = _kernel.Func(value)
    return _annotations.StructType(**members, __struct_methods=methods)
