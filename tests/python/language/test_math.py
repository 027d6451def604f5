"""qd.math against Python's own."""

import cmath
import math

import numpy as np
import pytest
import quadrants as qd

vec2, vec3, vec4 = qd.math.vec2, qd.math.vec3, qd.math.vec4
mat4 = qd.math.mat4


def test_complex_numbers():
    @qd.kernel
    def f(z: vec2, w: vec2) -> (vec2, vec2, vec2, vec2, vec2, vec2, vec2, vec2):
        return (
            qd.math.cmul(z, w), qd.math.cdiv(z, w), qd.math.cinv(z), qd.math.cconj(z), qd.math.csqrt(z), qd.math.cexp(z),
            qd.math.clog(z), qd.math.cpow(z, 3),
        )  # fmt: skip

    for z, w in [(1.5 - 2j, 0.3 + 1j), (-4 - 0.5j, 2 - 1j), (-1 + 0j, -1j)]:
        got = [complex(*v.to_list()) for v in f(vec2(z.real, z.imag), vec2(w.real, w.imag))]
        expected = [z * w, z / w, 1 / z, z.conjugate(), cmath.sqrt(z), cmath.exp(z), cmath.log(z), z**3]
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


def test_complex_numbers_at_zero():
    @qd.kernel
    def f() -> (vec2, vec2):
        zero = vec2(0, 0)
        return qd.math.csqrt(zero), qd.math.cpow(zero, 2)

    assert [v.to_list() for v in f()] == [[0, 0], [0, 0]]


def test_elementwise_functions():
    @qd.kernel
    def f(x: qd.f32, y: qd.f32) -> vec4:
        a = vec4(qd.math.sign(x), qd.math.fract(x), qd.math.mod(x, y), qd.math.clamp(x, -1, 1))
        b = vec4(qd.math.mix(x, y, 0.25), qd.math.step(x, y), qd.math.smoothstep(-3, 3, x), qd.math.degrees(x))
        c = vec4(qd.math.radians(y), qd.math.log2(y), qd.math.isnan(x), qd.math.isinf(x))
        return a + 10 * b + 100 * c

    def smooth(x):
        t = min(max((x + 3) / 6, 0), 1)
        return t * t * (3 - 2 * t)

    for x, y in [(-2.75, 2.0), (0.5, 3.5), (2.0, 0.25)]:
        a = [math.copysign(1, x), x - math.floor(x), x - y * math.floor(x / y), min(max(x, -1), 1)]
        b = [x * 0.75 + y * 0.25, float(y >= x), smooth(x), math.degrees(x)]
        c = [math.radians(y), math.log2(y), 0, 0]
        expected = np.array(a) + 10 * np.array(b) + 100 * np.array(c)
        np.testing.assert_allclose(f(x, y).to_numpy(), expected, rtol=1e-5, atol=1e-4)


def test_the_upper_bound_of_clamp_wins():
    """It wins where the lower bound is greater."""

    @qd.kernel
    def f(x: qd.f32, low: qd.f32, high: qd.f32) -> vec3:
        return qd.math.clamp(vec3(x, low, high), low, high)

    for x in (-9.0, 2.0, 4.0, 9.0):
        assert f(x, 5.0, 3.0).to_list() == [3, 3, 3] and f(x, 0.0, -1.0).to_list() == [-1, -1, -1]
        assert qd.math.clamp(x, 5.0, 3.0) == 3 and qd.math.clamp(qd.Vector([x, 5.0]), 5.0, 3.0).to_list() == [3, 3]


def test_not_numbers():
    @qd.kernel
    def f() -> qd.types.vector(4, qd.i32):
        return qd.Vector([qd.math.isnan(qd.math.nan), qd.math.isinf(-qd.math.inf), qd.math.isnan(qd.math.inf), qd.math.isinf(1.0)])

    assert f().to_list() == [1, 1, 0, 0]


def test_vector_functions():
    @qd.kernel
    def f(a: vec3, b: vec3) -> (vec4, vec3, vec3, vec3, vec3):
        n = qd.math.normalize(b)
        scalars = vec4(qd.math.length(a), qd.math.distance(a, b), qd.math.dot(a, b), 0)
        d = qd.math.normalize(a)
        return scalars, qd.math.cross(a, b), n, qd.math.reflect(a, n), qd.math.refract(d, -n, 0.7)

    a, b = np.array([1.0, -2, 0.5]), np.array([-0.3, 1, 2])
    got = [v.to_numpy() for v in f(vec3(*a), vec3(*b))]
    n, d = b / np.linalg.norm(b), a / np.linalg.norm(a)
    c = -n @ d
    k = 1 - 0.49 * (1 - c * c)
    refracted = 0.7 * d + n * (0.7 * c + math.sqrt(k))
    expected = [
        [np.linalg.norm(a), np.linalg.norm(a - b), a @ b, 0], np.cross(a, b), n, a - 2 * (a @ n) * n, refracted,
    ]  # fmt: skip
    for g, e in zip(got, expected):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-5)


