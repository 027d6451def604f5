"""Kernels with graph=True: their constructs, and the results of their launches."""

import contextlib as _contextlib
import sys as _sys

from quadrants._language.ops import builtin as _builtin


def do_while(condition):
    """`while qd.graph.do_while(flag):` in a kernel with graph=True executes its body once, and again as long as the array `flag` is nonzero
    after an execution. In Python it is True.

    Args:
        condition: a parameter of the kernel, an array with one element of type i32.

    Returns:
        True, in Python.

    Example:
        >>> @qd.kernel(graph=True)
        ... def count(n: qd.types.NDArray[qd.i32, 0], flag: qd.types.NDArray[qd.i32, 0]):
        ...     while qd.graph.do_while(flag):
        ...         for i in range(1):
        ...             n[None] += 1
        ...             flag[None] = 1 if n[None] < 5 else 0
        >>> n, flag = qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
        >>> flag.fill(1)
        >>> count(n, flag)
        >>> n[None]
        5
    """
    return True


def parallel_context():
    """`with qd.graph.parallel_context():` in a kernel with graph=True contains blocks of `qd.graph.parallel()` that do not depend on each
    other.

    Example:
        >>> @qd.kernel(graph=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1]):
        ...     with qd.graph.parallel_context():
        ...         with qd.graph.parallel():
        ...             for i in range(1):
        ...                 x[0] = 1
        ...         with qd.graph.parallel():
        ...             for i in range(1):
        ...                 x[1] = 2
        >>> x = qd.ndarray(qd.i32, 2)
        >>> f(x)
        >>> x.to_numpy()
        array([1, 2], dtype=int32)
    """
    return _contextlib.nullcontext()


def parallel():
    """`with qd.graph.parallel():` in a kernel is one of the blocks of a `qd.graph.parallel_context()`.

    Example:
        See `qd.graph.parallel_context`.
    """
    return _contextlib.nullcontext()


def checkpoint(cp_id, yield_on):
    """`with qd.checkpoint(cp_id, yield_on=flag):` in a kernel with checkpoints=True is a block after which the launch ends if the array
    `flag` is nonzero. `kernel.resume(..., from_checkpoint=cp_id)` starts at this block. Experimental: names and rules may change.

    Args:
        cp_id: the label of the block: a number or a member of an IntEnum, unique among the blocks.
        yield_on: an array with one element of type i32.

    Example:
        >>> @qd.kernel(graph=True, checkpoints=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1], flag: qd.types.NDArray[qd.i32, 0]):
        ...     with qd.checkpoint(1, yield_on=flag):
        ...         for i in x:
        ...             x[i] = i
        >>> f(qd.ndarray(qd.i32, 4), qd.ndarray(qd.i32, ())).yielded
        False
    """
    return _contextlib.nullcontext()


for _function in (do_while, parallel_context, parallel):
    _builtin(_function, f"graph.{_function.__name__}")
_builtin(checkpoint)


class GraphStatus:
    """The result of launching a kernel that contains `qd.checkpoint` blocks. Experimental, as these are.

    Args:
        yielded: whether a checkpoint ended the launch.
        checkpoint: the label of that checkpoint, or None.

    Attributes:
        yielded: whether a checkpoint ended the launch.
        checkpoint: the label of that checkpoint, or None.

    Example:
        >>> qd.GraphStatus(False, None).yielded
        False
    """

    __slots__ = ("yielded", "checkpoint")

    def __init__(self, yielded, checkpoint):
        self.yielded = yielded
        self.checkpoint = checkpoint

    def __repr__(self):
        shown = f", checkpoint={self.checkpoint!r}" if self.yielded else ""
        return f"GraphStatus(yielded={self.yielded}{shown})"


def restore_label(module, qualname, value, fn):
    """Returns the label of a checkpoint of `fn` from its cache entry: a member of an enumeration if that still exists, else an int."""
    found = _enumeration(module, qualname, fn) if qualname else None
    try:
        return found(int(value)) if found else int(value)
    except ValueError:
        return int(value)


def _enumeration(module, qualname, fn):
    """Returns the enumeration of that name, or None. The globals of `fn` need not be those of a module: code may be run by `exec`."""
    for held in _objects_named_in(fn):
        for found in (held, type(held)):
            if isinstance(found, type) and issubclass(found, int) and (found.__module__, found.__qualname__) == (module, qualname):
                return found
    first, *rest = qualname.split(".")
    is_own = fn.__globals__.get("__name__") == module
    found = fn.__globals__.get(first) if is_own else getattr(_sys.modules.get(module), first, None)
    for name in rest:
        found = getattr(found, name, None)
    return found if isinstance(found, type) and issubclass(found, int) else None


def _objects_named_in(fn):
    """Returns the objects that names in `fn` refer to outside it."""
    found = [fn.__globals__[name] for name in fn.__code__.co_names if name in fn.__globals__]
    for cell in fn.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            pass  # not assigned yet
    return found
