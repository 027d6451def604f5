"""Meshes: incidence of elements, attributes, loops over elements and over incident elements."""

import itertools
import json

import numpy as np
import pytest
import quadrants as qd
from quadrants.lang import mesh as lang_mesh

KINDS = ("verts", "edges", "faces", "cells")


def block(n):
    """Returns the vertices and cells of n^3 cubes of six tetrahedra each."""
    points = np.array(list(itertools.product(range(n + 1), repeat=3)))
    number = {tuple(p): k for k, p in enumerate(points)}
    cells = []
    for corner in itertools.product(range(n), repeat=3):
        for order in itertools.permutations(range(3)):
            path = [np.array(corner)]
            for axis in order:
                path.append(path[-1] + np.eye(3, dtype=int)[axis])
            cells.append([number[tuple(p)] for p in path])
    return points.astype(np.float32), np.array(cells)


def sheet(n, m):
    """Returns the vertices and faces of n * m squares of two triangles each."""
    points = np.array([(i, j, 0.0) for i in range(n + 1) for j in range(m + 1)], np.float32)
    faces = []
    for i, j in itertools.product(range(n), range(m)):
        a = i * (m + 1) + j
        faces += [(a, a + 1, a + m + 1), (a + m + 2, a + m + 1, a + 1)]
    return points, np.array(faces)


def elements_of(corners):
    """Returns the vertices of the elements of each order, as sets, in the order in which a mesh numbers the elements."""
    top = corners.shape[1] - 1
    out = [[frozenset([v]) for v in range(corners.max() + 1)]]
    for order in range(1, top):
        parts = {tuple(sorted(p)) for c in corners for p in itertools.combinations(c.tolist(), order + 1)}
        out.append([frozenset(p) for p in sorted(parts)])
    return out + [[frozenset(c.tolist()) for c in corners]]


def touches(elements, a, b):
    """Returns a table that is true at [i, j] if element i of order a and element j of order b are incident."""
    if a != b:
        return np.array([[p <= q or q <= p for q in elements[b]] for p in elements[a]])
    if a == 0:
        return np.array([[p != q and p | q in elements[1] for q in elements[0]] for p in elements[0]])
    return np.array([[p != q and len(p & q) == a for q in elements[a]] for p in elements[a]])


@qd.kernel
def mark(elements: qd.template(), kind: qd.template(), out: qd.types.ndarray()):
    for e in elements:
        if qd.static(kind == "verts"):
            for other in e.verts:
                out[e.id, other.id] += 1
        elif qd.static(kind == "edges"):
            for other in e.edges:
                out[e.id, other.id] += 1
        elif qd.static(kind == "faces"):
            for other in e.faces:
                out[e.id, other.id] += 1
        else:
            for other in e.cells:
                out[e.id, other.id] += 1


@pytest.mark.parametrize("kind, corners", [("cells", block(1)[1]), ("faces", sheet(2, 3)[1]), ("edges", np.array([[0, 1], [2, 1], [3, 0], [1, 3]]))])
def test_relations_of_every_pair(kind, corners):
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({kind: corners}))
    elements = elements_of(corners)
    assert [len(getattr(mesh, k)) for k in KINDS] == [len(e) for e in elements] + [0] * (4 - len(elements))
    for a, b in itertools.product(range(len(elements)), repeat=2):
        seen = np.zeros((len(elements[a]), len(elements[b])), np.int32)
        mark(getattr(mesh, KINDS[a]), KINDS[b], seen)
        np.testing.assert_array_equal(seen, touches(elements, a, b).astype(np.int32), f"{KINDS[a]}.{KINDS[b]}")


