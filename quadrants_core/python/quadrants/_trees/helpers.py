"""Counts the package's operations on whole fields. Programs see each kind of operation on a field as a kernel: in
get_num_compiled_functions(), and as a file of the cache on disk."""

from quadrants import _native, _settings

_kinds = {}  # kind -> its number in the lines of QD_SHOW_COMPILING, as if kernels were numbered from the first of the program
_used = set()
_settings.after_reset.append(_used.clear)


def use(kind, places, form=""):
    """Registers an operation on `places`; `form` distinguishes calls that are separate kernels in the reference implementation."""
    key = (kind, form, *[place.id for place in places])
    if key in _used:
        return
    _used.add(key)
    _kinds.setdefault(kind, len(_kinds))
    numbered = sum(1 for other in _used if other[0] == kind) - 1
    description = f"{kind} {form} ".encode() + b"".join(place.description for place in places)
    _native.core().use_helper(kind, description, f"{kind}_c{_kinds[kind]}_{numbered}")


def count():
    """Returns the number of operations since qd.init."""
    return len(_used)
