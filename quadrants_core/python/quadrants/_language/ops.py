"""Functions of the language that also work on numbers and small matrices in Python. In a kernel the frontend replaces them; it identifies
them by `_qd_name_`."""

import math as _math
from functools import partial as _partial

from quadrants import _dtypes, _exceptions, _native, _settings
from quadrants._language import matrix as _matrix
from quadrants._language.parameters import WITH as _WITH
from quadrants._language.texts import TEXTS as _TEXTS
from quadrants._trees import layout as _layout


def builtin(fn, name=None):
    """Marks a Python function as an operation of the language."""
    fn._qd_kind_ = "builtin"
    fn._qd_name_ = name or fn.__name__
    return fn


def _map(f, *args):
    """Applies f to numbers; elementwise if an argument is a matrix."""
    shaped = next((a for a in args if isinstance(a, _matrix.Matrix)), None)
    if shaped is None:
        return f(*args)
    n = len(shaped._entries)
    columns = [a._entries if isinstance(a, _matrix.Matrix) else [a] * n for a in args]
    if any(len(c) != n for c in columns):
        raise _exceptions.QuadrantsTypeError("the shapes of the arguments differ")
    kinds = {a._dtype for a in args if isinstance(a, _matrix.Matrix)}
    dtype = kinds.pop() if len(kinds) == 1 else None
    return shaped._same([f(*row) for row in zip(*columns)], dtype if dtype and dtype.kind == "float" else None)


def with_parameters(namespace, prototypes, make, module="quadrants", prefix=""):
    """Makes the functions of the prototypes ("name(a, b=None); ..."), each of which forwards its arguments to make(name)."""
    for prototype in map(str.strip, prototypes.split(";")):
        name, _, parameters = prototype[:-1].partition("(")
        op = _WITH[parameters](make(name))
        op.__code__ = op.__code__.replace(co_name=name, co_qualname=name)
        op.__name__ = op.__qualname__ = name
        op.__module__ = module
        op.__doc__ = _TEXTS[prefix + name]
        namespace[name] = builtin(op, prefix + name)


def _define(namespace, table, prefix=""):
    """Defines the functions of `table`: prototype -> implementation on numbers. Returns them by name."""
    by_name = {prototype.partition("(")[0]: f for prototype, f in table.items()}
    with_parameters(namespace, ";".join(table), lambda name: _partial(_map, by_name[name]), prefix=prefix)
    return {name: namespace[name] for name in by_name}


def _round(x):
    return float(_math.floor(abs(x) + 0.5)) * (1 if x >= 0 else -1)


def _pow(a, b):
    if isinstance(a, int) and isinstance(b, int) and b < 0:
        raise _exceptions.QuadrantsTypeError("Negative exponent in pow(int, int) is not allowed.")
    return a**b


def _raw_div(a, b):
    if isinstance(a, int) and isinstance(b, int):
        q = abs(a) // abs(b)
        return q if (a >= 0) == (b >= 0) else -q
    return a / b


def _raw_mod(a, b):
    return a - b * _raw_div(a, b) if isinstance(a, int) and isinstance(b, int) else _math.fmod(a, b)


def _shift_right(a, b):
    return (a & 0xFFFFFFFF if a < 0 else a) >> b


# Elementwise functions, exported unchanged by `quadrants` and `quadrants.lang.ops`.
elementary = _define(
    globals(),
    {
        "sin(x)": _math.sin, "cos(x)": _math.cos, "tan(x)": _math.tan, "asin(x)": _math.asin, "acos(x)": _math.acos, "tanh(x)": _math.tanh,
        "atan2(x1, x2)": _math.atan2, "exp(x)": _math.exp, "log(x)": _math.log, "sqrt(x)": _math.sqrt,
        "rsqrt(x)": lambda x: 1.0 / _math.sqrt(x), "abs(x)": abs, "pow(base, exponent)": _pow, "raw_div(x1, x2)": _raw_div, "raw_mod(x1, x2)": _raw_mod,
        "bit_shr(x1, x2)": _shift_right, "select(cond, x1, x2)": lambda c, a, b: a if c else b, "frexp(x)": _math.frexp,
    },
)  # fmt: skip


