"""Funcs that replace methods of fields in kernels."""

from quadrants._language import annotations as _annotations, func as _func
from quadrants._language.ops import grouped


@_func.func
def fill(field: _annotations.template(), val: _annotations.template()):
    for index in grouped(field):
        field[index] = val
