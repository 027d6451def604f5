"""Recompiles kernels, at their next call, that use definitions which a later cell has replaced. In a program without cells a kernel keeps
the definitions it was compiled with. Reports, below a cell, kernels that it may have run with the old value of a global that has changed
since."""

import ast
import functools
import sys
import types
import weakref

from quadrants import _exceptions, _source
from quadrants._language import func as _func, kernel as _kernel, signature as _signature
from quadrants_jupyter import fingerprint

_names = None  # the namespace of cells
_warned = weakref.WeakKeyDictionary()  # function -> the warnings already given for it
_compiled_with = weakref.WeakKeyDictionary()  # KernelInfo -> (names of attributes, {global name: its state and text}) of the last compilation
_plain = (int, float, bool, str)
_LONG, _DEEP = 1000, 4  # longer and deeper containers are compared by identity


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
        functions = _functions_reached(info.fn)
        found = {name: weakref.ref(value) for name, value in _code_read(functions)}
        info.used = {**found, **(info.used or {})}
        members = frozenset().union(*(_attributes(fn.__code__) for fn in functions))
        values = {name: _names[name] for fn in functions for name in _signature.names_read(fn.__code__) if name in _names}
        _compiled_with[info] = members, {name: (_state(value, members), _shown(value)) for name, value in values.items()}


def _functions_reached(fn):
    """Returns `fn` and the functions from cells that it uses, directly or indirectly."""
    found, left = {}, [fn]
    while left:
        fn = left.pop()
        if fn not in found and fn.__globals__ is _names:
            found[fn] = True
            for value in fingerprint.captured(fn).values():
                left += _functions(value)
    return list(found)


def _code_read(functions):
    """Yields (global name, value) of the functions and types that these functions use."""
    for fn in functions:
        for name in _signature.names_read(fn.__code__):
            value = _names.get(name)
            if _has_text(value):
                yield name, value
            elif fingerprint.kind(value) == "data_oriented" and _names.get(type(value).__name__) is type(value):
                yield type(value).__name__, type(value)


def _attributes(code):
    """Returns the names of attributes and globals in the code and in functions nested in it."""
    return set(code.co_names).union(*(_attributes(c) for c in code.co_consts if isinstance(c, types.CodeType)))


class _Same:
    """The identity of an object: equal to that of the same object as long as the object lives."""

    def __init__(self, value):
        try:
            self.value = weakref.ref(value)
        except TypeError:
            self.value = lambda: value

    def __eq__(self, other):
        return isinstance(other, _Same) and (value := self.value()) is not None and value is other.value()


def _state(value, members, depth=0):
    """Returns a state that stays equal as long as a kernel compiled with the value is up to date: the value if it is plain, otherwise
    its identity and, for objects and classes that cells defined, the attributes named in `members`."""
    if type(value) in _plain:
        return type(value), repr(value)
    if fingerprint.kind(value) in ("matrix", "struct") and not isinstance(value, type):
        return type(value), repr(value)
    if type(value) in (tuple, list, dict) and len(value) < _LONG and depth < _DEEP:
        parts = [*value, *value.values()] if type(value) is dict else value
        return type(value), [_state(part, members, depth + 1) for part in parts]
    if isinstance(value, functools.partial) and depth < _DEEP:
        return functools.partial, _state((value.func, value.args, value.keywords), members, depth + 1)
    fn = value.fn if fingerprint.kind(value) == "func" else value
    if isinstance(fn, types.FunctionType) and fn.__globals__ is _names:
        inner = [c.cell_contents for c in fn.__closure__ or () if c != types.CellType()]
        return fn.__code__, [_state(v, members, depth + 1) for v in (*inner, *(fn.__defaults__ or ()))] if depth < _DEEP else None
    if isinstance(value, type) and value.__module__ == _names.get("__name__") and depth < _DEEP:
        return type, _members(value, members, depth), [_state(base, members, depth + 1) for base in value.__bases__]
    own = type(value)
    if own is types.SimpleNamespace or own.__module__ == _names.get("__name__") and depth < _DEEP:
        return _Same(value), _members(value, members, depth), _state(own, members, depth + 1)
    return _Same(value)


