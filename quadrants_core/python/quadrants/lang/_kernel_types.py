"""Kinds of arguments in the statistics of launches."""

import enum as _enum


class KernelBatchedArgType(_enum.IntEnum):
    FLOAT = 0
    INT = 1
    UINT = 2
    QD_ARRAY = 3
    QD_ARRAY_WITH_GRAD = 4
