"""Functions of the language that also work on numbers and small matrices in Python. In a kernel the frontend takes their
place: it knows them by `_qd_name_`."""

import math as _math

from quadrants import _dtypes, _exceptions, _matrix, _runtime


def builtin(fn, name=None):
    """Marks a Python function as an operation of the language."""
    fn._qd_kind_ = "builtin"
    fn._qd_name_ = name or fn.__name__
    return fn


def _map(f, *args):
    """f on numbers; elementwise if an argument is a matrix."""
    shaped = next((a for a in args if isinstance(a, _matrix.Matrix)), None)
    if shaped is None:
        return f(*args)
    n = len(shaped.entries)
    columns = [a.entries if isinstance(a, _matrix.Matrix) else [a] * n for a in args]
    if any(len(c) != n for c in columns):
        raise _exceptions.QuadrantsTypeError("the shapes of the arguments differ")
    kinds = {a._dtype for a in args if isinstance(a, _matrix.Matrix)}
    dtype = kinds.pop() if len(kinds) == 1 else None
    return shaped._same([f(*row) for row in zip(*columns)], dtype if dtype and dtype.kind == "float" else None)


def _define(namespace, table, prefix=""):
    for name, f in table.items():

        def op(*args, _f=f):
            return _map(_f, *args)

        op.__name__ = op.__qualname__ = name
        op.__module__ = "quadrants"
        op.__doc__ = f"{name} of numbers, vectors or matrices, elementwise."
        namespace[name] = builtin(op, prefix + name)


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


_define(
    globals(),
    {
        "sin": _math.sin, "cos": _math.cos, "tan": _math.tan, "asin": _math.asin, "acos": _math.acos, "tanh": _math.tanh,
        "atan2": _math.atan2, "exp": _math.exp, "log": _math.log, "sqrt": _math.sqrt,
        "rsqrt": lambda x: 1.0 / _math.sqrt(x), "abs": abs, "pow": _pow, "raw_div": _raw_div, "raw_mod": _raw_mod,
        "bit_shr": _shift_right, "select": lambda c, a, b: a if c else b, "frexp": _math.frexp,
    },
)  # fmt: skip


def _rounding(name, f):
    def op(x, dtype=None):
        result = _map(lambda v: float(f(v)), x)
        return result if dtype is None else cast(result, dtype)

    op.__name__ = op.__qualname__ = name
    op.__module__ = "quadrants"
    op.__doc__ = f"{name} of x; with dtype, converted to it."
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
    op.__doc__ = f"The {name} of its arguments, elementwise."
    return builtin(op)


max = _fold("max", lambda a, b: a if a >= b else b)
min = _fold("min", lambda a, b: a if a <= b else b)


@builtin
def cast(obj, dtype):
    """`obj` converted to `dtype`."""
    kind = _dtypes.dtype(dtype)
    return obj.cast(kind) if isinstance(obj, _matrix.Matrix) else kind(obj)


@builtin
def bit_cast(obj, dtype):
    """The bits of `obj` read as `dtype`; in kernels."""
    raise _kernel_only("bit_cast")


@builtin
def zero(x):
    """0 of the type of x."""
    return _map(lambda v: type(v)(0), x)


@builtin
def one(x):
    """1 of the type of x."""
    return _map(lambda v: type(v)(1), x)


@builtin
def random(dtype=float):
    """A uniform number: floats in [0, 1), integers over their range."""
    import random as _random

    kind = _dtypes.dtype(dtype)
    return _random.random() if kind.kind == "float" else kind(_random.getrandbits(kind.bits))


@builtin
def randn(dt=None):
    """A normally distributed number."""
    import random as _random

    return _random.gauss(0.0, 1.0)


def _kernel_only(name):
    return _exceptions.QuadrantsSyntaxError(f"qd.{name} can only be used in kernels and funcs.")


def _only_in_kernels(*names):
    for name in names:

        def op(*args, _name=name, **keywords):
            raise _kernel_only(_name)

        op.__name__ = op.__qualname__ = name
        op.__module__ = "quadrants"
        op.__doc__ = f"{name}: for kernels and funcs."
        globals()[name] = builtin(op)


_only_in_kernels(
    "atomic_add", "atomic_sub", "atomic_mul", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor",
    "atomic_exchange", "atomic_cas", "volatile_load", "assume_in_range", "block_local", "cache_read_only", "loop_config",
    "static_print", "activate", "deactivate", "is_active", "append", "length", "get_addr", "rescale_index", "no_activate",
    "mesh_local", "mesh_patch_idx", "loop_unique", "clock_counter", "global_thread_idx",
)  # fmt: skip


def clock_freq_hz():
    """Steps a second of the counter that qd.clock_counter() reads in kernels."""
    return 1e9 if _runtime.current_cfg().arch.name == "python" else _runtime.core().clock_frequency()


@builtin
def stream_parallel():
    """`with qd.stream_parallel():` in a kernel holds what may run beside the kernel's other blocks of this kind. On the CPU
    they run one after another; in Python the block runs as it stands."""
    import contextlib

    return contextlib.nullcontext()


_LINEAR_ALGEBRA = {
    "svd": "Singular values of a 2x2 or 3x3 matrix: (U, S, V), A = U S V^T, S diagonal and descending.",
    "sym_eig": "Eigenvalues, ascending, and eigenvectors, as columns, of a symmetric matrix of 2 to 6 rows.",
    "eig": "Eigenvalues of a 2x2 matrix as rows (real, imaginary), and eigenvectors: columns of such pairs, one below another.",
    "polar_decompose": "(U, P) with A = U P, U orthogonal and P symmetric, of a 2x2 or 3x3 matrix.",
    "make_spd": "The nearest positive semidefinite matrix of a symmetric one of 2 to 6 rows.",
}


def _define_linear_algebra(namespace):
    for name, doc in _LINEAR_ALGEBRA.items():

        def op(A, dt=None, _name=name):
            raise _kernel_only(_name)

        op.__name__ = op.__qualname__ = name
        op.__module__ = "quadrants"
        op.__doc__ = doc
        namespace[name] = builtin(op)


_define_linear_algebra(globals())


@builtin
def solve(A, b, dt=None):
    """x with A x = b, for 2x2 and 3x3 matrices."""
    raise _kernel_only("solve")


@builtin
def static(*args):
    """Compile-time evaluation in kernels; the value itself in Python."""
    return args[0] if len(args) == 1 else args


@builtin
def static_assert(condition, message=None):
    """Fails the compilation if `condition` is false."""
    if not condition:
        raise AssertionError(message)


@builtin
def grouped(x):
    """Iterates with the indices as one vector."""
    return (_matrix.Vector(list(i if isinstance(i, tuple) else (i,))) for i in x)


class _Ndrange:
    """The product of ranges; iterates over tuples of indices."""

    _qd_kind_ = "ndrange"

    def __init__(self, *args, axes=None):
        self.bounds = [_bounds(a) for a in args]
        self.axes = _check_axes(axes, len(args))
        self.dimensions = [hi - lo if hi > lo else 0 for lo, hi in self.bounds]

    def __iter__(self):
        import itertools

        order = self.axes or range(len(self.bounds))
        for picked in itertools.product(*(range(*self.bounds[a]) for a in order)):
            index = [0] * len(picked)
            for axis, value in zip(order, picked):
                index[axis] = value
            yield tuple(index)


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
    """The product of ranges: each argument is an extent or (begin, end)."""
    return _Ndrange(*args, axes=axes)


def tasks_on_last_call():
    return _runtime.core().tasks_on_last_call()