def _rounding(name, f):
    def op(x, dtype=None):
        result = _map(lambda v: float(f(v)), x)
        return result if dtype is None else cast(result, dtype)

    op.__name__ = op.__qualname__ = name
    op.__module__ = "quadrants"
    op.__doc__ = _TEXTS[name]
    return builtin(op)


floor = _rounding("floor", _math.floor)
ceil = _rounding("ceil", _math.ceil)
round = _rounding("round", _round)


def _fold(name, pick):
    def op(*args):
        result = args[0]
        for other in args[1:]:
            result = _map(pick, result, other)
        return result

    op.__name__ = op.__qualname__ = name
    op.__module__ = "quadrants"
    op.__doc__ = _TEXTS[name]
    return builtin(op)


max = _fold("max", lambda a, b: a if a >= b else b)
min = _fold("min", lambda a, b: a if a <= b else b)


@builtin
def cast(obj, dtype):
    """Converts a value to another type, elementwise. Floats are truncated when converted to integers.

    Args:
        obj: a number, vector or matrix.
        dtype: a number type, or `int` or `float` for the default types.

    Returns:
        The converted value.

    Example:
        >>> qd.cast(2.7, qd.i32)
        2
    """
    kind = _dtypes.dtype(dtype)
    return obj.cast(kind) if isinstance(obj, _matrix.Matrix) else kind(obj)


@builtin
def bit_cast(obj, dtype):
    """Reinterprets the bits of a number as another type of the same width. Only in kernels and funcs.

    Args:
        obj: a number.
        dtype: the type of the result.

    Returns:
        A number of that type.

    Raises:
        QuadrantsTypeError: the widths differ. QuadrantsSyntaxError: called outside kernels and funcs.

    Example:
        >>> @qd.kernel
        ... def f(x: qd.f32) -> qd.u32:
        ...     return qd.bit_cast(x, qd.u32)
        >>> hex(f(1.0))
        '0x3f800000'
    """
    raise _kernel_only("bit_cast")


@builtin
def zero(x):
    """Returns 0 with the type and shape of x.

    Args:
        x: a number, vector or matrix.

    Returns:
        Zeros.

    Example:
        >>> qd.zero(qd.Vector([1.5, 2.5]))
        [0. 0.]
    """
    return _map(lambda v: type(v)(0), x)


@builtin
def one(x):
    """Returns 1 with the type and shape of x.

    Args:
        x: a number, vector or matrix.

    Returns:
        Ones.

    Example:
        >>> qd.one(5)
        1
    """
    return _map(lambda v: type(v)(1), x)


@builtin
def random(dtype=float):
    """Returns a uniformly distributed random number: floats in [0, 1), integers over their whole range. In kernels every thread has its own
    sequence, seeded by the option `random_seed`; with `deterministic=True` every chunk of a loop has its own.

    Args:
        dtype: a number type; `float` means `default_fp`.

    Returns:
        A number.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.random()
        >>> 0 <= f() < 1
        True
    """
    import random as _random

    kind = _dtypes.dtype(dtype)
    return _random.random() if kind.kind == "float" else kind(_random.getrandbits(kind.bits))


@builtin
def randn(dt=None):
    """Returns a normally distributed random number with mean 0 and variance 1.

    Args:
        dt: a floating-point type; None: `default_fp`.

    Returns:
        A number.

    Raises:
        QuadrantsTypeError: `dt` is an integer type.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.randn()
        >>> abs(f()) < 100
        True
    """
    import random as _random

    return _random.gauss(0.0, 1.0)


def _kernel_only(name):
    return _exceptions.QuadrantsSyntaxError(f"qd.{name} can only be used in kernels and funcs.")


