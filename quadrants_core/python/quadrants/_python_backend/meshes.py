"""Elements of meshes in kernels: the elements visited by a mesh-for, their relations, and the attributes of both."""

from quadrants import _exceptions
from quadrants._storage import field as _field, struct as _struct
from quadrants._language.annotations import kind_word
from quadrants._python_backend import numbers, places, storage
from quadrants._python_backend.numbers import DryRun, Scalar

around = []  # the current elements of the active mesh-for loops, innermost last


def _number(field, at):
    return int(field[at])


class Element:
    """A vertex, edge, face or cell."""

    def __init__(self, elements, number):
        self.elements = elements
        self.number = number

    def _field(self, name):
        found = getattr(self.elements, name, None)
        if isinstance(found, (_field.Field, _struct.StructField)):
            return found
        raise _exceptions.QuadrantsCompilationError(f"An element of a mesh has no attribute '{name}'")

    def attribute(self, name):
        if name == "id":
            return Scalar(numbers.i32, self.number)
        if name in ("verts", "edges", "faces", "cells"):
            return Touching(getattr(self.elements, name), self.number)
        return storage.load(self._field(name), self.number)

    def store(self, name, value):
        storage.store(self._field(name), self.number, value)


class Touching:
    """The elements related to one element."""

    def __init__(self, relation, number):
        self.relation = relation
        width = relation.width
        if width is not None:
            self.begin, self.end = width * number, width * (number + 1)
        else:
            self.begin, self.end = _number(relation.offsets, number), _number(relation.offsets, number + 1)

    def attribute(self, name):
        if name != "size":
            raise _exceptions.QuadrantsCompilationError(f"The neighbours of a mesh element have no attribute '{name}'")
        return Scalar(numbers.i32, len(self))

    def __len__(self):
        return self.end - self.begin

    def __getitem__(self, index):
        key = storage.key_of(index)
        if len(key) != 1:
            raise _exceptions.QuadrantsIndexError(f"The neighbours of a mesh element take 1 index, got {len(key)}.")
        count = len(self)
        if not 0 <= key[0] < count and not DryRun.active:
            places.fail(f"Index {key[0]} is out of range: the number of elements is {count}")
        return self.at(self.begin + min(max(key[0], 0), count - 1))

    def at(self, position):
        return Element(self.relation.target, _number(self.relation.values, position))


def is_looped(x):
    return isinstance(x, Touching) or kind_word(x) == "mesh_elements"


def visited(x, targets):
    """Yields the elements that `for v in x` visits."""
    if targets:
        raise _exceptions.QuadrantsSyntaxError(f"Mesh for should have 1 loop target, found {targets}")
    if isinstance(x, Touching):
        yield from map(x.at, range(x.begin, x.end))
        return
    around.append(None)
    try:
        for number in range(len(x)):
            around[-1] = Element(x, number)
            yield around[-1]
    finally:
        around.pop()


def patch():
    """Implements qd.mesh_patch_idx()."""
    if not around:
        raise _exceptions.QuadrantsSyntaxError("qd.mesh_patch_idx() is only valid within mesh-for loops.")
    patches = around[-1].elements._patches
    return Scalar(numbers.i32, 0 if patches is None else _number(patches, around[-1].number))
