"""Names of fields in errors: the name given by the program, or a variable that refers to the field."""

import os
import sys
from _thread import _local

from quadrants._trees import snode as _snode

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_DERIVATIVES = {_snode.SNodeGradType.ADJOINT: "grad", _snode.SNodeGradType.DUAL: "dual"}


class _Thread(_local):
    variables = {}


def named(field):
    """Returns `velocity`, or `velocity.grad`; "" if neither the program nor a variable of the active functions names the field."""
    given = getattr(field, "_name", "")
    which = _DERIVATIVES.get(getattr(field._members()[0], "role", None))
    if given and given != which:
        return given
    for name, value in _variables():
        value = getattr(value, "_impl", value)
        if value is field:
            return name
        if which and getattr(type(value), "_qd_kind_", None) in ("field", "matrix_field") and getattr(value, which) is field:
            return f"{value._name or name}.{which}"
    return ""


_thread = _Thread()
_snode.name_of = named


class names_of:
    """Context in which the variables of a namespace name fields, too: those of a notebook while none of its code runs."""

    def __init__(self, variables):
        self.variables = variables

    def __enter__(self):
        self._before, _thread.variables = _thread.variables, self.variables

    def __exit__(self, *_):
        _thread.variables = self._before


def _variables():
    """Yields the variables of the active functions, except those of the package and of `copy` and `pickle`."""
    for name, value in list(_thread.variables.items()):
        if not name.startswith("_"):  # IPython stores results under such names, `_` and `_2`
            yield name, value
    frame, modules = sys._getframe(1), set()
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_globals.get("__name__") not in ("copy", "pickle"):
            if frame.f_code.co_name != "<module>":
                yield from list(frame.f_locals.items())
            if id(frame.f_globals) not in modules:
                modules.add(id(frame.f_globals))
                yield from [(name, value) for name, value in frame.f_globals.items() if name.strip("_0123456789")]
        frame = frame.f_back


def of_place(place):
    """Returns the name of the field that has an element there, or "". Used for violations of bounds in Python code."""
    for builder in _snode.finished_builders():
        for member in list(builder._members):
            if member.place is place and member.field is not None:
                return named(member.field)
    return ""


def not_allocated(field):
    """Returns the reason why a field has no memory."""
    which = _DERIVATIVES.get(getattr(field._parts[0], "role", None))
    if which is None:
        return "Field has no allocation: place it in a tree, or give it a shape"
    name = named(field) or which
    return f"Field has no allocation: `{name}` is there if the field was made with `needs_{which}=True`, or if `x.{which}` is placed in a tree"
