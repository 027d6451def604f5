"""qd.graph: what kernels with graph=True hold. Programs know the module by this name."""

from quadrants._language.graph import do_while, parallel, parallel_context


def __getattr__(name):
    if name == "Stepper":
        from quadrants._language.stepper import Stepper

        return Stepper
    raise AttributeError(f"module 'quadrants.graph' has no attribute {name!r}")
