"""@qd.kernel, @qd.func and their relatives: what they read from a function, and how annotations become parameters."""

import sys as _sys

from quadrants import _annotations, _dtypes, _exceptions, _later, _native, _runtime, _settings, _snode, _source

_Syntax = _exceptions.QuadrantsSyntaxError
_VARARGS, _VARKEYWORDS = 4, 8  # code flags

_all_kernels = []  # weak references, for the number of compiled functions
counts_definition = None  # of a notebook: function -> KernelInfo.coverage of the kernel that is made of it


class _Replaceable(type):
    """Of a class whose methods programs may replace to be told of what happens (quadrants.lang._replaced)."""

    told = None  # called with the class and the name of what was assigned

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if _Replaceable.told is not None:
            _Replaceable.told(cls, name)


class KernelInfo(metaclass=_Replaceable):
    """What the compiler must know of a kernel's function; `k._primal` of a decorated kernel `k`."""

    calls_in_python = False  # launches go through methods that a program has put in the place of those of this class

    coverage = None  # counts for this kernel alone: True or False; None as the program wants it

    def __init__(self, fn, frame, fastcache=False):
        self.fn = fn
        self.func = fn
        self.annotations = {name: _resolve(a, fn, frame) for name, a in fn.__annotations__.items()}
        self.fastcache = fastcache  # promises to read nothing but its arguments
        self.kernel = None  # weak reference to the kernel
        self.name = fn.__qualname__
        # True or False: count lines whatever QD_KERNEL_COVERAGE says
        self.coverage = counts_definition(fn) if counts_definition is not None else None
        self._qd_source_ = _source.Source(fn)

    def prepare(self):
        """Called before every compilation: the options may have been changed through qd.cfg."""
        if self.coverage:
            from quadrants import _coverage  # notes which functions are compiled
        _runtime.tell_core()
        _snode.check_all_placed()
        if _settings.special.print_non_pure and not self.fastcache:
            print(f"[NOT_PURE] Debug information: not pure: {self.name}", flush=True)


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


class _At:
    """`with _At(fn, find)`: errors raised inside show the node of the function's tree that `find` gives, with its line."""

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
            return False  # the text is not to be had
        raise type(error)(f"\n{_exceptions.place_block(trace)}\n{error}") from error.__cause__


def _at_annotation(fn, name):
    def find(tree):
        if name == "return":
            return tree.returns
        a = tree.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
        return next((p.annotation or p for p in every if p is not None and p.arg == name), None)

    return _At(fn, find)


def _check_signature(fn, what):
    """The names of the parameters, once the signature has only what the language allows."""
    code = fn.__code__

    def refuse(reason, find):
        with _At(fn, lambda tree: find(tree.args)):
            raise _Syntax(f"Quadrants {what}s {reason}")

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


def _is_method(fn):
    """Defined in a class body: its first parameter is the instance."""
    outer, _, _ = fn.__qualname__.rpartition(".")
    return bool(outer) and not outer.endswith("<locals>")


def _without_none(annotation):
    """(annotation, whether None is accepted): of `X | None` the X."""
    if isinstance(annotation, _annotations.OrNone):
        return annotation.annotation, True
    typing = _sys.modules.get("typing")
    is_union = isinstance(annotation, type(int | None))
    if not is_union and not (typing is not None and typing.get_origin(annotation) is typing.Union):
        return annotation, False
    parts = [p for p in annotation.__args__ if p is not type(None)]
    if len(parts) != 1 or len(annotation.__args__) != 2:
        raise _Syntax(f"Invalid type annotation {annotation!r}: of alternatives only `X | None` is accepted")
    return parts[0], True


def _param(name, annotation, position):
    """(name, form, scalar, ndim, rows, cols, element_dim, clamp, optional, class, needs_grad), as the bindings read it."""
    annotation, optional = _without_none(annotation)

    def spec(form, scalar=0, ndim=0, rows=1, cols=1, element_dim=0, clamp=False, cls=None, needs_grad=False):
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
        clamp, needs_grad = annotation.boundary == "clamp", annotation.needs_grad is True
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
        from quadrants import _sparse_matrix

        return spec("bundle", cls=_sparse_matrix.SparseMatrixBuilder)
    if kind == "data_oriented":
        raise _Syntax(
            f"Invalid type annotation (argument {position}) of Quadrants kernel: {annotation!r} is a data_oriented class; "
            "annotate the parameter with qd.template()"
        )
    if isinstance(annotation, type) and "__dataclass_fields__" in vars(annotation):
        return spec("bundle", cls=annotation)
    if isinstance(annotation, _later.Later):
        raise _exceptions.not_available(f"{annotation!r} as the type of a kernel argument")
    if kind == "struct_type":
        return spec("struct", cls=annotation)
    raise _Syntax(
        f"Invalid type annotation (argument {position}) of Quadrants kernel: {annotation!r}; write a type such as qd.f32, "
        "qd.types.vector(3, qd.f32), qd.types.ndarray(), a dataclass, or qd.template()"
    )


