"""Builders of sparse matrices: `A[i, j] += v` adds an entry. Entries beyond the capacity are counted, so that `build` can report them."""

from quadrants import _exceptions, _settings
from quadrants._language.annotations import kind_word
from quadrants._python_backend import places
from quadrants._python_backend.numbers import DryRun, fail_type, value_as
from quadrants._python_backend.storage import key_of
from quadrants._python_backend.values import is_number, type_name


def is_builder(x):
    return kind_word(x) == "sparse_matrix_builder" and not isinstance(x, type)


def add(op, builder, index, amount):
    if op not in ("+", "-"):
        fail_type(f"A sparse matrix builder takes `+=` and `-=`, not `{op}=`")
    key = key_of(index)
    if len(key) != 2:
        raise _exceptions.QuadrantsIndexError(f"A sparse matrix builder takes 2 indices, got {len(key)}")
    if not is_number(amount):
        fail_type(f"A number is needed here, not {type_name(amount)}")
    number = value_as(amount, builder.dtype)
    if DryRun.active:
        return
    i, j = key
    if (_settings.current().debug or _settings.current().check_out_of_bound) and not (0 <= i < builder.num_rows and 0 <= j < builder.num_cols):
        places.fail(f"[kernel={places.kernel()}] Out of bound access to sparse matrix builder with indices [{i}, {j}]")
    at = builder.count[0]
    builder.count[0] = at + 1
    if at < builder.max_num_triplets:
        builder.rows[at], builder.cols[at] = i, j
        builder.values[at] = number if op == "+" else -number