def test_integer_vectors():
    @qd.kernel
    def f() -> vec3:
        v = qd.math.ivec2(3, 4)
        return vec3(qd.math.length(v), qd.math.dot(v, v), qd.math.uvec2(1, 2).y)

    assert f().to_list() == [5, 25, 2]


def test_total_reflection():
    @qd.kernel
    def f() -> vec2:
        return qd.math.refract(vec2(1, -0.1).normalized(), vec2(0, 1), 1.5)

    assert f().to_list() == [0, 0]


def test_transformations():
    @qd.kernel
    def f() -> (mat4, mat4, mat4, mat4, mat4, qd.math.mat2, qd.math.mat3):
        return (
            qd.math.scale(1, 2, 3), qd.math.translate(1, 2, 3), qd.math.rot_by_axis(vec3(1, 2, 3), 0.5),
            qd.math.rot_yaw_pitch_roll(0.1, 0.2, 0.3), qd.math.rotation3d(0.2, 0.3, 0.1), qd.math.rotation2d(0.3),
            qd.math.eye(3),
        )  # fmt: skip

    def about(i, j, n, t):
        m = np.eye(n)
        m[i, i] = m[j, j] = math.cos(t)
        m[i, j], m[j, i] = -math.sin(t), math.sin(t)
        return m

    axis = np.array([1.0, 2, 3]) / math.sqrt(14)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rodrigues = np.eye(4)
    rodrigues[:3, :3] = (np.eye(3) + math.sin(0.5) * K + (1 - math.cos(0.5)) * K @ K).T
    moved = np.eye(4)
    moved[:3, 3] = [1, 2, 3]
    euler = about(0, 1, 4, -0.3) @ about(1, 2, 4, -0.2) @ about(2, 0, 4, -0.1)
    expected = [np.diag([1, 2, 3, 1]), moved, rodrigues, euler, euler, about(0, 1, 2, 0.3), np.eye(3)]
    for got, e in zip(f(), expected):
        np.testing.assert_allclose(got.to_numpy(), e, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(qd.math.rot_by_axis(vec3(1, 2, 3), 0.5).to_numpy(), rodrigues, atol=1e-6)


def test_find_nth_set_bit():
    @qd.kernel
    def f(mask: qd.u32, base: qd.u32, offset: qd.i32) -> qd.u32:
        return qd.math.fns(mask, base, offset)

    none = 0xFFFFFFFF
    cases = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (0, 9, none), (3, 1, 3), (4, 1, 5), (3, -1, 3), (4, -2, 2), (1, -1, none)]
    cases += [(2, 0, 2), (4, 0, none)]
    for base, offset, expected in cases:
        assert f(0b101100, base, offset) == expected, (base, offset)
    assert f(0x80000000, 0, 1) == 31 and f(0xFFFFFFFF, 31, -32) == 0


@pytest.mark.parametrize("dt", [qd.u32, qd.i32, qd.u64, qd.i64])
def test_bits(dt):
    @qd.kernel
    def f(x: dt) -> qd.types.vector(3, qd.i32):
        return qd.Vector([qd.math.popcnt(x), qd.math.clz(x), qd.math.ffs(x)])

    for x in [0, 1, 8, 0b101100, 2 ** (dt.bits - 2) + 4]:
        lowest = (x & -x).bit_length()
        assert f(x).to_list() == [x.bit_count(), dt.bits - x.bit_length(), lowest]


@pytest.mark.parametrize("dt", [qd.f16, qd.f32, qd.f64])
def test_frexp(dt):
    @qd.kernel
    def f(x: dt) -> (dt, qd.i32):
        mantissa, exponent = qd.frexp(x)
        return mantissa, exponent

    for x in [0.0, 1.0, -3.75, 0.5, 1024.0, -0.0009765625, 2.0**-20, 60000.0]:
        x = dt(x)
        assert f(x) == math.frexp(x), x
    assert f(math.inf) == (math.inf, 0) and f(-math.inf) == (-math.inf, 0)
    assert math.isnan(f(math.nan)[0])
    if dt != qd.f16:
        assert f(1e30) == math.frexp(dt(1e30)) and f(1e-30) == math.frexp(dt(1e-30))


def test_frexp_of_vectors():
    @qd.kernel
    def f() -> (vec3, qd.types.vector(3, qd.i32)):
        return qd.frexp(vec3(1, 6, -0.25))

    m, e = f()
    assert m.to_list() == [0.5, 0.75, -0.5] and e.to_list() == [1, 3, -1]


