"""Hints are accepted and do not change results; promises are checked in debug mode."""

import pytest
import quadrants as qd
from quadrants.lang.misc import loop_unique


def test_hints_about_memory():
    x, y = qd.field(qd.f32), qd.Vector.field(2, qd.f32, shape=8)
    cells = qd.root.bitmasked(qd.i, 8)
    cells.place(x)
    s = qd.Struct.field({"a": qd.f32}, shape=8)

    @qd.kernel
    def go():
        qd.block_local(x, y)
        qd.cache_read_only(s)
        qd.mesh_local(y)
        for i in range(8):
            x[i] = i
            y[i] = [x[i], 2 * x[i]]
        qd.loop_config(bit_vectorize=True, block_dim_adaptive=False)
        for i in x:
            s[i].a = y[i].sum()

    go()
    assert s.a.to_numpy().tolist() == [3 * i for i in range(8)]


def test_promises_give_their_value():
    x = qd.field(qd.i32, shape=8)

    @qd.kernel
    def go():
        for i in range(8):
            near = qd.assume_in_range(i // 2 + 1, i // 2, 0, 2)
            alone = loop_unique(i, covers=[x, x.parent()])
            x[alone] += near * 10 + loop_unique(i)
        for i in range(8):
            x[loop_unique(i, x)] += qd.assume_in_range(val=1, base=0, low=-3, high=5)

    go()
    assert x.to_numpy().tolist() == [(i // 2 + 1) * 10 + i + 1 for i in range(8)]


def test_promises_are_checked_in_debug_mode(arch):
    @qd.kernel
    def go(value: qd.i32, base: qd.i64) -> qd.i32:
        return qd.assume_in_range(value, base, -1, 2)

    assert go(12, 10) == 12
    qd.init(arch=arch, offline_cache=False, debug=True)
    assert [go(v, 10) for v in (9, 10, 11)] == [9, 10, 11]
    for v in (8, 12):
        with pytest.raises(qd.QuadrantsAssertionError, match=rf"assume_in_range: {v} is not in \[9, 12\)"):
            go(v, 10)