_member_specs = None  # weakly by class: name -> what _param gives, or None where it is no field


def _evaluated(cls, name, text):
    """The annotation of a dataclass's field that `from __future__ import annotations` left as text."""
    import sys

    owner = next(base for base in cls.__mro__ if name in vars(base).get("__annotations__", ()))
    try:
        return eval(text, vars(sys.modules[owner.__module__]), dict(vars(owner)))
    except Exception as error:
        raise _Syntax(f"Invalid type annotation {text!r} of {cls.__qualname__}.{name}: {error}") from error


def member_spec(cls, name):
    """How the field `name` of a dataclass is passed; None if it is not a field."""
    import weakref

    global _member_specs
    if _member_specs is None:
        _member_specs = weakref.WeakKeyDictionary()
    known = _member_specs.setdefault(cls, {})
    if name not in known:
        field = cls.__dataclass_fields__.get(name)
        annotation = field.type if field is not None else None
        if isinstance(annotation, str):
            annotation = _evaluated(cls, name, annotation)
        known[name] = None if field is None else _param(name, annotation, 0)
    return known[name]


def _params(fn, frame):
    names = _check_signature(fn, "kernel")
    annotations = fn.__annotations__
    params = []
    for i, name in enumerate(names):
        if name not in annotations:
            if i == 0 and _is_method(fn):
                params.append((name, "self", 0, 0, 1, 1, 0, False, False, None, False))
                continue
            with _at_annotation(fn, name):
                raise _Syntax(f"Quadrants kernels parameters must be type annotated: {name!r} of {fn.__qualname__} is not")
        with _at_annotation(fn, name):
            params.append(_param(name, _resolve(annotations[name], fn, frame), i))
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


def _returns(fn, frame):
    """(return types, whether they were written as a tuple)"""
    if "return" not in fn.__annotations__:
        return (), False
    with _at_annotation(fn, "return"):
        return _returned_types(_resolve(fn.__annotations__["return"], fn, frame))


def _returned_types(annotation):
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


def _make_kernel(fn, frame, fastcache=False):
    import weakref

    if not hasattr(fn, "__code__"):
        raise _Syntax(
            "KERNEL_ANNOTATION_ORDER: Cant put kernel in front of other annotations; @qd.kernel takes a plain function, "
            f"got {fn!r}"
        )
    _source.remember_exec(fn.__code__, frame)
    returns, returns_tuple = _returns(fn, frame)
    params = _params(fn, frame)
    core = _native.core()
    info = KernelInfo(fn, frame, fastcache or getattr(fn, "_qd_pure_", False))
    made = core.Kernel(info, params, returns, returns_tuple)
    made.__name__ = fn.__name__
    made.__qualname__ = fn.__qualname__
    made.__module__ = fn.__module__
    made.__doc__ = fn.__doc__
    made.__annotations__ = fn.__annotations__
    made.__wrapped__ = fn
    made.fn = fn
    made.grad = _later.Later("kernel.grad")
    made.resume = _later.Later("kernel.resume")
    info.kernel = weakref.ref(made)
    _all_kernels.append(weakref.ref(made, _all_kernels.remove))
    if KernelInfo.calls_in_python:
        made._replaced(True)
    return made


def kernel(fn=None, *, pure=None, fastcache=False, graph=False, checkpoints=False):
    """Compiles a function for parallel execution; called from Python like any function. fastcache (earlier: pure)
    promises that it reads nothing but its arguments, and has that checked."""
    if checkpoints and not graph:
        raise _Syntax("@qd.kernel(checkpoints=True) requires graph=True")
    if graph:
        raise _exceptions.not_available("qd.kernel(graph=True)")
    frame = _source.caller(1)
    if pure is not None:
        import warnings

        warnings.warn("@qd.kernel parameter `pure` is deprecated. Please use parameter `fastcache`.", stacklevel=2)
        fastcache = pure
    fastcache = bool(fastcache)
    if fn is not None:
        return _make_kernel(fn, frame, fastcache)
    return lambda fn: _make_kernel(fn, frame, fastcache)


