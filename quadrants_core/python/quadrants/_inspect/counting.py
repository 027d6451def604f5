"""Lines are counted while there is a window."""

import weakref

from quadrants._language import kernel as _kernel

_counted = weakref.WeakSet()  # functions of kernels that are counted for the window


def _counts(fn):
    _counted.add(fn)
    return True


def begin():
    """In all kernels, which are compiled once more for it, but for those of which it was decided otherwise."""
    if _kernel.counts_definition is None:
        _kernel.counts_definition = _counts
    for kernel in [kernel for kernel in _kernel.living() if kernel._primal.coverage is None]:
        kernel._primal.coverage = True
        _counted.add(kernel._primal.fn)
        kernel._forget()


def define_no_more():
    """Kernels that are defined from now on are not counted."""
    if _kernel.counts_definition is _counts:
        _kernel.counts_definition = None


def end():
    """Kernels run as they did before."""
    define_no_more()
    for kernel in [kernel for kernel in _kernel.living() if kernel._primal.fn in _counted]:
        kernel._primal.coverage = None
        kernel._forget()
    _counted.clear()