def test_attributes_of_every_layout():
    vec, mat = qd.types.vector(3, qd.f32), qd.types.matrix(2, 2, qd.f64)
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": sheet(2, 2)[1]}))
    mesh.verts.place({"x": vec, "mass": qd.f64}, reorder=True)
    mesh.faces.place({"area": qd.f32, "frame": mat, "mark": qd.i32}, layout=qd.Layout.AOS)
    assert mesh.verts.keys == ["x", "mass"] and mesh.faces.get_member_field("mark") is mesh.faces.mark
    mesh.verts.x.from_numpy(sheet(2, 2)[0])
    mesh.verts.mass[3] = 0.5

    @qd.kernel
    def measure():
        for f in mesh.faces:
            a, b, c = f.verts[0].x, f.verts[1].x, f.verts[2].x
            f.area = 0.5 * (b - a).cross(c - a).norm()
            f.frame[0, 1] = f.id
            f.mark += 3
            for v in f.verts:
                v.mass += f.area / 3

    measure()
    np.testing.assert_allclose(mesh.faces.area.to_numpy(), 0.5)
    assert mesh.faces.frame[5][0, 1] == 5 and mesh.faces.frame[5][1, 1] == 0 and mesh.faces.mark[7] == 3
    shares = np.bincount(sheet(2, 2)[1].ravel())
    np.testing.assert_allclose(mesh.verts.mass.to_numpy(), shares / 6 + 0.5 * (np.arange(9) == 3), rtol=1e-6)


def test_struct_attributes():
    particle = qd.types.struct(x=qd.f32, v=qd.types.vector(2, qd.f32))
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"edges": [[0, 1], [1, 2]]}))
    mesh.verts.place({"p": particle})

    @qd.kernel
    def go():
        for v in mesh.verts:
            v.p.x = v.id
            v.p.v[1] = v.p.x + 1

    go()
    assert mesh.verts.p.x[2] == 2 and mesh.verts.p.v[2][1] == 3


def test_gradients_have_storage():
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"edges": [[0, 1], [1, 2]]}))
    mesh.verts.place({"x": qd.f32}, needs_grad=True)
    mesh.edges.place({"a": qd.f32, "b": qd.types.vector(2, qd.f32)}, needs_grad=True, layout=qd.Layout.AOS)

    @qd.kernel
    def go():
        for e in mesh.edges:
            mesh.edges.b.grad[e.id][1] = e.verts[1].id
            for v in e.verts:
                mesh.verts.x.grad[v.id] += 1
            for v in e.verts:
                v.x.grad += 10
            e.b.grad[0] = e.a.grad + 5

    go()
    assert mesh.edges.b.grad[1].to_list() == [5, 2]
    assert mesh.verts.x.grad.to_numpy().tolist() == [11, 22, 11] and mesh.edges.b.grad[1][1] == 2 and mesh.edges.a.grad[0] == 0


def test_sizes_and_indices():
    points, cells = block(2)
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"cells": cells, "x": points}))
    mesh.verts.place({"x": qd.types.vector(3, qd.f32), "volume": qd.f32, "count": qd.i32, "last": qd.i32})
    mesh.verts.x.from_numpy(mesh.get_position_as_numpy())

    @qd.kernel
    def go() -> qd.f32:
        total = 0.0
        for c in mesh.cells:
            edges = qd.Matrix.cols([c.verts[i].x - c.verts[3].x for i in qd.static(range(3))])
            volume = abs(edges.determinant()) / 6
            total += volume
            for j in range(c.verts.size):
                c.verts[j].volume += volume / len(c.verts)
        for v in mesh.verts:
            v.count = v.cells.size
            near = v.cells[v.cells.size - 1]
            v.last = near.id
        return total

    assert go() == pytest.approx(8)
    assert mesh.verts.volume.to_numpy().sum() == pytest.approx(8, rel=1e-5)
    np.testing.assert_array_equal(mesh.verts.count.to_numpy(), np.bincount(cells.ravel()))
    assert all(v in cells[c] and v not in cells[c + 1 :] for v, c in enumerate(mesh.verts.last.to_numpy()))


@qd.func
def pull(v, other):
    return other.x - v.x


@qd.func
def push(v: qd.template(), amount):
    v.y += amount
    for u in v.verts:
        u.y -= amount / v.verts.size


