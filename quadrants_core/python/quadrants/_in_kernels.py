"""What methods of fields mean in a kernel: funcs in their place."""

from quadrants import _annotations, _kernel
from quadrants._ops import grouped


@_kernel.func
def fill(field: _annotations.template(), val: _annotations.template()):
    for index in grouped(field):
        field[index] = val
