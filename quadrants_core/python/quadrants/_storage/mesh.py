"""Meshes: vertices, edges, faces and cells with attributes and relations. In kernels `for v in mesh.verts` iterates over elements, `v.x` is
an attribute, `v.id` the index, and `v.cells` the incident cells.

A mesh is stored by the indices of its elements: an attribute is a field with one entry per element, a relation one or two fields of indices
(mesh_relations.py), built when a kernel first needs it."""

import json

from quadrants import _arch, _dtypes, _exceptions, _native, _settings
from quadrants._storage import field as _field, mesh_relations as _mesh_relations
from quadrants._trees import snode as _snode
from quadrants._trees.layout import Layout as _Layout

_KINDS = _mesh_relations.KINDS


def _check_name(name, taken):
    if name in _KINDS or name in ("id", "mesh"):
        raise _exceptions.QuadrantsSyntaxError(
            f"'{name}' cannot use as attribute name. It has been reserved as MeshQuadrants's keyword."
        )
    if name in taken or hasattr(MeshElementField, name) or name.startswith("_"):
        raise _exceptions.QuadrantsSyntaxError(f"'{name}' has already use as attribute name.")


def _numbers(values):
    """Returns a field of the values; a field has at least one element."""
    import numpy as np

    made = _field.field(_dtypes.i32, shape=max(len(values), 1))
    if len(values):
        _native.core().outside_of_kernels(lambda: made.from_numpy(np.asarray(values, np.int32)))
    return made


class _MeshRelation:
    """A relation in the form that kernels read: the `width` indices starting at `width * i` in `values`, or, without a fixed width, the
    indices from `offsets[i]` to `offsets[i + 1]`."""

    _qd_kind_ = "mesh_relation"

    def __init__(self, relation, target):
        self.target, self.width = target, relation.width
        self.values = _numbers(relation.values)
        self.offsets = _numbers(relation.offsets) if self.width is None else None


class MeshElementField:
    """The elements of one kind of a mesh, such as `mesh.verts`. Their attributes are fields: `mesh.verts.x`."""

    _qd_kind_ = "mesh_elements"

    def __init__(self, mesh, order):
        self.mesh = mesh
        self._order = order
        self._count = mesh._metadata.num_elements[order]
        self._attributes = {}
        self._relations = {}
        self._patch_field = None

    def place(self, members, reorder=False, needs_grad=False, layout=_Layout.SOA):
        """Adds an attribute to the elements for each of `members`: name -> type. With layout AOS the attributes of an element are adjacent.
        Elements are stored by index regardless of `reorder`; number them such that neighbours are close."""
        made = {}
        for name, dtype in members.items():
            _check_name(name, {**self._attributes, **made})
            if not self._count:
                raise _exceptions.QuadrantsRuntimeError(f"The mesh has no {_KINDS[self._order]}: '{name}' cannot be placed")
            shape = None if layout == _Layout.AOS else self._count
            gradient = {"needs_grad": True} if needs_grad else {}
            made[name] = _field.field(dtype, shape=shape, **gradient)
        if layout == _Layout.AOS and made:
            builder = _snode.FieldsBuilder()
            builder.dense(_snode.axes(0), self._count).place(*made.values())
            if needs_grad:
                builder.dense(_snode.axes(0), self._count).place(*(field.grad for field in made.values()))
        for name, field in made.items():
            setattr(self, name, field)
        self._attributes.update(made)

    @property
    def keys(self):
        """Returns the names of the attributes."""
        return list(self._attributes)

    def get_member_field(self, key):
        """Returns the field of an attribute."""
        return self._attributes[key]

    def __len__(self):
        return self._count

    def __repr__(self):
        return f"<{self._count} {_KINDS[self._order]} of a mesh>"

    def _relation(self, target):
        if target not in self._relations:
            found = self.mesh._metadata.relations.get(self._order, target)
            if found is None:
                raise _exceptions.QuadrantsCompilationError(
                    f"The mesh has no relation from {_KINDS[self._order]} to {_KINDS[target]}: "
                    f"give the relation {_KINDS[self._order]} -> {_KINDS[target]} when its metadata is made"
                )
            self._relations[target] = _MeshRelation(found, getattr(self.mesh, _KINDS[target]))
        return self._relations[target]

    verts = property(lambda self: self._relation(0))
    edges = property(lambda self: self._relation(1))
    faces = property(lambda self: self._relation(2))
    cells = property(lambda self: self._relation(3))

    @property
    def _patches(self):
        """Returns the patch of each element as a field; None if there is one patch."""
        metadata = self.mesh._metadata
        if metadata.num_patches > 1 and self._patch_field is None:
            self._patch_field = _numbers(metadata.patch_of(self._order))
        return self._patch_field


class MeshInstance:
    """A mesh.

    Args:
        metadata: the result of `qd.Mesh.generate_meta`.

    Attributes:
        verts, edges, faces, cells: the elements. `place({"x": qd.math.vec3})` adds attributes to them; kernels loop over them.

    Example:
        See the tests of meshes: tests/python/storage/test_meshes.py.
    """

    def __init__(self, metadata):
        self._metadata = metadata
        self.num_patches, self.patcher = metadata.num_patches, metadata.patcher
        self.verts, self.edges, self.faces, self.cells = (MeshElementField(self, order) for order in range(4))

    def get_position_as_numpy(self):
        """Returns the positions of the vertices from the metadata, one row each."""
        if "x" not in self._metadata.attrs:
            raise _exceptions.QuadrantsSyntaxError("Position info is not in the file.")
        return self._metadata.attrs["x"]

    def __repr__(self):
        return "<mesh of " + ", ".join(f"{n} {kind}" for n, kind in zip(self._metadata.num_elements, _KINDS) if n) + ">"


