"""Pointer, hash and bitmasked levels: writes activate cells, and loops visit them."""

import numpy as np
import pytest
import quadrants as qd


def test_reading_does_not_activate_and_gives_zero():
    x = qd.field(qd.f32)
    block = qd.root.pointer(qd.ij, 4)
    block.dense(qd.ij, 4).place(x)

    @qd.kernel
    def read() -> qd.f32:
        return x[3, 5] + x[15, 15]

    @qd.kernel
    def active(i: qd.i32, j: qd.i32) -> qd.i32:
        return qd.is_active(block, [i, j])

    assert read() == 0 and x[9, 9] == 0
    assert [active(i, j) for i in range(4) for j in range(4)] == [0] * 16
    x[9, 9] = 2.5
    assert active(2, 2) == 1 and x[9, 9] == 2.5 and x[8, 8] == 0


def test_loops_visit_written_cells():
    x = qd.field(qd.i32)
    qd.root.pointer(qd.ij, (3, 5)).bitmasked(qd.ij, (7, 3)).place(x)

    @qd.kernel
    def write():
        for k in range(50):
            x[(k * 5) % 21, (k * 7) % 15] = k + 1

    @qd.kernel
    def total() -> qd.i32:
        s = 0
        for i, j in x:
            s += i * 100 + j
        return s

    write()
    cells = {((k * 5) % 21, (k * 7) % 15) for k in range(50)}
    assert total() == sum(i * 100 + j for i, j in cells)
    assert np.count_nonzero(x.to_numpy()) == len(cells)


def test_a_loop_may_write_to_the_tree_it_runs_over():
    x = qd.field(qd.i32)
    block = qd.root.pointer(qd.i, 16)
    block.bitmasked(qd.i, 16).place(x)

    @qd.kernel
    def spread():
        for i in x:
            x[i + 64] = x[i] + 1

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for i in x:
            n += 1
        return n

    for i in range(0, 64, 5):
        x[i] = i
    assert count() == 13
    spread()
    assert count() == 26
    assert [x[i + 64] for i in range(0, 64, 5)] == [i + 1 for i in range(0, 64, 5)]


def test_a_loop_may_remove_its_own_cell():
    x = qd.field(qd.i32)
    block = qd.root.pointer(qd.i, 32)
    block.dense(qd.i, 4).place(x)

    @qd.kernel
    def fill():
        for i in range(128):
            x[i] = i + 1

    @qd.kernel
    def halve() -> qd.i32:
        left = 0
        for b in block:
            if b % 2 == 0:
                qd.deactivate(block, [b])
                x[b * 4] = 7  # a new cell
                left += x[b * 4 + 1]
        return left

    for _ in range(3):
        fill()
        assert halve() == 0
        assert x[4] == 5 and x[8] == 7 and x[9] == 0
        assert block._num_dynamically_allocated <= 64


def test_memory_of_removed_cells_is_used_again():
    x = qd.field(qd.i32)
    inner = qd.root.pointer(qd.i, 64).pointer(qd.i, 4)
    inner.dense(qd.i, 8).place(x)

    @qd.kernel
    def fill(v: qd.i32):
        for i in range(2048):
            x[i] = v

    fill(1)
    allocated = inner._num_dynamically_allocated
    assert allocated == 256
    for round in range(5):
        qd.root.deactivate_all()
        assert x.to_numpy().sum() == 0
        fill(round)
        assert x.to_numpy().tolist() == [round] * 2048
    assert inner._num_dynamically_allocated == allocated


def test_bitmasked_cells_keep_their_value_while_off():
    x = qd.field(qd.i32)
    mask = qd.root.bitmasked(qd.i, 100)
    mask.place(x)

    @qd.kernel
    def off(i: qd.i32):
        qd.deactivate(mask, [i])

    @qd.kernel
    def on(i: qd.i32):
        qd.activate(mask, i)

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for i in mask:
            n += i
        return n

    @qd.kernel
    def read(i: qd.i32) -> qd.i32:
        return x[i]

    x[70] = 3
    off(70)
    assert x[70] == read(70) == 3 and count() == 0 and not x.to_numpy().any()
    assert x[71] == read(71) == 0
    on(70)
    on(99)
    assert count() == 169