def _type_of_parameter(annotation, position):
    """The annotation of a func's parameter, numpy's types as those of the language; an error if it is no type."""
    inner, optional = _without_none(annotation)
    if isinstance(inner, Ref):
        return annotation
    if isinstance(inner, _annotations.MatrixType) and not (inner.dtype and inner.n and inner.m) and not optional:
        return annotation
    form = _param("", inner, position)[1]
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
        self._qd_source_ = _source.Source(fn)
        _source.remember_exec(fn.__code__, frame)
        params = _check_signature(fn, "func")
        annotations = {}
        for name, annotation in fn.__annotations__.items():
            with _at_annotation(fn, name):
                annotation = _resolve(annotation, fn, frame)
                check = self._type_of_result if name == "return" else _type_of_parameter
                annotations[name] = check(annotation, 0 if name == "return" else params.index(name))
        if any(annotations[name] is not given for name, given in fn.__annotations__.items()):
            fn.__annotations__ = annotations

    @staticmethod
    def _type_of_result(annotation, _):
        """Whatever is a type may stand here: what a func returns is taken as it is if the language has no such type."""
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
        raise _Syntax("Quadrants functions cannot be called from Python-scope.")

    def __repr__(self):
        return f"<qd.func {self.__qualname__}>"


class PyFunc(Func):
    """A func that Python can call as well."""

    def __call__(self, *args, **keywords):
        return self.fn(*args, **keywords)


class ForeignFunc(Func):
    """A plain function of Python that a kernel calls with values known only at run time: what it says of types is not the
    language's."""

    _qd_foreign_ = True

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self._qd_source_ = _source.LambdaSource(fn) if fn.__name__ == "<lambda>" else _source.Source(fn)


class RealFunc(Func):
    """A func with a frame of its own: it may return from inside of branches and loops."""

    _qd_real_ = True

    def __init__(self, fn, frame=None):
        super().__init__(fn, frame)
        for i, name in enumerate(fn.__code__.co_varnames[: fn.__code__.co_argcount]):
            if name not in fn.__annotations__ and i == 0 and _is_method(fn):
                fn.__annotations__ = {**fn.__annotations__, name: _annotations.template()}
            if name not in fn.__annotations__:
                with _at_annotation(fn, name):
                    raise _Syntax(
                        f"Quadrants real functions parameters must be type annotated: {name!r} of {fn.__qualname__} is not"
                    )
            if isinstance(fn.__annotations__[name], _annotations.MatrixType):
                with _at_annotation(fn, name):
                    fn.__annotations__[name].stored()

    @staticmethod
    def _type_of_result(annotation, _):
        _returned_types(annotation)
        return annotation


class TopLevelFunc(Func):
    """A func that starts parallel loops of its own: callable at the top level of a kernel alone."""

    _qd_requires_top_level_ = True


def func(fn=None, *, is_real_function=False, requires_top_level=False):
    """A function that kernels and other funcs may call."""
    kind = RealFunc if is_real_function else TopLevelFunc if requires_top_level else Func
    frame = _source.caller(1)
    if fn is not None:
        return kind(fn, frame)
    return lambda fn: kind(fn, frame)


def real_func(fn):
    """A function that may return from inside of branches and loops; its parameters are typed."""
    return RealFunc(fn, _source.caller(1))


class Ref:
    """Annotation of a parameter of a real func that changes the caller's variable: `qd.ref(qd.f32)`."""

    _qd_kind_ = "ref"

    def __init__(self, dtype):
        self.dtype = dtype

    def __repr__(self):
        return f"ref({self.dtype})"


def ref(tp):
    """The type of a parameter that is passed by reference."""
    return Ref(tp)


def pyfunc(fn):
    """A function usable in kernels and in Python."""
    return PyFunc(fn, _source.caller(1))


def data_oriented(cls=None, *, stable_members=False, template_primitives=True):
    """Marks a class whose methods may be kernels and funcs. Numbers among the attributes of an instance are constants of
    its kernels; with template_primitives=False they are read at every launch. `stable_members` promises that no attribute
    is assigned again; nothing is made of it, since a launch compares its attributes in any case."""

    def mark(cls):
        cls._qd_kind_ = "data_oriented"
        cls._qd_template_primitives_ = bool(template_primitives)
        return cls

    return mark if cls is None else mark(cls)


def pure(fn):
    """The earlier way to write @qd.kernel(fastcache=True)."""
    import warnings

    warnings.warn("Use of @qd.pure is deprecated. Please use @qd.kernel(fastcache=True).", stacklevel=2)
    info = getattr(fn, "_primal", None)
    if info is not None:
        info.fastcache = True
    elif not isinstance(fn, Func):
        fn._qd_pure_ = True
    return fn


def forget_frozen():
    """Kernels look again at the arrays in frozen dataclasses: what an array is has changed."""
    for ref in _all_kernels:
        if (made := ref()) is not None:
            made._forget_frozen()


def compiled_functions():
    """Specialisations of all kernels compiled since qd.init."""
    return sum(k._specialisations() for ref in _all_kernels if (k := ref()) is not None)
