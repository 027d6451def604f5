"""Docstrings of the operations that need the threads of a GPU."""

_NEEDS = "Needs a GPU: on the CPU, using it raises an error that says so."
_VERBS = {
    "add": "the sum", "mul": "the product", "min": "the least", "max": "the greatest", "and": "the bits that all have",
    "or": "the bits that any has", "xor": "the exclusive or of the bits",
}  # fmt: skip
_OF = {
    "reduce": "In the first thread, {what} of the values of all threads of the {group}.",
    "reduce_all": "In every thread, {what} of the values of all threads of the {group}.",
    "inclusive": "In each thread, {what} of the values of the threads of the {group} up to it.",
    "exclusive": "In each thread, {what} of the values of the threads of the {group} before it; in the first, what changes nothing.",
    "segmented_reduce": "In the first thread of each segment, {what} of its values; a segment begins where head_flag is set.",
}
_SAID = {
    "sync": "Waits until all threads of the {group} are here; what they wrote is seen.",
    "mem_fence": "What this thread wrote before is seen by the others of the {group} before what it writes afterwards.",
    "thread_idx": "The number of the thread in its block.",
    "sync_all_nonzero": "As sync; whether the predicate holds in all threads.",
    "sync_any_nonzero": "As sync; whether the predicate holds in a thread.",
    "sync_count_nonzero": "As sync; in how many threads the predicate holds.",
    "SharedArray": "An array that the threads of a block share.",
    "reduce": "In the first thread of the block, op of the values of all.",
    "reduce_all": "In every thread of the block, op of the values of all.",
    "inclusive_scan": "In each thread of the block, op of the values up to it.",
    "exclusive_scan": "In each thread of the block, op of the values before it.",
    "radix_rank_match_atomic_or": "The place of the thread's key among those of the block with the same digit or a lesser one.",
    "elect": "True in one thread of the subgroup.",
    "ballot": "A bit for each thread of the {group}: whether the predicate holds there.",
    "ballot_first_n": "A bit for each of the first n threads: whether the predicate holds there.",
    "broadcast": "The value of the thread with this index.",
    "broadcast_first": "The value of the first thread.",
    "log2_group_size": "Logarithm to the base 2 of the threads of a subgroup.",
    "invocation_id": "The number of the thread in its subgroup.",
    "shuffle": "The value of the thread with this index, which may differ from thread to thread.",
    "shuffle_xor": "The value of the thread whose number is this one's, exclusive or the mask.",
    "shuffle_up": "The value of the thread `offset` before this one.",
    "shuffle_down": "The value of the thread `offset` behind this one.",
    "all_true": "Whether the predicate holds in all threads of the subgroup.",
    "any_true": "Whether the predicate holds in a thread of the subgroup.",
    "all_equal": "Whether all threads of the subgroup have the same value.",
    "bitonic_sort_kv": "Sorts the keys of the threads, and values with them: (key, value) of the thread's place.",
    "active_mask": "A bit for each thread of the warp that is here.",
    "all_nonzero": "Whether the predicate holds in all threads of the mask.",
    "any_nonzero": "Whether the predicate holds in a thread of the mask.",
    "match_all": "The mask if all its threads have this value, else 0.",
    "match_any": "A bit for each thread of the mask that has this thread's value.",
    "unique": "Whether no other thread of the mask has this thread's value.",
    "shfl_xor": "The value of the thread whose number is this one's, exclusive or the offset.",
    "shfl_sync": "The value of the thread with the number `offset`.",
    "shfl_up": "The value of the thread `offset` before this one.",
    "shfl_down": "The value of the thread `offset` behind this one.",
}
_PARAMETERS = {
    "predicate": "a truth value.",
    "value": "a number.",
    "val": "a number.",
    "key": "the number to sort by; an unsigned integer.",
    "index": "the number of a thread of the subgroup.",
    "mask": "of warps: a bit for each thread that takes part; of shuffle_xor: an integer.",
    "offset": "how many threads.",
    "n": "how many threads.",
    "head_flag": "whether a segment begins at this thread.",
    "log2_size": "the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.",
    "block_dim": "threads of a block, a constant.",
    "op": "a func of two values.",
    "identity": "the value that changes nothing.",
    "dtype": "the type of the values.",
    "shape": "an integer or a tuple of them, constants.",
    "radix_bits": "bits of a digit.",
    "bit_start": "the lowest bit of the digit.",
    "num_bits": "how many of its bits count.",
    "bins": "shared memory with a count for each digit.",
    "excl_prefix": "shared memory for their scan.",
}


def text(name, parameters):
    """`name`: with the module before it, such as simt.block.sync."""
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