@qd.kernel
def smooth(mesh: qd.template()):
    for v in mesh.verts:
        for u in v.verts:
            v.y += pull(v, u)


@qd.kernel
def spread(mesh: qd.template()):
    for v in mesh.verts:
        push(v, v.x)


def test_meshes_are_template_arguments_and_elements_go_to_funcs():
    for n in (2, 3):
        points, faces = sheet(n, n)
        mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": faces}))
        mesh.verts.place({"x": qd.f32, "y": qd.f32})
        x = np.arange(len(points), dtype=np.float32) ** 2
        mesh.verts.x.from_numpy(x)
        smooth(mesh)
        table = touches(elements_of(faces), 0, 0)
        np.testing.assert_allclose(mesh.verts.y.to_numpy(), (table * (x[None] - x[:, None])).sum(1))
        mesh.verts.y.fill(0)
        spread(mesh)
        np.testing.assert_allclose(mesh.verts.y.to_numpy(), x - (table * (x / table.sum(1))[:, None]).sum(0), rtol=1e-4, atol=1e-4)


def test_loops_nest_break_and_continue():
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": sheet(3, 3)[1]}))
    mesh.verts.place({"a": qd.i32, "b": qd.i32, "c": qd.i32})

    @qd.kernel
    def go():
        for v in mesh.verts:
            if v.id % 2:
                continue
            for u in v.verts:
                if u.id > v.id:
                    break
                v.a += 1
            for u in v.verts:
                if u.id < v.id:
                    continue
                for w in u.verts:
                    v.b += 1
        if mesh.verts.a[0] == 0:
            for v in mesh.verts:  # serial: there is a condition around it
                v.c = v.id

    go()
    table = touches(elements_of(sheet(3, 3)[1]), 0, 0)
    number = np.arange(16)
    even = number % 2 == 0
    np.testing.assert_array_equal(mesh.verts.a.to_numpy(), even * np.tril(table).sum(1))
    np.testing.assert_array_equal(mesh.verts.b.to_numpy(), even * (np.triu(table) @ table.sum(1)))
    np.testing.assert_array_equal(mesh.verts.c.to_numpy(), number)


@qd.func
def farthest(v, steps):
    """Returns the vertex with the greatest number that is reachable in that many steps."""
    for _ in range(steps):
        best = v
        for u in v.verts:
            if u.id > best.id:
                best = u
        v = best
    return v


def test_elements_in_variables():
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": sheet(3, 3)[1]}))
    mesh.verts.place({"far": qd.i32, "near": qd.i32, "even": qd.i32})

    @qd.kernel
    def go():
        for v in mesh.verts:
            mesh.verts.far[v.id] = farthest(v, 2).id
            first, last = v.verts[0], v.verts[v.verts.size - 1]
            (first if v.id < 5 else last).near += 1
            start = v.id
            if v.id % 2:
                v = first
            v.even += 1
            mesh.verts.near[start] += 10 * v.id

    go()
    table = touches(elements_of(sheet(3, 3)[1]), 0, 0)
    near = [np.nonzero(row)[0] for row in table]
    far = [max(k, near[k].max()) for k in range(16)]
    assert mesh.verts.far.to_numpy().tolist() == [far[k] for k in far]
    ends = [near[k][0] if k % 2 else k for k in range(16)]
    assert mesh.verts.even.to_numpy().tolist() == np.bincount(ends, minlength=16).tolist()
    chosen = np.bincount([near[k][0] if k < 5 else near[k][-1] for k in range(16)], minlength=16)
    assert mesh.verts.near.to_numpy().tolist() == (chosen + 10 * np.array(ends)).tolist()


