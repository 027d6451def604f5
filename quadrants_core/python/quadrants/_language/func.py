"""@qd.func and related decorators: functions for use in kernels."""

from quadrants import _dtypes, _exceptions, _source
from quadrants._language import annotations as _annotations, by_name as _by_name, signature as _signature

_Syntax = _exceptions.QuadrantsSyntaxError


def _type_of_parameter(annotation, position):
    """Returns the annotation of a func's parameter, with NumPy types converted to scalar types; raises if it is not a type."""
    inner, optional = _signature.without_none(annotation)
    if isinstance(inner, Ref):
        return annotation
    if isinstance(inner, _annotations.MatrixType) and not (inner.dtype and inner.n and inner.m) and not optional:
        return annotation
    form = _signature.param("", inner, position)[1]
    if optional and form not in ("array", "constant", "tensor"):
        raise _Syntax(
            f"Invalid type annotation (argument {position}) of Quadrants function: `T | None` is for arrays, qd.Tensor and "
            f"qd.template(), got {inner!r}"
        )
    return _dtypes.dtype(inner) if form == "scalar" and not (inner is int or inner is float or inner is bool) else annotation


def _may_be_a_type(annotation):
    is_known = isinstance(annotation, type) or hasattr(annotation, "_qd_kind_") or annotation is None
    is_known = is_known or annotation is Ellipsis or _dtypes._numpy_type(annotation) is not None
    return is_known or hasattr(annotation, "__origin__") or type(annotation).__module__ in ("typing", "types")


runs_in_kernel = None  # while a kernel runs on qd.python: executes the calls of funcs that Python functions make
on_definition = None  # set in a notebook: called with the function of each func that is defined


class Func(_by_name.Method):
    """A function for use in kernels, inlined at each call."""

    _qd_kind_ = "func"

    def __init__(self, fn, frame=None):
        if not hasattr(fn, "__code__"):
            raise _Syntax(f"@qd.func takes a plain function, got {fn!r}")
        if fn.__name__ == "<lambda>":
            raise _Syntax(
                "@qd.func takes a function with a name, not a lambda (in "
                f"{_source.shown_name(fn.__code__.co_filename)}, line {fn.__code__.co_firstlineno})\n"
                "Hint: write `@qd.func` over `def f(...): return ...`; a kernel may call the lambda itself, too"
            )
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__wrapped__ = fn
        self._qd_source_ = _source.Source(fn)
        _source.remember_exec(fn.__code__, frame)
        params = _signature.check(fn, "func")
        annotations = {}
        for name, annotation in fn.__annotations__.items():
            with _signature.at_annotation(fn, name):
                annotation = _signature.resolve(annotation, fn, frame)
                check = self._type_of_result if name == "return" else _type_of_parameter
                annotations[name] = check(annotation, 0 if name == "return" else params.index(name))
        if any(annotations[name] is not given for name, given in fn.__annotations__.items()):
            fn.__annotations__ = annotations
        if on_definition is not None:
            on_definition(fn)

    @staticmethod
    def _type_of_result(annotation, _):
        """Accepts any type: if the language does not have it, the result of the func is returned without conversion."""
        parts = annotation if isinstance(annotation, (tuple, list)) else [annotation]
        if all(_may_be_a_type(p) for p in parts):
            types = tuple(_dtypes._numpy_type(p) or p for p in parts)
            return types if isinstance(annotation, tuple) else annotation if isinstance(annotation, list) else types[0]
        raise _Syntax(f"Invalid return type annotation of Quadrants function: {annotation!r}")

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        import types

        return types.MethodType(self, instance)

    def __call__(self, *args, **keywords):
        if runs_in_kernel is not None:
            return runs_in_kernel(self, *args, **keywords)
        error = _Syntax("Quadrants functions cannot be called from Python-scope.")
        error._qd_called_func_ = True
        raise error

    def __repr__(self):
        return f"<qd.func {self.__qualname__}>"


class PyFunc(Func):
    """A func that can also be called from Python."""

    def __call__(self, *args, **keywords):
        return self.fn(*args, **keywords)


