"""@qd.kernel and @qd.data_oriented."""

import enum as _enum
import itertools as _itertools
from _thread import _local

from quadrants import _exceptions, _logging, _native, _option_values, _runtime, _settings, _source
from quadrants._language import by_name as _by_name, func as _func, signature as _signature
from quadrants._trees import snode as _snode

_Syntax = _exceptions.QuadrantsSyntaxError

_numbers = _itertools.count()
_all_kernels = []  # weak references, for counting the compiled functions
on_tape = None  # called with each Tape that has computed its gradients
on_gradient = None  # called with (KernelInfo, arguments) at every call of a `grad`; see observe_gradients
counts_definition = None  # set in a notebook: function -> KernelInfo.coverage of the kernel made from it
on_compilation = None  # set in a notebook: called with a KernelInfo before each compilation


class _Replaceable(type):
    """Metaclass of classes whose methods a program may replace, with notification of each assignment (quadrants.lang._replaced)."""

    observer = None  # called with the class and the name of the assigned attribute

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if _Replaceable.observer is not None:
            _Replaceable.observer(cls, name)


class AutodiffMode(_enum.IntEnum):
    """The kind of derivative that a kernel computes.

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
    """The compiler's description of a kernel's function; `k._primal` of a decorated kernel `k`."""

    calls_in_python = False  # True if a program has replaced methods of this class, so that launches must go through them

    coverage = None  # True or False overrides coverage for this kernel; None follows the program's setting
    ad_stack_budget_bytes = None  # for the gradient of this kernel; None: the program's option
    checked_in = None  # the program in which the kernel is compiled again for a window; fields that are not placed are then not an error
    readings = None  # if a window may be attached: what the compilation read from its environment
    used = None  # in a notebook: global name -> its value when the kernel was compiled
    kernel = None  # weak reference to the kernel

    def __init__(self, fn, frame, fastcache=False, graph=False, checkpoints=False):
        self.fn = fn
        self.func = fn
        self.annotations = {name: _signature.resolve(a, fn, frame) for name, a in fn.__annotations__.items()}
        self.number = next(_numbers)  # unique among all kernels
        self.fastcache = fastcache  # True if the kernel promises to read only its arguments
        self.graph = graph
        self.checkpoints = checkpoints
        self.name = fn.__qualname__
        self.autodiff_mode = AutodiffMode.NONE
        self.derivatives = {}  # AutodiffMode -> the kernel that computes that derivative, created on first use
        # True or False overrides QD_KERNEL_COVERAGE
        self.coverage = counts_definition(fn) if counts_definition is not None else None
        self._qd_source_ = _source.Source(fn)

    @property
    def grad(self):
        """The kernel that computes gradients. It takes the same arguments and adds to the `grad` of everything that the kernel reads."""
        return self.derivative(AutodiffMode.REVERSE)

    def derivative(self, mode):
        made = self.derivatives.get(mode)
        if made is None:
            made = self.derivatives.setdefault(mode, self._derive(mode))
            if mode == AutodiffMode.REVERSE and on_gradient is not None:
                made._record_calls(True)
        return made

    def forget_gradient(self):
        """Discards the gradient kernel; its next call compiles it again."""
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
        """Returns the kernel and the derivatives of it that exist."""
        return [self.kernel(), *self.derivatives.values()]

    def _call_recorded(self, *args, **keywords):
        """Launches the kernel while a Tape, a FwdMode or a method of the program observes its calls."""
        if recorder() is not None:
            return recorder().call(self, args, keywords)
        return self._launch(args, keywords)

    def _gradient_recorded(self, *args, **keywords):
        """Calls the gradient kernel while `on_gradient` is set."""
        made = self.derivatives[AutodiffMode.REVERSE]
        made._launch(*args, **keywords)
        if on_gradient is not None:
            on_gradient(self, made._bind(*args, **keywords) if keywords else args)

    def __call__(self, *args, **keywords):
        return self.kernel()(*args, **keywords)

    def __reduce_ex__(self, protocol):
        return getattr, (self.kernel(), "_primal")

    def _launch(self, args, keywords):
        if KernelInfo.calls_in_python:
            return self._call_replaced(*args, **keywords)
        return self.kernel()._launch(*args, **keywords)

    def prepare_derivative(self):
        """Called before every compilation of a derivative."""
        if _settings.current().opt_level == 0:
            _logging.warn("opt_level = 1 is enforced to enable gradient computation.")
            _settings.cfg.opt_level = 1
        self.prepare()
        _snode.join_companions()

    def prepare(self):
        """Called before every compilation, since the options may have been changed through qd.cfg."""
        if on_compilation is not None:
            on_compilation(self)
        if self.coverage:
            from quadrants._coverage import counts as _coverage  # imported to register the functions that are compiled
        _runtime.pass_options()
        if self.checked_in is None or self.checked_in != _native.core().generation():
            _snode.check_all_placed()
        if _settings.special.print_non_pure and not self.fastcache:
            print(f"[NOT_PURE] Debug information: not pure: {self.name}", flush=True)


def report_fastcache(info, params):
    """Reports on stderr that a kernel with fastcache=True cannot be cached, and which parameters may be the cause."""
    import weakref

    for _, name, kind, *_, value in params:
        value = value() if type(value) is weakref.ref else value
        if kind == "constant" and not hasattr(type(value), "_qd_kind_") and not isinstance(value, (bool, int, float, str, type, type(None))):
            _logging.warn(
                f"[FASTCACHE][PARAM_INVALID] parameter {name} of {info.name}: a {type(value).__name__} cannot be compared between processes"
            )
    _, start, file, _ = info._qd_source_.lines()
    _logging.warn(
        f"[FASTCACHE][INVALID_FUNC] {info.name} ({file}:{start + 1}) reads an object whose changes cannot be detected, so it is parsed in every process"
    )


def _make_kernel(fn, frame, fastcache=False, graph=False, checkpoints=False, ad_stack_budget_bytes=None):
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
    info = KernelInfo(fn, frame, fastcache or getattr(fn, "_qd_pure_", False), graph, checkpoints)
    if ad_stack_budget_bytes is not None:
        info.ad_stack_budget_bytes = _option_values.checked("ad_stack_budget_bytes", ad_stack_budget_bytes)
    return name_as(kernel_of(info, params, returns, returns_tuple), fn)


def kernel_of(info, params, returns, returns_tuple):
    """Makes a kernel with this signature."""
    import weakref

    made = _native.core().Kernel(info, params, returns, returns_tuple)
    info.kernel = weakref.ref(made)
    info.signature = params, returns, returns_tuple
    _all_kernels.append(weakref.ref(made, _all_kernels.remove))
    if calls_are_observed():
        made._record_calls(True)
    return made


def name_as(made, fn):
    """Gives a kernel the attributes of its function; returns the kernel."""
    made.__name__ = fn.__name__
    made.__qualname__ = fn.__qualname__
    made.__module__ = fn.__module__
    made.__doc__ = fn.__doc__
    made.__annotations__ = fn.__annotations__
    made.__wrapped__ = fn
    made.fn = fn
    return made


def _pickle_by_name(core):
    """Lets kernels be pickled and copied."""
    bound = type(core.Kernel(None, (), (), False).__get__(core))
    for cls, like in ((core.Kernel, _by_name.ByName), (core.Kernel, _by_name.Method), (bound, _by_name.Bound)):
        for name in vars(like).keys() - {"__module__", "__doc__", "__dict__", "__weakref__"}:
            setattr(cls, name, vars(like)[name])


_native.when_core_loads(_pickle_by_name)


class _Thread(_local):
    recorder = None  # a Tape or FwdMode that observes the calls of this thread through its method `call`


_thread = _Thread()
_recorders = 0  # how many threads have a recorder


def recorder():
    """Returns the recorder of this thread, or None."""
    return _thread.recorder


def calls_are_observed():
    return KernelInfo.calls_in_python or _recorders > 0


def update_call_recording():
    """Updates all kernels after a recorder or an observer has changed."""
    recorded = calls_are_observed()
    for ref in _all_kernels:
        if (made := ref()) is not None:
            made._record_calls(recorded)


def record_with(observer):
    """Sets the recorder of the calls of this thread; None: calls are not recorded."""
    global _recorders
    before = _thread.recorder
    if observer is not before:
        _thread.recorder = observer
        _recorders += (observer is not None) - (before is not None)
        update_call_recording()


def observe_gradients(observer):
    """Sets a function that is called with (info, arguments) at every call of a kernel's `grad`; None: there is none."""
    global on_gradient
    on_gradient = observer
    for ref in _all_kernels:
        if (made := ref()) is not None and AutodiffMode.REVERSE in made._primal.derivatives:
            made._primal.derivatives[AutodiffMode.REVERSE]._record_calls(observer is not None)


