"""Tensors under the module name that programs import; they are in quadrants._storage.tensor."""

from quadrants._storage.tensor import Tensor, _with_layout
