"""@qd.kernel, @qd.func and their relatives: what they read from a function, and how annotations become parameters."""

from quadrants import _dtypes, _exceptions, _later, _runtime, _source

_Syntax = _exceptions.QuadrantsSyntaxError
_VARARGS, _VARKEYWORDS = 4, 8  # code flags

_all_kernels = []  # weak references, for the number of compiled functions


class KernelInfo:
    """What the compiler must know of a kernel's function; `k._primal` of a decorated kernel `k`."""

    coverage = None  # counts for this kernel alone: True or False; None as the program wants it

    def __init__(self, fn):
        self.fn = fn
        self.func = fn
        self.name = fn.__qualname__
        self.coverage = None  # True or False: count lines whatever QD_KERNEL_COVERAGE says
        self._tree = None

    def source(self):
        """Called before every compilation: the options may have been changed through qd.cfg."""
        _runtime.core().set_language(_runtime.language_options())
        if self._tree is None:
            self._tree = _source.of(self.fn)
        return self._tree


def _resolve(annotation, fn, frame):
    """Annotations that `from __future__ import annotations` left as text."""
    if not isinstance(annotation, str):
        return annotation
    scope = dict(frame.f_locals) if frame is not None else {}
    if fn.__closure__:
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__):
            try:
                scope[name] = cell.cell_contents
            except ValueError:
                pass  # not yet assigned
    try:
        return eval(annotation, fn.__globals__, scope)
    except Exception as error:
        raise _Syntax(f"Invalid type annotation {annotation!r} of {fn.__qualname__}: {error}") from error


def _check_signature(fn, what):
    """The names of the parameters, once the signature has only what the language allows."""
    code = fn.__code__
    if code.co_flags & _VARKEYWORDS:
        raise _Syntax(f"Quadrants {what}s do not support variable keyword parameters (i.e., **kwargs)")
    if code.co_flags & _VARARGS:
        raise _Syntax(f"Quadrants {what}s do not support variable positional parameters (i.e., *args)")
    if fn.__defaults__ and what == "kernel":
        raise _Syntax(f"Quadrants {what}s do not support default values for arguments")
    if code.co_kwonlyargcount:
        raise _Syntax(f"Quadrants {what}s do not support keyword parameters")
    if code.co_posonlyargcount:
        raise _Syntax(f'Quadrants {what}s only support "positional or keyword" parameters')
    return code.co_varnames[: code.co_argcount]


def _is_method(fn):
    """Defined in a class body: its first parameter is the instance."""
    outer, _, _ = fn.__qualname__.rpartition(".")
    return bool(outer) and not outer.endswith("<locals>")


def _param(name, annotation, position):
    """(name, kind, scalar, ndim, rows, cols, element_dim, clamp), as the bindings read it."""
    kind = getattr(annotation, "_qd_kind_", None)
    if annotation in (int, float, bool) or kind == "dtype":
        return (name, "scalar", _dtypes.scalar_code(annotation), 0, 1, 1, 0, False)
    if kind == "matrix_type":
        return (name, "matrix", annotation.dtype._qd_scalar_, 0, annotation.n, annotation.m, annotation.ndim, False)
    if kind == "ndarray_type":
        if isinstance(annotation, type):
            annotation = annotation()
        scalar = annotation.scalar._qd_scalar_ if annotation.scalar is not None else 0
        ndim = -1 if annotation.ndim is None else annotation.ndim
        element_dim = -1 if annotation.element_dim is None else annotation.element_dim
        clamp = annotation.boundary == "clamp"
        return (name, "array", scalar, ndim, annotation.rows, annotation.cols, element_dim, clamp)
    if kind == "template":
        return (name, "constant", 0, 0, 1, 1, 0, False)
    if _dtypes._numpy_type(annotation) is not None:
        return (name, "scalar", _dtypes.scalar_code(annotation), 0, 1, 1, 0, False)
    if isinstance(annotation, _later.Later):
        raise _exceptions.not_available(f"{annotation!r} as the type of a kernel argument")
    if kind == "struct_type" or hasattr(annotation, "__dataclass_fields__"):
        raise _exceptions.not_available(
            "a struct or dataclass as the type of a kernel argument", "pass its members one by one"
        )
    raise _Syntax(f"Invalid type annotation (argument {position}) of Quadrants kernel: {annotation!r}")


def _params(fn, frame):
    names = _check_signature(fn, "kernel")
    annotations = fn.__annotations__
    params = []
    for i, name in enumerate(names):
        if name not in annotations:
            if i == 0 and _is_method(fn):
                params.append((name, "self", 0, 0, 1, 1, 0, False))
                continue
            raise _Syntax(f"Quadrants kernels parameters must be type annotated: {name!r} of {fn.__qualname__} is not")
        params.append(_param(name, _resolve(annotations[name], fn, frame), i))
    return tuple(params)


