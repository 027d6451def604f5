"""Instances of Python classes made in a kernel: structs with a class, whose methods run like funcs."""

import functools as _functools
import operator as _operator
import types as _types

from quadrants import _exceptions
from quadrants._language import func as _func, instances as _classes, matrix as _matrix
from quadrants._python_backend import functions, numbers
from quadrants._python_backend.numbers import Scalar, fail_type, typed
from quadrants._python_backend.values import Mat, Record, fresh, like, unmodified, value_of
from quadrants._storage import struct as _struct


class Instance(Record):
    """An instance; members are added while `making`."""

    __slots__ = ("cls", "making")

    def __init__(self, cls, members, making=False):
        super().__init__(None, members)
        self.cls = cls
        self.making = making

    def get(self, name, after=None):
        if not isinstance(name, str):
            return self._item(name)
        found = _classes.in_table(self.cls, name, after)
        if after is None and name in self.members and not isinstance(found, property):
            return self.members[name]
        if found is None:
            if name == "__class__":
                return self.cls
            if after is not None and name == "__init__":
                return lambda: None  # that of `object`
            raise _exceptions.QuadrantsCompilationError(f"'{self.cls.__name__}' object has no attribute '{name}'")
        return self._bound(name, found)

    def _bound(self, name, found):
        if isinstance(found, (_types.FunctionType, _func.Func)):
            return _functools.partial(functions.run_method, found, self)
        if isinstance(found, (property, _functools.cached_property)):
            return functions.run_method(found.fget if isinstance(found, property) else found.func, self)
        if isinstance(found, _functools.partialmethod):
            return _functools.partial(self._bound(name, found.func), *found.args, **found.keywords)
        return getattr(self.cls, name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)  # the backend probes objects for private attributes
        return self.get(name)

    def set(self, name, value):
        if not isinstance(name, str):
            self._called("__setitem__", name, value_of(value))
            return
        found = _classes.in_table(self.cls, name)
        if isinstance(found, property):
            if found.fset is None:
                raise _exceptions.QuadrantsCompilationError(f"property '{name}' of '{self.cls.__name__}' object has no setter")
            functions.run_method(found.fset, self, value)
        elif name in self.members:
            changed = like(fresh(self.members[name]), value)
            if not numbers.DryRun.active:
                self.members |= {other: typed(kept) for other, kept in self.members.items() if numbers.is_constant(kept)}
                self.members[name] = changed
        elif self.making:
            value = value_of(value)
            self.members[name] = unmodified(value) if isinstance(value, (Mat, Record)) else value
        else:
            raise _exceptions.QuadrantsCompilationError(f"'{self.cls.__name__}' object has no attribute '{name}'")

    def with_members(self, members):
        self.check_made()
        return Instance(self.cls, members)

    def check_made(self):
        if self.making:
            fail_type(f"`{self.cls.__name__}` is still being constructed and cannot be used as a value")

    def copy(self):
        self.check_made()
        return Instance(self.cls, {name: fresh(value) for name, value in self.members.items()})

    def _item(self, key):
        if issubclass(self.cls, tuple) and isinstance(key, int):
            return list(self.members.values())[key]
        return self._called("__getitem__", key)

    def has(self, name):
        return isinstance(_classes.in_table(self.cls, name), (_types.FunctionType, _func.Func))

    def _called(self, name, *args):
        return self.get(name)(*args)

    def _answer(self, name, *args):
        return self._called(name, *args) if self.has(name) else NotImplemented

    def __call__(self, *args, **keywords):
        return self.get("__call__")(*args, **keywords)

    def __len__(self):
        return len(self.members) if issubclass(self.cls, tuple) else self._called("__len__")


def _operators():
    reflected = {f"__{name}__": f"__r{name}__" for name in (*numbers.BINARY, "matmul")}
    mirrored = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__", "__eq__": "__eq__"}

    def binary(name, other_name):
        def operator(a, b):
            b = value_of(b)
            made = a._answer(name, b)
            if made is NotImplemented and isinstance(b, Instance):  # for operands of the same class, Python tries it only once
                made = b._answer(other_name, a)
            return made

        return operator

    for name, other_name in {**reflected, **mirrored}.items():
        setattr(Instance, name, binary(name, other_name))
    for name in reflected.values():
        setattr(Instance, name, lambda a, b, name=name: a._answer(name, value_of(b)))
    for name in ("__neg__", "__pos__", "__invert__", "__abs__", "__round__"):
        setattr(Instance, name, lambda a, name=name: a._called(name))

    def differs(a, b):
        made = binary("__ne__", "__ne__")(a, b)
        equal = binary("__eq__", "__eq__")(a, b) if made is NotImplemented else None
        return made if equal is None or equal is NotImplemented else functions.actions.negation(equal)

    def truth(a):
        fail_type(f"Invalid constant scalar data type: a number is needed here, not {a.cls.__name__}")

    Instance.__ne__ = differs
    Instance.__bool__ = truth
    Instance.__hash__ = None


