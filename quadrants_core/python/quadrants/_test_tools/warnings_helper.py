"""Warnings that are issued once."""

_given = set()


def warn_once(message):
    """Issues a UserWarning on the first call with this message."""
    import warnings

    if message not in _given:
        _given.add(message)
        warnings.warn(message, stacklevel=2)
