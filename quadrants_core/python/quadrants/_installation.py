"""Detects PyPI's `quadrants`: a different package, which is also imported as `quadrants`, so its files are in the same folder."""

import os as _os

NAME = "xeus-quadrants"  # the distribution; `quadrants` is the name to import

_FOLDER = _os.path.dirname(_os.path.abspath(__file__))
_THEIRS = _os.path.join(_FOLDER, "_lib", "runtime")  # every version of the other package has this folder, and no version of this one

REMEDY = (
    f"PyPI's package `quadrants` is installed over {NAME}, and files of both are mixed in {_FOLDER}: "
    f"run `pip uninstall -y quadrants {NAME}`, then install the wheel of {NAME} again"
)


def is_mixed():
    """Returns whether files of the other package are in the folder of this one. Costs one look at the file system."""
    return _os.path.exists(_THEIRS)


def check():
    """Warns at the import of a mixed package."""
    if is_mixed():
        from quadrants import _logging

        _logging.warn_caller(REMEDY, RuntimeWarning)


def other_versions():
    """Returns the versions of the distribution `quadrants` that Python's metadata lists, in whatever folder."""
    import importlib.metadata

    return sorted({found.version for found in importlib.metadata.distributions(name="quadrants")})
