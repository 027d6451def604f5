"""Constructors in modules that are imported on first use."""

from quadrants._factories import makes


@makes("tensor of matrices")
def _(*args, **keywords):
    from quadrants._storage import tensor as _tensor

    return _tensor.compound_tensor(*args, **keywords)


@makes("slice of an array")
def _(array, key):
    from quadrants._storage import buffer_view as _buffer_view

    return _buffer_view.slice_of(array, key)


@makes("reference")
def _(owner):
    from quadrants._language import pickling

    return pickling.make_reference(owner)


@makes("pickle")
def _(owner, protocol):
    from quadrants._language import pickling

    return pickling.reduced(owner, protocol)


@makes("quant array")
def _(*args):
    from quadrants._trees import quant

    return quant.QuantArray(*args)


@makes("class of sparse matrix builders")
def _():
    from quadrants._sparse import matrix as _sparse_matrix

    return _sparse_matrix.SparseMatrixBuilder