def test_writes_under_a_condition_activate_only_if_it_holds():
    x = qd.field(qd.i32)
    total = qd.field(qd.i32)
    block = qd.root.pointer(qd.i, 4)
    block.dense(qd.i, 4).place(x)
    slot = qd.root.pointer(qd.i, 3)
    slot.place(total)

    @qd.kernel
    def add(limit: qd.i32):
        for i in range(100):
            if i < limit:
                total[1] += i

    @qd.kernel
    def same():
        x[5] = x[5]

    @qd.kernel
    def active() -> qd.i32:
        return qd.is_active(slot, [1]) * 10 + qd.is_active(block, [1])

    add(0)
    assert active() == 0
    add(10)
    assert active() == 10 and total[1] == 45
    same()
    assert active() == 11


def test_sum_into_the_own_cell_and_its_neighbours():
    a, b, c = qd.field(qd.i32), qd.field(qd.i32), qd.field(qd.i32)
    block = qd.root.pointer(qd.ij, 8)
    block.dense(qd.ij, 4).place(a)
    block.dense(qd.ij, 4).place(b)
    qd.root.dense(qd.ij, 32).place(c)

    @qd.kernel
    def fill():
        for i, j in qd.ndrange((6, 20), (3, 30)):
            a[i, j] = i * 32 + j

    @qd.kernel
    def stencil():
        for i, j in a:
            a[i, j] += 1
            b[i, j] += a[i, j] * 2
            for di, dj in qd.static(qd.ndrange(2, 2)):
                c[i - di, j - dj] += a[i, j]

    fill()
    before = a.to_numpy()
    stencil()
    live = np.zeros((32, 32), bool)
    live[4:20, 0:32] = True
    expected = np.where(live, before + 1, 0)
    assert (a.to_numpy() == expected).all() and (b.to_numpy() == 2 * expected).all()
    around = sum(np.roll(expected, (-di, -dj), (0, 1)) for di in range(2) for dj in range(2))
    assert (c.to_numpy()[:, 1:31] == around[:, 1:31]).all()


def test_continue_and_locals_in_loops_over_cells():
    x = qd.field(qd.i32)
    qd.root.bitmasked(qd.i, 200).place(x)

    @qd.kernel
    def total() -> qd.i32:
        s = 0
        for i in x:
            if i % 2 == 0:
                continue
            n = 0
            while True:
                n += 1
                if n > i:
                    break
            if n % 4 == 0:
                continue
            s += n
        return s

    for i in range(0, 200, 3):
        x[i] = 1
    assert total() == sum(i + 1 for i in range(0, 200, 3) if i % 2 and (i + 1) % 4)


def test_serial_and_nested_loops_over_cells():
    x = qd.field(qd.i32)
    qd.root.pointer(qd.i, 8).dynamic(qd.j, 6, chunk_size=2).place(x)
    x[3, 4] = 1
    x[6, 0] = 2

    @qd.kernel
    def serial() -> qd.i32:
        code = 0
        qd.loop_config(serialize=True)
        for i, j in x:
            code = (code * 7 + i * 10 + j) % 100003
        return code

    @qd.kernel
    def nested() -> qd.i32:
        n = 0
        for k in range(5):
            for i, j in x:
                n += 1
        return n

    code = 0
    for i, j in [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (6, 0)]:
        code = (code * 7 + i * 10 + j) % 100003
    assert serial() == code and nested() == 30


