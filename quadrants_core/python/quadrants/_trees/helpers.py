"""What the package does for programs with whole fields. Programs count each kind once a field, as they count kernels: in
get_num_compiled_functions(), and as files of the cache on disk."""

from quadrants import _native, _settings

_kinds = {}  # kind -> its number in the lines of QD_SHOW_COMPILING, as if it was the first kernel of the program
_used = set()
_settings.after_reset.append(_used.clear)


def use(kind, places, form=""):
    """`places` were filled, read, written or cleared; `form` tells calls apart that are two kernels elsewhere."""
    key = (kind, form, *[place.id for place in places])
    if key in _used:
        return
    _used.add(key)
    _kinds.setdefault(kind, len(_kinds))
    numbered = sum(1 for other in _used if other[0] == kind) - 1
    description = f"{kind} {form} ".encode() + b"".join(place.description for place in places)
    _native.core().use_helper(kind, description, f"{kind}_c{_kinds[kind]}_{numbered}")


def count():
    """How many since qd.init."""
    return len(_used)
