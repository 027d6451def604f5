"""Docstrings of the operations on the threads of a GPU."""

_NEEDS = "Needs an architecture with blocks of threads; on the CPU, its use raises an error."
_VERBS = {
    "add": "the sum", "mul": "the product", "min": "the minimum", "max": "the maximum", "and": "the bitwise and",
    "or": "the bitwise or", "xor": "the bitwise exclusive or",
}  # fmt: skip
_OF = {
    "reduce": "Returns, in the first thread, {what} of the values of all threads of the {group}.",
    "reduce_all": "Returns, in every thread, {what} of the values of all threads of the {group}.",
    "inclusive": "Returns {what} of the values of the threads of the {group} up to and including this one.",
    "exclusive": "Returns {what} of the values of the threads of the {group} before this one; in the first thread, the identity.",
    "segmented_reduce": "Returns, in the first thread of each segment, {what} of its values; a segment begins where head_flag is set.",
}
_SAID = {
    "sync": "Waits until all threads of the {group} have reached this point; their writes are then visible.",
    "mem_fence": "Orders memory accesses: the other threads of the {group} see earlier writes of this thread before later ones.",
    "thread_idx": "Returns the index of the thread in its block.",
    "sync_all_nonzero": "Synchronises like sync, and returns whether the predicate is true in all threads.",
    "sync_any_nonzero": "Synchronises like sync, and returns whether the predicate is true in any thread.",
    "sync_count_nonzero": "Synchronises like sync, and returns the number of threads in which the predicate is true.",
    "SharedArray": "An array shared by the threads of a block.",
    "reduce": "Returns, in the first thread of the block, the values of all threads combined by op.",
    "reduce_all": "Returns, in every thread of the block, the values of all threads combined by op.",
    "inclusive_scan": "Returns the values of the threads of the block up to and including this one, combined by op.",
    "exclusive_scan": "Returns the values of the threads of the block before this one, combined by op.",
    "radix_rank_match_atomic_or": "Returns the position that the thread's key has when the keys of the block are sorted by a digit; equal digits retain their order.",
    "elect": "Returns True in exactly one thread of the subgroup.",
    "ballot": "Returns a mask with one bit per thread of the {group}, set where the predicate is true.",
    "ballot_first_n": "Returns a mask with one bit for each of the first n threads, set where the predicate is true.",
    "broadcast": "Returns the value of the thread with the given index.",
    "broadcast_first": "Returns the value of the first thread.",
    "log2_group_size": "Returns the logarithm to the base 2 of the number of threads in a subgroup.",
    "invocation_id": "Returns the index of the thread in its subgroup.",
    "shuffle": "Returns the value of the thread with the given index, which may be different in each thread.",
    "shuffle_xor": "Returns the value of the thread whose index is that of this thread, exclusive or the mask.",
    "shuffle_up": "Returns the value of the thread `offset` positions before this one.",
    "shuffle_down": "Returns the value of the thread `offset` positions after this one.",
    "all_true": "Returns whether the predicate is true in all threads of the subgroup.",
    "any_true": "Returns whether the predicate is true in any thread of the subgroup.",
    "all_equal": "Returns whether all threads of the subgroup have the same value.",
    "bitonic_sort_kv": "Sorts the keys of the threads, and values with them; returns the (key, value) at the position of the thread.",
    "active_mask": "Returns a mask of the active threads of the warp.",
    "all_nonzero": "Returns whether the predicate is true in all threads of the mask.",
    "any_nonzero": "Returns whether the predicate is true in any thread of the mask.",
    "match_all": "Returns the mask if all its threads have the same value, else 0.",
    "match_any": "Returns a mask of the threads in the mask that have the value of this thread.",
    "unique": "Returns whether the predicate is the same, zero or not, in all threads of the mask.",
    "shfl_xor": "Returns the value of the thread whose index is that of this thread, exclusive or the offset.",
    "shfl_sync": "Returns the value of the thread with index `offset`.",
    "shfl_up": "Returns the value of the thread `offset` positions before this one.",
    "shfl_down": "Returns the value of the thread `offset` positions after this one.",
}
_PARAMETERS = {
    "predicate": "a boolean.",
    "value": "a number.",
    "val": "a number.",
    "key": "the sort key, an unsigned integer.",
    "index": "the index of a thread in the subgroup.",
    "mask": "for warps: one bit per participating thread; for shuffle_xor: an integer.",
    "offset": "number of threads.",
    "n": "number of threads.",
    "head_flag": "whether a segment begins at this thread.",
    "log2_size": "base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.",
    "block_dim": "number of threads in a block, a constant.",
    "op": "a func that takes two values.",
    "identity": "the identity element of op.",
    "dtype": "the type of the values.",
    "shape": "an integer or a tuple of integers, constant.",
    "radix_bits": "number of bits of a digit.",
    "bit_start": "the lowest bit of the digit.",
    "num_bits": "number of bits of the digit that are used.",
    "bins": "a SharedArray for the number of keys with each digit.",
    "excl_prefix": "a SharedArray for the number of keys with a smaller digit.",
}


def text(name, parameters):
    """Returns the docstring. `name`: the qualified name, such as simt.block.sync."""
    module, _, last = name.rpartition(".")
    group = module.rpartition(".")[2]
    plain = last.removesuffix("_tiled").removesuffix("_i32").removesuffix("_f32")
    kind, _, op = plain.rpartition("_")
    summary = _OF[kind].replace("{what}", _VERBS[op]) if kind in _OF and op in _VERBS else _SAID[plain]
    named = [p for p in map(str.strip, parameters.split(",")) if p]
    parts = [summary.replace("{group}", group if group != "grid" else "launch")]
    if named:
        parts.append("Args:\n" + "\n".join(f"    {p}: {_PARAMETERS[p]}" for p in named))
    parts.append(f"Raises:\n    {_NEEDS}")
    call = f"qd.{name}({', '.join('1' for _ in named)})"
    parts.append(
        f"Example:\n    >>> {call}\n    Traceback (most recent call last):\n"
        f"    ValueError: qd.{name} is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"
    )
    return "\n\n".join(parts)
