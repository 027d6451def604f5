"""The iterables of `for` loops in a kernel; iterations run one after another."""

import itertools as _itertools
import math as _math

from quadrants import _exceptions
from quadrants._language import ops as _ops
from quadrants._storage import field as _field, struct as _struct
from quadrants._language.annotations import kind_word
from quadrants._python_backend import meshes, numbers, places
from quadrants._python_backend.numbers import DryRun, Scalar, fail_type, kind_of, value_as
from quadrants._python_backend.storage import storage_of
from quadrants._python_backend.values import Mat, broadcast, is_number, to_mat, type_name, value_of


MOST_ITEMS = 1 << 20  # maximum number of items that are unrolled at compile time


class OutOfWork(Exception):
    """The limit of iterations has been reached: see Work."""


class Work:
    """The number of loop iterations and func calls so far, and its limit; None: unlimited."""

    done = 0
    limit = None

    @classmethod
    def step(cls):
        cls.done += 1
        if cls.limit is not None and cls.done > cls.limit:
            raise OutOfWork(f"more than {cls.limit} iterations")


def _index(i):
    return Scalar(numbers.i32, i)


class Range:
    def __init__(self, low, high):
        self.known = not any(isinstance(value_of(bound), Scalar) for bound in (low, high))
        self.low = _bound(low)
        self.high = _bound(high)

    def indices(self):
        return ((i,) for i in range(self.low, self.high))

    rank = 1

    def of_python(self):
        """Returns the range for Python functions; its bounds must be known."""
        if not self.known:
            fail_type("a range whose bounds are known only at run time can only be used in a loop")
        return range(self.low, self.high)

    def __iter__(self):
        return iter(self.of_python())

    def __reversed__(self):
        return reversed(self.of_python())

    def __len__(self):
        return len(self.of_python())

    def __getitem__(self, index):
        return self.of_python()[index]


def _bound(x):
    x = value_of(x)
    if not is_number(x):
        fail_type(f"Bounds of a range must be numbers, not {type_name(x)}")
    bound = value_as(x, numbers.i32)
    if numbers.Debug.active and type(x) is numbers.Scalar and not numbers.DryRun.active and int(x.value) != bound:
        places.fail(f"(kernel={places.kernel()}) Bounds of a range must fit in i32, but this one is {x.value}")
    return bound


def _picks(ranges):
    """Like itertools.product, which would store every number of every range."""
    if not ranges:
        yield ()
        return
    for first in ranges[0]:
        for others in _picks(ranges[1:]):
            yield first, *others


class Product:
    """The iterable of an ndrange."""

    def __init__(self, bounds, axes):
        self.bounds = bounds
        self.axes = axes
        self.rank = len(bounds)

    def indices(self):
        order = self.axes or range(self.rank)
        ranges = [range(*self.bounds[a]) for a in order]
        for picked in _itertools.product(*ranges) if sum(map(len, ranges)) <= MOST_ITEMS else _picks(ranges):
            yield tuple(value for _, value in sorted(zip(order, picked)))


class Grouped:
    def __init__(self, over):
        self.over = over


class StaticIndex(tuple):
    """The indices of an unrolled grouped loop, with the arithmetic of a vector."""


def _add_operators():
    for name, op in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"), ("mod", "%")):

        def f(x, y, op=op):
            return numbers.binary(op, x, y)

        setattr(StaticIndex, f"__{name}__", lambda a, b, op=op, f=f: broadcast(op, to_mat(tuple(a)), b, f))
        setattr(StaticIndex, f"__r{name}__", lambda a, b, op=op, f=f: broadcast(op, b, to_mat(tuple(a)), f))


_add_operators()


def range_(*args):
    if not 1 <= len(args) <= 2:
        raise _exceptions.QuadrantsSyntaxError(f"Range should have 1 or 2 arguments, found {len(args)}")
    return Range(args[0] if len(args) == 2 else 0, args[-1])


