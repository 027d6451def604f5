"""Pickling of kernels, funcs and struct types with methods.

Only the pickler knows whether a Python function goes by name or by value: `pickle` names all of them, `cloudpickle` includes those that
other processes cannot import. So such an object is reduced to a function that is an attribute of it, `_reference`. It does nothing; its
code has a description of the object among its constants. Found by name, it leads to the object of the process that loads it; included, it
leads to an object made from the description.
"""

import os as _os
import sys as _sys
import weakref as _weakref

from quadrants import _exceptions, _source, _version
from quadrants._language import annotations as _annotations, func as _func, kernel as _kernel, signature as _signature

_Function = type(lambda: None)
_Cell = type((lambda value: lambda: value)(0).__closure__[0])
_VERSIONS = ".".join(map(str, _sys.version_info[:2])), _version.version_str
_OPTIONS = "fastcache", "graph", "checkpoints", "ad_stack_budget_bytes", "coverage"  # attributes of a KernelInfo
_FIELDS = "field", "matrix_field", "struct_field"
_struct_types = _weakref.WeakValueDictionary()  # number of a struct type in all processes -> the type


def reduced(owner, protocol):
    info = getattr(owner, "_primal", None)
    if info is not None and info.kernel() is not owner:
        mode = next(mode for mode, made in info.derivatives.items() if made is owner)
        return _derivative_of, (info.kernel(), int(mode))
    if protocol < 4:  # has no names for attributes of objects
        return _path_of(owner)
    return _referred_to, (owner._reference,)


def _derivative_of(kernel, mode):
    return kernel._primal.derivative(_kernel.AutodiffMode(mode))


def _referred_to(reference):
    """Returns the object that a `_reference` stands for."""
    return reference.__code__.co_consts[-1].owner()


def _nothing():
    pass


def make_reference(owner):
    code = _nothing.__code__.replace(co_name=owner.__name__, co_consts=(None, _Description(owner)))
    made = _Function(code, {})
    made.__qualname__, made.__module__ = f"{_path_of(owner)}._reference", owner.__module__
    return made


def _path_of(owner):
    """Returns the path of an object in its module, in which a private method has its mangled name."""
    outer, _, name = owner.__qualname__.rpartition(".")
    around = outer.rpartition(".")[2].lstrip("_")
    return f"{outer}._{around}{name}" if around and name.startswith("__") and not name.endswith("__") else owner.__qualname__


class _Description:
    """Describes an object to another process. It is pickled only if the object goes by value."""

    def __init__(self, owner):
        self.owner = _weakref.ref(owner)
        self._source = self._globals = self._modules = None

    def __reduce__(self):
        owner = self.owner()
        names = owner.__name__, owner.__qualname__, owner.__module__, owner.__doc__
        if isinstance(owner, _annotations.StructType):
            return _ArrivedStructType, (_VERSIONS, names, _number_of(owner)), (owner.members, owner.unpacked, owner.methods)
        is_func, fn = isinstance(owner, _func.Func), owner.fn
        info = owner if is_func else owner._primal
        if self._source is None:
            self._read(info._qd_source_, fn.__code__)
        known, closure = fn.__globals__, _signature.closure_of(fn)
        values = {name: known[name] for name in self._globals if name in known}
        _refuse_fields("func" if is_func else "kernel", owner, values | closure)
        sources = [self._source, *_sources_of_functions(owner, [*values.values(), *closure.values()])]
        function = fn.__code__, fn.__defaults__, fn.__annotations__ if is_func else info.annotations, closure, values
        state = sources, function, [module for module in map(self._imported, self._modules) if module]
        if is_func:
            return _ArrivedFunc, (_VERSIONS, names, type(owner)), state
        annotations = _annotations_of_dataclasses(info.signature[0])
        return _ArrivedKernel, (_VERSIONS, names, info.signature, [getattr(info, name) for name in _OPTIONS]), (*state, annotations)

    def _read(self, source, code):
        """Finds the source, and the names of globals and modules in it. Python compiles neither annotations of variables nor, with -O,
        assertions, so their names are not in the code."""
        import ast

        parts = list(ast.walk(source.python_tree()))
        uncompiled = [part.annotation for part in parts if isinstance(part, ast.AnnAssign)] + [part for part in parts if isinstance(part, ast.Assert)]
        names = {part.id for one in uncompiled for part in ast.walk(one) if isinstance(part, ast.Name)}
        self._source = _sent(source)
        self._globals = sorted(_signature.names_read(code) | names - {*code.co_varnames, *code.co_cellvars, *code.co_freevars})  # in the same order in every process
        self._modules = [ast.unparse(part) for part in parts if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name | ast.Attribute)]

    def _imported(self, path):
        """Returns the module that `package.module` in the source stands for, or None. Another process imports it when it loads it."""
        first, _, rest = path.partition(".")
        return _sys.modules.get(f"{getattr(self.owner().fn.__globals__.get(first), '__name__', '')}.{rest}")


def _refuse_fields(kind, owner, values):
    for name, value in values.items():
        if _annotations.kind_word(value) in _FIELDS:
            raise TypeError(
                f"the {kind} `{owner.__qualname__}` cannot be sent to another process: it reads the field `{name}`, and fields stay in the "
                f"process that made them\nHint: make `{name}` a parameter with the annotation qd.types.NDArray, and pass a qd.ndarray; or "
                f"define the {kind} and the field in a module that both processes import"
            )


