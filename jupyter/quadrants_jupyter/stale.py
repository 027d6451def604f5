"""Kernels that use what a later cell defined again: they are compiled anew at their next call. In a program without cells a kernel keeps
what it was compiled with."""

import types
import weakref

from quadrants._language import kernel as _kernel
from quadrants_jupyter import fingerprint

_names = None  # the namespace of cells


def follow(names):
    global _names
    _names, _kernel.compilations_told = names, _note


def leave():
    _kernel.compilations_told = None


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


def forget(info):
    """All that was compiled of the kernel."""
    info.used = None
    for made in info.compiled():
        made._forget()


def after_cell(*_):
    for ref in list(_kernel._all_kernels):
        kernel = ref()
        used = kernel._primal.used if kernel is not None else None
        if used and any(_names.get(name, was()) is not was() for name, was in used.items()):
            forget(kernel._primal)
