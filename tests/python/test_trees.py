"""Trees of fields: levels that are not dense, loops over their cells, builders, what the host does with them."""

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


def test_loops_visit_what_was_written():
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


def test_a_loop_may_remove_the_cell_at_hand():
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

    x[70] = 3
    off(70)
    assert x[70] == 3 and count() == 0
    on(70)
    on(99)
    assert count() == 169


def test_append_and_length():
    x = qd.field(qd.i32)
    row = qd.root.dense(qd.i, 4).dynamic(qd.j, 100, chunk_size=8)
    row.place(x)

    @qd.kernel
    def fill() -> qd.i32:
        last = 0
        for i in range(4):
            for k in range(i * 30):
                last = qd.append(row, [i], k * 10)
        return last

    @qd.kernel
    def more() -> qd.i32:
        return x[1].append(77) * 1000 + x[1].length()

    @qd.kernel
    def length(i: qd.i32) -> qd.i32:
        return qd.length(row, i)

    @qd.kernel
    def clear():
        x[1].deactivate()
        qd.deactivate(row, [2])

    fill()
    assert [length(i) for i in range(4)] == [0, 30, 60, 90]
    assert more() == 30 * 1000 + 31 and x[1, 30] == 77 and x[3, 89] == 890
    clear()
    assert [length(i) for i in range(4)] == [0, 0, 0, 90]
    x[0, 40] = 5
    assert length(0) == 41 and x[0, 39] == 0


def test_append_of_vectors_and_several_members():
    v = qd.Vector.field(3, qd.f32)
    n = qd.field(qd.i32)
    row = qd.root.dynamic(qd.i, 1000, chunk_size=16)
    row.place(v, n)

    @qd.kernel
    def fill():
        for k in range(500):
            qd.append(row, [], [1.0 * k, 2.0 * k, 3.0 * k, k])

    @qd.kernel
    def wrong() -> qd.i32:
        bad = 0
        for k in n:
            if v[k][0] != n[k] or v[k].y != 2 * n[k] or v[k].z != 3 * n[k]:
                bad += 1
        return bad

    fill()
    assert wrong() == 0
    assert sorted(n[k] for k in range(500)) == list(range(500))


def test_structs_in_dynamic_levels():
    particle = qd.types.struct(mass=qd.f32, pos=qd.types.vector(2, qd.i32))
    x = particle.field()
    qd.root.dense(qd.i, 3).dynamic(qd.j, 20, chunk_size=4).place(x, offset=(1, 0))

    @qd.kernel
    def fill() -> qd.i32:
        last = 0
        for k in range(5):
            last += x[2].append(particle(mass=k * 0.5, pos=[k, -k]))
        return last * 100 + x[2].length() * 10 + x[1].length()

    @qd.kernel
    def total() -> qd.f32:
        s = 0.0
        for i, j in x:
            s += x[i, j].mass * 100 + x[i, j].pos.x - i
        return s

    assert fill() == 1050
    assert x[2, 4].mass == 2 and x[2, 3].pos.to_list() == [3, -3]
    assert total() == 500 + 10 - 10