def _sent(source):
    """Returns (file, display name, index of the first line, text). A cell goes whole, since other processes cannot open it, and so does the
    file of a lambda, which is searched for it."""
    lines, start, shown, _ = source.lines()
    file = source.file
    if isinstance(source, _source.LambdaSource) or not _os.path.exists(file):
        return file, shown, 0, "".join(lines)
    return file, shown, start, source.tree()[4]


def _sources_of_functions(owner, values):
    """Returns the sources of the Python functions that can be reached from these values, and that go by value: kernels may call them."""
    waiting = [*values, owner.__dict__.get("_class", _nothing)()]
    found, seen = {}, set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, (staticmethod, classmethod, property)):
            value = value.fget if isinstance(value, property) else value.__func__
        elif not isinstance(value, (type, _Function)):
            value = type(value)
        if value in seen or _goes_by_name(value):
            continue
        seen.add(value)
        if isinstance(value, type):
            waiting += [*value.__bases__, *(one for one in vars(value).values() if isinstance(one, (_Function, staticmethod, classmethod, property)))]
        elif isinstance(value, _Function):
            known = value.__globals__
            waiting += [known[name] for name in value.__code__.co_names if name in known]
            waiting += _signature.closure_of(value).values()
            try:
                sent = _sent(_source.LambdaSource(value) if value.__name__ == "<lambda>" else _source.Source(value, is_new=False))
            except _exceptions.QuadrantsSyntaxError:
                continue  # it has no source that a kernel can read
            found[value.__code__] = *sent, _source.key_of(value.__code__)
    return list(found.values())


def _goes_by_name(value):
    found = _sys.modules.get(value.__module__)
    by_value = getattr(_sys.modules.get("cloudpickle"), "list_registry_pickle_by_value", set)()
    if found is None or value.__module__ == "__main__" or any(f"{value.__module__}.".startswith(f"{name}.") for name in by_value):
        return False
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


def _annotations_of_dataclasses(params):
    """Returns (class, name -> annotation) of the dataclasses among the parameters whose annotations are strings."""
    waiting, found = [cls for *_, cls, _ in params], {}
    while waiting:
        cls = waiting.pop()
        if isinstance(cls, type) and cls not in found and "__dataclass_fields__" in vars(cls) and not _goes_by_name(cls):
            types = {name: field.type for name, field in cls.__dataclass_fields__.items()}
            found[cls] = {name: _signature.evaluated(cls, name, kind) for name, kind in types.items() if isinstance(kind, str)}
            waiting += [*types.values(), *found[cls].values()]
    return [(cls, annotations) for cls, annotations in found.items() if annotations]


def _number_of(struct_type):
    """Returns the number by which processes recognise a struct type that they have met."""
    number = struct_type.__dict__.get("_number")
    if number is None:
        import uuid

        number = struct_type._number = uuid.uuid4().hex
        _struct_types[number] = struct_type
    return number


class _Arrived:
    """A description that was loaded. Its state arrives later, and possibly after the object was made, since it may refer to the object."""

    def __init__(self, versions, names, *details):
        self.names, self.details = names, details
        self.state = self.made = None
        if versions != _VERSIONS:
            raise _exceptions.QuadrantsRuntimeError(
                f"`{names[1]}` was pickled by value with Python {versions[0]} and Quadrants {versions[1]}, but this process has Python "
                f"{_VERSIONS[0]} and Quadrants {_VERSIONS[1]}: the code of functions differs between versions of Python, and the meaning of "
                f"kernels between versions of Quadrants\nHint: install the same versions, or define `{names[1]}` in a module that both "
                "processes import, so that it is pickled by name"
            )

    def __setstate__(self, state):
        self.state = state
        if self.made is not None:
            self.complete()

    def owner(self):
        if self.made is None:
            self.made = self.make()
            if self.state is not None:
                self.complete()
        return self.made

    def function(self):
        """Returns the function that was decorated."""
        sources, (code, defaults, annotations, closure, values), *_ = self.state
        lines, *_ = [_source.receive(*sent) for sent in sources]
        known = {"__name__": self.names[2], "__builtins__": __builtins__, **values}
        cells = tuple(_Cell(closure[name]) if name in closure else _Cell() for name in code.co_freevars)
        fn = _Function(code.replace(co_filename=sources[0][0]), known, self.names[0], defaults, cells)
        fn.__qualname__, fn.__doc__, fn.__annotations__ = self.names[1], self.names[3], annotations
        fn._qd_lines_ = lines
        return fn


class _ArrivedKernel(_Arrived):
    def make(self):
        return _kernel.kernel_of(_kernel.KernelInfo.__new__(_kernel.KernelInfo), *self.details[0])

    def complete(self):
        for cls, annotations in self.state[3]:
            _signature.receive(cls, annotations)
        fn, info = self.function(), self.made._primal
        info.__init__(fn, None)
        vars(info).update(zip(_OPTIONS, self.details[1]))
        _kernel.name_as(self.made, fn)
        del fn._qd_lines_


class _ArrivedFunc(_Arrived):
    def make(self):
        return self.details[0].__new__(self.details[0])

    def complete(self):
        fn = self.function()
        self.made.__init__(fn)
        del fn._qd_lines_


class _ArrivedStructType(_Arrived):
    def make(self):
        (number,) = self.details
        made = _struct_types.get(number)
        if made is None:
            made = _struct_types[number] = _annotations.StructType()
            made._number = number
            made.__name__, made.__qualname__, made.__module__, made.__doc__ = self.names
        return made

    def complete(self):
        if not self.made.members:
            self.made.members, self.made.unpacked, self.made.methods = self.state