def _raiser(name):
    def refuse(*args, **keywords):
        raise _kernel_only(name)

    return refuse


with_parameters(
    globals(),
    """atomic_add(x, y); atomic_sub(x, y); atomic_mul(x, y); atomic_min(x, y); atomic_max(x, y); atomic_and(x, y);
    atomic_or(x, y); atomic_xor(x, y); atomic_exchange(x, y); atomic_cas(x, expected, desired); volatile_load(target);
    assume_in_range(val, base, low, high); loop_unique(val, covers=None); block_local(*args); cache_read_only(*args);
    loop_config(*, block_dim=None, serialize=False, parallelize=None, block_dim_adaptive=True, bit_vectorize=False, name=None, deterministic=False);
    static_print(*args, **kwargs); activate(node, indices); deactivate(node, indices); is_active(node, indices);
    append(node, indices, val); length(node, indices); get_addr(f, indices); rescale_index(a, b, I); no_activate(*args);
    mesh_local(*args); stop_grad(x); mesh_patch_idx(); clock_counter(); global_thread_idx()""",
    _raiser,
)


def clock_freq_hz():
    """Returns the frequency of the counter that `qd.clock_counter()` reads in kernels.

    Returns:
        The frequency in Hz.

    Example:
        >>> qd.clock_freq_hz() > 0
        True
    """
    return 1e9 if _settings.current().arch.name == "python" else _native.core().clock_frequency()


@builtin
def stream_parallel():
    """`with qd.stream_parallel():` in a kernel contains code that may run concurrently with the kernel's other blocks of this kind. On the
    CPU the blocks run one after another; in Python the block runs as ordinary code.

    Raises:
        QuadrantsSyntaxError: the block is within a loop or branch, or next to statements that are not in such a block.

    Example:
        >>> x = qd.field(qd.i32, shape=2)
        >>> @qd.kernel
        ... def f():
        ...     with qd.stream_parallel():
        ...         for i in range(1):
        ...             x[0] = 1
        ...     with qd.stream_parallel():
        ...         for i in range(1):
        ...             x[1] = 2
        >>> f()
        >>> x.to_numpy()
        array([1, 2], dtype=int32)
    """
    import contextlib

    return contextlib.nullcontext()


with_parameters(globals(), "svd(A, dt=None); sym_eig(A, dt=None); eig(A, dt=None); polar_decompose(A, dt=None); make_spd(A, dt=None)", _raiser)


@builtin
def solve(A, b, dt=None):
    """Solves A x = b for small systems.

    Args:
        A: a 2x2 or 3x3 matrix.
        b: a vector with as many components as A has rows.
        dt: f32 or f64; None: `default_fp`.

    Returns:
        The vector x.

    Raises:
        QuadrantsTypeError: the size is not supported. QuadrantsSyntaxError: called outside kernels and funcs.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.math.vec2:
        ...     return qd.solve(qd.Matrix([[2.0, 0.0], [0.0, 4.0]]), qd.Vector([2.0, 2.0]))
        >>> f()
        [1.  0.5]
    """
    raise _kernel_only("solve")


@builtin
def static(x, *xs):
    """Evaluates an expression at compile time. `for i in qd.static(range(3))` is unrolled; `if qd.static(flag)` compiles only one branch.

    Args:
        x: an expression of constants, or the iterable of a loop.
        *xs: further expressions; the result is then a tuple.

    Returns:
        The arguments themselves, in Python.

    Raises:
        QuadrantsSyntaxError, QuadrantsTypeError: the expression is not known at compile time.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     s = 0
        ...     for i in qd.static(range(3)):
        ...         s += i
        ...     return s
        >>> f()
        3
    """
    return (x, *xs) if xs else x