_operators()


def tested(x):
    """A value as a condition: of an instance what its `__bool__` or `__len__` returns."""
    x = value_of(x)
    for name in ("__bool__", "__len__"):
        if isinstance(x, Instance) and x.has(name):
            return tested(x.get(name)())
    return x


def contains(x, item):
    """`item in x`."""
    x = value_of(x)
    return x.get("__contains__")(item) if isinstance(x, Instance) and x.has("__contains__") else item in x


def updated(op, old, amount):
    """Implements old op= amount for an instance."""
    name = _NAMES[op]
    if old.has(f"__i{name}__"):
        return old.get(f"__i{name}__")(amount)
    made = getattr(old, f"__{name}__")(amount)
    if made is NotImplemented:
        made = getattr(amount, f"__r{name}__")(old) if isinstance(amount, Scalar) else made
    if made is NotImplemented:
        fail_type(f"unsupported operand type(s) for '{op}=': '{old.cls.__name__}' and '{type(amount).__name__}'")
    return made


def operation(op, a, b):
    """Implements a op b where an operand is a Python object: its operator runs like a method if the other operand is a value of the
    kernel."""
    a, b = value_of(a), value_of(b)
    for x, other, name in ((a, b, f"__{_NAMES[op]}__"), (b, a, f"__r{_NAMES[op]}__")):
        if isinstance(x, Instance) and x.has(name):
            break
        found = _classes.in_table(type(x), name) if _classes.makes(type(x)) else None
        if isinstance(found, (_types.FunctionType, _func.Func)) and isinstance(other, (Scalar, Mat, Record)):
            return functions.run_method(found, x, other)
    return getattr(_operator, _OPERATORS.get(_NAMES[op], _NAMES[op]))(a, b)


_OPERATORS = {"and": "and_", "or": "or_"}
_NAMES = {op: name for name, op in {**numbers.BINARY, "matmul": "@"}.items()}


def make(cls, args, keywords):
    """Implements cls(*args, **keywords) in a kernel; returns NotImplemented if Python must call the class."""
    how = _classes.makes(cls)
    if how is None:
        return NotImplemented
    init, fields = how
    if init is not None and not isinstance(init, (_types.FunctionType, _func.Func)):
        return NotImplemented
    made = Instance(cls, {}, making=True)
    known = not any(isinstance(value_of(v), (Scalar, Mat, Record)) for v in (*args, *keywords.values()))
    if fields is not None:
        made.members.update(_classes.bind(cls, fields, list(map(value_of, args)), keywords))
        args, keywords = (), {}
    if init is not None:
        try:
            functions.rewritten(init)
        except _exceptions.QuadrantsSyntaxError:
            if known:
                return NotImplemented  # Python can make what the language cannot
            raise
        functions.run_method(init, made, *args, **keywords)
    elif fields is None and (args or keywords):
        fail_type(f"{cls.__name__}() takes no arguments")
    made.making = False
    return made


class Super:
    """The result of `super()` in a method of an instance."""

    def __init__(self, instance, after):
        self.instance, self.after = instance, after

    def member(self, name):
        return self.instance.get(name, self.after)


def bare_super(cls, instance):
    instance = value_of(instance)
    return Super(instance, cls) if isinstance(instance, Instance) else super(cls, instance)


def class_of(x):
    """Returns the class by which singledispatch chooses."""
    x = value_of(x)
    if isinstance(x, Scalar):
        return bool if x.kind is numbers.u1 else float if numbers.is_real(x.kind) else int
    if isinstance(x, Instance):
        return x.cls
    if isinstance(x, (Mat, Record)):
        return _struct.Struct if isinstance(x, Record) else _matrix.Vector if x.ndim == 1 else _matrix.Matrix
    return type(x)
