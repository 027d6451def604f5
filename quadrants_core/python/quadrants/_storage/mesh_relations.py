"""Relations between the elements of a mesh, as index arrays. Elements are identified by their index and their order: 0 for vertices, 1 for
edges, 2 for faces, 3 for cells.

Relations that are not given are derived from others:
- by inversion, if the opposite relation is given;
- the parts of an element (the edges of a cell) are identified by their vertices;
- neighbours of one kind are those that share a part: cells a face, faces an edge, edges a vertex; vertices share an edge.
"""

import itertools

import numpy as np

KINDS = ("verts", "edges", "faces", "cells")


class Relation:
    """The elements related to element i are values[offsets[i] : offsets[i + 1]]."""

    def __init__(self, offsets, values):
        self.offsets, self.values = offsets, values

    @classmethod
    def from_rows(cls, rows):
        return cls(np.arange(len(rows) + 1) * rows.shape[1], rows.reshape(-1))

    def rows(self, width):
        return self.values.reshape(-1, width)

    @property
    def width(self):
        """The number of related elements; None if it is not the same for all."""
        sizes = np.diff(self.offsets)
        return int(sizes[0]) if len(sizes) and (sizes == sizes[0]).all() else None

    def _sources(self):
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def reversed(self, count):
        """Returns the inverse relation, for `count` elements."""
        return _grouped(self.values, self._sources(), count)

    def sharing(self, onward):
        """Returns the relation to other elements that share a part; `onward` is the relation from the parts to the elements."""
        sizes = np.diff(onward.offsets)[self.values]
        ends = np.cumsum(sizes)
        within = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
        found = onward.values[np.repeat(onward.offsets[self.values], sizes) + within]
        pairs = np.stack([np.repeat(self._sources(), sizes), found], axis=1)
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
        return _grouped(pairs[:, 0], pairs[:, 1], len(self.offsets) - 1)


def _grouped(sources, values, count):
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=count))])
    return Relation(offsets, values[np.argsort(sources, kind="stable")])


def _parts_of(corners, order):
    """Returns the vertices of the parts of each element, with axes element, part, vertex; the vertices of a part are in ascending order."""
    picks = list(itertools.combinations(range(corners.shape[1]), order + 1))
    return np.sort(corners, axis=1)[:, picks]


class Relations:
    """The relations of one mesh. counts[k]: number of elements of order k; `known`: (from, to) -> Relation."""

    def __init__(self, counts, known):
        self.counts, self._known = counts, known

    @classmethod
    def from_corners(cls, corners, vertices):
        """Makes a mesh of triangles, tetrahedra or line segments from their vertices; elements of lower order are derived."""
        top = corners.shape[1] - 1
        counts, known = [vertices, 0, 0, 0], {(top, 0): Relation.from_rows(corners)}
        counts[top] = len(corners)
        for order in range(1, top):
            parts = _parts_of(corners, order)
            unique, which = np.unique(parts.reshape(-1, order + 1), axis=0, return_inverse=True)
            counts[order] = len(unique)
            known[order, 0] = Relation.from_rows(unique)
            known[top, order] = Relation.from_rows(which.reshape(len(corners), -1))
        return cls(counts, known)

    def get(self, source, target):
        """Returns the relation between two orders; None if it is neither given nor derivable."""
        if (source, target) not in self._known:
            self._known[source, target] = self._made(source, target)
        return self._known[source, target]

    def _made(self, source, target):
        if source == target:
            through = source - 1 if source else 1
            there, back = self.get(source, through), self.get(through, source)
            return there.sharing(back) if there and back else None
        opposite = self._known.get((target, source)) or (self.get(target, source) if source < target else None)
        if opposite:
            return opposite.reversed(self.counts[source])
        return self._matched(source, target) if source > target > 0 else None

    def _matched(self, source, target):
        """Derives the parts of elements by comparing vertices."""
        owners, parts = self.get(source, 0), self.get(target, 0)
        if not owners or not parts:
            return None
        wanted = _parts_of(owners.rows(source + 1), target)
        present = np.sort(parts.rows(target + 1), axis=1)
        both = np.concatenate([present, wanted.reshape(-1, target + 1)])
        _, names = np.unique(both, axis=0, return_inverse=True)
        names = names.reshape(-1)
        number = np.full(names.max(initial=0) + 1, -1)
        number[names[: len(present)]] = np.arange(len(present))
        found = number[names[len(present) :]]
        return None if (found < 0).any() else Relation.from_rows(found.reshape(len(wanted), -1))


class Patches:
    """A mesh in the format of patchers: elements are numbered within patches, owned ones first, and relations use these numbers. This class
    converts them to global numbers."""

    def __init__(self, data):
        self.count = data["num_patches"]
        self._elements = {}
        counts = [0, 0, 0, 0]
        for element in data["elements"]:
            order = element["order"]
            counts[order] = element["num"]
            owned, total = np.array(element["owned_offsets"]), np.array(element["total_offsets"])
            self._elements[order] = (np.diff(owned), total, np.array(element["l2g_mapping"]))
        known = {}
        for relation in data["relations"]:
            source, target = relation["from_order"], relation["to_order"]
            read = self._listed if source <= target else self._fixed
            known[source, target] = read(relation, source, target, counts[source])
        self.relations = Relations(counts, known)

    def patch_of(self, order, count):
        """Returns the patch that owns each element."""
        out = np.zeros(count, np.int32)
        for p in range(self.count if order in self._elements else 0):
            out[self._owned(order, p)] = p
        return out

    def _numbers(self, order, patch):
        _, total, numbers = self._elements[order]
        return numbers[total[patch] : total[patch + 1]]

    def _owned(self, order, patch):
        return self._numbers(order, patch)[: self._elements[order][0][patch]]

    def _fixed(self, relation, source, target, count):
        """Reads a relation with the same number of related elements for each element of each patch, owned or not."""
        _, total, _ = self._elements[source]
        values = np.array(relation["value"]).reshape(total[-1], -1)
        rows = np.zeros((count, values.shape[1]), np.int64)
        for p in range(self.count):
            owned = self._owned(source, p)
            rows[owned] = self._numbers(target, p)[values[total[p] : total[p] + len(owned)]]
        return Relation.from_rows(rows)

    def _listed(self, relation, source, target, count):
        """Reads a relation of the owned elements of each patch: offsets, one more than elements, into the patch's values."""
        offset, value = np.array(relation["offset"]), np.array(relation["value"], np.int64)
        sources, values, first = [], [], 0
        for p in range(self.count):
            owned = self._owned(source, p)
            ends = relation["patch_offset"][p] + offset[first : first + len(owned) + 1]
            sources.append(np.repeat(owned, np.diff(ends)))
            values.append(self._numbers(target, p)[value[ends[0] : ends[-1]]])
            first += len(owned) + 1
        return _grouped(np.concatenate(sources), np.concatenate(values), count)
