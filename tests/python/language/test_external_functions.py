"""External functions: C++ that kernels call."""

import shutil

import pytest
import quadrants as qd
from quadrants.lang.source_builder import SourceBuilder

SOURCE = """
#include <cstdint>
extern "C" {
void add_and_multiply(float *a, float *b, float *sum, float *product, int *n) {
    *sum = *a + *b;
    *product = *a * *b + *n;
}
void power(int *base, int *exponent, int64_t *result) {
    *result = 1;
    for (int i = 0; i < *exponent; i++) *result *= *base;
}
void count() { static int calls; calls++; }
void next(unsigned *state) { *state = *state * 1664525u + 1013904223u; }
void types(int8_t *a, uint16_t *b, double *c, bool *d) { *a = -*a; *b += 1; *c /= 4; *d = !*d; }
}
"""

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("clang++", "g++", "c++")), reason="needs a C++ compiler"
)


@pytest.fixture(scope="module")
def library():
    return SourceBuilder.from_source(SOURCE)


def test_arguments_are_passed_by_address(library):
    @qd.kernel
    def k(n: qd.i32) -> qd.types.vector(3, qd.f32):
        a, b, total, product = 2.0, 3.5, 0.0, 0.0
        library.add_and_multiply(a, b, total, product, n)
        return qd.Vector([total, product, a])

    assert k(10).to_list() == [5.5, 17.0, 2.0]


def test_in_parallel_loops_on_elements(library):
    x = qd.field(qd.u32, 5000)
    y = qd.ndarray(qd.i64, 100)

    @qd.func
    def advance(i):
        library.next(x[i])

    @qd.kernel
    def k(y: qd.types.ndarray()):
        for i in range(5000):
            x[i] = i
            for _ in range(3):
                advance(i)
        for i in range(100):
            library.power(i % 7, 3, y[i])
        library.count()

    k(y)
    expected = []
    for i in range(5000):
        for _ in range(3):
            i = (i * 1664525 + 1013904223) % 2**32
        expected.append(i)
    assert x.to_numpy().tolist() == expected
    assert y.to_numpy().tolist() == [(i % 7) ** 3 for i in range(100)]


def test_types(library):
    out = qd.field(qd.f64, 4)

    @qd.kernel
    def k(a: qd.i8, b: qd.u16, c: qd.f64):
        i, j, r, flag = a, b, c, a > 100
        library.types(i, j, r, flag)
        out[0], out[1], out[2], out[3] = i, j, r, flag

    k(5, 65535, 10.0)
    assert out.to_numpy().tolist() == [-5, 0, 2.5, 1]


def test_results_of_the_function_are_visible(library):
    """Values from before the call are not reused after it, and the call is made even if its result is unused."""
    seen = qd.field(qd.u32, 3)

    @qd.kernel
    def k(start: qd.u32):
        state = start
        seen[0] = state
        library.next(state)
        seen[1] = state
        for i in range(1):
            s = state
            library.next(s)
            seen[2] = s

    k(1)
    assert seen.to_numpy().tolist() == [1, 1015568748, 1586005467]


def test_files_and_libraries(tmp_path):
    (tmp_path / "plain.c").write_text("void twice(int *x) { *x *= 2; }\n")
    from quadrants._language import external as _external

    plain = SourceBuilder.from_file(str(tmp_path / "plain.c"))
    made = []

    def compile_it(source):
        import subprocess

        made.append(source)
        target = str(tmp_path / "made.so")
        subprocess.run([_external._compiler(), "-x", "c", "-shared", "-fPIC", "-o", target, source], check=True)
        return target

    own = SourceBuilder.from_file(tmp_path / "plain.c", compile_it)
    ready = SourceBuilder.from_file(tmp_path / "made.so")
    assert made == [str(tmp_path / "plain.c")]

    @qd.kernel
    def k() -> qd.i32:
        x = 1
        plain.twice(x)
        own.twice(x)
        ready.twice(x)
        return x

    assert k() == 8


def test_mistakes(library, tmp_path, monkeypatch):
    with pytest.raises(AttributeError, match='has no function missing; is it declared extern "C"?'):
        library.missing
    with pytest.raises(qd.QuadrantsSyntaxError, match="power can only be called in kernels and funcs"):
        library.power(1, 2, 3)
    with pytest.raises(qd.QuadrantsRuntimeError, match="cannot compile"):
        SourceBuilder.from_source("this is no C++")
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(qd.QuadrantsRuntimeError, match="a.txt: an external source is C or C"):
        SourceBuilder.from_file(tmp_path / "a.txt")

    @qd.kernel
    def many():
        library.power(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)

    with pytest.raises(qd.QuadrantsTypeError, match="is called with 17 arguments; at most 16 are supported"):
        many()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(qd.QuadrantsRuntimeError, match="External functions need a C.. compiler"):
        SourceBuilder.from_source("")


def test_kernels_from_the_cache(library, tmp_path, arch):
    """Another process finds the code of the kernel on disk, and the function at another address."""
    import subprocess
    import sys

    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport quadrants as qd\nfrom quadrants.lang.source_builder import SourceBuilder\n"
        "sb = SourceBuilder.from_source('extern \"C\" void f(int *x) { *x = *x * %s; }' % sys.argv[1])\n"
        f"qd.init(arch={arch!r}, offline_cache_file_path={str(tmp_path / 'cache')!r})\n"
        "@qd.kernel\ndef k(x: qd.i32) -> qd.i32:\n    y = x\n    sb.f(y)\n    return y\nprint(k(5))\n"
    )
    for factor, expected in (("3", "15"), ("3", "15"), ("4", "20")):
        done = subprocess.run([sys.executable, program, factor], capture_output=True, text=True, check=True)
        assert done.stdout.split()[-1] == expected