def _record_no_more():
    global _thread, _recorders
    _thread, _recorders = _Thread(), 0
    update_call_recording()


class unrecorded:
    """Context in which no calls are recorded."""

    def __enter__(self):
        self._recorder = recorder()
        record_with(None)

    def __exit__(self, *_):
        record_with(self._recorder)


_settings.after_reset.append(_record_no_more)


def kernel(fn=None, *, pure=None, fastcache=False, graph=False, checkpoints=False, ad_stack_budget_bytes=None):
    """Makes a kernel of a function. The kernel is compiled on its first call with each set of argument types; its top-level loops run in
    parallel. It is called from Python like any function, but not from other kernels.

    Args:
        fn: the function, if the decorator is written `@qd.kernel` without options. Parameters and result need annotations.
        pure: the former name of `fastcache`.
        fastcache: promise that the kernel reads only its arguments. The promise is checked; a warm start then has less to verify.
        graph: whether to launch the kernel as one graph, which may contain `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: whether a kernel with graph=True may contain `qd.checkpoint`; it then returns a `qd.GraphStatus`.
        ad_stack_budget_bytes: overrides the option of `qd.init` for the gradient of this kernel, in bytes.

    Returns:
        A kernel, or a decorator if `fn` is not given.

    Raises:
        QuadrantsSyntaxError: an annotation is not valid in a kernel. TypeError, ValueError: an option is neither True nor False. At the
        first call: QuadrantsCompilationError or one of its subclasses, with the source line in the kernel.

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

        warnings.warn("@qd.kernel parameter `pure` is deprecated. Please use parameter `fastcache`.", _exceptions.DeprecatedSpelling, stacklevel=2)
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
        cls: the class, if the decorator is written `@qd.data_oriented` without options.
        stable_members: promise that no attribute is assigned again. It has no effect, since every launch compares the attributes.
        template_primitives: if True, numbers among the attributes of an instance are compile-time constants of its kernels; if False, they
            are read at every launch.

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
    """Former spelling of `@qd.kernel(fastcache=True)`. Deprecated.

    Args:
        fn: the function or kernel. The decorator stands below `@qd.kernel`.

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

    warnings.warn("Use of @qd.pure is deprecated. Please use @qd.kernel(fastcache=True).", _exceptions.DeprecatedSpelling, stacklevel=2)
    info = getattr(fn, "_primal", None)
    if info is not None:
        info.fastcache = True
    elif not isinstance(fn, _func.Func):
        fn._qd_pure_ = True
    return fn


def forget_frozen():
    """Makes kernels examine the arrays in frozen dataclasses again, after the storage order of an array has changed."""
    for made in living():
        made._forget_frozen()


def living():
    """Returns all kernels that are alive, and their derivatives."""
    return [made for ref in _all_kernels for made in _compiled(ref)]


def compiled_functions():
    """Returns the number of specialisations of all kernels compiled since qd.init."""
    return sum(made._specialisations() for made in living())


def _compiled(ref):
    """Returns the kernel, if it is alive, and its derivatives."""
    kernel = ref()
    return () if kernel is None else kernel._primal.compiled()
