"""The name under which programs look for tensors; they are in quadrants._storage.tensor."""

from quadrants._storage.tensor import Tensor, _with_layout
