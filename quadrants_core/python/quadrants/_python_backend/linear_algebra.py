"""Linear algebra: the functions of the package that compiled kernels inline."""

from quadrants import _exceptions, _settings
from quadrants._python_backend import functions, numbers
from quadrants._python_backend.numbers import Scalar
from quadrants._python_backend.table import cast, data_type, table
from quadrants._python_backend.values import to_mat


def library(name, *args):
    from quadrants._language import linalg as _linalg

    return functions.run(getattr(_linalg, name), *args)


_SIZES = {
    "svd": ({2: "svd2", 3: "svd3"}, "SVD only supports 2×2 and 3×3 matrices."),
    "sym_eig": (dict.fromkeys(range(2, 7), "sym_eig"), "Symmetric eigen solver currently supports sizes up to 6×6"),
    "eig": ({2: "eig2"}, "Eigen solver only supports 2×2 matrices."),
    "polar_decompose": ({2: "polar2", 3: "polar3"}, "Polar decomposition only supports 2×2 and 3×3 matrices."),
    "make_spd": (dict.fromkeys(range(2, 7), "make_spd"), "Symmetric eigen solver currently supports sizes up to 6×6"),
    "solve": ({2: "solve", 3: "solve"}, "Solver only supports 2×2 and 3×3 matrices."),
}  # fmt: skip


def _linear_algebra(name):
    by_size, otherwise = _SIZES[name]

    def op(A, *rest, dt=None):
        A = to_mat(A)
        right = [to_mat(rest[0])] if name == "solve" else []
        rest = rest[1:] if name == "solve" else rest
        dt = rest[0] if rest else dt
        kind = data_type(dt) if dt is not None else A.kind if numbers.is_real(A.kind) else _settings.default_fp()
        inner = numbers.f32 if kind is numbers.f16 else kind
        if A.ndim != 2 or A.n != A.m or A.n not in by_size:
            raise _exceptions.QuadrantsCompilationError(otherwise)
        eps = [] if name == "solve" else [Scalar(inner, 2.0**-51 if inner is numbers.f64 else 2.0**-22)]
        out = library(by_size[A.n], A.cast(inner), *(r.cast(inner) for r in right), inner, *eps)
        if inner is kind:
            return out
        return tuple(cast(item, kind) for item in out) if isinstance(out, tuple) else cast(out, kind)

    table[name] = op


for _name in _SIZES:
    _linear_algebra(_name)
