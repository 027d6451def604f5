"""Counting of lines while there is a window."""

import weakref

from quadrants import _native
from quadrants._language import kernel as _kernel

_counted = weakref.WeakSet()  # functions of the kernels that are counted for the window


def _counts(fn):
    _counted.add(fn)
    return True


def begin(suits=lambda info: True):
    """Enables counting in all kernels, which are compiled again for it, except those with an explicit setting and those for which `suits`
    is false. Returns the latter."""
    if _kernel.counts_definition is None:
        _kernel.counts_definition = _counts
    infos = {kernel._primal: None for kernel in _kernel.living() if kernel._primal.coverage is None}
    left = [info for info in infos if not suits(info)]
    for info in infos.keys() - left:
        info.coverage = True
        if any(made._specialisations() for made in info.compiled()):
            info.checked_in = _native.core().generation()
        _counted.add(info.fn)
        _forget(info)
    return [info.name for info in left]


def _forget(info):
    for kernel in info.compiled():
        kernel._forget()


def define_no_more():
    """Kernels defined from now on are not counted."""
    if _kernel.counts_definition is _counts:
        _kernel.counts_definition = None


def end(suits=lambda info: True):
    """Restores kernels to their previous state; those for which `suits` is false retain their counters."""
    define_no_more()
    for info in {kernel._primal: None for kernel in _kernel.living() if kernel._primal.fn in _counted and suits(kernel._primal)}:
        info.coverage = None
        _forget(info)
    _counted.clear()