def test_appends_of_many_threads(arch):
    x = qd.field(qd.i32)
    cells = qd.root.dense(qd.i, 3).dynamic(qd.j, 1 << 16, chunk_size=4)
    cells.place(x)
    n = 300 if arch == "interp" else 30000

    @qd.kernel
    def fill():
        for k in range(n):
            qd.append(cells, [k % 3], k)

    fill()
    got = x.to_numpy()
    for r in range(3):
        assert sorted(got[r][: n // 3].tolist()) == list(range(r, n, 3))


def test_order_changes_the_storage_alone():
    a = qd.field(qd.i32, shape=(3, 5), order="ij")
    b = qd.field(qd.i32, shape=(3, 5), order="ji")

    @qd.kernel
    def fill():
        for i, j in a:
            a[i, j] = i * 10 + j
        for i, j in b:
            b[i, j] = i * 10 + j

    @qd.kernel
    def step(which: qd.template(), i: qd.i32, j: qd.i32) -> qd.u64:
        return qd.get_addr(which, [i, j]) - qd.get_addr(which, [0, 0])

    fill()
    assert (a.to_numpy() == b.to_numpy()).all()
    assert (step(a, 0, 1), step(a, 1, 0)) == (4, 20)
    assert (step(b, 0, 1), step(b, 1, 0)) == (12, 4)


def test_offsets_on_sparse_fields():
    x = qd.field(qd.i32)
    qd.root.pointer(qd.ij, 4).dense(qd.ij, 8).place(x, offset=(-16, 100))

    @qd.kernel
    def write():
        for i, j in qd.ndrange((-3, 3), (110, 112)):
            x[i, j] = i * 1000 + j

    @qd.kernel
    def wrong() -> qd.i32:
        bad = 0
        for i, j in x:
            if x[i, j] != 0 and x[i, j] != i * 1000 + j:
                bad += 1
        return bad

    write()
    assert x[-3, 111] == -2889 and x[2, 110] == 2110 and wrong() == 0


def test_extents_are_exact():
    x = qd.field(qd.i32)
    y = qd.field(qd.f64)
    top = qd.root.dense(qd.i, 3)
    inner = top.dense(qd.jk, (5, 7))
    inner.place(x, y)
    assert inner.shape == (3, 5, 7) and x.shape == (3, 5, 7)
    assert inner._cell_size_bytes == 16 and y.snode._offset_bytes_in_parent_cell == 8
    assert top._cell_size_bytes == 35 * 16

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for i, j, k in x:
            n += 1
        return n

    assert count() == 105


def test_twelve_indices():
    axes = qd.axes(*range(12))
    x = qd.field(qd.i32)
    qd.root.dense(axes[:6], (2, 1, 2, 1, 2, 1)).pointer(axes[6:9], (1, 3, 2)).dense(axes[9:], (2, 2, 1)).place(x)
    assert x.shape == (2, 1, 2, 1, 2, 1, 1, 3, 2, 2, 2, 1)

    @qd.kernel
    def write():
        x[1, 0, 1, 0, 1, 0, 0, 2, 1, 1, 0, 0] = 5

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for I in qd.grouped(x):
            n += 1
        return n

    write()
    assert x[1, 0, 1, 0, 1, 0, 0, 2, 1, 1, 0, 0] == 5 and count() == 4
    with pytest.raises(qd.QuadrantsRuntimeError, match="at most 12 indices"):
        qd.axes(12)


def test_trees_that_are_made_later():
    x = qd.field(qd.i32, shape=4)
    x.fill(1)
    y = qd.field(qd.i32)
    qd.root.pointer(qd.i, 4).place(y)
    y[2] = 7
    z = qd.field(qd.i32)
    qd.root.dense(qd.i, 2).place(z)
    z[1] = 3

    @qd.kernel
    def total() -> qd.i32:
        s = 0
        for i in x:
            s += x[i]
        for i in y:
            s += y[i]
        for i in z:
            s += z[i]
        return s

    assert total() == 14
    assert len({f.snode._snode_tree_id for f in (x, y, z)}) == 3


def test_builders_and_destroying_trees():
    for round in range(3):
        x = qd.field(qd.i32)
        y = qd.field(qd.i32)
        builder = qd.FieldsBuilder()
        builder.pointer(qd.i, 8).dense(qd.i, 8).place(x)
        builder.dense(qd.i, 5).place(y)
        tree = builder.finalize()

        @qd.kernel
        def count() -> qd.i32:
            n = 0
            for i in x:
                n += 1
            return n

        x[9] = 1
        assert count() == 8
        with pytest.raises(qd.QuadrantsRuntimeError, match="FieldsBuilder finalized"):
            builder.dense(qd.i, 3)
        tree.destroy()
        with pytest.raises(qd.QuadrantsRuntimeError, match="SNode tree has been destroyed"):
            tree.destroy()
        with pytest.raises(qd.QuadrantsRuntimeError, match="destroyed"):
            x[9]


def test_an_empty_builder_warns():
    with pytest.warns(UserWarning, match="Finalizing an empty FieldsBuilder!"):
        qd.FieldsBuilder().finalize()
    with pytest.warns(UserWarning, match="would do nothing if FieldsBuilder is not finalized"):
        qd.FieldsBuilder().deactivate_all()


def test_deactivate_all_of_every_tree():
    x, y = qd.field(qd.i32), qd.field(qd.i32)
    qd.root.bitmasked(qd.i, 8).place(x)
    builder = qd.FieldsBuilder()
    builder.dynamic(qd.i, 8).place(y)
    builder.finalize()
    x[3] = 1
    y[5] = 1

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for i in x:
            n += 1
        for i in y:
            n += 1
        return n

    assert count() == 7
    qd.deactivate_all_snodes()
    assert count() == 0


def test_levels_describe_themselves():
    x = qd.field(qd.i32)
    block = qd.root.pointer(qd.i, 4)
    mask = block.bitmasked(qd.ij, (2, 3))
    mask.place(x)
    assert str(x.snode) == "qd.root => pointer [4] => bitmasked [8, 3] => place [8, 3]"
    assert repr(mask) == "<qd.SNode of type bitmasked>"
    assert x.parent() == mask and x.parent(2) == block and mask.parent() == block
    assert block.parent() == qd.root and x.snode.parent(3) == qd.root and x.snode.parent(4) is None
    assert block.shape == (4,) and mask.shape == (8, 3)
    assert mask._physical_index_position() == {0: 0, 1: 1}
    assert [str(c) for c in block._get_children()] == [str(mask)]
    assert x.snode._path_from_root()[0] == qd.root


def test_rescaled_indices():
    x = qd.field(qd.i32)
    block = qd.root.pointer(qd.ij, (4, 2))
    block.dense(qd.ij, (8, 5)).place(x)

    @qd.kernel
    def down() -> qd.types.vector(2, qd.i32):
        return qd.rescale_index(x, block, [17, 7])

    @qd.kernel
    def up() -> qd.types.vector(2, qd.i32):
        return qd.rescale_index(block, x, qd.Vector([3, 1]))

    assert down().to_list() == [2, 1] and up().to_list() == [24, 5]


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


def test_sum_into_the_cell_at_hand_and_its_neighbours():
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


def test_cells_of_a_field_that_is_gone():
    x = qd.field(qd.i32)
    level = qd.root.pointer(qd.i, 8)
    level.place(x)
    x[1] = 1
    qd.reset()
    with pytest.raises(Exception):
        x[1]
    with pytest.raises(Exception):
        level.deactivate_all()


def test_memory_does_not_grow_with_trees_that_come_and_go():
    from quadrants import _runtime

    def once():
        x = qd.field(qd.i32)
        builder = qd.FieldsBuilder()
        builder.pointer(qd.i, 64).dense(qd.i, 1024).place(x)
        tree = builder.finalize()
        for i in range(0, 65536, 1024):
            x[i] = 1
        tree.destroy()

    once()
    before = _runtime.core().allocated_bytes()
    for _ in range(20):
        once()
    assert _runtime.core().allocated_bytes() <= before


def test_gradients_have_storage_where_they_are_asked_for():
    x = qd.field(qd.f32, shape=(2, 3), needs_grad=True)
    v = qd.Vector.field(2, qd.f64, shape=4, needs_grad=True, needs_dual=True)
    plain = qd.field(qd.f32, shape=2)
    number = qd.field(qd.i32, shape=2)
    assert x.has_grad() and not x.has_dual() and v.has_grad() and v.has_dual()
    assert not plain.has_grad() and plain.grad is not None and number.grad is None
    assert x.grad.shape == (2, 3)

    @qd.kernel
    def fill():
        for i, j in x:
            x.grad[i, j] = i + j
            x[i, j] = 7
        for i in v:
            v.grad[i] = [i, 2 * i]

    fill()
    assert x.grad[1, 2] == 3 and x[1, 2] == 7 and v.grad[3].to_list() == [3, 6] and v.dual[3].to_list() == [0, 0]
    for needs in ({"needs_grad": True}, {"needs_dual": True}):
        with pytest.raises(qd.QuadrantsRuntimeError, match="i32 is not supported for field with `needs_grad=True` or"):
            qd.field(qd.i32, shape=3, **needs)


def test_lazy_grad():
    x, y, n = qd.field(qd.f32), qd.field(qd.f64), qd.field(qd.i32)
    block = qd.root.pointer(qd.i, 4)
    block.dense(qd.i, 4).place(x, n)
    block.dense(qd.i, 2).place(y)
    qd.root.lazy_grad()
    qd.root.lazy_dual()
    assert x.has_grad() and y.has_grad() and y.has_dual()
    x.grad[5] = 2
    y.grad[3] = 3
    assert x[5] == 0 and x.grad[5] == 2 and y.grad[3] == 3
    assert x.grad.parent() == x.parent() and y.grad.parent() == y.parent()


@qd.kernel
def nothing():
    pass


def test_fields_that_nobody_placed():
    x = qd.field(qd.f32, name="lonely")
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"These field\(s\) are not placed.*lonely"):
        nothing()
    other = qd.field(qd.i32, shape=2)
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"These field\(s\) are not placed.*lonely"):
        other[0]
    qd.root.dense(qd.i, 2).place(x)
    nothing()
    assert other[0] == 0


