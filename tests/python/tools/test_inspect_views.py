"""Views of qd.inspect(): pictures, samples and edits of fields and arrays, in a window that only records its messages."""

import re
import threading
import time

import numpy as np
import pytest
import quadrants as qd
from inspected import PATIENCE, program, window
from quadrants._inspect import views
from quadrants._inspect.publisher import SLOTS


def arrays():
    """Returns name -> (object to view, its values, component)."""
    plane = np.arange(12.0).reshape(4, 3)
    dense = qd.field(qd.f32, shape=(4, 3))
    dense.from_numpy(plane.astype(np.float32))
    tiled = qd.field(qd.i32)
    qd.root.dense(qd.ij, (2, 3)).dense(qd.ij, (2, 1)).place(tiled)
    tiled.from_numpy(plane.astype(np.int32))
    sparse = qd.field(qd.f64)
    qd.root.pointer(qd.ij, (2, 3)).dense(qd.ij, (2, 1)).place(sparse)
    sparse[3, 1] = 7.0
    thin = np.zeros((4, 3))
    thin[3, 1] = 7.0
    vectors = qd.Vector.field(3, qd.f32, shape=(4, 3))
    stacked = np.stack([plane, plane + 1, plane * 2], -1)
    vectors.from_numpy(stacked.astype(np.float32))
    matrices = qd.Matrix.field(2, 2, qd.f32, shape=(4, 3), layout=qd.Layout.SOA)
    matrices.from_numpy(np.stack([plane] * 4, -1).reshape(4, 3, 2, 2).astype(np.float32))
    tiled_vectors = qd.Vector.field(2, qd.f32)
    qd.root.dense(qd.ij, (2, 3)).dense(qd.ij, (2, 1)).place(tiled_vectors)
    tiled_vectors.from_numpy(np.stack([plane, -plane], -1).astype(np.float32))
    cube = qd.ndarray(qd.f32, (4, 3, 5))
    whole = np.arange(60.0).reshape(4, 3, 5)
    cube.from_numpy(whole.astype(np.float32))
    halves = qd.ndarray(qd.f16, (4, 3))
    halves.from_numpy(plane.astype(np.float16))
    flags = qd.ndarray(qd.u8, (4, 3))
    flags.from_numpy(plane.astype(np.uint8))
    pairs = qd.Vector.ndarray(2, qd.f32, (4, 3))
    pairs.from_numpy(np.stack([plane, plane + 5], -1).astype(np.float32))
    line = qd.field(qd.i64, shape=6)
    line.from_numpy(np.arange(6))
    return {
        "dense": (dense, plane, 0), "tiled": (tiled, plane, 0), "sparse": (sparse, thin, 0), "component": (vectors, plane * 2, 2),
        "magnitude": (vectors, np.linalg.norm(stacked, axis=-1), -1), "SOA": (matrices, plane, 3), "cube": (cube, whole[:, :, 2], 0),
        "tiled vectors": (tiled_vectors, -plane, 1), "tiled magnitude": (tiled_vectors, np.sqrt(2) * plane, -1),
        "halves": (halves, plane, 0), "flags": (flags, plane, 0), "pairs": (pairs, plane + 5, 1), "line": (line, np.arange(6.0)[:, None], 0),
        "numpy": (plane, plane, 0), "numpy upside down": (plane[::-1].T, plane[::-1].T, 0),
    }  # fmt: skip


def test_pictures_of_any_layout_and_dtype(window, program):
    ins = qd.inspect()
    for k, (name, (array, expected, component)) in enumerate(arrays().items()):
        ins.show(**{name.replace(" ", "_"): array})
        window.want({"id": k, "component": component, "slice": [2]})
        picture = window.wait("picture", lambda m: m["view"] == k)
        np.testing.assert_allclose(window.samples(picture), expected, rtol=1e-6, err_msg=name)
        assert (picture["columns"], picture["rows"]) == expected.shape and not picture["during_launch"]


