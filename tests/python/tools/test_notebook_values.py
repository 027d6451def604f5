"""The typed data that values carry in notebooks."""

import base64
import json
import re
import struct
import zlib

import numpy as np
import quadrants as qd

MIME = "application/vnd.quadrants.values+json"


def data(value):
    found = value._repr_mimebundle_()
    return json.loads(json.dumps(found[MIME], allow_nan=False)) if found else None


def test_fields_arrays_matrices():
    x = qd.field(qd.f32, (2, 2))
    x.fill(1.5)
    assert data(x) == {"version": 1, "dtype": "f32", "shape": [2, 2], "values": [1.5] * 4}
    v = qd.Vector.field(3, qd.i16, 2)
    assert data(v) == {"version": 1, "dtype": "i16", "shape": [2, 3], "values": [0] * 6}
    a = qd.ndarray(qd.f64, 3)
    a.from_numpy(np.array([np.nan, np.inf, -np.inf]))
    assert data(a)["values"] == ["nan", "inf", "-inf"]
    assert data(qd.Matrix([[1, 2], [3, 4]]))["shape"] == [2, 2]
    assert data(qd.tensor(qd.f32, (2,)))["values"] == [0.0, 0.0]
    s = qd.Struct.field({"a": qd.f32, "b": qd.i32}, shape=1)
    assert data(s)["members"]["b"] == {"dtype": "i32", "shape": [1], "values": [0]}


def test_many_values_are_summed_up():
    a = qd.ndarray(qd.f32, 5000)
    numbers = np.arange(5000, dtype=np.float32)
    numbers[7] = np.nan
    a.from_numpy(numbers)
    found = data(a)
    assert "values" not in found and found["shape"] == [5000] and len(found["sample"]) == 64
    assert found["summary"]["not_finite"] == 1 and found["summary"]["max"] == 4999.0


def test_values_that_cannot_be_read():
    x, y = qd.field(qd.f32), qd.field(qd.f32, 1)
    assert data(x) is None
    qd.root.place(x)
    y.fill(1)
    assert data(x) is not None and data(y) is not None
    qd.reset()
    assert data(y) is None


def html(value):
    return value._repr_mimebundle_()["text/html"]


def pixels(text):
    """Returns the picture in `text` as rows of colours."""
    data = base64.b64decode(re.search(r"data:image/png;base64,([^\"]+)", text)[1])
    wide, tall = struct.unpack(">II", data[16:24])
    start = data.index(b"IDAT")
    rows = zlib.decompress(data[start + 4 : start + 4 + struct.unpack(">I", data[start - 4 : start])[0]])
    return np.frombuffer(rows, np.uint8).reshape(tall, 1 + 3 * wide)[:, 1:].reshape(tall, wide, 3)


def test_few_values_are_a_table():
    x = qd.field(qd.i32, (2, 3))
    x.from_numpy(np.array([[1, 2, 3], [4, 5, 60]], np.int32))
    text = html(x)
    assert "<b>field</b> i32 2 × 3" in text and "from 1 to 60, mean 12.5" in text
    assert re.findall(r"<td[^>]*>([^<]*)", text) == ["1", "2", "3", "4", "5", "60"]


def test_a_value_has_the_name_that_made_it():
    point = qd.types.struct(a=qd.f32)
    for value, name in (
        (qd.field(qd.f32, 3), "field"), (qd.Vector.field(2, qd.f32, 3), "Vector.field"), (qd.Matrix.field(2, 2, qd.f32, 3), "Matrix.field"),
        (point.field(3), "Struct.field"), (qd.ndarray(qd.f32, 3), "ndarray"), (qd.Vector.ndarray(2, qd.f32, 3), "Vector.ndarray"),
        (qd.Matrix.ndarray(2, 2, qd.f32, 3), "Matrix.ndarray"),
    ):  # fmt: skip
        assert re.search(r"<b>([^<]*)</b>", html(value))[1] == name


def test_a_plane_is_a_picture_that_marks_nan():
    x = qd.ndarray(qd.f32, (30, 40))
    values = np.tile(np.linspace(0, 1, 40, dtype=np.float32), (30, 1))
    values[3, 5], values[20, 20] = np.nan, np.inf
    x.from_numpy(values)
    text = html(x)
    assert "1 NaN, 1 infinite" in text and "from 0 to 1" in text
    seen = pixels(text)
    assert seen.shape == (30, 40, 3)
    assert list(seen[3, 5]) == list(seen[20, 20]) == [214, 39, 40]
    brightness = seen[10].astype(int) @ [2, 7, 1]
    assert (np.diff(brightness) > 0).all()  # dark to bright with the value


def test_large_planes_are_means_over_blocks():
    x = qd.ndarray(qd.f32, (500, 3))
    x.from_numpy(np.arange(1500, dtype=np.float32).reshape(500, 3))
    assert pixels(html(x)).shape == (166, 3, 3)


def test_a_row_is_a_line():
    x = qd.ndarray(qd.f64, 1000)
    x.from_numpy(np.sin(np.arange(1000) * 0.02))
    text = html(x)
    drawn = base64.b64decode(re.search(r"data:image/svg\+xml;base64,([^\"]+)", text)[1]).decode()
    heights = [float(point.split(",")[1]) for point in re.search(r'points="([^"]*)"', drawn)[1].split()]
    assert min(heights) == 2 and max(heights) == 46 and 'alt="values along the axis, from -' in text


def test_other_values_as_html():
    s = qd.Struct.field({"a": qd.f32, "b": qd.types.vector(3, qd.i32)}, shape=20)
    s.a.fill(2.5)
    assert ".a</b> f32 20 <" in html(s) and "all 2.5" in html(s) and ".b</b> i32 20 × 3" in html(s)
    assert "<td" in html(qd.Matrix([[1, 2], [3, 4]])) and "<td" in html(qd.Vector([1.5, 2.5]))
    assert "plane [8] of the first axis" in html(_filled(qd.field(qd.f32, (16, 16, 16))))
    assert "length of each element" in html(_filled(qd.Vector.field(2, qd.f32, (20, 20))))
    assert "3 True, 1 False" in html(_filled(qd.field(qd.u1, 4), np.array([1, 1, 0, 1], np.bool_)))
    scalar = qd.field(qd.i32, ())
    scalar[None] = 7
    assert "<div>7</div>" in html(scalar)
    empty = qd.ndarray(qd.f32, (30,))
    empty.fill(float("nan"))
    assert "30 NaN" in html(empty)


def _filled(x, values=None):
    shape = x.to_numpy().shape
    x.from_numpy(np.random.default_rng(1).random(shape, np.float32) if values is None else values)
    return x


def test_a_field_without_a_place_hides_no_other():
    x, v = qd.field(qd.f32, 2), qd.Vector.field(2, qd.f32, 2)
    s = qd.Struct.field({"a": qd.f32}, shape=2)
    t = qd.tensor(qd.f32, (2,))
    loose = qd.field(qd.f32)
    assert data(x)["values"] == [0.0, 0.0] and data(v)["shape"] == [2, 2] and data(t)["values"] == [0.0, 0.0]
    assert data(s)["members"]["a"]["values"] == [0.0, 0.0]
    assert data(loose) is None
    x[1] = 3
    assert data(x)["values"] == [0.0, 3.0]
    qd.root.dense(qd.i, 2).place(loose)
    assert data(loose)["values"] == [0.0, 0.0] and data(x)["values"] == [0.0, 3.0]
