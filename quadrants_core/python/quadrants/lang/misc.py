"""Properties of the machine and of this build."""

from quadrants._arch import Extension as extension
from quadrants._arch import amdgpu, arm64, cpu, cuda, gpu, is_arch_supported, metal, python, vulkan, x64
from quadrants._arch import host_archs as get_host_arch_list
from quadrants._arch import is_extension_supported
from quadrants._language.graph import GraphStatus, checkpoint
from quadrants._storage.field import _Layout as Layout
from quadrants._language.ops import (
    assume_in_range, block_local, cache_read_only, clock_counter, clock_freq_hz, global_thread_idx, loop_config, loop_unique,
    mesh_local, mesh_patch_idx, no_activate,
)  # fmt: skip
from quadrants._runtime import init, reset
from quadrants._trees.snode import axes
from quadrants._timeline import timeline_clear, timeline_save
from quadrants.lang._absent import absent as _absent

__getattr__ = _absent("quadrants.lang.misc", {"": "the language itself is in quadrants (qd.*)"})
