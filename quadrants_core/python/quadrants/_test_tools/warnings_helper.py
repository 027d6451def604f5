"""Warnings that are given once."""

_given = set()


def warn_once(message):
    """A UserWarning, the first time that it is asked for."""
    import warnings

    if message not in _given:
        _given.add(message)
        warnings.warn(message, stacklevel=2)
