"""Calls of kernels and funcs: passing arguments, running the rewritten function, returning results."""

import dataclasses as _dataclasses
import types as _types
import weakref as _weakref

from quadrants import _dtypes, _exceptions, _settings
from quadrants._language import annotations as _annotations, func as _func, matrix as _matrix, signature as _signature
from quadrants._language.annotations import kind_word
from quadrants._python_backend import arrays, constants, loops, numbers, places, rewrite, storage
from quadrants._python_backend.numbers import Scalar
from quadrants._python_backend.values import Mat, Place, Record, Var, converted, fresh, host_value, to_mat, unmodified, value_of, zero

_Syntax = _exceptions.QuadrantsSyntaxError
actions = None  # the module that the rewritten source calls, set by run_kernel of this package
_HAS_REST, _HAS_NAMED_REST = 4, 8  # flags of code objects: `*args`, `**kwargs`
_made = _weakref.WeakKeyDictionary()  # code of a function -> {types of its parameters: _Function}


class _Function:
    """A user function in rewritten form."""

    def __init__(self, fn, source, annotations, is_kernel):
        code = fn.__code__
        self.name, self.kind = fn.__name__, "kernel" if is_kernel else "func"
        by_name = code.co_argcount + code.co_kwonlyargcount
        self.params = code.co_varnames[: code.co_argcount]
        self.by_name = code.co_varnames[code.co_argcount : by_name]
        self.has_varargs, self.has_kwargs = bool(code.co_flags & _HAS_REST), bool(code.co_flags & _HAS_NAMED_REST)
        self.annotations = annotations
        self.defaults = {**dict(zip(reversed(self.params), reversed(fn.__defaults__ or ()))), **(fn.__kwdefaults__ or {})}
        templates = () if is_kernel else [p for p in self.params if _is_template(annotations.get(p))]
        module, self.modified = rewrite.rewritten(source, fn, templates, is_kernel)
        self.code = _inner(module).replace(co_name=fn.__name__)
        places.remember(self.code, *source.lines()[2:])

    def bound(self, fn):
        """Returns it as a function with the globals and the closure of `fn`."""
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        cells[rewrite.HELPER] = _types.CellType(actions)
        closure = tuple(cells[name] for name in self.code.co_freevars)
        return _types.FunctionType(self.code, fn.__globals__, fn.__name__, None, closure)


def _is_template(annotation):
    if isinstance(annotation, type) and kind_word(annotation) is None:
        return False
    return annotation is not None and kind_word(annotation) in ("template", "ref")


def _inner(module):
    outer = next(c for c in module.co_consts if isinstance(c, _types.CodeType))
    return next(c for c in outer.co_consts if isinstance(c, _types.CodeType) and c.co_name == rewrite.BODY)


def _function(fn, source, annotations, is_kernel=False):
    all_made = _made.setdefault(fn.__code__, {})
    key = tuple(map(id, annotations.values()))
    known = all_made.get(key)
    if known is None:
        known = all_made[key] = _Function(fn, source, annotations, is_kernel)
    return known


def forget():
    _made.clear()


# Funcs


def run(func, *args, **keywords):
    """Calls a func from a kernel."""
    if not isinstance(func, _func.Func):
        return func(*args, **keywords)
    return _run(func, args, keywords, False)


def run_method(func, instance, *args, **keywords):
    """Calls a method, which may be a plain function and may change the instance."""
    return _run(_as_func(func), (instance, *args), keywords, True)


def _as_func(function):
    return function if isinstance(function, _func.Func) else _func.ForeignFunc(function)


def rewritten(func):
    """Returns the user function in rewritten form; raises if it contains what kernels do not support."""
    func = _as_func(func)
    fn = func.fn
    return _function(fn, func._qd_source_, {} if isinstance(func, _func.ForeignFunc) else fn.__annotations__)


def _run(func, args, keywords, is_method):
    loops.Work.step()
    fn = func.fn
    made = rewritten(func)
    given, rest, named_rest = _matched(made, args, keywords)
    first_is_struct = bool(args) and isinstance(args[0], Record) and (is_method or made.params[:1] == ("self",))
    is_inlined = not isinstance(func, _func.RealFunc)
    is_foreign = isinstance(func, _func.ForeignFunc)
    passed = {
        p: _passed(made, p, given[p], first_is_struct and p == made.params[0], is_inlined, is_foreign)
        for p in (*made.params, *made.by_name)
    }
    by_name = {p: passed.pop(p) for p in made.by_name}
    wanted = made.annotations.get("return")
    if numbers.DryRun.active and not is_inlined:
        return _zeros(wanted)
    result = made.bound(fn)(*passed.values(), *rest, **by_name, **named_rest)
    if result is None:
        if wanted is not None and not is_inlined:
            return _zeros(wanted)
        if wanted is not None:
            raise _exceptions.QuadrantsCompilationError("Function has a return type but does not have a return statement")
        return None
    return _returned(wanted, result, is_inlined)


