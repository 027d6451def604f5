"""Extends %autoreload to kernels, funcs and types of a module that was run again, and to kernels compiled with values of a module that was
edited in place."""

import gc
import sys
import types

from quadrants_jupyter import fingerprint, stale

_rules = None  # IPython's rules: (predicate, function that updates the old object) for two objects of one name
_extension = _check = None  # IPython's extension and its function that reloads what was edited


def before_cell(*_):
    """Adds the rule once IPython's extension is loaded, which may happen at any time; without it, this costs nothing."""
    global _rules, _extension, _check
    extension = sys.modules.get("IPython.extensions.autoreload")
    if extension is None or _rules is not None:
        return
    _rules, _extension, _check = extension.UPDATE_RULES, extension, extension.ModuleReloader.check
    _rules.insert(0, (_fit, lambda old, new: _replace(old, new, extension)))
    extension.ModuleReloader.check = _checked


def leave():
    global _rules
    if _rules is not None:
        _rules[:] = [rule for rule in _rules if rule[0] is not _fit]
        _extension.ModuleReloader.check = _check
        _rules = None


def _checked(reloader, *args, **keywords):
    """Reloads what was edited. IPython only assigns the new values if just constants were edited."""
    before = dict(reloader.modules_mtimes)
    try:
        return _check(reloader, *args, **keywords)
    finally:
        edited = [name for name, at in reloader.modules_mtimes.items() if before.get(name, at) != at]
        if edited:
            stale.after_reload([vars(sys.modules[name]) for name in edited if name in sys.modules])


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
