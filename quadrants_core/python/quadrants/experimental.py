"""qd.experimental."""


def real_func(func):
    """The earlier name of qd.real_func."""
    import warnings

    from quadrants import _kernel

    warnings.warn(
        "qd.experimental.real_func is deprecated because it is no longer experimental. Use qd.real_func instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return _kernel.real_func(func)