def _zeros(annotation):
    parts = _parts(annotation)
    return None if annotation is None else tuple(map(zero, parts)) if parts else zero(annotation)


def _matched(made, args, keywords):
    rest, named_rest = (), {}
    if made.has_varargs:
        args, rest = args[: len(made.params)], args[len(made.params) :]
    if made.has_kwargs:
        named_rest = {name: value for name, value in keywords.items() if name not in made.params and name not in made.by_name}
        keywords = {name: value for name, value in keywords.items() if name not in named_rest}
    if len(args) > len(made.params):
        raise _exceptions.QuadrantsArgumentError(f"Too many arguments. Expected ({', '.join(made.params)}), got {len(args)} arguments.")
    given = dict(zip(made.params, args))
    for name, value in keywords.items():
        if name not in made.params and name not in made.by_name:
            raise _exceptions.QuadrantsArgumentError(f"Unexpected argument '{name}'.")
        if name in given:
            raise _exceptions.QuadrantsArgumentError(f"Multiple values for argument '{name}'.")
        given[name] = value
    for name in (*made.params, *made.by_name):
        if name not in given:
            if name not in made.defaults:
                raise _exceptions.QuadrantsArgumentError(
                    f"Missing argument '{name}'. The {made.kind} is {made.name}({', '.join((*made.params, *made.by_name))}).")
            given[name] = made.defaults[name]
    return given, rest, named_rest


def _with_types(value):
    """Converts Python numbers, also in tuples and lists, to constants with a type, for a parameter without annotation."""
    if type(value) in (tuple, list, loops.StaticIndex):
        return type(value)(map(_with_types, value))
    return constants.with_type(value)


def _passed(made, name, value, by_place, elementwise, is_foreign=False):
    annotation = made.annotations.get(name)
    if by_place or _is_template(annotation):
        return value
    value = value_of(value)
    if annotation is None and not is_foreign:
        value = _with_types(value)
    if isinstance(annotation, (_annotations.MatrixType, _annotations.StructType)) or (
        annotation is not None and _dtypes.is_dtype(annotation)
    ):
        return converted(annotation, value, f"Argument {name}", elementwise)
    if kind_word(annotation) == "ndarray_type":
        arrays.check_passed(annotation() if isinstance(annotation, type) else annotation, value, name)
    if not isinstance(value, (Mat, Record)):
        return value
    return value.copy() if name in made.modified else unmodified(value)


def _returned(annotation, result, elementwise=False):
    if isinstance(result, (Var, Place)):
        result = value_of(result)
    parts = _parts(annotation)
    if parts is not None and isinstance(result, (tuple, list)) and len(parts) == len(result):
        return tuple(_returned(a, r, elementwise) for a, r in zip(parts, result))
    if annotation is not None and parts is None:
        return converted(annotation, result, "Return", elementwise)
    if isinstance(result, tuple):
        return tuple(_returned(None, r) for r in result)
    result = value_of(result)
    return unmodified(result) if isinstance(result, (Mat, Record)) else result


def _parts(annotation):
    """Returns the annotations of a tuple of results; None for a single result."""
    if getattr(annotation, "__origin__", None) is tuple:
        return annotation.__args__
    return tuple(annotation) if isinstance(annotation, (tuple, list)) else None


# Kernels


lifting = {}  # by id: objects whose numbers are read at every launch, as determined by the class of an argument


def run_kernel(info, args):
    """Runs a call of a kernel from Python; `args` in the order of the parameters."""
    made = _function(info.fn, info._qd_source_, info.annotations, True)
    around, numbers.Debug.active = numbers.Debug.active, bool(_settings.current().debug)
    outside, lifting_outside = dict(storage.arguments), dict(lifting)
    runs_outside, _func.runs_in_kernel = _func.runs_in_kernel, run
    try:
        annotations = [made.annotations.get(p) for p in made.params]
        first = 1 if annotations and annotations[0] is None else 0  # `self` is not counted
        passed = [argument(a, value, i - first, made.params[i]) for i, (a, value) in enumerate(zip(annotations, args))]
        return _kernel_result(made, places.start(made.bound(info.fn), *passed))
    finally:
        if places._remarks:
            places.report_suppressed_messages()
        numbers.Debug.active = around
        _func.runs_in_kernel = runs_outside
        storage.arguments.clear()
        storage.arguments.update(outside)
        lifting.clear()
        lifting.update(lifting_outside)


