"""@qd.kernel, and what a class says whose methods are kernels."""

import enum as _enum
import itertools as _itertools
from _thread import _local

from quadrants import _exceptions, _logging, _native, _option_values, _runtime, _settings, _source
from quadrants._language import func as _func, signature as _signature
from quadrants._trees import snode as _snode

_Syntax = _exceptions.QuadrantsSyntaxError

_numbers = _itertools.count()
_all_kernels = []  # weak references, for the number of compiled functions
tapes_told = None  # called with each Tape that has worked out its gradients
gradients_told = None  # (KernelInfo, arguments) of every call of a `grad`; see tell_of_gradients
counts_definition = None  # of a notebook: function -> KernelInfo.coverage of the kernel that is made of it
compilations_told = None  # of a notebook: called with a KernelInfo before each compilation


class _Replaceable(type):
    """Of a class whose methods programs may replace to be told of what happens (quadrants.lang._replaced)."""

    told = None  # called with the class and the name of what was assigned

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if _Replaceable.told is not None:
            _Replaceable.told(cls, name)


class AutodiffMode(_enum.IntEnum):
    """What a kernel is compiled for.

    Example:
        >>> qd.types.enums.AutodiffMode.REVERSE.name
        'REVERSE'
    """

    FORWARD = 0
    REVERSE = 1
    NONE = 2
    VALIDATION = 3


_CORE_MODES = {AutodiffMode.NONE: 0, AutodiffMode.FORWARD: 1, AutodiffMode.REVERSE: 2, AutodiffMode.VALIDATION: 3}  # autodiff::Mode


class KernelInfo(metaclass=_Replaceable):
    """What the compiler must know of a kernel's function; `k._primal` of a decorated kernel `k`."""

    calls_in_python = False  # launches go through methods that a program has put in the place of those of this class

    coverage = None  # counts for this kernel alone: True or False; None as the program wants it
    ad_stack_budget_bytes = None  # of its gradient; None: the option of the program
    checked_in = None  # the program in which it is compiled once more, for a window: fields that nobody placed are no mistake of it
    readings = None  # where a window may be attached: what was found around it when it was compiled
    used = None  # in a notebook: global name -> what it meant when the kernel was compiled

    def __init__(self, fn, frame, fastcache=False, graph=False, checkpoints=False):
        self.fn = fn
        self.func = fn
        self.annotations = {name: _signature.resolve(a, fn, frame) for name, a in fn.__annotations__.items()}
        self.number = next(_numbers)  # among all kernels that were defined
        self.fastcache = fastcache  # promises to read nothing but its arguments
        self.graph = graph
        self.checkpoints = checkpoints
        self.kernel = None  # weak reference to the kernel
        self.name = fn.__qualname__
        self.autodiff_mode = AutodiffMode.NONE
        self.derivatives = {}  # AutodiffMode -> the kernel that works them out, once it was asked for
        # True or False: count lines whatever QD_KERNEL_COVERAGE says
        self.coverage = counts_definition(fn) if counts_definition is not None else None
        self._qd_source_ = _source.Source(fn)

    @property
    def grad(self):
        """The kernel that works out gradients: takes the same arguments, adds to the `grad` of what the kernel reads."""
        return self.derivative(AutodiffMode.REVERSE)

    def derivative(self, mode):
        made = self.derivatives.get(mode)
        if made is None:
            made = self.derivatives.setdefault(mode, self._derive(mode))
            if mode == AutodiffMode.REVERSE and gradients_told is not None:
                made._tell(True)
        return made

    def forget_gradient(self):
        """The gradient is compiled anew at its next call."""
        if self.derivatives.pop(AutodiffMode.REVERSE, None) is not None:
            self.kernel()._forget_gradient()

    def _derive(self, mode):
        kernel = self.kernel()
        params, returns, returns_tuple = self.signature
        made = _native.core().Kernel(self, params, returns, returns_tuple, _CORE_MODES[mode])
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__wrapped__", "fn"):
            setattr(made, name, getattr(kernel, name))
        return made

    def compiled(self):
        """The kernel, and those of its derivatives that were asked for."""
        return [self.kernel(), *self.derivatives.values()]

    def _call_told(self, *args, **keywords):
        """A call while a Tape or FwdMode, or a method of the program's own, is told of it."""
        if recorder() is not None:
            return recorder().call(self, args, keywords)
        return self._launch(args, keywords)

    def _gradient_told(self, *args, **keywords):
        """A call of `grad` while `gradients_told` is."""
        made = self.derivatives[AutodiffMode.REVERSE]
        made._launch(*args, **keywords)
        if gradients_told is not None:
            gradients_told(self, made._bind(*args, **keywords) if keywords else args)

    def __call__(self, *args, **keywords):
        return self.kernel()(*args, **keywords)

    def _launch(self, args, keywords):
        if KernelInfo.calls_in_python:
            return self._call_replaced(*args, **keywords)
        return self.kernel()._launch(*args, **keywords)

    def prepare_derivative(self):
        """Called before every compilation of a kernel that works out derivatives."""
        if _settings.current().opt_level == 0:
            _logging.warn("opt_level = 1 is enforced to enable gradient computation.")
            _settings.cfg.opt_level = 1
        self.prepare()
        _snode.join_companions()

    def prepare(self):
        """Called before every compilation: the options may have been changed through qd.cfg."""
        if compilations_told is not None:
            compilations_told(self)
        if self.coverage:
            from quadrants._coverage import counts as _coverage  # notes which functions are compiled
        _runtime.tell_core()
        if self.checked_in is None or self.checked_in != _native.core().generation():
            _snode.check_all_placed()
        if _settings.special.print_non_pure and not self.fastcache:
            print(f"[NOT_PURE] Debug information: not pure: {self.name}", flush=True)


