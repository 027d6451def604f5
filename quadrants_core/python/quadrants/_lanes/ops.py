"""The ops on the threads of a block and the lanes of a subgroup, as builtins of kernels; they have no meaning outside."""

from quadrants import _native, _settings
from quadrants._language.ops import builtin as _builtin

GROUP, BLOCK, DEVICE = range(3)  # scopes of a fence


def row(name, module="lanes"):
    """Returns the builtin of a row of builtins.def."""

    def op(*args):
        raise ValueError(f"qd.simt: {name} is an operation of kernels")

    return _builtin(op, f"{module}.{name}")


block_sync, group_sync, fence, lane, thread, ballot, SharedArray = map(
    row, ("block_sync", "group_sync", "fence", "lane", "thread", "ballot", "SharedArray")
)
popcnt = row("popcnt", "math")
shuffle, shuffle_xor, shuffle_up, shuffle_down = map(row, ("shuffle", "shuffle_xor", "shuffle_up", "shuffle_down"))
identity = {name: row(f"identity_{name}") for name in ("add", "mul", "min", "max", "and", "or", "xor")}


def size():
    """Returns the number of lanes of a subgroup of the running program; 0 if it has no subgroups."""
    return _native.core().lanes() if _settings.cfg is not None else 0


def log2():
    return size().bit_length() - 1
