"""The values that a kernel reads from outside when it is compiled: globals of cells and of modules, attributes of modules. Each has a state
that stays equal as long as code compiled with the value is up to date."""

import dis
import functools
import importlib.machinery
import sys
import sysconfig
import types
import weakref

from quadrants._language import signature as _signature
from quadrants_jupyter import fingerprint

names = None  # the namespace of cells
_plain = (int, float, bool, str)
_LONG, _DEEP = 1000, 4  # longer and deeper containers are compared by identity
_GLOBALS, _ATTRIBUTES = ("LOAD_GLOBAL", "LOAD_NAME"), ("LOAD_ATTR", "LOAD_METHOD")


class Capture:
    """A value that a kernel was compiled with: a global, or an attribute of a module that a global refers to.

    Attributes:
        space: the namespace of the global.
        path: the name of the global, followed by names of attributes.
        home: the namespace that contains the value itself.
        shown: the text of the value, or None if that would not help.
    """

    __slots__ = ("space", "path", "home", "members", "state", "shown")

    def __init__(self, space, path, members):
        self.space, self.path, self.members = space, path, members
        self.home, value = _found(space, path)
        self.state, self.shown = state_of(value, members), shown(value)

    def value(self):
        """Returns the current value; raises LookupError if there is none."""
        return _found(self.space, self.path)[1]

    def changed(self):
        try:
            return state_of(self.value(), self.members) != self.state
        except LookupError:
            return False

    def name_in(self, fn):
        """Returns the name of the value in `fn`, or that in its module if `fn` has no name for it."""
        name = ".".join(self.path)
        return name if self.space is names or self.space is fn.__globals__ else f"{self.space.get('__name__')}.{name}"


def _found(space, path):
    """Returns (namespace, value). Raises LookupError if there is no such value."""
    value = space[path[0]]
    for name in path[1:]:
        if not isinstance(value, types.ModuleType):
            raise LookupError(path)
        space = vars(value)
        value = space[name]
    return space, value


def captures_of(fn):
    """Returns a list of Capture for `fn` and the functions that it uses."""
    functions = functions_reached(fn)
    members = frozenset().union(*(_attributes(one.__code__) for one in functions))
    found = {}
    for one in functions:
        space = one.__globals__
        for path in paths_read(one.__code__):
            try:
                path = _to_value(space, path)
                if path is not None and (id(space), path) not in found:
                    found[id(space), path] = Capture(space, path, members)
            except LookupError:
                pass  # a builtin, or missing
    return list(found.values())


def _to_value(space, path):
    """Returns the part of the path that leads through modules to a value, or None for a module and what Quadrants itself defines."""
    value = space[path[0]]
    for at, name in enumerate(path):
        if at:
            value = vars(value)[name]
        if not isinstance(value, types.ModuleType):
            return path[: at + 1]
        if value.__name__.partition(".")[0] == "quadrants":
            return None
    return None


