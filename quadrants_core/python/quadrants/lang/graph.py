"""qd.graph: constructs for kernels with graph=True, under the module name that programs import."""

from quadrants._language.graph import do_while, parallel, parallel_context


def __getattr__(name):
    if name == "Stepper":
        from quadrants._language.stepper import Stepper

        return Stepper
    raise AttributeError(f"module 'quadrants.graph' has no attribute {name!r}")
