"""Extents, order, offsets and places of the levels of trees; levels as objects."""

import numpy as np
import pytest
import quadrants as qd


@qd.kernel
def nothing():
    pass


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


def test_axes_are_axes():
    for axes in (0, "i", [qd.i, 1]):
        with pytest.raises(TypeError, match="axes are qd.i, qd.ij"):
            qd.root.dense(axes, 2)


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


def test_components_of_fields_in_levels_of_one_tree():
    v, w = qd.Vector.field(3, qd.f32), qd.Vector.field(3, qd.f32)
    for field in (v, w):
        qd.root.dense(qd.i, 2).place(field)
    v.fill(2)
    w.fill(5)

    @qd.kernel
    def product(i: qd.i32, k: qd.i32) -> qd.f32:
        return v[i][k] * w[i][k]

    assert product(1, 2) == 10


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


def test_one_extent_in_a_list_is_that_of_every_axis():
    x = qd.field(qd.i32)
    qd.root.pointer(qd.ijk, [4]).dense(qd.ijk, (2,)).place(x)
    assert x.shape == (8, 8, 8)
    with pytest.raises(qd.QuadrantsCompilationError, match="3 axes, but 2 dimensions"):
        qd.root.dense(qd.ijk, (2, 2))


def test_address_of_the_element_of_an_snode():
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