@builtin
def static_assert(cond, msg=None):
    """Stops the compilation with an error if `cond` is false; in Python, raises AssertionError.

    Args:
        cond: an expression of constants.
        msg: the text of the error.

    Raises:
        QuadrantsCompilationError: `cond` is false or is not known at compile time.

    Example:
        >>> @qd.kernel
        ... def f(x: qd.template()):
        ...     qd.static_assert(len(x.shape) == 1, "x has one axis")
        >>> f(qd.field(qd.f32, shape=4))
    """
    if not cond:
        raise AssertionError(msg)


@builtin
def grouped(x):
    """Iterates over indices as vectors, so that a kernel works for any number of axes.

    Args:
        x: a field, an array or `qd.ndrange(...)`.

    Returns:
        An iterable of integer vectors.

    Example:
        >>> x = qd.field(qd.i32, shape=(2, 3))
        >>> @qd.kernel
        ... def f():
        ...     for I in qd.grouped(x):
        ...         x[I] = I.sum()
        >>> f()
        >>> x.to_numpy()
        array([[0, 1, 2],
               [1, 2, 3]], dtype=int32)
    """
    return (_matrix.Vector(list(i if isinstance(i, tuple) else (i,))) for i in x)


class _Ndrange:
    """The Cartesian product of ranges; iterates over tuples of indices."""

    _qd_kind_ = "ndrange"

    def __init__(self, *args, axes=None):
        self.bounds = [_bounds(a) for a in args]
        self.axes = _layout.unless_in_order(_check_axes(axes, len(args)))
        self.dimensions = [hi - lo if hi > lo else 0 for lo, hi in self.bounds]

    def __iter__(self):
        import itertools

        order = self.axes or range(len(self.bounds))
        for picked in itertools.product(*(range(*self.bounds[a]) for a in order)):
            index = [0] * len(picked)
            for axis, value in zip(order, picked):
                index[axis] = value
            yield tuple(index)

    def grouped(self):
        """Iterates over the indices as vectors."""
        return (_matrix.Vector(list(index)) for index in self)


def _bounds(arg):
    message = "Every argument of ndrange should be a scalar or a tuple/list like (begin, end)"
    integers = "Every argument of ndrange should be an integer scalar or a tuple/list of (int, int)"
    if isinstance(arg, (list, tuple)):
        if len(arg) != 2:
            raise _exceptions.QuadrantsSyntaxError(message)
        begin, end = arg
    else:
        begin, end = 0, arg
    try:
        import operator

        return operator.index(begin), operator.index(end)
    except TypeError:
        raise _exceptions.QuadrantsTypeError(integers) from None


def _check_axes(axes, n):
    if axes is None:
        return None
    axes = tuple(axes)
    if len(axes) != n:
        raise _exceptions.QuadrantsSyntaxError(f"qd.ndrange(axes={axes}) has {len(axes)} entries but ndrange has {n} dimensions")
    if any(type(a) is not int for a in axes):
        raise _exceptions.QuadrantsTypeError(f"qd.ndrange(axes={axes}) entries must be Python ints")
    if sorted(axes) != list(range(n)):
        raise _exceptions.QuadrantsSyntaxError(f"qd.ndrange(axes={axes}) is not a permutation of range({n})")
    return axes


@builtin
def ndrange(*args, axes=None):
    """Returns the Cartesian product of ranges: `for i, j in qd.ndrange(4, (2, 6))`. At the top level of a kernel, all of it is one parallel
    loop.

    Args:
        *args: an extent, or (begin, end), for each index.
        axes: the order in which the indices vary, slowest first; None: the order of the arguments.

    Returns:
        An iterable of tuples of integers.

    Raises:
        QuadrantsTypeError: a bound is not an integer. QuadrantsSyntaxError: `axes` is not a permutation.

    Example:
        >>> list(qd.ndrange(2, (1, 3)))
        [(0, 1), (0, 2), (1, 1), (1, 2)]
    """
    return _Ndrange(*args, axes=axes)


def tasks_on_last_call():
    return _native.core().tasks_on_last_call()