def test_meshes_of_data_oriented_objects():
    @qd.data_oriented
    class Cloth:
        def __init__(self, n):
            self.mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": sheet(n, n)[1]}))
            self.mesh.edges.place({"n": qd.i32})

        @qd.kernel
        def count(self) -> qd.i32:
            total = 0
            for e in self.mesh.edges:
                e.n = e.faces.size
                total += e.n
            return total

    for n in (2, 3):
        cloth = Cloth(n)
        assert cloth.count() == 6 * n * n
        assert (cloth.mesh.edges.n.to_numpy() == 1).sum() == 4 * n


def patched(corners, patch_of_vertex, kinds):
    """Returns the output of a patcher for a mesh: the vertices and top elements of each patch and those incident to it. An element belongs
    to the patch of its second vertex."""
    top = corners.shape[1] - 1
    elements = elements_of(corners)
    patches = max(patch_of_vertex) + 1
    owner = {0: list(patch_of_vertex), top: [patch_of_vertex[c[1]] for c in corners]}
    tables = {(a, b): touches(elements, a, b) for a in (0, top) for b in (0, top)}
    local = {order: [] for order in (0, top)}
    for p in range(patches):
        owned = {order: [k for k in reversed(range(len(elements[order]))) if owner[order][k] == p] for order in (0, top)}
        for order in (0, top):
            needed = {int(j) for a in (0, top) for i in owned[a] for j in np.nonzero(tables[a, order][i])[0]}
            local[order].append(owned[order] + sorted(needed - set(owned[order])))
    # adds the vertices of elements that the patch does not own
    for p in range(patches):
        needed = {int(v) for c in local[top][p] for v in corners[c]}
        local[0][p] += sorted(needed - set(local[0][p]))
    data = {"num_patches": patches, "elements": [], "relations": [], "attrs": {"x": np.arange(3.0 * len(elements[0])).tolist()}}
    for order in (0, top):
        owned = [sum(o == p for o in owner[order]) for p in range(patches)]
        totals = [len(one) for one in local[order]]
        # the position of an element when elements are sorted by patch
        place = {k: n for n, k in enumerate(k for p in range(patches) for k in local[order][p][: owned[p]])}
        flat = [k for one in local[order] for k in one]
        data["elements"].append({
            "order": order, "num": len(elements[order]), "max_num_per_patch": max(totals),
            "owned_offsets": np.cumsum([0, *owned]).tolist(), "total_offsets": np.cumsum([0, *totals]).tolist(),
            "l2g_mapping": flat, "l2r_mapping": [place[k] for k in flat],
            "g2r_mapping": [place[k] for k in range(len(elements[order]))],
        })  # fmt: skip
    for a, b in kinds:
        relation = {"from_order": a, "to_order": b, "value": []}
        if a <= b:
            relation |= {"patch_offset": [], "offset": []}
        for p in range(patches):
            owned = sum(o == p for o in owner[a])
            start = len(relation["value"])
            if a <= b:
                relation["patch_offset"].append(start)
            for k in local[a][p][: owned if a <= b else None]:
                others = corners[k] if a > b else np.nonzero(tables[a, b][k])[0]
                if a <= b:
                    relation["offset"].append(len(relation["value"]) - start)
                relation["value"] += [local[b][p].index(j) for j in others]
            if a <= b:
                relation["offset"].append(len(relation["value"]) - start)
        data["relations"].append(relation)
    return data