def test_sparse_grid():
    grid = qd.sparse.grid({"mass": qd.f32, "pos": qd.math.vec2}, shape=(10, 10))
    assert grid.shape == (10, 10) and qd.sparse.usage(grid) == 0
    grid.mass[2, 3] = 1.5
    grid.pos[2, 3] = [1, 2]
    grid.mass[9, 9] = 1
    assert qd.sparse.usage(grid) == pytest.approx(0.02)
    with pytest.raises(Exception, match="Only 2D and 3D sparse grids are supported"):
        qd.sparse.grid({"mass": qd.f32}, shape=(4,))


def test_fill_copy_and_numpy_touch_active_cells_alone():
    x, y = qd.field(qd.f32), qd.field(qd.f32)
    qd.root.pointer(qd.i, 4).dense(qd.i, 2).place(x, y)
    x[3] = 1
    x.fill(4)
    assert x.to_numpy().tolist() == [0, 0, 4, 4, 0, 0, 0, 0]
    x.from_numpy(np.arange(8, dtype=np.float32))
    assert x.to_numpy().tolist() == [0, 0, 2, 3, 0, 0, 0, 0]
    y.copy_from(x)
    assert y.to_numpy().tolist() == [0, 0, 2, 3, 0, 0, 0, 0]


def test_no_activate_is_accepted():
    x = qd.field(qd.i32)
    d = qd.root.dynamic(qd.i, 1024, chunk_size=32)
    d.place(x)

    @qd.kernel
    def fill():
        for i in range(1024):
            x[i] = 1

    @qd.kernel
    def half():
        qd.no_activate(d)
        for i in range(512):
            x[i * 2 + 1] += 1

    fill()
    half()
    assert [x[i] for i in range(1024)] == [i % 2 + 1 for i in range(1024)]


@pytest.mark.parametrize("option", ["check_out_of_bound", "debug"])
def test_cells_that_a_level_does_not_have(arch, option):
    qd.init(arch=arch, offline_cache=False, **{option: True})
    x, y = qd.field(qd.f32), qd.field(qd.i32)
    qd.root.pointer(qd.j, 3).bitmasked(qd.i, 6).place(x)
    qd.root.dense(qd.i, 4).dynamic(qd.j, 2).place(y)
    z = qd.field(qd.f32, 6, offset=10)

    @qd.kernel
    def shifted(i: qd.i32) -> qd.u64:
        return qd.get_addr(z, [i]) - qd.get_addr(z, [10])

    assert shifted(15) == 20
    with pytest.raises(qd.QuadrantsAssertionError, match=r"of size \(6\) with indices \(9\)"):
        shifted(9)

    @qd.kernel
    def about(what: qd.template(), i: qd.i32) -> qd.i32:
        found = 0
        if qd.static(what == "is_active"):
            found = qd.is_active(x.parent(), [i, 1])
        elif qd.static(what == "activate"):
            qd.activate(x.parent(), [i, 1])
        elif qd.static(what == "deactivate"):
            qd.deactivate(x.parent(), [i, 1])
        elif qd.static(what == "get_addr"):
            found = qd.get_addr(x, [i, 1]) != 0
        elif qd.static(what == "length"):
            found = qd.length(y.parent(), [i])
        elif qd.static(what == "append"):
            found = qd.append(y.parent(), [i], 1)
        elif qd.static(what == "y[i].append"):
            found = y[i].append(2)
        elif qd.static(what == "y[i].length"):
            found = y[i].length()
        return found

    shapes = {"length": r"\(4\) with indices \({}\)", "append": r"\(4\) with indices \({}\)"}
    for what in ("is_active", "activate", "deactivate", "get_addr", "length", "append", "y[i].append", "y[i].length"):
        about(what, 3)
        of = shapes.get(what.rpartition(".")[2], r"\(6, 3\) with indices \({}, 1\)")
        for i in (-5, 6):
            with pytest.raises(qd.QuadrantsAssertionError, match="Accessing a level of size " + of.format(i)):
                about(what, i)
    assert y.to_numpy()[3].tolist() == [1, 2]
    with pytest.raises(qd.QuadrantsAssertionError, match=r"of size \(4, 2\) with indices \(3, 2\)"):
        about("append", 3)
