"""The typed data that values carry in notebooks."""

import json

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


def test_what_cannot_be_read():
    x = qd.field(qd.f32)
    y = qd.field(qd.f32, 1)
    assert data(x) is None and data(y) is None
    qd.root.place(x)
    y.fill(1)
    assert data(x) is not None and data(y) is not None
    qd.reset()
    assert data(y) is None
