"""Kernels that use what a later cell defined again: they are compiled anew at their next call. In a program without cells a kernel keeps
what it was compiled with."""

import sys
import types
import weakref

from quadrants._language import func as _func, kernel as _kernel
from quadrants_jupyter import fingerprint

_names = None  # the namespace of cells
_warned = weakref.WeakKeyDictionary()  # function -> what was said of it


def follow(names):
    global _names
    _names, _kernel.compilations_told, _func.definitions_told = names, _note, _edited


def leave():
    _kernel.compilations_told = _func.definitions_told = None


def names():
    """The namespace of cells."""
    return _names


def _note(info):
    """The kernel is about to be compiled. What older specialisations of it used stays noted."""
    if info.fn.__globals__ is _names:
        found = {name: weakref.ref(value) for name, value in _reached(info.fn, set())}
        info.used = {**found, **(info.used or {})}


def _reached(fn, seen):
    """(global name, value) of functions and types that are used by it, and by what it uses."""
    if fn in seen or fn.__globals__ is not _names:
        return
    seen.add(fn)
    for name in fingerprint.names_read(fn.__code__):
        value = _names.get(name)
        if _has_text(value):
            yield name, value
        elif fingerprint.kind(value) == "data_oriented" and _names.get(type(value).__name__) is type(value):
            yield type(value).__name__, type(value)
    for value in fingerprint.captured(fn).values():
        for inner in _functions(value):
            yield from _reached(inner, seen)


def _has_text(value):
    return isinstance(value, (type, types.FunctionType)) or fingerprint.kind(value) in ("func", "kernel", "struct_type")


def _functions(value):
    if isinstance(value, type):
        members = vars(value).values()
    elif fingerprint.kind(value) == "struct_type":
        members = value.methods.values()
    else:
        members = (value,)
    for member in members:
        fn = member.fn if fingerprint.kind(member) in ("func", "kernel") else member
        if isinstance(fn, types.FunctionType):
            yield fn


def _edited(fn):
    """A func is defined. If that changes one of its name, the rest of the cell shall see no kernel that was compiled with the old one."""
    if fn.__globals__ is not _names:
        return
    name, *members = fn.__qualname__.split(".")
    old = _names.get(name)
    for member in members:
        old = old.methods.get(member) if fingerprint.kind(old) == "struct_type" else getattr(old, member, None)
    if fingerprint.kind(old) == "func" and fingerprint.of_function(old.fn) != fingerprint.of_function(fn):
        for info in _alive():
            if info.used and name in info.used:
                forget(info)


def _alive():
    return [made._primal for ref in list(_kernel._all_kernels) if (made := ref()) is not None]


def forget(info):
    """All that was compiled of the kernel."""
    info.used = None
    for made in info.compiled():
        made._forget()


def after_cell(*_):
    for info in _alive():
        if info.used and any(_names.get(name, was()) is not was() for name, was in info.used.items()):
            forget(info)
    functions = [info.fn for info in _alive()] + [value.fn for value in list(_names.values()) if isinstance(value, _func.Func)]
    for fn in functions:
        if fn.__globals__ is _names:
            _warn_of_older_types(fn)


def _warn_of_older_types(fn):
    """An annotation keeps the type that it named when the function was defined."""
    said = _warned.setdefault(fn, set())
    for parameter, kind in fn.__annotations__.items():
        if not isinstance(kind, type) and fingerprint.kind(kind) != "struct_type":
            continue
        now = _names.get(getattr(kind, "__name__", None))
        if type(now) is type(kind) and now is not kind and (parameter, id(now)) not in said:
            said.add((parameter, id(now)))
            what = "what it returns" if parameter == "return" else f"its parameter `{parameter}`"
            print(f"{fn.__qualname__}: {what} is an earlier `{kind.__name__}`; run the cell of {fn.__qualname__} again", file=sys.stderr)


def forget_all():
    for info in _alive():
        forget(info)
