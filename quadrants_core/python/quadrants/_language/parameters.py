"""Functions for each parameter list in the tables of functions: WITH[parameters](does) makes a function that forwards its arguments to
`does`. They are written out because compiling them from text would take a fifteenth of the import time."""


def _x(does):
    def op(x):
        return does(x)

    return op


def _x1_x2(does):
    def op(x1, x2):
        return does(x1, x2)

    return op


def _base_exponent(does):
    def op(base, exponent):
        return does(base, exponent)

    return op


def _cond_x1_x2(does):
    def op(cond, x1, x2):
        return does(cond, x1, x2)

    return op


def _x_y(does):
    def op(x, y):
        return does(x, y)

    return op


def _x_expected_desired(does):
    def op(x, expected, desired):
        return does(x, expected, desired)

    return op


def _target(does):
    def op(target):
        return does(target)

    return op


def _val_base_low_high(does):
    def op(val, base, low, high):
        return does(val, base, low, high)

    return op


def _val_covers(does):
    def op(val, covers=None):
        return does(val, covers)

    return op


def _args(does):
    def op(*args):
        return does(*args)

    return op


def _of_loops(does):
    def op(*, block_dim=None, serialize=False, parallelize=None, block_dim_adaptive=True, bit_vectorize=False, name=None, deterministic=False):
        return does(block_dim, serialize, parallelize, block_dim_adaptive, bit_vectorize, name, deterministic)

    return op


def _args_kwargs(does):
    def op(*args, **kwargs):
        return does(*args, **kwargs)

    return op


def _node_indices(does):
    def op(node, indices):
        return does(node, indices)

    return op


def _node_indices_val(does):
    def op(node, indices, val):
        return does(node, indices, val)

    return op


def _f_indices(does):
    def op(f, indices):
        return does(f, indices)

    return op


def _a_b_I(does):
    def op(a, b, I):
        return does(a, b, I)

    return op


def _none(does):
    def op():
        return does()

    return op


def _A_dt(does):
    def op(A, dt=None):
        return does(A, dt)

    return op


def _x_xmin_xmax(does):
    def op(x, xmin, xmax):
        return does(x, xmin, xmax)

    return op


def _x_y_a(does):
    def op(x, y, a):
        return does(x, y, a)

    return op


def _edge_x(does):
    def op(edge, x):
        return does(edge, x)

    return op


def _edge0_edge1_x(does):
    def op(edge0, edge1, x):
        return does(edge0, edge1, x)

    return op


WITH = {
    "x": _x,
    "x1, x2": _x1_x2,
    "base, exponent": _base_exponent,
    "cond, x1, x2": _cond_x1_x2,
    "x, y": _x_y,
    "x, expected, desired": _x_expected_desired,
    "target": _target,
    "val, base, low, high": _val_base_low_high,
    "val, covers=None": _val_covers,
    "*args": _args,
    "*, block_dim=None, serialize=False, parallelize=None, block_dim_adaptive=True, bit_vectorize=False, name=None, deterministic=False": _of_loops,
    "*args, **kwargs": _args_kwargs,
    "node, indices": _node_indices,
    "node, indices, val": _node_indices_val,
    "f, indices": _f_indices,
    "a, b, I": _a_b_I,
    "": _none,
    "A, dt=None": _A_dt,
    "x, xmin, xmax": _x_xmin_xmax,
    "x, y, a": _x_y_a,
    "edge, x": _edge_x,
    "edge0, edge1, x": _edge0_edge1_x,
}