def tell_of_fastcache(info, params):
    """On stderr, of a kernel with fastcache=True that cannot be kept: which parameters may be why."""
    import weakref

    for _, name, kind, *_, value in params:
        value = value() if type(value) is weakref.ref else value
        if kind == "constant" and not hasattr(type(value), "_qd_kind_") and not isinstance(value, (bool, int, float, str, type, type(None))):
            _logging.warn(
                f"[FASTCACHE][PARAM_INVALID] parameter {name} of {info.name}: a {type(value).__name__} cannot be compared with the one "
                "of another process"
            )
    _, start, file, _ = info._qd_source_.lines()
    _logging.warn(
        f"[FASTCACHE][INVALID_FUNC] {info.name} ({file}:{start + 1}) reads what cannot be compared with what it was: it is parsed in every process"
    )


def _make_kernel(fn, frame, fastcache=False, graph=False, checkpoints=False, ad_stack_budget_bytes=None):
    import weakref

    if not hasattr(fn, "__code__"):
        raise _Syntax(
            "KERNEL_ANNOTATION_ORDER: Cant put kernel in front of other annotations; @qd.kernel takes a plain function, "
            f"got {fn!r}"
        )
    if checkpoints and not graph:
        raise _Syntax(f"@qd.kernel({fn.__name__!r}, checkpoints=True) requires graph=True")
    _source.remember_exec(fn.__code__, frame)
    returns, returns_tuple = _signature.returns(fn, frame)
    params = _signature.params(fn, frame)
    core = _native.core()
    info = KernelInfo(fn, frame, fastcache or getattr(fn, "_qd_pure_", False), graph, checkpoints)
    if ad_stack_budget_bytes is not None:
        info.ad_stack_budget_bytes = _option_values.checked("ad_stack_budget_bytes", ad_stack_budget_bytes)
    made = core.Kernel(info, params, returns, returns_tuple)
    made.__name__ = fn.__name__
    made.__qualname__ = fn.__qualname__
    made.__module__ = fn.__module__
    made.__doc__ = fn.__doc__
    made.__annotations__ = fn.__annotations__
    made.__wrapped__ = fn
    made.fn = fn
    info.kernel = weakref.ref(made)
    info.signature = params, returns, returns_tuple
    _all_kernels.append(weakref.ref(made, _all_kernels.remove))
    if calls_are_told():
        made._tell(True)
    return made


class _Thread(_local):
    recorder = None  # a Tape or FwdMode that is told of the thread's calls; what it makes of a call is its method `call`


_thread = _Thread()
_recorders = 0  # of all threads


def recorder():
    """Who is told of the calls of this thread, or None."""
    return _thread.recorder


def calls_are_told():
    return KernelInfo.calls_in_python or _recorders > 0


def tell_calls():
    """After a change of who is told of calls."""
    told = calls_are_told()
    for ref in _all_kernels:
        if (made := ref()) is not None:
            made._tell(told)


def record_with(told):
    """From now on `told` is told of the calls of this thread; None: nobody is."""
    global _recorders
    before = _thread.recorder
    if told is not before:
        _thread.recorder = told
        _recorders += (told is not None) - (before is not None)
        tell_calls()


def tell_of_gradients(told):
    """From now on `told(info, arguments)` hears of every call of a kernel's `grad`; None: nobody does."""
    global gradients_told
    gradients_told = told
    for ref in _all_kernels:
        if (made := ref()) is not None and AutodiffMode.REVERSE in made._primal.derivatives:
            made._primal.derivatives[AutodiffMode.REVERSE]._tell(told is not None)


