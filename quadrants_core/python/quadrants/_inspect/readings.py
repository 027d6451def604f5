"""Records the variables that kernels read at compile time. A kernel that is compiled again, with or without counters, must find the same
values."""

import weakref

from quadrants import _settings
from quadrants._language import signature as _signature

_MIXED = object()  # specialisations read different values
_MANY = 64
_PLAIN = (bool, int, float, str, bytes, type(None))


def note(info):
    """Records what a kernel reads; called before its compilation."""
    program, known = info.readings or (None, {})
    if program != _settings.programs_ended:
        known = {}
    try:
        for path, found in _read(info.fn, set()):
            known[path] = found if known.get(path, found) == found else _MIXED
    except Exception:  # objects of the program may raise on access; the kernel then retains its current form
        known[None] = _MIXED
    info.readings = _settings.programs_ended, known


def are_the_same(info):
    """Returns whether a kernel would read the same values as when it was compiled; True if it has not been compiled yet."""
    if not any(kernel._specialisations() for kernel in info.compiled()):
        return True
    program, known = info.readings or (None, {})
    if program != _settings.programs_ended:
        return False
    try:
        now = dict(_read(info.fn, set()))
    except Exception:
        return False
    return all(now.get(path, found) == found for path, found in known.items()) and now.keys() == known.keys()


def _read(fn, seen):
    """Yields (path, fingerprint) of the globals and captured variables of a function, of what it reads in these objects, and of the funcs
    that it calls."""
    if fn in seen:
        return
    seen.add(fn)
    names = set(_names(fn.__code__))
    around = {name: fn.__globals__[name] for name in names if name in fn.__globals__}
    around |= _signature.closure_of(fn)
    place = fn.__code__.co_filename, fn.__code__.co_firstlineno
    for name, value in around.items():
        yield (place, name), _print(value)
        inner = getattr(value, "__dict__", None) if not _is_of_package(value) else None
        for attribute in names.intersection(inner or ()):
            yield (place, name, attribute), _print(inner[attribute])
            yield from _called(inner[attribute], seen)
        yield from _called(value, seen)


def _called(value, seen):
    fn = value.fn if getattr(type(value), "_qd_kind_", None) == "func" else value
    if isinstance(fn, type(_called)) and not _is_of_package(fn):
        yield from _read(fn, seen)


def _names(code):
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _names(constant)


def _is_of_package(value):
    name = getattr(value, "__name__", "") if isinstance(value, type(weakref)) else getattr(value, "__module__", None) or ""
    return isinstance(name, str) and name.partition(".")[0] in ("quadrants", "numpy", "math", "builtins")


def _print(value):
    """Returns a fingerprint: the value of numbers and strings, and of tuples and lists of these; the identity of other objects."""
    if type(value) in _PLAIN:
        return type(value), repr(value)
    if type(value) in (tuple, list) and len(value) <= _MANY:
        return type(value), tuple(map(_print, value))
    if type(value).__module__ == "numpy" and getattr(value, "size", _MANY + 1) <= _MANY:
        return type(value), str(value.dtype), value.tobytes()
    return type(value), id(value)
