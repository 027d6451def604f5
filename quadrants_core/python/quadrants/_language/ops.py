"""Functions of the language that also work on numbers and small matrices in Python. In a kernel the frontend takes their
place: it knows them by `_qd_name_`."""

import math as _math
from functools import partial as _partial

from quadrants import _dtypes, _exceptions, _native, _settings
from quadrants._language import matrix as _matrix
from quadrants._trees import layout as _layout


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
    n = len(shaped._entries)
    columns = [a._entries if isinstance(a, _matrix.Matrix) else [a] * n for a in args]
    if any(len(c) != n for c in columns):
        raise _exceptions.QuadrantsTypeError("the shapes of the arguments differ")
    kinds = {a._dtype for a in args if isinstance(a, _matrix.Matrix)}
    dtype = kinds.pop() if len(kinds) == 1 else None
    return shaped._same([f(*row) for row in zip(*columns)], dtype if dtype and dtype.kind == "float" else None)


_with_signature = {}  # parameters as text -> function that makes one with them of what it does: compiled once for all


def with_parameters(namespace, prototypes, make, doc, module="quadrants", prefix=""):
    """Functions of the prototypes ("name(a, b=None); ..."), each of which hands its arguments to make(name)."""
    for prototype in map(str.strip, prototypes.split(";")):
        name, _, parameters = prototype[:-1].partition("(")
        if parameters not in _with_signature:
            given = ", ".join(p.partition("=")[0].strip() for p in parameters.split(",") if p.strip() not in ("", "*"))
            exec(f"def having(does):\n    def op({parameters}):\n        return does({given})\n    return op", made := {})
            _with_signature[parameters] = made["having"]
        op = _with_signature[parameters](make(name))
        op.__code__ = op.__code__.replace(co_name=name, co_qualname=name)
        op.__name__ = op.__qualname__ = name
        op.__module__ = module
        op.__doc__ = doc.format(name=name)
        namespace[name] = builtin(op, prefix + name)


def _define(namespace, table, prefix=""):
    """`table`: prototype -> what it does to numbers. Returns what is made, by name."""
    by_name = {prototype.partition("(")[0]: f for prototype, f in table.items()}
    with_parameters(
        namespace, ";".join(table), lambda name: _partial(_map, by_name[name]),
        "{name} of numbers, vectors or matrices, elementwise.", prefix=prefix,
    )  # fmt: skip
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


# Elementwise functions, which `quadrants` and `quadrants.lang.ops` export as they stand here.
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


def _raiser(name):
    def refuse(*args, **keywords):
        raise _kernel_only(name)

    return refuse


with_parameters(
    globals(),
    """atomic_add(x, y); atomic_sub(x, y); atomic_mul(x, y); atomic_min(x, y); atomic_max(x, y); atomic_and(x, y);
    atomic_or(x, y); atomic_xor(x, y); atomic_exchange(x, y); atomic_cas(x, expected, desired); volatile_load(target);
    assume_in_range(val, base, low, high); loop_unique(val, covers=None); block_local(*args); cache_read_only(*args);
    loop_config(*, block_dim=None, serialize=False, parallelize=None, block_dim_adaptive=True, bit_vectorize=False, name=None);
    static_print(*args, **kwargs); activate(node, indices); deactivate(node, indices); is_active(node, indices);
    append(node, indices, val); length(node, indices); get_addr(f, indices); rescale_index(a, b, I); no_activate(*args);
    mesh_local(*args); stop_grad(x); mesh_patch_idx(); clock_counter(); global_thread_idx()""",
    _raiser,
    "{name}: for kernels and funcs.",
)


def clock_freq_hz():
    """Steps a second of the counter that qd.clock_counter() reads in kernels."""
    return 1e9 if _settings.current().arch.name == "python" else _native.core().clock_frequency()


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


for _name, _doc in _LINEAR_ALGEBRA.items():
    with_parameters(globals(), f"{_name}(A, dt=None)", _raiser, _doc)


@builtin
def solve(A, b, dt=None):
    """x with A x = b, for 2x2 and 3x3 matrices."""
    raise _kernel_only("solve")


@builtin
def static(x, *xs):
    """Compile-time evaluation in kernels; the value itself in Python."""
    return (x, *xs) if xs else x


@builtin
def static_assert(cond, msg=None):
    """Fails the compilation if `cond` is false."""
    if not cond:
        raise AssertionError(msg)


@builtin
def grouped(x):
    """Iterates with the indices as one vector."""
    return (_matrix.Vector(list(i if isinstance(i, tuple) else (i,))) for i in x)


class _Ndrange:
    """The product of ranges; iterates over tuples of indices."""

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
        """The same with the indices as one vector."""
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
    """The product of ranges: each argument is an extent or (begin, end)."""
    return _Ndrange(*args, axes=axes)


def tasks_on_last_call():
    return _native.core().tasks_on_last_call()