def _record_no_more():
    global _thread, _recorders
    _thread, _recorders = _Thread(), 0
    tell_calls()


class unrecorded:
    """A block in which nobody records calls."""

    def __enter__(self):
        self._recorder = recorder()
        record_with(None)

    def __exit__(self, *_):
        record_with(self._recorder)


_settings.after_reset.append(_record_no_more)


def kernel(fn=None, *, pure=None, fastcache=False, graph=False, checkpoints=False, ad_stack_budget_bytes=None):
    """Makes a kernel of a function: it is compiled when it is called, once for each set of argument types, and every loop at its top
    runs in parallel. It is called from Python like any function; kernels do not call kernels.

    Args:
        fn: the function, if it is used as `@qd.kernel` alone. Parameters and result need annotations.
        pure: the earlier name of `fastcache`.
        fastcache: promises that the kernel reads nothing but its arguments, and has that checked: a warm start then asks less.
        graph: launched as one graph, which may hold `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: with graph=True, the kernel may hold `qd.checkpoint`, and gives a `qd.GraphStatus`.
        ad_stack_budget_bytes: goes before the option of `qd.init` in the kernel's gradient.

    Returns:
        A kernel, or a decorator if `fn` is not given.

    Raises:
        QuadrantsSyntaxError: annotations that no kernel can have. TypeError, ValueError: an option that is neither True nor False. At the
        first call: QuadrantsCompilationError and its kinds, with the line of the kernel.

    Example:
        >>> @qd.kernel
        ... def total(n: qd.i32) -> qd.i32:
        ...     s = 0
        ...     for i in range(n):
        ...         s += i
        ...     return s
        >>> total(10)
        45
    """
    frame = _source.caller(1)
    if pure is not None:
        import warnings

        warnings.warn("@qd.kernel parameter `pure` is deprecated. Please use parameter `fastcache`.", stacklevel=2)
        fastcache = pure
    fastcache, graph, checkpoints = (
        value is not None and _option_values.flag(name, value) for name, value in (("fastcache", fastcache), ("graph", graph), ("checkpoints", checkpoints))
    )
    options = fastcache, graph, checkpoints, ad_stack_budget_bytes
    if fn is not None:
        return _make_kernel(fn, frame, *options)
    return lambda fn: _make_kernel(fn, frame, *options)


def data_oriented(cls=None, *, stable_members=False, template_primitives=True):
    """Marks a class whose methods may be kernels and funcs.

    Args:
        cls: the class, if it is used as `@qd.data_oriented` alone.
        stable_members: promises that no attribute is assigned again; nothing is made of it, since a launch compares its attributes in
            any case.
        template_primitives: numbers among the attributes of an instance are constants of its kernels; False: they are read at
            every launch.

    Returns:
        The class, or a decorator.

    Example:
        >>> @qd.data_oriented
        ... class Counter:
        ...     def __init__(self, n):
        ...         self.x = qd.field(qd.i32, shape=n)
        ...     @qd.kernel
        ...     def step(self):
        ...         for i in self.x:
        ...             self.x[i] += i
        >>> c = Counter(3)
        >>> c.step()
        >>> c.x.to_numpy()
        array([0, 1, 2], dtype=int32)
    """

    def mark(cls):
        cls._qd_kind_ = "data_oriented"
        cls._qd_template_primitives_ = bool(template_primitives)
        return cls

    return mark if cls is None else mark(cls)


def pure(fn):
    """The earlier way to write `@qd.kernel(fastcache=True)`.

    Args:
        fn: the function, below `@qd.kernel`.

    Returns:
        The function, marked.

    Example:
        >>> @qd.kernel
        ... @qd.pure
        ... def f(x: qd.i32) -> qd.i32:
        ...     return x + 1
        >>> f(1)
        2
    """
    import warnings

    warnings.warn("Use of @qd.pure is deprecated. Please use @qd.kernel(fastcache=True).", stacklevel=2)
    info = getattr(fn, "_primal", None)
    if info is not None:
        info.fastcache = True
    elif not isinstance(fn, _func.Func):
        fn._qd_pure_ = True
    return fn


def forget_frozen():
    """Kernels look again at the arrays in frozen dataclasses: what an array is has changed."""
    for made in living():
        made._forget_frozen()


def living():
    """All kernels that there are, and those of their derivatives."""
    return [made for ref in _all_kernels for made in _compiled(ref)]


def compiled_functions():
    """Specialisations of all kernels compiled since qd.init."""
    return sum(made._specialisations() for made in living())


def _compiled(ref):
    """The kernel, if it still lives, and the kernels of its derivatives."""
    kernel = ref()
    return () if kernel is None else kernel._primal.compiled()