def test_metadata_of_patches(tmp_path):
    corners = block(1)[1]
    data = patched(corners, [0, 0, 1, 0, 2, 2, 1, 1], [(3, 0), (0, 3), (0, 0)])
    (tmp_path / "block.json").write_text(json.dumps(data))
    builder = lang_mesh._TetMesh()
    builder.verts.place({"x": qd.types.vector(3, qd.f32), "patch": qd.i32}, reorder=True)
    builder.cells.place({"patch": qd.i32})
    builder.cells.AOS = True
    mesh = builder.build(qd.Mesh.load_meta(str(tmp_path / "block.json")))
    assert isinstance(mesh, qd.MeshInstance) and mesh.num_patches == 3 and mesh.patcher is None
    mesh.verts.x.from_numpy(mesh.get_position_as_numpy().astype(np.float32))
    assert mesh.verts.x[2][1] == 7
    elements = elements_of(corners)
    for a, b in ((3, 0), (0, 3), (0, 0), (3, 3)):
        seen = np.zeros((len(elements[a]), len(elements[b])), np.int32)
        if (a, b) == (3, 3):  # without faces, cells that share a face cannot be found
            with pytest.raises(qd.QuadrantsCompilationError, match="The mesh has no relation from cells to cells: give the relation cells -> cells"):
                mark(mesh.cells, "cells", seen)
            continue
        mark(getattr(mesh, KINDS[a]), KINDS[b], seen)
        np.testing.assert_array_equal(seen, touches(elements, a, b).astype(np.int32))

    @qd.kernel
    def go() -> qd.i32:
        for v in mesh.verts:
            v.patch = qd.mesh_patch_idx()
        for c in mesh.cells:
            c.patch = qd.mesh_patch_idx()
        same = 1
        for c in mesh.cells:
            for j in range(4):  # corners stay in order
                same &= c.verts[j].x[0] == 3 * corners_of[c.id, j]
        return same

    corners_of = qd.field(qd.i32, shape=corners.shape)
    corners_of.from_numpy(corners.astype(np.int32))
    assert go() == 1
    assert mesh.verts.patch.to_numpy().tolist() == [0, 0, 1, 0, 2, 2, 1, 1]
    assert mesh.cells.patch.to_numpy().tolist() == [[0, 0, 1, 0, 2, 2, 1, 1][c[1]] for c in corners]


def test_one_patch():
    builder = lang_mesh._TriMesh()
    builder.faces.place({"patch": qd.i32})
    mesh = builder.build(qd.Mesh.generate_meta({"faces": sheet(1, 1)[1]}))
    mesh.faces.patch.fill(7)

    @qd.kernel
    def go():
        qd.mesh_local(mesh.faces.patch, mesh.faces)
        for f in mesh.faces:
            for _ in f.verts:
                f.patch = qd.mesh_patch_idx()

    go()
    assert mesh.faces.patch.to_numpy().tolist() == [0, 0]
    with pytest.raises(qd.QuadrantsSyntaxError, match="Position info is not in the file."):
        mesh.get_position_as_numpy()


def test_relations_are_made_of_others():
    corners = sheet(2, 2)[1]
    whole = qd.Mesh.generate_meta({"faces": corners})
    edges = whole.relations.get(1, 0).rows(2)
    count = {0: 9, 1: len(edges), 2: len(corners)}
    numbers = {k: list(range(n)) for k, n in count.items()}
    given = qd.Mesh.generate_meta({
        "num_patches": 1,
        "elements": [{"order": k, "num": n, "max_num_per_patch": n, "owned_offsets": [0, n], "total_offsets": [0, n],
                      "l2g_mapping": numbers[k], "l2r_mapping": numbers[k], "g2r_mapping": numbers[k]} for k, n in count.items()],
        "relations": [{"from_order": 2, "to_order": 0, "value": corners.ravel().tolist()},
                      {"from_order": 1, "to_order": 0, "value": edges.ravel().tolist()}],
    })  # fmt: skip
    mesh, elements = qd.Mesh._create_instance(given), elements_of(corners)
    for a, b in itertools.product(range(3), repeat=2):
        seen = np.zeros((count[a], count[b]), np.int32)
        mark(getattr(mesh, KINDS[a]), KINDS[b], seen)
        np.testing.assert_array_equal(seen, touches(elements, a, b).astype(np.int32))


