"""Fingerprints of kernels and funcs: text, location in the cell, captured values, called funcs.

Two definitions with equal fingerprints compile to the same code, so the older one, which is already compiled, can be kept.
"""

import types

from quadrants._language import signature as _signature

_plain = (int, float, complex, str, bytes, bool, type(None))


def kind(value):
    return getattr(value, "_qd_kind_", None)


def captured(fn):
    """Returns {name: value} of what `fn` reads from outside: globals that exist, and its closure."""
    return {name: fn.__globals__[name] for name in _signature.names_read(fn.__code__) if name in fn.__globals__} | _signature.closure_of(fn)


def of_value(value, seen=()):
    """Returns a hashable substitute, equal for values that a kernel cannot distinguish."""
    if isinstance(value, _plain):
        return type(value).__name__, repr(value)
    if isinstance(value, (tuple, list, dict)):
        if any(one is value for one in seen):
            return "recursive", type(value).__name__
        seen = (*seen, value)
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(of_value(v, seen) for v in value)
    if isinstance(value, dict):
        return "dict", tuple((of_value(k, seen), of_value(v, seen)) for k, v in value.items())
    what = kind(value)
    if what == "func":
        return of_function(value.fn, seen)
    if what in ("ndarray_type", "matrix_type", "dtype", "template"):
        return what, _members(value, seen)
    if isinstance(value, types.FunctionType):
        return of_function(value, seen)
    return "object", id(value)


def _members(value, seen):
    if isinstance(value, type):
        return value.__qualname__
    if kind(value) == "dtype":
        return repr(value)
    slots = [n for c in type(value).__mro__ for n in getattr(c, "__slots__", ()) if hasattr(value, n)]
    members = {**{n: getattr(value, n) for n in slots}, **getattr(value, "__dict__", {})}
    return tuple((n, of_value(v, seen)) for n, v in sorted(members.items()))


def _text(code):
    """Returns the compiled function without its location: positions are compared separately, see `of_function`."""
    constants = tuple(_text(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts)
    return code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars


def of_function(fn, seen=()):
    if any(one is fn for one in seen):
        return "recursive", fn.__qualname__
    seen = (*seen, fn)
    outside = tuple((n, of_value(v, seen)) for n, v in sorted(captured(fn).items()))
    annotations = tuple((n, of_value(v, seen)) for n, v in fn.__annotations__.items())
    lines = (fn.__code__.co_firstlineno, tuple(fn.__code__.co_positions()))
    return fn.__qualname__, _text(fn.__code__), hash(lines), outside, annotations, of_value(fn.__defaults__, seen)


def of_class(cls):
    members = tuple((n, of_value(v.fn) if kind(v) == "kernel" else of_value(v)) for n, v in sorted(vars(cls).items())
                    if not n.startswith("__"))
    return cls.__qualname__, tuple(b.__qualname__ for b in cls.__bases__), members