class MeshMetadata:
    """The topology of a mesh, without attributes. `data` is the output of a patcher, or the elements given by their vertices: {"cells":
    [[0, 1, 2, 3], ...]} for tetrahedra, {"faces": ...} for triangles or {"edges": ...}, optionally with the vertex positions as "x". Edges
    and faces of the elements are then derived."""

    def __init__(self, data):
        import numpy as np

        self.patcher = data.get("patcher")
        self.attrs = {}
        if "elements" in data:
            self._patches = _mesh_relations.Patches(data)
            self.num_patches, self.relations = self._patches.count, self._patches.relations
            positions = data.get("attrs", {}).get("x")
            self.attrs["x"] = None if positions is None else np.array(positions).reshape(-1, 3)
        else:
            self.attrs["x"] = None if data.get("x") is None else np.array(data["x"])
            self.num_patches, self.relations = 1, self._from_corners(data)
        if self.attrs["x"] is None:
            del self.attrs["x"]
        self.num_elements = self.relations.counts

    def _from_corners(self, data):
        import numpy as np

        given = [kind for kind in _KINDS[1:] if kind in data]
        if len(given) != 1:
            raise ValueError("a mesh is defined by its `cells`, its `faces` or its `edges`: an array of vertex numbers")
        width = _KINDS.index(given[0]) + 1
        corners = np.asarray(data[given[0]])
        if corners.ndim != 2 or corners.shape[1] != width or not len(corners) or corners.dtype.kind not in "iu":
            raise ValueError(f"`{given[0]}` is an array of {width} vertex numbers each, not of shape {corners.shape} and type {corners.dtype}")
        positions = self.attrs["x"]
        vertices = int(corners.max()) + 1 if positions is None else len(positions)
        if corners.min() < 0 or corners.max() >= vertices:
            raise ValueError(f"`{given[0]}` names vertices from {corners.min()} to {corners.max()}; there are {vertices}")
        if (np.diff(np.sort(corners, axis=1), axis=1) == 0).any():
            raise ValueError(f"one of `{given[0]}` has a vertex twice")
        return _mesh_relations.Relations.from_corners(corners.astype(np.int64), vertices)

    def patch_of(self, order):
        return self._patches.patch_of(order, self.num_elements[order])


class MeshElement:
    """The elements of one kind of the meshes that a MeshBuilder will build."""

    def __init__(self):
        self.layout = _Layout.SOA
        self._placed = []

    def _set_layout(self, layout):
        self.layout = layout

    SOA = property(fset=lambda self, yes: self._set_layout(_Layout.SOA if yes else _Layout.AOS))
    AOS = property(fset=lambda self, yes: self._set_layout(_Layout.AOS if yes else _Layout.SOA))

    def place(self, members, reorder=False, needs_grad=False):
        """Like MeshElementField.place, for every mesh that will be built."""
        for name in members:
            _check_name(name, ())
        self._placed.append((dict(members), reorder, needs_grad))

    def _build(self, elements):
        for members, reorder, needs_grad in self._placed:
            elements.place(members, reorder, needs_grad, self.layout)


class MeshBuilder:
    """Declares the attributes of meshes, and builds meshes."""

    def __init__(self):
        arch = _settings.current().arch
        if arch != _arch.Arch.python and not _arch.is_extension_supported(arch, _arch.Extension.mesh):
            raise Exception(f"Backend {arch} doesn't support MeshQuadrants extension")
        self.verts, self.edges, self.faces, self.cells = (MeshElement() for _ in _KINDS)

    def build(self, metadata):
        """Returns a mesh with these attributes."""
        made = MeshInstance(metadata)
        for kind in _KINDS:
            getattr(self, kind)._build(getattr(made, kind))
        return made


class Mesh:
    """Makes meshes: `qd.Mesh.generate_meta(data)` makes metadata, `qd.Mesh._create_instance(metadata)` builds a mesh.

    Example:
        >>> qd.Mesh.load_meta("missing.json")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'missing.json'
    """

    @staticmethod
    def load_meta(filename):
        """Reads metadata from the JSON file of a patcher.

        Args:
            filename: the path of the file.
        """
        with open(filename, encoding="utf-8") as file:
            return MeshMetadata(json.load(file))

    @staticmethod
    def generate_meta(data):
        """Makes metadata from the output of a patcher or from index arrays.

        Args:
            data: as for `MeshMetadata`.
        """
        return MeshMetadata(data)

    @staticmethod
    def _create_instance(metadata):
        """Makes a mesh without attributes; `mesh.verts.place({...})` adds them."""
        return MeshInstance(metadata)


def _TriMesh():
    """Returns a builder of triangle meshes."""
    return MeshBuilder()


def _TetMesh():
    """Returns a builder of tetrahedral meshes."""
    return MeshBuilder()
