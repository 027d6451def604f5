"""Extends %autoreload to kernels, funcs and types of a module that was run again."""

import gc
import sys
import types

from quadrants_jupyter import fingerprint, stale

_rules = None  # IPython's rules: (predicate, function that updates the old object) for two objects of one name


def before_cell(*_):
    """Adds the rule once IPython's extension is loaded, which may happen at any time; without it, this costs nothing."""
    global _rules
    extension = sys.modules.get("IPython.extensions.autoreload")
    if extension is not None and _rules is None:
        _rules = extension.UPDATE_RULES
        _rules.insert(0, (_fit, lambda old, new: _replace(old, new, extension)))


def leave():
    global _rules
    if _rules is not None:
        _rules[:] = [rule for rule in _rules if rule[0] is not _fit]
        _rules = None


def _fit(old, new):
    kind = fingerprint.kind(old)
    if kind is None or kind != fingerprint.kind(new):
        return False
    if kind == "data_oriented":
        return isinstance(old, type) and isinstance(new, type)
    # members are replaced with their class
    return kind == "struct_type" or kind in ("kernel", "func") and "." not in old.__qualname__


def _replace(old, new, extension):
    """Replaces the old object in every module that imported it by name, and forgets code compiled with it."""
    if isinstance(old, type):
        extension.update_class(old, new)
    else:
        spaces = [vars(m) for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)]
        spaces.append(stale.names())
        for space in gc.get_referrers(old):
            if isinstance(space, dict) and any(space is one for one in spaces):
                for name in [name for name, value in space.items() if value is old]:
                    space[name] = new
    stale.forget_all()
