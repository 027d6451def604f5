"""Blocks of a domain that exchange their faces."""

import itertools

import numpy as np
import pytest
import quadrants as qd

N, STEPS = 6, 3  # interior of a block in each direction; 2 x 2 blocks, periodic


@qd.kernel
def advance(x: qd.types.NDArray[qd.f64, 2], y: qd.types.NDArray[qd.f64, 2]):
    for i, j in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        total = 0.0 * x[i, j]
        for a, b in qd.static(qd.ndrange((-1, 2), (-1, 2))):
            total += (1 + a + 2 * b) * qd.sin(x[i + a, j + b])
        y[i, j] = x[i, j] + 0.1 * total


def neighbour(block, face, blocks):
    place = list(block)
    place[face.axis] = (place[face.axis] + face.side) % blocks[face.axis]
    return tuple(place)


def opposite(face, faces):
    return next(other for other in faces if (other.axis, other.side) == (face.axis, -face.side))


def exchange(views, blocks):
    """Fills the halos, axis by axis."""
    faces = qd.distributed.faces(next(iter(views.values())))
    for axis in range(len(blocks)):
        for block, face in itertools.product(views, [face for face in faces if face.axis == axis]):
            views[block][face.halo] = views[neighbour(block, face, blocks)][opposite(face, faces).inner]


def exchange_gradients(views, blocks):
    """The adjoint of `exchange`: adds what was computed for halos where it belongs, in the reverse order of axes."""
    faces = qd.distributed.faces(next(iter(views.values())))
    for axis in reversed(range(len(blocks))):
        for block, face in itertools.product(views, [face for face in faces if face.axis == axis]):
            views[neighbour(block, face, blocks)][opposite(face, faces).inner] += views[block][face.halo]
            views[block][face.halo] = 0


def run(start, blocks):
    """Returns the result, and the gradient of its weighted sum with respect to the start."""
    shape = tuple(n // b for n, b in zip(start.shape, blocks))
    places = list(itertools.product(*map(range, blocks)))
    parts = {p: tuple(slice(k * n, (k + 1) * n) for k, n in zip(p, shape)) for p in places}
    inside = (slice(1, -1),) * 2
    arrays = [{p: qd.ndarray(qd.f64, tuple(n + 2 for n in shape), needs_grad=True) for p in places} for _ in range(STEPS + 1)]
    values = [{p: np.from_dlpack(x) for p, x in step.items()} for step in arrays]
    gradients = [{p: np.from_dlpack(x.grad) for p, x in step.items()} for step in arrays]
    for p in places:
        values[0][p][inside] = start[parts[p]]
    for step in range(STEPS):
        exchange(values[step], blocks)
        for p in places:
            advance(arrays[step][p], arrays[step + 1][p])
    for p in places:
        gradients[STEPS][p][inside] = np.cos(np.arange(start.size).reshape(start.shape))[parts[p]]
    for step in reversed(range(STEPS)):
        for p in places:
            advance.grad(arrays[step][p], arrays[step + 1][p])
        exchange_gradients(gradients[step], blocks)
    result, gradient = np.empty_like(start), np.empty_like(start)
    for p in places:
        result[parts[p]], gradient[parts[p]] = values[STEPS][p][inside], gradients[0][p][inside]
    return result, gradient


def test_blocks_compute_what_the_whole_does(memory_in_reach):
    start = np.random.default_rng(1).random((2 * N, 2 * N))
    whole, gradient = run(start, (1, 1))
    blocks, gradient_of_blocks = run(start, (2, 2))
    np.testing.assert_array_equal(blocks, whole)
    np.testing.assert_allclose(gradient_of_blocks, gradient, rtol=1e-12, atol=1e-12)
    assert np.abs(gradient).max() > 0.1


def test_gradient_is_that_of_finite_differences(memory_in_reach):
    start = np.random.default_rng(1).random((2 * N, 2 * N))
    weights = np.cos(np.arange(start.size).reshape(start.shape))
    _, gradient = run(start, (2, 2))
    for place in [(0, 0), (N - 1, N), (3, 2 * N - 1)]:
        step = np.zeros_like(start)
        step[place] = 1e-5
        difference = (weights * (run(start + step, (2, 2))[0] - run(start - step, (2, 2))[0])).sum() / 2e-5
        assert gradient[place] == pytest.approx(difference, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("shape, width", [((9,), 1), ((8, 7), 2), ((9, 10, 11), 3)])
def test_places(shape, width):
    faces = qd.distributed.faces(shape, width)
    assert [(face.axis, face.side) for face in faces] == [(axis, side) for axis in range(len(shape)) for side in (-1, 1)]
    marks = np.zeros(shape, int)
    for face in faces:
        for place in (face.inner, face.halo):
            part = marks[place]
            assert part.shape == (*shape[: face.axis], width, *shape[face.axis + 1 :]) and np.shares_memory(part, marks)
    for face in faces:
        marks[face.halo] = 1
    assert (marks == 0).sum() == np.prod([n - 2 * width for n in shape])
    for face in faces:
        inner = np.zeros(shape, int)
        inner[face.inner] = 1
        at = width if face.side < 0 else shape[face.axis] - 2 * width
        assert inner.sum(axis=face.axis).max() == width and inner.take(at, face.axis).all()


def test_arrays_and_fields(memory_in_reach):
    field, vectors, array = qd.field(qd.f32, (4, 5)), qd.Vector.field(2, qd.f32, (4, 5)), qd.ndarray(qd.f32, (4, 5))
    expected = qd.distributed.faces((4, 5))
    for x in (field, vectors, array, np.zeros((4, 5))):
        assert qd.distributed.faces(x) == expected
    low = expected[0]
    view = np.from_dlpack(vectors)
    view[low.halo] = 3
    assert vectors[0, 4][1] == 3 and vectors[1, 4][1] == 0


@pytest.mark.parametrize("shape, width, message", [
    ((8,), 0, "width=0 must be a whole number from 1 on"), ((8,), 1.5, "width=1.5 must be"), ((8,), True, "width=True must be"),
    ((9, 5), 2, "axis 1 has 5 elements: with halos of 2 on both sides, there must be 6 or more"),
])  # fmt: skip
def test_errors(shape, width, message):
    with pytest.raises(ValueError, match=message):
        qd.distributed.faces(shape, width)
    with pytest.raises(TypeError):
        qd.distributed.faces(5)