def test_integers_are_numbers_and_extremes_of_themselves(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.kernel
        def k(i: qd.i32, x: qd.f32) -> qd.types.vector(4, qd.f32):
            none = qd.math.isnan(i) or qd.math.isinf(i)
            return qd.Vector([none, qd.max(i), min(x), qd.max(qd.Vector([i, 9]))], dt=qd.f32)

        assert k(3, 2.5).to_list() == [0, 3, 2.5, 9]


def test_extremes_of_a_list_that_grew():
    @qd.kernel
    def k(a: qd.i32) -> (qd.i32, qd.i32, qd.f32):
        l = [a, a + 1, a * 2]
        l.append(7)
        return max(l), min(*l), qd.max(l[0], l[1], 2.5)

    assert k(5) == (10, 5, 6) and k(-5) == (7, -10, 2.5)


def test_constants_of_python(arch):
    """Numbers known at compile time have the default types; functions of reals accept integers too."""
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.kernel
        def k() -> qd.types.vector(6, qd.f64):
            m, e = qd.frexp(3)
            n, _ = qd.frexp(True)
            return [m, e, n, qd.select(0.5, 2, 3), qd.select(0.0, 2, 3), qd.sqrt(9)]

        assert k().to_list() == [0.75, 2, 0.5, 2, 3, 3]


DEFAULTS = [(qd.f32, qd.i32), (qd.f64, qd.i64), (qd.f64, qd.i32), (qd.f16, qd.i64)]


def test_types_follow_the_defaults_of_the_running_program(arch):
    vec, ivec, uvec, mat, struct = qd.math.vec3, qd.math.ivec2, qd.math.uvec2, qd.math.mat2, qd.types.struct(v=qd.math.vec2, n=qd.math.uvec2)
    x, pi = 3.14159265358, 3.14159265358

    @qd.kernel
    def in_kernel(a: vec, n: uvec, m: mat, s: struct) -> (vec, ivec, uvec, mat, struct):
        local: vec = a * 2
        return vec(pi) + local, ivec(2**30) * 2 + n.x, n + uvec(1), m, s

    @qd.kernel
    def in_arrays(a: qd.types.ndarray(vec, ndim=1), b: qd.types.ndarray(dtype=float, ndim=1)):
        for i in a:
            a[i] = vec(pi)
            b[i] = pi

    @qd.real_func
    def twice(a: vec) -> vec:
        return a * 2

    @qd.kernel
    def in_funcs() -> vec:
        return twice(vec(pi))

    for each in (arch, qd.python):
        for fp, ip in DEFAULTS + DEFAULTS[:1]:
            qd.init(arch=each, default_fp=fp, default_ip=ip, offline_cache=False, print_full_traceback=True)
            up = qd.u64 if ip is qd.i64 else qd.u32
            assert (vec.dtype, ivec.dtype, uvec.dtype, mat.dtype) == (fp, ip, up, fp)
            assert vec == qd.types.vector(3, fp) and repr(uvec) == f"VectorType[2, {up}]" and hash(vec) == hash(qd.types.vector(3, fp))
            assert vec(pi).x == fp(pi) and uvec(2**33 + 1).y == up(2**33 + 1) and ivec(-(2**33) - 1).x == ip(-(2**33) - 1)
            assert qd.field(ivec, ()).dtype == ip == qd.lang.impl.get_runtime().default_ip
            assert qd.field(vec, 2).dtype == qd.ndarray(mat, 2).dtype == vec.field(shape=()).dtype == fp
            assert uvec.ndarray(shape=3).dtype == struct.field(shape=2).n.dtype == up
            big = up(2**33 + 7)
            a, i, n, m, s = in_kernel(vec(x), uvec(big), mat(x), struct(v=[x, x], n=[big, 1]))
            np.testing.assert_allclose(a.to_list(), fp(fp(x) * 2 + fp(pi)), rtol=0 if fp is qd.f64 else 1e-3)
            assert n.to_list() == [big + 1, big + 1] and m[1, 1] == s.v[0] == fp(x) and s.n[0] == big
            assert i.to_list() == [ip(2**31 + big)] * 2
            b, c = vec.ndarray(shape=2), qd.ndarray(float, 2)
            in_arrays(b, c)
            assert b[1][2] == c[0] == fp(pi)
            in_arrays(np.zeros((2, 3), fp.name.replace("f", "float")), c)
            with pytest.raises(ValueError, match="Invalid value for argument a"):
                in_arrays(qd.Vector.ndarray(3, qd.f64 if fp is qd.f32 else qd.f32, 2), c)
            assert in_funcs().x == fp(fp(pi) * 2)


@pytest.mark.parametrize("fast", [True, False])
def test_large_and_small_arguments_in_loops(arch, fast):
    """Some lanes lie outside the range of the vector code, next to others inside it."""
    qd.init(arch=arch, offline_cache=False, fast_math=fast)
    numbers = qd.types.ndarray(qd.f32, ndim=1)

    @qd.kernel
    def f(x: numbers, s: numbers, c: numbers, r: numbers):
        for i in x:
            s[i] = qd.sin(x[i])
            c[i] = qd.cos(x[i])
            r[i] = qd.rsqrt(abs(x[i]))

    x = np.array([5e9, 1e18, 1e30, -3.4e38, 3.3732618e9, 2.5e15, 0.5, -2, 1e9, 1.2e-38, 1.3e-38, 3e-38, 7, 8, np.inf, np.nan] * 3, np.float32)
    s, c, r = (np.zeros_like(x) for _ in range(3))
    f(x, s, c, r)
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(s, np.sin(wide), rtol=3e-7)
        np.testing.assert_allclose(c, np.cos(wide), rtol=3e-7)
        np.testing.assert_allclose(r, 1 / np.sqrt(abs(wide)), rtol=3e-7)
