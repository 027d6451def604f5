"""qd.simt.warp: operations on the threads of a warp: a subgroup of 32 threads, as on CUDA. A mask has a bit for each thread that takes part."""

from quadrants.simt._names import define as _define

_define(
    globals(),
    "simt.warp",
    "active_mask(); all_nonzero(mask, predicate); any_nonzero(mask, predicate); ballot(predicate); match_all(mask, val); "
    "match_any(mask, value); sync(mask); unique(mask, predicate); shfl_xor_i32(mask, val, offset); "
    + "; ".join(f"shfl_{way}_{kind}(mask, val, offset)" for way in ("sync", "up", "down") for kind in ("i32", "f32")),
)
