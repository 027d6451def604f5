"""Tape(validation=True) in debug mode: each element of a field with a gradient has a mark that records whether it has been read."""

from quadrants import _dtypes
from quadrants._storage import field as _field, naming as _naming
from quadrants._trees import snode as _snode

_Role = _snode.SNodeGradType


def provide_marks():
    """Adds marks for all elements that have none."""
    for builder in _snode.finished_builders():
        for member in list(builder._members):
            if getattr(member, "role", None) == _Role.PRIMAL and member.checkbit is None and member.snode().has_adjoint():
                whose = _naming.named(member.field)
                name = f"the field `{whose}`" if whose else "a field without a name"
                marks = _field.field(_dtypes.u8, shape=member.node.shape, offset=tuple(member.offset) or None, name=name)
                member.checkbit = marks._parts[0]
                member.checkbit.role = _Role.ADJOINT_CHECKBIT
