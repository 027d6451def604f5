"""The functions of the language by their name in the frontend, and common helpers. Arguments are positional: frontend/builtins.def has the
names of parameters that may be given by keyword."""

import functools as _functools

from quadrants import _dtypes, _native
from quadrants._python_backend.numbers import as_kind, fail_type, is_real
from quadrants._python_backend.values import is_tensor, to_mat, value_of

table = {}  # name -> function


def named(*names):
    def keep(f):
        for name in names:
            table[name] = f
        return f

    return keep


def domain(name, kind, wants_real):
    if is_real(kind) != wants_real:
        wanted = "real" if wants_real else "integral"
        fail_type(f"'{name.rpartition('.')[2]}' takes {wanted} inputs only, however '{kind}' is provided")


def data_type(x):
    if not _dtypes.is_dtype(x):
        fail_type(f"A data type such as qd.f32 is needed here, not {x!r}")
    return _dtypes.dtype(x)


def cast(x, kind):
    x = value_of(x)
    return to_mat(x).cast(kind) if is_tensor(x) else as_kind(x, kind)


def call(name, args, keywords):
    """Calls a builtin on values. Keywords in the frontend's table become positional arguments."""
    if keywords:
        args = list(args)
        for parameter in _parameters()[name].split()[len(args) :]:
            if parameter in keywords:
                args.append(keywords.pop(parameter))
    return table[name](*args, **keywords)


@_functools.cache
def _parameters():
    return _native.core().builtins()
