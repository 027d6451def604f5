"""qd.experimental: former names."""

from quadrants._language import func as _func


def real_func(func):
    """Former name of qd.real_func."""
    import warnings

    warnings.warn(
        "qd.experimental.real_func is deprecated because it is no longer experimental. Use qd.real_func instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return _func.real_func(func)