class ForeignFunc(Func):
    """A plain Python function that a kernel calls with values known only at run time. Its annotations are not types of the language."""

    _qd_foreign_ = True

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self._qd_source_ = _source.LambdaSource(fn) if fn.__name__ == "<lambda>" else _source.Source(fn, is_new=False)


class RealFunc(Func):
    """A func that is compiled as a function of its own: it may return from within branches and loops."""

    _qd_real_ = True

    def __init__(self, fn, frame=None):
        super().__init__(fn, frame)
        for i, name in enumerate(fn.__code__.co_varnames[: fn.__code__.co_argcount]):
            if name not in fn.__annotations__ and i == 0 and _signature.is_method(fn):
                fn.__annotations__ = {**fn.__annotations__, name: _annotations.template()}
            if name not in fn.__annotations__:
                with _signature.at_annotation(fn, name):
                    raise _Syntax(f"Quadrants real functions parameters must be type annotated: {name!r} of {fn.__qualname__} is not")
            if isinstance(fn.__annotations__[name], _annotations.MatrixType):
                with _signature.at_annotation(fn, name):
                    fn.__annotations__[name].stored()

    @staticmethod
    def _type_of_result(annotation, _):
        _signature.returned_types(annotation)
        return annotation


class TopLevelFunc(Func):
    """A func that starts parallel loops of its own; it can be called only at the top level of a kernel."""

    _qd_requires_top_level_ = True


def func(fn=None, *, is_real_function=False, requires_top_level=False):
    """Makes a function that kernels and other funcs may call; it is inlined at each call.

    Args:
        fn: the function, if the decorator is written `@qd.func` without options. Annotations are optional; `qd.template()` passes by
            reference.
        is_real_function: whether to make a real func, see `qd.real_func`.
        requires_top_level: whether a call within a loop or branch is an error.

    Returns:
        The func, or a decorator if `fn` is not given.

    Raises:
        QuadrantsSyntaxError: the func is called from Python, outside a kernel.

    Example:
        >>> @qd.func
        ... def square(x):
        ...     return x * x
        >>> @qd.kernel
        ... def f(x: qd.f32) -> qd.f32:
        ...     return square(x)
        >>> f(3.0)
        9.0
    """
    kind = RealFunc if is_real_function else TopLevelFunc if requires_top_level else Func
    frame = _source.caller(1)
    if fn is not None:
        return kind(fn, frame)
    return lambda fn: kind(fn, frame)


def real_func(fn):
    """Makes a func that may return from within branches and loops and may call itself. Parameters and result need annotations.

    Args:
        fn: the function.

    Returns:
        The func.

    Raises:
        QuadrantsSyntaxError: the func is called from Python, or a parameter has no type.

    Example:
        >>> @qd.real_func
        ... def fib(n: qd.i32) -> qd.i32:
        ...     if n < 2:
        ...         return n
        ...     return fib(n - 1) + fib(n - 2)
        >>> @qd.kernel
        ... def f(n: qd.i32) -> qd.i32:
        ...     return fib(n)
        >>> f(10)
        55
    """
    return RealFunc(fn, _source.caller(1))


class Ref:
    """Annotation of a parameter of a real func that is passed by reference: `qd.ref(qd.f32)`."""

    _qd_kind_ = "ref"

    def __init__(self, dtype):
        self.dtype = dtype

    def __repr__(self):
        return f"ref({self.dtype})"


def ref(tp):
    """Makes the type of a parameter of a real func that is passed by reference: assignments in the func change the caller's variable.

    Args:
        tp: the type of the variable: a number, vector or matrix type.

    Returns:
        An annotation.

    Example:
        >>> @qd.real_func
        ... def add_one(x: qd.ref(qd.i32)):
        ...     x += 1
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     y = 1
        ...     add_one(y)
        ...     return y
        >>> f()
        2
    """
    return Ref(tp)


def pyfunc(fn):
    """Makes a function that can be called from both kernels and Python.

    Args:
        fn: the function; it may use only what is valid in both.

    Returns:
        The function.

    Example:
        >>> @qd.pyfunc
        ... def twice(x):
        ...     return 2 * x
        >>> twice(4)
        8
    """
    return PyFunc(fn, _source.caller(1))