def test_names_of_attributes():
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"edges": [[0, 1]]}))
    mesh.verts.place({"x": qd.f32})
    for name in ("cells", "verts", "id"):
        with pytest.raises(qd.QuadrantsSyntaxError, match=f"'{name}' cannot use as attribute name. It has been reserved"):
            mesh.verts.place({name: qd.f32})
        with pytest.raises(qd.QuadrantsSyntaxError, match=f"'{name}' cannot use as attribute name. It has been reserved"):
            lang_mesh._TetMesh().verts.place({name: qd.f32})
    for name in ("x", "place", "_count"):
        with pytest.raises(qd.QuadrantsSyntaxError, match=f"'{name}' has already use as attribute name"):
            mesh.verts.place({name: qd.f32})
    with pytest.raises(qd.QuadrantsRuntimeError, match="The mesh has no cells"):
        mesh.cells.place({"x": qd.f32})
    mesh.edges.place({"x": qd.f32})  # of another kind


@pytest.mark.parametrize("data, message", [
    ({}, "defined by its `cells`, its `faces` or its `edges`"),
    ({"cells": [[0, 1, 2, 3]], "faces": [[0, 1, 2]]}, "defined by its `cells`"),
    ({"faces": [[0, 1, 2, 3]]}, r"`faces` is an array of 3 vertex numbers each, not of shape \(1, 4\)"),
    ({"faces": [[0.0, 1.0, 2.0]]}, "of 3 vertex numbers each"),
    ({"edges": [[0, 1], [2, 5]], "x": np.zeros((5, 3))}, "names vertices from 0 to 5; there are 5"),
    ({"edges": [[0, 0]]}, "has a vertex twice"),
])  # fmt: skip
def test_bad_index_arrays(data, message):
    with pytest.raises(ValueError, match=message):
        qd.Mesh.generate_meta(data)


def test_indices_are_checked_in_debug_mode(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"edges": [[0, 1], [1, 2]]}))

    @qd.kernel
    def go(k: qd.i32) -> qd.i32:
        total = 0
        for v in mesh.verts:
            total += v.edges[k].id
        return total

    assert go(0) == 1
    with pytest.raises(qd.QuadrantsAssertionError, match="Index 1 is out of range: the number of elements is 1"):
        go(1)


def test_indices_are_checked_whatever_integers_are_by_default(arch):
    qd.init(arch=arch, offline_cache=False, debug=True, default_ip=qd.i64)
    mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"edges": [[0, 1], [1, 2]]}))

    @qd.kernel
    def go(k: qd.i64) -> qd.i64:
        total = 0
        for e in mesh.edges:
            total += e.verts[k].id
        return total

    assert go(1) == 3
    with pytest.raises(qd.QuadrantsAssertionError, match="Index 2 is out of range: the number of elements is 2"):
        go(2)


def test_on_the_python_backend():
    """The same loops run as Python."""
    qd.init(arch=qd.python)
    test_attributes_of_every_layout()
    test_struct_attributes()
    test_sizes_and_indices()
    test_meshes_are_template_arguments_and_elements_go_to_funcs()
    test_loops_nest_break_and_continue()
    test_elements_in_variables()
    test_meshes_of_data_oriented_objects()
    test_one_patch()


@pytest.mark.parametrize("default", [qd.i32, qd.i64])
def test_the_number_of_incident_elements_has_one_type(default, arch):
    """It is i32, whether or not all elements have the same number of incident elements, and whatever the default integer type is."""
    results = []
    for one in ("python", arch):
        qd.init(arch=one, offline_cache=False, default_ip=default)
        mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"cells": np.array([[2, 0, 3, 1]])}))
        mesh.verts.place({"fixed": qd.i32, "counted": qd.i32, "length": qd.i32})

        @qd.kernel
        def go(limit: qd.u32):
            for c in mesh.cells:
                for v in c.verts:
                    v.fixed = 1 if qd.mesh_patch_idx() - c.verts.size < limit else 0
                    v.length = 1 if qd.mesh_patch_idx() - len(c.verts) < limit else 0
            for v in mesh.verts:
                v.counted = 1 if qd.mesh_patch_idx() - v.edges.size < limit else 0

        go(7)
        results.append([getattr(mesh.verts, name).to_numpy().tolist() for name in ("fixed", "counted", "length")])
    assert results == [[[0] * 4] * 3] * 2