def test_axes_are_axes():
    for axes in (0, "i", [qd.i, 1]):
        with pytest.raises(TypeError, match="axes are qd.i, qd.ij"):
            qd.root.dense(axes, 2)


@pytest.mark.parametrize("which", ["grad", "dual"])
def test_gradients_that_nobody_placed(which):
    x = qd.field(qd.f32, **{f"needs_{which}": True})
    qd.root.dense(qd.i, 1).place(x)
    text = rf"These field\(s\) requrie `needs_{which}=True`, however their {which} field\(s\) are not placed"
    with pytest.raises(qd.QuadrantsRuntimeError, match=text):
        nothing()
    getattr(qd.root, f"lazy_{which}")()
    nothing()


@pytest.mark.parametrize("which", ["grad", "dual"])
def test_gradients_that_nobody_asked_for(which, arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        x = qd.field(qd.f32, 3, name="x")
        v = qd.Vector.field(2, qd.f32, 3, name="v")

        @qd.kernel
        def of_scalars():
            getattr(x, which)[0] = 1

        @qd.kernel
        def of_vectors():
            for i in range(3):
                getattr(v, which)[i][1] += 1

        for name, kernel in (("x", of_scalars), ("v", of_vectors)):
            text = f"Gradient {name}.{which} has not been placed, check whether `needs_grad=True`"
            with pytest.raises(qd.QuadrantsCompilationError, match=text):
                kernel()
        with pytest.raises(qd.QuadrantsRuntimeError, match="Field has no allocation"):
            getattr(x, which)[0]


def test_members_of_one_field_in_levels_of_different_shapes():
    v = qd.Vector.field(2, qd.f32)
    qd.root.dense(qd.i, 2).place(v.get_scalar_field(0))
    qd.root.dense(qd.i, 3).place(v.get_scalar_field(1))
    with pytest.raises(qd.QuadrantsRuntimeError, match="Members of the following field have different shapes.*"):
        nothing()


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_components_indexed_at_run_time(layout):
    v = qd.Vector.field(3, qd.i32, shape=(2, 4), layout=layout)
    m = qd.Matrix.field(2, 2, qd.f64, shape=5, offset=-2, layout=layout)

    @qd.kernel
    def fill():
        for i, j in v:
            for k in range(3):
                v[i, j][k] = i * 100 + j * 10 + k
        for i in m:
            for a, b in qd.ndrange(2, 2):
                m[i][a, b] += i * 10 + a * 2 + b

    @qd.kernel
    def total(k: qd.i32) -> qd.i32:
        s = 0
        for i, j in v:
            s += v[i, j][k]
        return s

    fill()
    assert v.to_numpy()[1, 3].tolist() == [130, 131, 132] and m[-1].to_list() == [[-10, -9], [-8, -7]]
    assert [total(k) for k in range(3)] == [int(v.to_numpy()[..., k].sum()) for k in range(3)]


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_components_known_and_unknown_are_the_same_memory(layout):
    v = qd.Vector.field(2, qd.i32, shape=3, layout=layout)

    @qd.kernel
    def both(k: qd.i32) -> qd.i32:
        v[1][1] = 5
        a = v[1][k]
        v[1][1] = 7
        b = v[1][k]
        v[1][k] = 9
        return a * 100 + b * 10 + v[1][1]

    assert both(1) == 579


def test_components_of_a_sparse_field_indexed_at_run_time():
    v = qd.Vector.field(3, qd.i32)
    block = qd.root.pointer(qd.i, 4)
    for k in range(3):
        block.dense(qd.i, 4).place(v.get_scalar_field(k))

    @qd.kernel
    def write(i: qd.i32, k: qd.i32) -> qd.i32:
        before = v[i][k]
        v[i][k] = i * 10 + k
        return before * 1000 + v[i][k]

    assert write(5, 2) == 52 and write(5, 2) == 52052 and v[5].to_list() == [0, 0, 52] and v[9].to_list() == [0, 0, 0]


def test_messages_about_order_and_offset():
    wrong = [
        (dict(shape=(2, 3), order="i"), "The dimensionality of shape and order must be the same"),
        (dict(order="ij"), "shape cannot be None when order is set"),
        (dict(shape=(2, 3), order="ii"), "The axes in order must be different"),
        (dict(shape=(2, 3), order="ik"), "Invalid axis"),
        (dict(shape=(2, 3), offset=1), "The dimensionality of shape and offset must be the same"),
        (dict(offset=1), "shape cannot be None when offset is set"),
    ]
    for keywords, text in wrong:
        with pytest.raises(qd.QuadrantsCompilationError, match=text):
            qd.field(qd.i32, **keywords)


def test_messages_about_fields():
    from quadrants._lib import core

    x = qd.field(qd.i32, shape=4)
    for make in (lambda: qd.field(qd.i32, shape=0), lambda: qd.root.dense(qd.i, -1), lambda: qd.root.pointer(qd.ij, (3, 0))):
        with pytest.raises(core.QuadrantsRuntimeError, match="Every dimension of a Quadrants field should be positive"):
            make()
    with pytest.raises(AssertionError, match="Slicing is not supported on qd.field"):
        x[0:2]
    with pytest.raises(NotImplementedError, match="Struct for is only available in Quadrants scope"):
        for _ in x:
            pass
    with pytest.raises(qd.QuadrantsRuntimeError, match="Member fields of a matrix field must have the same compute type"):
        qd.Vector.field(2, (qd.f32, qd.i32), shape=3)
    with pytest.raises(ValueError, match="cannot be placed"):
        qd.root.dense(qd.i, 3).place(3)


def test_levels_that_an_architecture_does_not_have(monkeypatch):
    from quadrants import _arch

    monkeypatch.setattr(_arch, "is_extension_supported", lambda arch, extension: False)
    for name, text in (("pointer", "Pointer"), ("bitmasked", "Bitmasked"), ("dynamic", "Dynamic")):
        with pytest.raises(qd.QuadrantsRuntimeError, match=f"{text} SNode is not supported on this backend."):
            getattr(qd.root, name)(qd.i, 4)
        with pytest.raises(qd.QuadrantsRuntimeError, match=f"{text} SNode is not supported on this backend."):
            getattr(qd.FieldsBuilder(), name)(qd.i, 4)


def test_levels_as_template_arguments():
    x, y = qd.field(qd.i32), qd.field(qd.i32)
    a = qd.root.pointer(qd.i, 4)
    a.dense(qd.i, 2).place(x)
    b = qd.root.bitmasked(qd.ij, 3)
    b.place(y)
    x[3] = y[2, 1] = 1

    @qd.func
    def switch_off(level, I):
        qd.deactivate(level, I)

    @qd.kernel
    def clear(level: qd.template()) -> qd.i32:
        n = 0
        for I in qd.grouped(level):
            switch_off(level, I)
            n += 1
        return n

    assert clear(a) == 1 and clear(b) == 1 and clear(a) == 0 and clear(b) == 0


@pytest.mark.parametrize("kind", ["scalar", "vector", "struct"])
def test_methods_of_a_field_along_a_dynamic_level(kind):
    vec2 = qd.types.vector(2, qd.f32)
    edge = qd.types.struct(p=vec2, n=qd.i32)
    x = {"scalar": lambda: qd.field(qd.f32), "vector": lambda: qd.Vector.field(2, qd.f32), "struct": edge.field}[kind]()
    qd.root.dynamic(qd.i, 64, chunk_size=8).place(x)

    @qd.kernel
    def fill(n: qd.i32) -> qd.i32:
        x.deactivate()
        for i in range(n):
            if qd.static(kind == "struct"):
                x.append(edge(p=vec2(i, 1), n=i))
            elif qd.static(kind == "vector"):
                x.append(vec2(i, 1))
            else:
                x.append(float(i))
        return x.length()

    @qd.kernel
    def total() -> qd.f32:
        s = 0.0
        for i in range(x.length()):
            if qd.static(kind == "struct"):
                s += x[i].p.x + x[i].n
            elif qd.static(kind == "vector"):
                s += x[i].x + x[i].y
            else:
                s += x[i]
        return s

    assert fill(10) == 10 and total() == {"scalar": 45, "vector": 55, "struct": 90}[kind]
    assert fill(3) == 3 and total() == {"scalar": 3, "vector": 6, "struct": 6}[kind]


def test_one_extent_in_a_list_is_that_of_every_axis():
    x = qd.field(qd.i32)
    qd.root.pointer(qd.ijk, [4]).dense(qd.ijk, (2,)).place(x)
    assert x.shape == (8, 8, 8)
    with pytest.raises(qd.QuadrantsCompilationError, match="3 axes, but 2 dimensions"):
        qd.root.dense(qd.ijk, (2, 2))


def test_address_of_the_element_that_an_snode_stands_for():
    x = qd.field(qd.i32)
    qd.root.dense(qd.ij, (1, 2)).dense(qd.ij, 2).dense(qd.ij, 2).place(x)

    @qd.kernel
    def fill():
        for i, j in x:
            base = qd.get_addr(x.snode, [0, 0])
            x[i, j] = int(qd.get_addr(x.snode, [i, j]) - base) // 4

    fill()
    tile = np.array([[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]])
    assert (x.to_numpy() == np.hstack([tile, tile + 16])).all()


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
