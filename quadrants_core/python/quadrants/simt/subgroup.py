"""qd.simt.subgroup: operations on the threads that a GPU runs in lockstep."""

from quadrants._lanes.ops import size as _size
from quadrants._language.ops import builtin as _builtin
from quadrants.simt._names import define as _define

_OPS = ("add", "mul", "min", "max", "and", "or", "xor")
_TILED = {
    **{"all_true": "predicate", "any_true": "predicate", "all_equal": "value", "bitonic_sort_kv": "key, value"},
    **{f"{kind}_{op}": "value" for kind in ("reduce", "reduce_all") for op in ("add", "min", "max")},
    **{f"segmented_reduce_{op}": "value, head_flag" for op in ("add", "min", "max")},
    **{f"{kind}_{op}": "value" for kind in ("inclusive", "exclusive") for op in _OPS},
}

_define(
    globals(),
    "simt.subgroup",
    "sync(); mem_fence(); elect(); ballot(predicate); ballot_first_n(predicate, n); broadcast(value, index); "
    "broadcast_first(value); log2_group_size(); invocation_id(); shuffle(value, index); shuffle_xor(value, mask); "
    "shuffle_up(value, offset); shuffle_down(value, offset); "
    + "; ".join(f"{name}({parameters}); {name}_tiled({parameters}, log2_size)" for name, parameters in _TILED.items()),
    {"barrier": "sync", "memory_barrier": "mem_fence", "ballot_full_subgroup": "ballot"},
)


@_builtin
def group_size():
    """Returns the number of threads in a subgroup, known at compile time; 0 if there are no subgroups.

    Example:
        >>> qd.simt.subgroup.group_size()
        0
    """
    return _size()


group_size._qd_name_ = "simt.subgroup.group_size"


def _mask(name):
    def mask(lane_id):
        bit = 1 << int(lane_id)
        full = 0xFFFFFFFF
        return {"eq": bit, "lt": bit - 1, "le": 2 * bit - 1, "gt": full & ~(2 * bit - 1), "ge": full & ~(bit - 1)}[name] & full

    mask.__name__ = mask.__qualname__ = f"lanemask_{name}"
    mask.__module__ = "quadrants.simt.subgroup"
    said = {"eq": "equal to", "lt": "less than", "le": "at most", "gt": "greater than", "ge": "at least"}[name]
    mask.__doc__ = (
        f"Returns a mask of the lanes of a subgroup whose index is {said} `lane_id`.\n\nArgs:\n    lane_id: the index of a lane, starting at 0.\n\n"
        f"Returns:\n    A u32.\n\nExample:\n    >>> bin(qd.simt.subgroup.lanemask_{name}(2) & 15)\n    '{bin(mask(2) & 15)}'"
    )
    return _builtin(mask, f"simt.subgroup.lanemask_{name}")


lanemask_lt, lanemask_le, lanemask_eq, lanemask_gt, lanemask_ge = map(_mask, ("lt", "le", "eq", "gt", "ge"))