def _return(annotation):
    kind = getattr(annotation, "_qd_kind_", None)
    if kind == "matrix_type":
        return (annotation.dtype._qd_scalar_, annotation.n, annotation.m, annotation.ndim)
    if annotation in (int, float, bool) or kind == "dtype" or _dtypes._numpy_type(annotation) is not None:
        return (_dtypes.scalar_code(annotation), 1, 1, 0)
    if kind == "struct_type":
        raise _exceptions.not_available("a struct as the return type of a kernel", "return its members as a tuple")
    raise _Syntax(f"Invalid return type annotation of Quadrants kernel: {annotation!r}")


def _returns(fn, frame):
    """(return types, whether they were written as a tuple)"""
    if "return" not in fn.__annotations__:
        return (), False
    annotation = _resolve(fn.__annotations__["return"], fn, frame)
    if annotation is None or annotation is type(None):
        return (), False
    parts, is_tuple = (annotation,), False
    if getattr(annotation, "__origin__", None) is tuple:
        parts, is_tuple = annotation.__args__, True
    elif isinstance(annotation, (tuple, list)):
        parts, is_tuple = annotation, True
    if Ellipsis in [p for p in parts if p is Ellipsis]:
        raise _Syntax("Ellipsis is not supported in return type annotations")
    return tuple(_return(p) for p in parts), is_tuple


def _make_kernel(fn, frame):
    import weakref

    if not hasattr(fn, "__code__"):
        raise _Syntax(
            "KERNEL_ANNOTATION_ORDER: Cant put kernel in front of other annotations; @qd.kernel takes a plain function, "
            f"got {fn!r}"
        )
    returns, returns_tuple = _returns(fn, frame)
    _source.remember_exec(fn.__code__, frame)
    core = _runtime.core()
    made = core.Kernel(KernelInfo(fn), _params(fn, frame), returns, returns_tuple)
    made.__name__ = fn.__name__
    made.__qualname__ = fn.__qualname__
    made.__module__ = fn.__module__
    made.__doc__ = fn.__doc__
    made.__annotations__ = fn.__annotations__
    made.__wrapped__ = fn
    made.fn = fn
    made.grad = _Later("kernel.grad")
    _all_kernels.append(weakref.ref(made, _all_kernels.remove))
    return made


class _Later:
    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **keywords):
        raise _exceptions.not_available(self._name)


def kernel(fn=None, *, pure=None, fastcache=False, graph=False, checkpoints=False):
    """Compiles a function for parallel execution; called from Python like any function."""
    if graph or checkpoints:
        raise _exceptions.not_available("qd.kernel(graph=True)")
    frame = _source.caller(1)
    if fn is not None:
        return _make_kernel(fn, frame)
    return lambda fn: _make_kernel(fn, frame)


class Func:
    """A function for use in kernels, inlined where it is called."""

    _qd_kind_ = "func"

    def __init__(self, fn, frame=None):
        if not hasattr(fn, "__code__"):
            raise _Syntax(f"@qd.func takes a plain function, got {fn!r}")
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__wrapped__ = fn
        self._tree = None
        _check_signature(fn, "func")
        if any(isinstance(a, str) for a in fn.__annotations__.values()):
            fn.__annotations__ = {k: _resolve(a, fn, frame) for k, a in fn.__annotations__.items()}
        _source.remember_exec(fn.__code__, frame)

    def _qd_source_(self):
        if self._tree is None:
            self._tree = _source.of(self.fn)
        return self._tree

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        import types

        return types.MethodType(self, instance)

    def __call__(self, *args, **keywords):
        raise _Syntax("Quadrants functions cannot be called from Python-scope.")

    def __repr__(self):
        return f"<qd.func {self.__qualname__}>"


class PyFunc(Func):
    """A func that Python can call as well."""

    def __call__(self, *args, **keywords):
        return self.fn(*args, **keywords)


def func(fn=None, *, is_real_function=False, requires_top_level=False):
    """A function that kernels and other funcs may call."""
    if is_real_function:
        raise _exceptions.not_available("qd.func(is_real_function=True)", "an inlined qd.func does the same")
    if requires_top_level:
        raise _exceptions.not_available("qd.func(requires_top_level=True)")
    frame = _source.caller(1)
    if fn is not None:
        return Func(fn, frame)
    return lambda fn: Func(fn, frame)


def pyfunc(fn):
    """A function usable in kernels and in Python."""
    return PyFunc(fn, _source.caller(1))


def data_oriented(cls=None, *, template_primitives=True):
    """Marks a class whose methods may be kernels and funcs."""
    if not template_primitives:
        raise _exceptions.not_available("qd.data_oriented(template_primitives=False)")

    def mark(cls):
        cls._qd_kind_ = "data_oriented"
        return cls

    return mark if cls is None else mark(cls)


def pure(fn):
    """Marks a kernel or func as reading nothing but its arguments."""
    return fn


def compiled_functions():
    """Specialisations of all kernels compiled since qd.init."""
    return sum(k._specialisations() for ref in _all_kernels if (k := ref()) is not None)
