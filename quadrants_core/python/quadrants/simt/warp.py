"""qd.simt.warp: the 32 threads of a warp, on CUDA."""

from quadrants.simt._names import define as _define

_define(
    globals(),
    "simt.warp",
    "active_mask all_nonzero any_nonzero ballot match_all match_any shfl_sync_i32 shfl_sync_f32 shfl_up_i32 shfl_up_f32 "
    "shfl_down_i32 shfl_down_f32 shfl_xor_i32 sync unique",
)
