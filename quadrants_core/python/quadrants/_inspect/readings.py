"""What kernels read of the variables around them when they were compiled. One that is compiled once more, to be counted or not to be, must
find the same again."""

import weakref

from quadrants import _settings

_MIXED = object()  # specialisations found different things
_MANY = 64
_PLAIN = (bool, int, float, str, bytes, type(None))


def note(info):
    """The kernel is about to be compiled."""
    program, known = info.readings or (None, {})
    if program != _settings.programs_ended:
        known = {}
    try:
        for path, found in _read(info.fn, set()):
            known[path] = found if known.get(path, found) == found else _MIXED
    except Exception:  # objects of the program may refuse to be looked at; the kernel then stays as it is compiled now
        known[None] = _MIXED
    info.readings = _settings.programs_ended, known


def are_the_same(info):
    """Whether a kernel finds what it was compiled with; one that was not compiled yet does."""
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
    """(path, print) of the globals and captured variables of a function, of what it reads of objects in them, and of the funcs that it calls."""
    if fn in seen:
        return
    seen.add(fn)
    names = set(_names(fn.__code__))
    around = {name: fn.__globals__[name] for name in names if name in fn.__globals__}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
        try:
            around[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
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
    """Numbers and texts by what they are, and tuples and lists of them; other objects by which they are."""
    if type(value) in _PLAIN:
        return type(value), repr(value)
    if type(value) in (tuple, list) and len(value) <= _MANY:
        return type(value), tuple(map(_print, value))
    if type(value).__module__ == "numpy" and getattr(value, "size", _MANY + 1) <= _MANY:
        return type(value), str(value.dtype), value.tobytes()
    return type(value), id(value)
