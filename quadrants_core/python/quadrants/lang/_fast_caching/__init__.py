"""Kernels that a later process loads without parsing them again. Dependencies are compared by value, so dataclass members that affect the
compilation need no mark; the mark is accepted."""

from quadrants.lang._absent import absent as _absent

FIELD_METADATA_CACHE_VALUE = "add_value_to_cache_key"

__getattr__ = _absent(
    "quadrants.lang._fast_caching", {"": "look at k._primal.src_ll_cache_observations; docs/design/cache-entries.md says how it works"}
)
