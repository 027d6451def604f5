"""Atomic operations, which return the previous value, and augmented assignments."""

from quadrants._python_backend import numbers
from quadrants._python_backend.numbers import Scalar, as_kind, fail_type, kind_of
from quadrants._python_backend.table import named, table
from quadrants._python_backend.values import Mat, Place, Var, filled, fresh, is_number, make, to_mat, value_of

_ATOMIC = {"add": "+", "sub": "-", "mul": "*", "min": "min", "max": "max", "and": "&", "or": "|", "xor": "^"}


def place_of(x):
    if not isinstance(x, (Var, Place)):
        if isinstance(x, Mat):
            return Place(lambda: x, x.fill)
        fail_type("Cannot assign to non-lvalue: a variable, or an element of a field or an ndarray, is needed here")
    return x


def updated(op, old, amount):
    """Returns the new value of a place that holds `old`; the amount is first converted to its type."""
    amount = value_of(amount)
    shape = (old.n, old.m, old.ndim) if isinstance(old, Mat) else (1, 1, 0)
    kinds = [old.kind, kind_of(amount) if is_number(amount) else to_mat(amount).kind]
    if op in "&|^" and any(numbers.is_real(k) for k in kinds):
        fail_type(f"unsupported operand type(s) for 'atomic {op}': '{kinds[0]}' and '{kinds[1]}'")
    amounts = [Scalar(old.kind, v) for v in filled(amount, old.kind, *shape)]
    if not isinstance(old, Mat):
        return numbers.binary(op, old, amounts[0])
    return make([numbers.binary(op, a, b) for a, b in zip(old.components(), amounts)], *shape, kind=old.kind)


def _atomic(op):
    def atomic(place, amount):
        place = place_of(place)
        old = fresh(place.get())
        place.set(updated(op, old, amount))
        return old

    return atomic


for _name, _op in _ATOMIC.items():
    table["atomic_" + _name] = _atomic(_op)


@named("atomic_exchange")
def atomic_exchange(place, value):
    place = place_of(place)
    old = fresh(place.get())
    place.set(value)
    return old


@named("atomic_cas")
def atomic_cas(place, expected, desired):
    place = place_of(place)
    old = fresh(place.get())
    if numbers.is_real(old.kind):
        fail_type(f"'atomic_cas' takes integral inputs only, however '{old.kind}' is provided")
    wanted, new = as_kind(value_of(expected), old.kind), as_kind(value_of(desired), old.kind)
    if old.value == wanted.value:
        place.set(new)
    return old


table["volatile_load"] = lambda place: fresh(place_of(place).get())
