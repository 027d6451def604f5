"""Recompiles kernels, at their next call, that use definitions which a later cell has replaced. In a program without cells a kernel keeps
the definitions it was compiled with. Reports, below a cell, kernels that it may have run with the old value of a number that has changed
since."""

import ast
import sys
import types
import weakref

from quadrants import _exceptions, _source
from quadrants._language import func as _func, kernel as _kernel
from quadrants_jupyter import fingerprint

_names = None  # the namespace of cells
_warned = weakref.WeakKeyDictionary()  # function -> the warnings already given for it
_compiled_with = weakref.WeakKeyDictionary()  # KernelInfo -> {global name: its number or text when the kernel was compiled last}
_plain = (int, float, bool, str)


def follow(names):
    global _names
    _names, _kernel.on_compilation, _func.on_definition = names, _note, _edited


def leave():
    _kernel.on_compilation = _func.on_definition = None


def names():
    """Returns the namespace of cells."""
    return _names


def _note(info):
    """Notes what a kernel uses that is about to be compiled, in addition to what its older specialisations used."""
    if info.fn.__globals__ is _names:
        found = {name: weakref.ref(value) for name, value in _reached(info.fn, set())}
        info.used = {**found, **(info.used or {})}
        _compiled_with[info] = dict(_values_read(info.fn, set()))


def _reached(fn, seen):
    """Yields (global name, value) of functions and types that `fn` uses, directly or indirectly."""
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


def _values_read(fn, seen):
    """Yields (global name, value) of numbers and strings read by `fn` and by the funcs that it calls."""
    if fn in seen or fn.__globals__ is not _names:
        return
    seen.add(fn)
    for name in fingerprint.names_read(fn.__code__):
        value = _names.get(name)
        if type(value) in _plain:
            yield name, value
        elif fingerprint.kind(value) == "func":
            yield from _values_read(value.fn, seen)


def _is_other(value, before):
    return type(value) in _plain and (type(value), repr(value)) != (type(before), repr(before))


def _kernels_called(code):
    """Returns the KernelInfos of the kernels named in the code of a cell, or in the functions and objects that it uses."""
    found, seen = set(), set()

    def visit(value):
        if fingerprint.kind(value) == "kernel":
            found.add(value._primal)
        elif fingerprint.kind(value) == "data_oriented":
            for member in vars(type(value) if not isinstance(value, type) else value).values():
                visit(member)
        elif isinstance(value, types.FunctionType) and value.__globals__ is _names and value not in seen:
            seen.add(value)
            visit_code(value.__code__)

    def visit_code(code):
        for name in fingerprint.names_read(code):
            visit(_names.get(name))

    visit_code(code)
    return found


def _code_of(info):
    """Returns the compiled code of a cell, including one run by %%qd_kernel; None if it is not valid Python."""
    head, _, body = info.raw_cell.partition("\n")
    text = body if head.startswith("%%qd_kernel") else getattr(info, "transformed_cell", None) or info.raw_cell
    try:
        return compile(text, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):
        return None


def _report_older_values(cell):
    """Reports numbers that a kernel was compiled with and that have changed since, each once, if the cell may have run the kernel."""
    changed = {}
    for info, values in list(_compiled_with.items()):
        others = [(name, value) for name, value in values.items() if _is_other(_names.get(name), value)]
        if others:
            changed[info] = others
    code = _code_of(cell) if changed else None
    if code is None:
        return
    for info in changed.keys() & _kernels_called(code):
        said = _warned.setdefault(info.fn, set())
        for name, value in changed[info]:
            now = _names[name]
            if (name, repr(now)) not in said:
                said.add((name, repr(now)))
                where = _exceptions.cell_name(_source.shown_name(info.fn.__code__.co_filename))
                print(f"{info.fn.__qualname__} was compiled with {name} = {value!r}; it is {now!r} now. Run {where} again, or pass {name} "
                      "as an argument.", file=sys.stderr)


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
    """Called when a func is defined. If it replaces a different func of its name, forgets kernels compiled with the old one, so that the
    rest of the cell recompiles them."""
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
    """Drops all compiled code of the kernel."""
    info.used = None
    for made in info.compiled():
        made._forget()


def after_cell(result=None):
    for info in _alive():
        if info.used and any(_names.get(name, was()) is not was() for name, was in info.used.items()):
            forget(info)
    functions = [info.fn for info in _alive()] + [value.fn for value in list(_names.values()) if isinstance(value, _func.Func)]
    for fn in functions:
        if fn.__globals__ is _names:
            _warn_of_older_types(fn)
    info = getattr(result, "info", None)
    if info is not None and result.success:
        _report_older_values(info)


def _warn_of_older_types(fn):
    """Warns about annotations whose type has been redefined: they keep the type of the time of the definition."""
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
