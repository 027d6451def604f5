"""Tasks of thousands of instructions, which the first tier compiles in parts: they compile, and compute the same as small tasks."""

import numpy as np
import pytest

import quadrants as qd


@pytest.fixture(autouse=True, params=[True, False], ids=["fast_math", "exact"])
def program(request):
    qd.init(arch=qd.cpu, offline_cache=False, fast_math=request.param, unrolling_limit=0)


def test_division_by_a_root_that_was_taken_long_before():
    n, steps = 64, 1500
    x, y, out, long = (qd.field(qd.f32, n) for _ in range(4))

    @qd.kernel
    def normalise():
        for i in out:
            length = qd.sqrt(x[i] * x[i] + y[i] * y[i])
            s = x[i]
            for k in qd.static(range(steps)):
                s = s * (0.5 + k / 5000) + y[i]
            long[i] = s
            out[i] = x[i] / length

    a = np.random.default_rng(0).uniform(0.5, 1, (2, n)).astype(np.float32)
    x.from_numpy(a[0])
    y.from_numpy(a[1])
    normalise()
    s = a[0].astype(float)
    for k in range(steps):
        s = s * (0.5 + k / 5000) + a[1]
    np.testing.assert_allclose(out.to_numpy(), a[0] / np.hypot(a[0], a[1]), rtol=1e-5)
    np.testing.assert_allclose(long.to_numpy(), s, rtol=1e-4)


def test_a_collision_step_with_nineteen_directions():
    n, cells = 19, 5
    out, rho = qd.field(qd.f32, (cells, n)), qd.field(qd.f32, cells)
    total, wall = qd.field(qd.f32, cells), qd.field(qd.i8, cells)
    step, direction, weight = qd.Vector.field(3, qd.i32, n), qd.Vector.field(3, qd.f32, n), qd.field(qd.f32, n)
    to, back = qd.field(qd.f32, (n, n)), qd.field(qd.f32, (n, n))

    @qd.kernel
    def collide():
        for i in rho:
            if i < cells and wall[i] == 0:
                normal = qd.Vector([0.0, 0.0, 0.0])
                for s in qd.static(range(n)):
                    normal += 3.0 * direction[s]
                length = normal.norm()
                moment = qd.Vector([0.0] * n)
                for s in qd.static(range(n)):
                    for l in qd.static(range(n)):
                        moment[s] += weight[l] * to[s, l]
                red, blue = qd.Vector([0.0] * n), qd.Vector([0.0] * n)
                for s in qd.static(range(n)):
                    for l in qd.static(range(n)):
                        out[i, s] += back[s, l] * moment[l]
                    blue[s] = weight[s]
                for k in qd.static(range(1, n - 1, 2)):
                    share = red[k] if red[k] < red[k] else red[k]
                    share = share if share < blue[k] else blue[k]
                    share *= step[k].dot(normal) / length
                    red[k] += share
                for s in qd.static(range(n)):
                    total[i] += red[s]

    rng = np.random.default_rng(1)
    a = {f: rng.uniform(-1, 1, f.to_numpy().shape).astype(np.float32) for f in (direction, weight, to, back)}
    for f, v in a.items():
        f.from_numpy(v)
    steps = rng.integers(-1, 2, (n, 3)).astype(np.int32)
    step.from_numpy(steps)
    collide()
    moment = a[to] @ a[weight]
    normal = 3 * a[direction].sum(0)
    share = [min(0.0, a[weight][k]) * (steps[k] @ normal) / np.linalg.norm(normal) for k in range(1, n - 1, 2)]
    np.testing.assert_allclose(out.to_numpy(), np.tile(a[back] @ moment, (cells, 1)), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(total.to_numpy(), np.sum(share), rtol=1e-3, atol=1e-4)