def _members(value, members, depth):
    """Returns the states of the plain members, which kernels read as constants, and of the functions of a class."""
    found = {}
    for name, member in getattr(value, "__dict__", {}).items():
        member = getattr(member, "__func__", member)
        if isinstance(member, types.FunctionType) or (name in members and type(member) in _plain):
            found[name] = _state(member, members, depth + 1)
    return found


def _shown(value):
    return repr(value) if type(value) in _plain else None


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
        for name in _signature.names_read(code):
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


def changed_since(info):
    """Returns [(global name, its text when the kernel was last compiled)] for values that have changed since."""
    members, values = _compiled_with.get(info, ((), {}))
    return [(name, shown) for name, (state, shown) in values.items() if name in _names and _state(_names[name], members) != state]


def _changed():
    return {info: others for info in list(_compiled_with) if (others := changed_since(info))}


def _report_older_values(cell, changed):
    """Reports values that a kernel was compiled with and that have changed since, each once, if the cell may have run the kernel."""
    code = _code_of(cell) if changed else None
    if code is None:
        return
    for info in changed.keys() & _kernels_called(code):
        said = _warned.setdefault(info.fn, [])
        for name, shown in changed[info]:
            now = _names[name]
            state = name, _state(now, _compiled_with[info][0])
            if state in said:
                continue
            said.append(state)
            where = _exceptions.cell_name(_source.shown_name(info.fn.__code__.co_filename))
            if _has_text(now):
                text = f"{info.fn.__qualname__} may have run with an earlier `{name}` in this cell; its next call uses this one."
            elif shown and _shown(now):
                text = f"{info.fn.__qualname__} was compiled with {name} = {shown}; it is {now!r} now. Run {where} again, or pass {name} as an argument."
            else:
                text = f"{info.fn.__qualname__} was compiled with an earlier `{name}`. Run {where} again, or pass {name} as an argument."
            print(text, file=sys.stderr)


def _has_text(value):
    return isinstance(value, (type, types.FunctionType, functools.partial)) or fingerprint.kind(value) in ("func", "kernel", "struct_type")


def _functions(value):
    if isinstance(value, type):
        members = vars(value).values()
    elif fingerprint.kind(value) == "struct_type":
        members = value.methods.values()
    elif isinstance(value, functools.partial):
        members = (value.func,)
    elif type(value).__module__ == _names.get("__name__"):
        members = vars(type(value)).values()
    else:
        members = (value,)
    for member in members:
        member = getattr(member, "__func__", member)
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
    changed = _changed()
    for info in _alive():
        others = [name for name, _ in changed.get(info, ()) if _has_text(_names[name])]
        if info.used and (others or any(_names.get(name, was()) is not was() for name, was in info.used.items())):
            forget(info)
    functions = [info.fn for info in _alive()] + [value.fn for value in list(_names.values()) if isinstance(value, _func.Func)]
    for fn in functions:
        if fn.__globals__ is _names:
            _warn_of_older_types(fn)
    info = getattr(result, "info", None)
    if info is not None and result.success:
        _report_older_values(info, changed)


def _warn_of_older_types(fn):
    """Warns about annotations whose type has been redefined: they keep the type of the time of the definition."""
    said = _warned.setdefault(fn, [])
    for parameter, kind in fn.__annotations__.items():
        if not isinstance(kind, type) and fingerprint.kind(kind) != "struct_type":
            continue
        now = _names.get(getattr(kind, "__name__", None))
        if type(now) is type(kind) and now is not kind and (parameter, id(now)) not in said:
            said.append((parameter, id(now)))
            what = "what it returns" if parameter == "return" else f"its parameter `{parameter}`"
            print(f"{fn.__qualname__}: {what} is an earlier `{kind.__name__}`; run the cell of {fn.__qualname__} again", file=sys.stderr)


def forget_all():
    for info in _alive():
        forget(info)