def ndrange(*args, axes=None):
    bounds = []
    for arg in args:
        arg = value_of(arg)
        pair = [0, arg] if is_number(arg) else [value_of(a) for a in arg]
        if len(pair) != 2:
            raise _exceptions.QuadrantsSyntaxError("Every argument of ndrange should be a scalar or a tuple/list like (begin, end)")
        if any(numbers.is_real(kind_of(p)) for p in pair):
            fail_type("Every argument of ndrange should be an integer scalar or a tuple/list of (int, int)")
        bounds.append((_bound(pair[0]), _bound(pair[1])))
    return Product(bounds, _ops._check_axes(axes, len(args)))


def grouped(x):
    return Grouped(_over(value_of(x)))


def _over(x):
    """Returns the object with `rank` and `indices` for an iterable in a kernel."""
    if isinstance(x, (Range, Product)):
        return x
    if isinstance(x, _ops._Ndrange):
        return Product(x.bounds, x.axes)
    while isinstance(x, _struct.StructField):
        x = x._first()
    if kind_word(x) == "snode":
        return Product([(0, n) for n in x.shape], None)
    storage = storage_of(x)
    if storage is not None:
        offset = storage.offset or (0,) * len(storage.shape)
        return Product([(low, low + n) for low, n in zip(offset, storage.shape)], None)
    return None


def loop(x, targets):
    """Yields the values of the loop variables; `targets` is the number of targets, 0 for a single name."""
    x = value_of(x)
    if DryRun.active and (isinstance(x, Grouped) or _over(x) is not None):
        return
    if isinstance(x, Grouped):
        for index in x.over.indices():
            Work.step()
            yield Mat(numbers.i32, len(index), 1, 1, list(index)) if index else StaticIndex()
        return
    if meshes.is_looped(x):
        for element in meshes.visited(x, targets):
            Work.step()
            yield element
        return
    over = _over(x)
    if over is None:
        yield from _static(x)
        return
    if targets not in (0, over.rank) or (targets == 0 and over.rank > 1):
        _wrong_targets(x, targets or 1, over.rank)
    for index in over.indices():
        Work.step()
        if over.rank == 0:
            yield _index(0)
        else:
            yield tuple(map(_index, index)) if targets else _index(index[0])


def _wrong_targets(x, given, rank):
    if isinstance(x, Product):
        raise _exceptions.QuadrantsSyntaxError(
            "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange is not supported"
        )
    raise _exceptions.QuadrantsIndexError(
        f"Number of struct-for indices does not match loop variable dimensionality ({given} != {rank}). "
        'Maybe you wanted to use "for I in qd.grouped(x)"?'
    )


def _static(x):
    if isinstance(x, (_field.Field, Scalar)) or not hasattr(x, "__iter__"):
        fail_type(
            f"Cannot loop over the object {type_name(x)} in Quadrants scope. Only Quadrants fields (via template) or dense "
            "arrays (via types.ndarray) are supported."
        )
    for item in list(bounded(x)):
        Work.step()
        yield item


def bounded(x):
    """Checks that a sequence is short enough to be unrolled."""
    size = _math.prod(high - low for low, high in x.bounds) if isinstance(x, Product) else None
    if isinstance(x, Range):
        size = x.high - x.low
    if isinstance(x, (list, tuple, range)):
        size = x.__len__() if not isinstance(x, range) else max(0, (x.stop - x.start) // x.step)
    if size is not None and size > MOST_ITEMS:
        too_long()
    return x


def too_long():
    fail_type("A list or tuple of more than 1048576 items is too long")


def unrolled(x):
    """Returns the list of Python values that qd.static makes from an iterable."""
    if isinstance(x, _ops._Ndrange):
        x = Product(x.bounds, x.axes)
    bounded(x.over if isinstance(x, Grouped) else x)
    if isinstance(x, Range):
        return [i for (i,) in x.indices()]
    if isinstance(x, Product):
        return list(x.indices())
    if isinstance(x, Grouped):
        return [StaticIndex(i) for i in x.over.indices()]
    return x.rows() if isinstance(x, Mat) else x