def _kernel_result(made, result):
    wanted = made.annotations.get("return")
    if wanted is None or wanted is type(None):
        return None
    if result is None:
        raise _Syntax("Kernel has a return type but does not have a return statement")
    parts = _parts(wanted)
    if parts is None:
        return host_value(_result(wanted, result))
    values = result.components() if isinstance(result, Mat) else list(result) if isinstance(result, (tuple, list)) else [result]
    if len(values) != len(parts):
        raise _Syntax(f"The kernel returns {len(values)} values but is annotated with {len(parts)}")
    return tuple(host_value(_result(a, v)) for a, v in zip(parts, values))


def _result(annotation, value):
    value = value_of(value)
    if isinstance(annotation, _annotations.MatrixType) and isinstance(value, (Mat, list, tuple)):
        got = to_mat(value)
        if got.ndim != annotation.ndim:
            numbers.fail_type(f"Return matrix ndim mismatch, expecting={annotation.ndim}, got={got.ndim}")
        if got.shape() != annotation.get_shape():
            shapes = (annotation.n, annotation.m), (got.n, got.m)
            numbers.fail_type("Return matrix shape mismatch, expecting=({}, {}), got=({}, {})".format(*shapes[0], *shapes[1]))
    return converted(annotation, value, "Return")


def argument(annotation, value, position, name):
    """Returns the value of the parameter `name` with this annotation for the argument `value`, which the bindings have validated."""
    annotation, optional = _signature.without_none(annotation)
    if value is None and optional:
        return None
    value = value._impl if kind_word(value) == "tensor" and not isinstance(value, type) else value
    kind = kind_word(annotation)
    if getattr(type(value), "_qd_template_primitives_", True) is False:
        lifting[id(value)] = value
    if kind in ("template", "tensor", "ndarray_type", "buffer_view_type"):
        return arrays.argument(annotation, value, position, name)
    if annotation is None or kind == "sparse_matrix_builder_type":
        return value
    if isinstance(annotation, type) and _dataclasses.is_dataclass(annotation):
        return Bundle(value, annotation, position, name)
    return _compound(annotation, value)


def _compound(annotation, value):
    """Converts a Python number, vector, matrix or struct number by number."""
    if isinstance(annotation, _annotations.MatrixType):
        value = value if isinstance(value, _matrix.Matrix) else _matrix.Matrix(value)
        entries = [_number(annotation.dtype, v) for v in value._entries]
        return Mat(annotation.dtype, annotation.n, annotation.m, annotation.ndim, entries)
    if isinstance(annotation, _annotations.StructType):
        given = value if isinstance(value, dict) else dict(value.items)
        return Record(annotation, {name: _compound(kind, given[name]) for name, kind in annotation.members.items()})
    kind = _dtypes.dtype(annotation)
    return Scalar(kind, _number(kind, value))


def _number(kind, value):
    if numbers.is_real(kind):
        return numbers._ROUND[kind](float(value))
    return numbers.wrapped(kind, int(value)) if kind is not numbers.u1 else int(bool(value))


class Bundle:
    """An argument with members: an instance of a dataclass."""

    def __init__(self, instance, cls, position, name):
        self.name = name
        self.instance = instance
        self.cls = cls
        self.position = position

    def member(self, name):
        field = self.cls.__dataclass_fields__.get(name)
        if field is None:
            return member_of(self.instance, name)
        annotation = field.type if not isinstance(field.type, str) else _signature.evaluated(self.cls, name, field.type)
        return argument(annotation, getattr(self.instance, name), self.position, f"{self.name}.{name}")


def member_of(base, name):
    """Returns an attribute of an object of the host."""
    try:
        found = getattr(base, name)
    except AttributeError:
        raise _exceptions.QuadrantsCompilationError(f"'{type(base).__name__}' object has no attribute '{name}'") from None
    if id(base) in lifting:
        if isinstance(found, (int, float)):
            return fresh(found)
        if kind_word(found) == "data_oriented" or _dataclasses.is_dataclass(found):
            lifting[id(found)] = found
    return value_of(found)