@functools.lru_cache(maxsize=4096)
def paths_read(code):
    """Returns the globals that the code and its nested functions read, each with the attributes that are read of it: {("m", "C")}."""
    found, path = set(), ()
    for one in dis.get_instructions(code):
        if path and one.opname in _ATTRIBUTES:
            path += (one.argval,)
            continue
        found.add(path)
        path = (one.argval,) if one.opname in _GLOBALS else ()
    found.add(path)
    inner = (paths_read(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return (frozenset(found) - {()}).union(*inner)


def _attributes(code):
    """Returns the names of attributes and globals in the code and in functions nested in it."""
    return set(code.co_names).union(*(_attributes(c) for c in code.co_consts if isinstance(c, types.CodeType)))


# Functions

@functools.cache
def _installed():
    return tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def is_own(space):
    """Returns whether the namespace is that of cells, or of a module that is not installed."""
    if space is names:
        return True
    file, loader = space.get("__file__"), space.get("__loader__")
    if loader is importlib.machinery.BuiltinImporter or not isinstance(file, str):
        return False
    return space.get("__name__", "").partition(".")[0] not in ("quadrants", "quadrants_jupyter") and not file.startswith(_installed())


def _is_own_class(cls):
    if cls.__module__ == names.get("__name__"):
        return True
    module = _module_named(cls.__module__)
    return module is not None and is_own(vars(module))


def _module_named(name):
    module = sys.modules.get(name)
    return module if isinstance(module, types.ModuleType) else None


def functions_reached(fn):
    """Returns `fn` and the functions of cells and of the user's modules that it uses, directly or indirectly."""
    found, left = {}, [fn]
    own = fn.__globals__
    while left:
        one = left.pop()
        if one in found or not (one.__globals__ is own or is_own(one.__globals__)):
            continue
        found[one] = True
        for value in fingerprint.captured(one).values():
            left += functions_of(value)
        for path in paths_read(one.__code__):
            if len(path) > 1 and isinstance(one.__globals__.get(path[0]), types.ModuleType):
                left += _functions_at(one.__globals__, path)
    return list(found)


def _functions_at(space, path):
    try:
        path = _to_value(space, path)
        return functions_of(_found(space, path)[1]) if path is not None else ()
    except LookupError:
        return ()


def functions_of(value):
    """Yields the functions of a function, func, class, object of a class of the user, ..."""
    if isinstance(value, type):
        members = vars(value).values()
    elif fingerprint.kind(value) == "struct_type":
        members = value.methods.values()
    elif isinstance(value, functools.partial):
        members = (value.func,)
    elif isinstance(value, types.FunctionType) or fingerprint.kind(value) in ("func", "kernel"):
        members = (value,)
    elif _is_own_class(type(value)):
        members = vars(type(value)).values()
    else:
        return
    for member in members:
        member = getattr(member, "__func__", member)
        fn = member.fn if fingerprint.kind(member) in ("func", "kernel") else member
        if isinstance(fn, types.FunctionType):
            yield fn


def has_text(value):
    """Returns whether a value is code, which is compiled again when it is replaced."""
    return isinstance(value, (type, types.FunctionType, functools.partial)) or fingerprint.kind(value) in ("func", "kernel", "struct_type")


# States

class _Same:
    """The identity of an object: equal to that of the same object as long as the object lives."""

    def __init__(self, value):
        try:
            self.value = weakref.ref(value)
        except TypeError:
            self.value = lambda: value

    def __eq__(self, other):
        return isinstance(other, _Same) and (value := self.value()) is not None and value is other.value()


def state_of(value, members, depth=0):
    """Returns a state that stays equal as long as a kernel compiled with the value is up to date: the value if it is plain, otherwise
    its identity and, for objects and classes of the user, the attributes named in `members`."""
    if type(value) in _plain:
        return type(value), repr(value)
    if fingerprint.kind(value) in ("matrix", "struct") and not isinstance(value, type):
        return type(value), repr(value)
    if type(value) in (tuple, list, dict) and len(value) < _LONG and depth < _DEEP:
        parts = [*value, *value.values()] if type(value) is dict else value
        return type(value), [state_of(part, members, depth + 1) for part in parts]
    if isinstance(value, functools.partial) and depth < _DEEP:
        return functools.partial, state_of((value.func, value.args, value.keywords), members, depth + 1)
    fn = value.fn if fingerprint.kind(value) == "func" else value
    if isinstance(fn, types.FunctionType) and is_own(fn.__globals__):
        inner = [c.cell_contents for c in fn.__closure__ or () if c != types.CellType()]
        return fn.__code__, [state_of(v, members, depth + 1) for v in (*inner, *(fn.__defaults__ or ()))] if depth < _DEEP else None
    if isinstance(value, type) and depth < _DEEP and _is_own_class(value):
        return type, _members(value, members, depth), [state_of(base, members, depth + 1) for base in value.__bases__]
    own = type(value)
    if own is types.SimpleNamespace or depth < _DEEP and _is_own_class(own):
        return _Same(value), _members(value, members, depth), state_of(own, members, depth + 1)
    return _Same(value)


def _members(value, members, depth):
    """Returns the states of the plain members, which kernels read as constants, and of the functions of a class."""
    found = {}
    for name, member in getattr(value, "__dict__", {}).items():
        member = getattr(member, "__func__", member)
        if isinstance(member, types.FunctionType) or (name in members and type(member) in _plain):
            found[name] = state_of(member, members, depth + 1)
    return found


def shown(value):
    return repr(value) if type(value) in _plain else None
