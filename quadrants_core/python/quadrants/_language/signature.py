"""Reads the signature of a kernel or func: annotations, and how parameters are passed."""

import functools as _functools
import sys as _sys

from quadrants import _dtypes, _exceptions, _source
from quadrants._language import annotations as _annotations
from quadrants._factories import make as _make

_Syntax = _exceptions.QuadrantsSyntaxError
_VARARGS, _VARKEYWORDS, _GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 4, 8, 0x20, 0x80, 0x200  # code flags


def closure_of(fn):
    """Returns {name: value} of the variables of enclosing functions that `fn` reads, as far as they have a value."""
    found = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            pass  # not assigned yet
    return found


@_functools.lru_cache(maxsize=4096)
def names_read(code):
    """Returns the global names that the code and its nested functions read; not names of attributes."""
    import dis

    inner = (names_read(part) for part in code.co_consts if isinstance(part, type(code)))
    return frozenset(one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")).union(*inner)


def resolve(annotation, fn, frame):
    """Evaluates annotations that are strings because of `from __future__ import annotations`."""
    if not isinstance(annotation, str):
        return annotation
    scope = (dict(frame.f_locals) if frame is not None else {}) | closure_of(fn)
    try:
        return eval(annotation, fn.__globals__, scope)
    except Exception as error:
        raise _Syntax(f"Invalid type annotation {annotation!r} of {fn.__qualname__}: {error}") from error


class _At:
    """`with _At(fn, find)`: errors raised inside show the node of the function's tree returned by `find`, with its line."""

    def __init__(self, fn, find):
        self.fn = fn
        self.find = find

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if not isinstance(error, _exceptions.QuadrantsCompilationError) or _exceptions._raw():
            return False
        try:
            text = _source.Source(self.fn)
            node = self.find(text.python_tree())
            start = node.lineno, node.col_offset
            trace = [(text.lines()[2], self.fn.__qualname__, *start, node.end_lineno, node.end_col_offset)]
        except Exception:
            return False  # the source is not available
        raise type(error)(f"\n{_exceptions.place_block(trace)}\n{error}") from error.__cause__


def at_annotation(fn, name):
    def find(tree):
        if name == "return":
            return tree.returns
        a = tree.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
        return next((p.annotation or p for p in every if p is not None and p.arg == name), None)

    return _At(fn, find)


def _check_returns_at_once(fn, what):
    """Rejects generators and coroutines."""
    flags = fn.__code__.co_flags
    if flags & (_COROUTINE | _ASYNC_GENERATOR):
        message = f"Quadrants {what}s cannot be async functions\nHint: remove `async`, and wait in the code that calls kernels"
        if _exceptions._raw():
            raise _Syntax(message)
        lines, start, shown, name = _source.Source(fn).lines()
        row = next((n for n in range(start, len(lines)) if lines[n].lstrip().startswith("async ")), start)
        column = len(lines[row]) - len(lines[row].lstrip())
        trace = [(shown, name, row + 1, column, row + 1, column + len("async"))]
        raise _Syntax(f"\n{_exceptions.place_block(trace)}\n{message}")
    if flags & _GENERATOR:
        with _At(fn, _first_yield):
            raise _Syntax(f"Quadrants {what}s cannot be generators\nHint: write results to a field or array in place of `yield`")


def _first_yield(tree):
    import ast

    return next(node for node in ast.walk(tree) if isinstance(node, (ast.Yield, ast.YieldFrom)))


def check(fn, what):
    """Returns the names of the parameters after checking that the signature is valid in the language."""
    code = fn.__code__

    def refuse(reason, find):
        with _At(fn, lambda tree: find(tree.args)):
            raise _Syntax(f"Quadrants {what}s {reason}")

    _check_returns_at_once(fn, what)
    if code.co_flags & _VARKEYWORDS:
        refuse("do not support variable keyword parameters (i.e., **kwargs)", lambda a: a.kwarg)
    if code.co_flags & _VARARGS:
        refuse("do not support variable positional parameters (i.e., *args)", lambda a: a.vararg)
    if fn.__defaults__ and what == "kernel":
        refuse("do not support default values for arguments", lambda a: a.defaults[0])
    if code.co_kwonlyargcount:
        refuse("do not support keyword parameters", lambda a: a.kwonlyargs[0])
    if code.co_posonlyargcount:
        refuse('only support "positional or keyword" parameters', lambda a: a.posonlyargs[0])
    return code.co_varnames[: code.co_argcount]


def is_method(fn):
    """Returns whether the function is defined in a class body, so that its first parameter is the instance."""
    outer, _, _ = fn.__qualname__.rpartition(".")
    return bool(outer) and not outer.endswith("<locals>")


def without_none(annotation):
    """Returns (annotation, whether None is accepted), where the annotation of `X | None` is X."""
    if isinstance(annotation, _annotations.OrNone):
        return annotation.annotation, True
    typing = _sys.modules.get("typing")
    is_union = isinstance(annotation, type(int | None))
    if not is_union and not (typing is not None and typing.get_origin(annotation) is typing.Union):
        return annotation, False
    parts = [p for p in annotation.__args__ if p is not type(None)]
    if len(parts) != 1 or len(annotation.__args__) != 2:
        raise _Syntax(f"Invalid type annotation {annotation!r}: the only union that is accepted is `X | None`")
    return parts[0], True


def param(name, annotation, position):
    """Returns (name, form, scalar, ndim, rows, cols, element_dim, clamp, optional, class, needs_grad), as the bindings expect it."""
    annotation, optional = without_none(annotation)

    def spec(form, scalar=0, ndim=0, rows=1, cols=1, element_dim=0, clamp=False, cls=None, needs_grad=0):
        return (name, form, scalar, ndim, rows, cols, element_dim, clamp, optional, cls, needs_grad)

    kind = getattr(annotation, "_qd_kind_", None)
    if _dtypes.is_dtype(annotation):
        return spec("scalar", _dtypes.scalar_code(annotation))
    if kind == "unpacked_vector_type":
        raise annotation.refuse("pass")
    if kind == "matrix_type":
        return spec("matrix", annotation.stored_code(), 0, annotation.n, annotation.m, annotation.ndim)
    if kind == "ndarray_type":
        if isinstance(annotation, type):
            annotation = annotation()
        ndim = -1 if annotation.ndim is None else annotation.ndim
        element_dim = -1 if annotation.element_dim is None else annotation.element_dim
        clamp, needs_grad = annotation.boundary == "clamp", {True: 1, False: -1}.get(annotation.needs_grad, 0)
        return spec(
            "array", annotation.scalar_code, ndim, annotation.rows, annotation.cols, element_dim, clamp, needs_grad=needs_grad
        )
    if kind == "template":
        return spec("constant")
    if kind == "buffer_view_type":
        element = annotation.element
        return spec("view", element[0], 1, element[1], element[2], element[3], annotation.boundary == "clamp")
    if kind == "tensor":
        return spec("tensor", ndim=-1, element_dim=-1)
    if kind == "sparse_matrix_builder_type":
        return spec("bundle", cls=_make("class of sparse matrix builders"))
    if kind == "data_oriented":
        raise _Syntax(
            f"Invalid type annotation (argument {position}) of Quadrants kernel: {annotation!r} is a data_oriented class; "
            "annotate the parameter with qd.template()"
        )
    if isinstance(annotation, type) and "__dataclass_fields__" in vars(annotation):
        return spec("bundle", cls=annotation)
    if kind == "struct_type":
        return spec("struct", cls=annotation)
    raise _Syntax(
        f"Invalid type annotation (argument {position}) of Quadrants kernel: {annotation!r}; write a type such as qd.f32, "
        "qd.types.vector(3, qd.f32), qd.types.ndarray(), a dataclass, or qd.template()"
    )


_member_specs = None  # weak dict: class -> name -> result of param, or None for an attribute that is not a field
_annotations_elsewhere = None  # weak dict: dataclass from another process -> name -> annotation


def evaluated(cls, name, text):
    """Evaluates the annotation of a dataclass field that is a string because of `from __future__ import annotations`."""
    import sys

    if _annotations_elsewhere is not None and name in _annotations_elsewhere.get(cls, ()):
        return _annotations_elsewhere[cls][name]
    owner = next(base for base in cls.__mro__ if name in getattr(base, "__annotations__", ()))
    try:
        return eval(text, vars(sys.modules[owner.__module__]), dict(vars(owner)))
    except Exception as error:
        raise _Syntax(f"Invalid type annotation {text!r} of {cls.__qualname__}.{name}: {error}") from error


def receive(cls, annotations):
    """Sets the meaning of the annotations of a dataclass from another process, whose names this process may not have."""
    import weakref

    global _annotations_elsewhere
    if _annotations_elsewhere is None:
        _annotations_elsewhere = weakref.WeakKeyDictionary()
    _annotations_elsewhere[cls] = annotations


def member_spec(cls, name):
    """Returns how the field `name` of a dataclass is passed; None if it is not a field."""
    import weakref

    global _member_specs
    if _member_specs is None:
        _member_specs = weakref.WeakKeyDictionary()
    known = _member_specs.setdefault(cls, {})
    if name not in known:
        field = cls.__dataclass_fields__.get(name)
        annotation = field.type if field is not None else None
        if isinstance(annotation, str):
            annotation = evaluated(cls, name, annotation)
        known[name] = None if field is None else param(name, annotation, 0)
    return known[name]


def params(fn, frame):
    names = check(fn, "kernel")
    annotations = fn.__annotations__
    params = []
    for i, name in enumerate(names):
        if name not in annotations:
            if i == 0 and is_method(fn):
                params.append((name, "self", 0, 0, 1, 1, 0, False, False, None, False))
                continue
            with at_annotation(fn, name):
                raise _Syntax(f"Quadrants kernels parameters must be type annotated: {name!r} of {fn.__qualname__} is not")
        with at_annotation(fn, name):
            params.append(param(name, resolve(annotations[name], fn, frame), i))
    return tuple(params)


def _return(annotation):
    kind = getattr(annotation, "_qd_kind_", None)
    if kind == "matrix_type":
        return (annotation.stored_code(), annotation.n, annotation.m, annotation.ndim, None)
    if _dtypes.is_dtype(annotation):
        return (_dtypes.scalar_code(annotation), 1, 1, 0, None)
    if kind == "struct_type":
        return (0, 1, 1, 0, annotation)
    raise _Syntax(
        f"Invalid return type annotation of Quadrants kernel: {annotation!r}; results are numbers, vectors, matrices, structs, "
        "or tuples of them"
    )


def returns(fn, frame):
    """Returns (return types, whether they were written as a tuple)."""
    if "return" not in fn.__annotations__:
        return (), False
    with at_annotation(fn, "return"):
        return returned_types(resolve(fn.__annotations__["return"], fn, frame))


def returned_types(annotation):
    if annotation is None or annotation is type(None):
        return (), False
    parts, is_tuple = (annotation,), False
    if getattr(annotation, "__origin__", None) is tuple:
        parts, is_tuple = annotation.__args__, True
    elif isinstance(annotation, (tuple, list)):
        parts, is_tuple = annotation, True
    if any(p is Ellipsis for p in parts):
        raise _Syntax("Ellipsis is not supported in return type annotations")
    return tuple(_return(p) for p in parts), is_tuple