def test_pictures_of_a_device(window):
    qd.init(arch="far", offline_cache=False, log_level=qd.WARN)
    x = qd.field(qd.f32, shape=(4, 3))
    x.from_numpy(np.arange(12, dtype=np.float32).reshape(4, 3))
    qd.inspect(x)
    window.want({"id": 0})
    np.testing.assert_array_equal(window.samples(window.wait("picture")), np.arange(12).reshape(4, 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
@pytest.mark.parametrize("order", ["C", "F", "part"])
def test_samples_of_a_thinned_array(order, dtype):
    """Covers every order in memory; numpy is the reference."""
    whole = (100 * np.random.default_rng(2).random((120, 160))).astype(dtype)
    array = np.asfortranarray(whole) if order == "F" else np.repeat(whole, 2, axis=1)[:, ::2] if order == "part" else whole
    for width, height in ((120, 160), (60, 80), (120, 90), (50, 160), (50, 90)):
        out = np.zeros(120 * 160, np.float32)
        wanted = {"width": width, "height": height, "component": 0, "slice": [], "first": []}
        plan, same = views.View(0, "a", array).sample(wanted, out)
        assert plan[:4] == (width, height, 120, 160) and not same
        rows, columns = np.arange(width) * 120 // width, np.arange(height) * 160 // height
        expected = whole[rows[:, None], columns].astype(np.float32)
        np.testing.assert_array_equal(out[: width * height].reshape(width, height), expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">f4", ">i2", "g"])
def test_samples_of_numbers_of_any_type(dtype):
    whole = (np.arange(-12, 12) * 5.5).reshape(4, 6).astype(dtype)
    wanted = {"width": 2, "height": 6, "component": 0, "slice": [], "first": []}
    out = memoryview(bytearray(4 * 12)).cast("f")
    plan, same = views.View(0, "a", whole).sample(wanted, out)
    assert plan[:4] == (2, 6, 4, 6) and not same
    np.testing.assert_array_equal(np.asarray(out).reshape(2, 6), whole[::2].astype(np.float32))
    again = memoryview(bytearray(4 * 12)).cast("f")
    assert views.View(0, "a", whole).sample(wanted, again, out)[-1]
    out[11] += 1
    assert not views.View(0, "a", whole).sample(wanted, again, out)[-1]


def test_an_array_without_elements_has_no_picture(window, program):
    ins = qd.inspect(x=np.zeros((3, 0)))
    window.want({"id": 0})
    window.wait("state", lambda m: "x cannot be shown: it has no elements" in m["said"])
    assert ins.alive


def test_a_field_that_gets_its_place_later(window, program):
    x, y = qd.field(qd.f32), qd.field(qd.f32, shape=3)
    qd.inspect(x, y)
    assert [view["name"] for view in window.wait("views", lambda m: m["views"])["views"]] == ["y"]
    qd.root.dense(qd.i, 4).place(x)
    window.wait("views", lambda m: [view["shape"] for view in m["views"]] == [[4], [3]])


def test_a_large_view_is_thinned_to_what_is_seen(window, program):
    x = np.arange(3000 * 1000, dtype=np.float32).reshape(3000, 1000)
    qd.inspect(x)
    window.want({"id": 0, "width": 100, "height": 64})
    picture = window.wait("picture")
    columns, rows = (np.arange(n) * extent // n for n, extent in ((100, 3000), (64, 1000)))
    np.testing.assert_array_equal(window.samples(picture), x[np.ix_(columns, rows)])


def test_the_next_picture_waits_for_the_window_and_equal_ones_are_not_sent(window, program):
    x = np.zeros((8, 8), np.float32)
    qd.inspect(x)
    window.want({"id": 0})
    first = window.wait("picture")
    x[:] = 1
    time.sleep(0.5)
    assert [m for m in window.told if m["kind"] == "picture"] == [first]
    window.ask("shown", view=0)
    second = window.wait("picture", lambda m: m["number"] == 1)
    assert second["at"] != first["at"] and len(window.memories[second["memory"]].view) == 4 * 64 * SLOTS
    window.ask("shown", view=0)
    time.sleep(0.5)
    assert len([m for m in window.told if m["kind"] == "picture"]) == 2
    x[3, 3] = 2
    assert window.samples(window.wait("picture", lambda m: m["number"] == 2))[3, 3] == 2


def test_a_picture_is_whole(window, program):
    """A kernel keeps all elements equal, and no picture shows a launch half-way."""
    x = qd.field(qd.i32, shape=(256, 256))

    @qd.kernel
    def add():
        for i, j in x:
            x[i, j] += 1

    add()
    qd.inspect(x)
    window.want({"id": 0})
    until, seen = time.monotonic() + PATIENCE, 0
    while seen <= 20 and time.monotonic() < until:
        add()
        for picture in [m for m in window.told if m["kind"] == "picture"][seen:]:
            values = window.samples(picture)
            assert picture["during_launch"] or values.min() == values.max(), (picture, seen)
            seen += 1
            window.ask("shown", view=0)
    assert seen > 20


def test_one_long_launch_is_shown_while_it_runs(window, program):
    x = qd.field(qd.f32, shape=(64, 64))
    x.fill(0)
    ins = qd.inspect(x)

    @qd.kernel
    def long():
        for i in range(64):
            for _ in range(2_000_000_000):
                x[i, 0] += 1.0

    window.want({"id": 0})
    window.wait("picture")
    window.ask("shown", view=0)

    def stop():
        window.wait("picture", lambda m: m["during_launch"])
        window.ask("do", what="stop")

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        long()
    thread.join()
    assert ins.alive


def fields_to_edit():
    whole, fixed = qd.types.quant.int(5, True), qd.types.quant.fixed(8, True, max_value=2.0)
    packed = qd.BitpackedFields(max_num_bits=32)
    packed.place(q := qd.field(whole), r := qd.field(fixed))
    qd.root.dense(qd.i, 4).place(packed)
    made = {str(t): qd.field(t, shape=4) for t in (qd.u1, qd.i8, qd.u8, qd.i32, qd.u64, qd.f16, qd.f32, qd.f64)}
    numpy = {t: np.zeros(4, t) for t in ("?", "i1", ">i2", "f4", "g")}
    return {**made, "q": q, "r": r, **numpy, "v": qd.Vector.field(2, qd.i8, shape=4)}


def test_edits_that_a_type_does_not_hold(program):
    fields = fields_to_edit()
    shown = {name: views.View(0, name, array) for name, array in fields.items()}
    refused = {
        "u1": ["2", "-1"], "i8": ["128", "-129", "300"], "u8": ["-1", "256"], "i32": ["5000000000"], "u64": ["-1", str(2**64)], "f16": ["70000"],
        "f32": ["1e39", "1e400", "-1e400"], "f64": ["1e400"], "q": ["16", "-17"], "r": ["2.1", "inf", "nan"], "?": ["2"], "i1": ["300"], ">i2": ["40000"],
        "f4": ["1e400"], "g": ["1e400"], "v": ["200"],
    }  # fmt: skip
    for name, texts in refused.items():
        for text in texts:
            with pytest.raises(ValueError, match=f"{re.escape(text)} is outside the range of "):
                shown[name].edit([1], 1 if name == "v" else 0, text)
    for name, view in shown.items():
        real = name.startswith("f") or name in ("r", "g")
        for text in ("x", "", *(() if real else ("1e3", "1.0"))):
            with pytest.raises(ValueError, match=f"^'{text}' is not {'a number' if real else 'an integer'}$"):
                view.edit([1], 0, text)
        assert not np.any(fields[name].to_numpy() if hasattr(fields[name], "to_numpy") else fields[name])
    kept = {
        "u1": "1", "i8": "-128", "u8": "0xff", "i32": "-2147483648", "u64": str(2**64 - 1), "f16": "65504", "f32": "3.4028235e38", "f64": "1.7e308",
        "q": "-16", "r": "-2", "?": "1", "i1": "127", ">i2": "-32768", "f4": "1e3",
    }  # fmt: skip
    for name, text in kept.items():
        shown[name].edit([1], 0, text)
        assert float(fields[name][1]) == pytest.approx(float(int(text, 0)) if text.startswith("0x") else float(text))
    shown["f32"].edit([2], 0, "-inf")
    shown["f4"].edit([2], 0, "nan")
    assert fields["f32"][2] == -np.inf and np.isnan(fields["f4"][2])


def test_a_refused_edit_is_reported(window, program):
    x = qd.field(qd.i8, shape=4)
    x.fill(7)
    qd.inspect(x)
    window.ask("edit", view=0, index=[1], component=0, value="300")
    assert window.wait("state", lambda m: m["said"])["said"] == "x was not changed: 300 is outside the range of i8, -128 to 127"
    window.ask("edit", view=0, index=[1], component=0, value="1e3")
    window.wait("state", lambda m: m["said"] == "x was not changed: '1e3' is not an integer")
    assert x.to_numpy().tolist() == [7, 7, 7, 7]


def test_arrays_that_cannot_be_shown(window, program):
    ins = qd.inspect()
    with pytest.raises(TypeError, match="a field, an ndarray or a numpy array can be shown, not int"):
        ins.show(n=3)
    with pytest.raises(TypeError, match="z: .* not a numpy array of complex64: "):
        ins.show(z=np.zeros((2, 2), np.complex64))
    with pytest.raises(TypeError, match=r"z: .* not a numpy array of shape \(\): it must have an axis"):
        ins.show(z=np.array(3.0))
    with pytest.raises(TypeError, match="title must be a str, not int"):
        qd.inspect(title=3)
    assert not ins._shown


@pytest.mark.parametrize("kind", ["number", "vector", "tree", "sparse", "point"])
def test_an_untouched_field_is_zero(window, program, kind):
    if kind == "vector":
        x = qd.Vector.field(3, qd.f32, shape=(4, 2))
    elif kind in ("tree", "sparse"):
        x = qd.field(qd.i32)
        (qd.root.dense if kind == "tree" else qd.root.pointer)(qd.ij, (4, 2)).place(x)
    else:
        x = qd.field(qd.f32, shape=(4, 2) if kind == "number" else ())
    qd.inspect(x)
    window.want({"id": 0, "component": -1 if kind == "vector" else 0})
    picture = window.wait("picture")
    assert not window.samples(picture).any() and (picture["columns"], picture["rows"]) == ((4, 2) if kind != "point" else (1, 1))
    y = qd.field(qd.f32)
    qd.root.dense(qd.i, 3).place(y)  # y belongs to the tree under construction
    assert all(part.place is None for part in x._parts)
    window.ask("shown", view=0)
    x[(1, 1) if kind != "point" else None] = 2
    shown = window.wait("picture", lambda m: m["number"] >= 1)
    assert window.samples(shown).sum() == pytest.approx(12**0.5 if kind == "vector" else 2)


@pytest.mark.parametrize("kind", ["numpy", "field", "ndarray", "packed"])
def test_elements_from_one_on(window, program, kind):
    """Tables request all elements from a first one on, not every n-th."""
    values = np.arange(60 * 40, dtype=np.float32).reshape(60, 40)
    if kind == "field":
        x = qd.field(qd.f32, shape=values.shape)
    elif kind == "ndarray":
        x = qd.ndarray(qd.f32, values.shape)
    elif kind == "packed":
        x = qd.field(qd.f32)
        qd.root.dense(qd.ij, (4, 4)).dense(qd.ij, (15, 10)).place(x)
    else:
        x = values
    if kind != "numpy":
        x.from_numpy(values)
    ins = qd.inspect(x=x)
    window.want({"id": 0, "width": 7, "height": 5, "first": [50, 33]})
    picture = standing_still(window, lambda m: m["first"] == [50, 33])
    assert (picture["width"], picture["height"], picture["columns"], picture["rows"]) == (7, 5, 60, 40)
    assert (window.samples(picture) == values[50:57, 33:38]).all()
    window.ask("shown", view=0)
    window.want({"id": 0, "width": 7, "height": 5, "first": [58, 1000]})  # over the edge
    picture = standing_still(window, lambda m: m["first"] == [58, 39])
    assert (window.samples(picture) == values[58:60, 39:40]).all() and ins.alive


def standing_still(window, suits):
    """Returns the next suitable picture while the program runs Python."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for message in list(window.told):
            if message["kind"] == "picture" and suits(message):
                return message
        window.ask("shown", view=0)
        time.sleep(0.002)
    raise AssertionError([m for m in window.told if m["kind"] in ("picture", "state")])


@pytest.mark.parametrize("kind", ["field", "ndarray", "sparse"])
def test_all_components_at_once(window, program, kind):
    """Point clouds request all components."""
    values = np.random.default_rng(1).random((5000, 3), np.float32)
    if kind == "field":
        x = qd.Vector.field(3, qd.f32, shape=5000)
    elif kind == "ndarray":
        x = qd.Vector.ndarray(3, qd.f32, 5000)
    else:
        x = qd.Vector.field(3, qd.f32)
        qd.root.pointer(qd.i, 50).dense(qd.i, 100).place(x)

        @qd.kernel
        def fill(values: qd.types.ndarray(qd.f32, ndim=2)):
            for i, k in qd.ndrange(5000, 3):
                x[i][k] = values[i, k]

        fill(values)
    if kind != "sparse":
        x.from_numpy(values)
    ins = qd.inspect(x=x)
    window.want({"id": 0, "width": 100_000, "height": 100, "component": -2})
    picture = standing_still(window, lambda m: m["component"] == -2)
    assert (picture["columns"], picture["rows"], picture["width"], picture["height"]) == (5000, 3, 5000, 3)
    assert (window.samples(picture) == values).all() and ins.alive
