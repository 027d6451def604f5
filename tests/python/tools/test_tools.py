"""qd.tools: PLY and VTK files, and the output of diagnose."""

import xml.etree.ElementTree

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(scope="module", autouse=True)
def arch():
    qd.init(arch="interp", offline_cache=False)  # files do not depend on the backend
    yield
    qd.reset()


def test_ply_as_text(tmp_path):
    writer = qd.tools.PLYWriter(num_vertices=4, num_faces=2, comment="two triangles")
    writer.add_vertex_pos(np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1]), np.zeros(4))
    writer.add_vertex_id()
    writer.add_vertex_color(*np.full((3, 4), 0.5))
    writer.add_faces(np.array([0, 1, 2, 0, 2, 3]))
    writer.add_face_piece(np.array([7, 8]))
    writer.export_ascii(tmp_path / "a.ply")
    lines = (tmp_path / "a.ply").read_text().splitlines()
    assert lines[:4] == ["ply", "format ascii 1.0", "comment two triangles", "element vertex 4"]
    assert lines[4:11] == [f"property {p}" for p in "float x|float y|float z|int id|float red|float green|float blue".split("|")]
    assert lines[11:15] == ["element face 2", "property list uchar int vertex_indices", "property int piece", "end_header"]
    assert lines[15:19] == ["0.0 0.0 0.0 0 0.5 0.5 0.5", "1.0 0.0 0.0 1 0.5 0.5 0.5", "1.0 1.0 0.0 2 0.5 0.5 0.5",
                            "0.0 1.0 0.0 3 0.5 0.5 0.5"]  # fmt: skip
    assert lines[19:] == ["3 0 1 2 7", "3 0 2 3 8"]


def test_ply_as_bytes(tmp_path):
    writer = qd.tools.PLYWriter(num_vertices=4, num_faces=1, face_type="quad")
    x = np.arange(4) + 0.25
    writer.add_vertex_pos(x, 2 * x, 3 * x)
    writer.add_vertex_normal(x, x, x)
    writer.add_vertex_alpha(x)
    writer.add_vertex_vel(x, x, x)
    writer.add_vertex_channel("mass", "double", x)
    writer.add_vertex_piece(np.arange(4))
    writer.add_faces(np.array([[3, 2, 1, 0]]))
    writer.add_face_id()
    writer.add_face_channel("kind", "ushort", np.array([65535]))
    writer.export_frame(12, str(tmp_path / "b.ply"))
    content = (tmp_path / "b_000012.ply").read_bytes()
    header, data = content.split(b"end_header\n", 1)
    assert header.startswith(b"ply\nformat binary_little_endian 1.0\n") and b"property double mass\n" in header
    vertices = np.frombuffer(data, [("f", "<f4", 10), ("mass", "<f8"), ("piece", "<i4")], 4)
    assert np.array_equal(vertices["f"][:, :3], np.stack([x, 2 * x, 3 * x], 1))
    assert np.array_equal(vertices["mass"], x) and vertices["piece"].tolist() == [0, 1, 2, 3]
    face = np.frombuffer(data[4 * 52 :], [("n", "u1"), ("v", "<i4", 4), ("id", "<i4"), ("kind", "<u2")])
    assert len(face) == 1 and face["v"][0].tolist() == [3, 2, 1, 0]
    assert (face["n"][0], face["id"][0], face["kind"][0]) == (4, 0, 65535)


def test_ply_mistakes(tmp_path):
    with pytest.raises(AssertionError, match="num_vertices should be greater than 0"):
        qd.tools.PLYWriter(num_vertices=0)
    with pytest.raises(AssertionError, match="Only tri and quad faces are supported for now"):
        qd.tools.PLYWriter(num_vertices=3, num_faces=1, face_type="hexagon")
    writer = qd.tools.PLYWriter(num_vertices=3, num_faces=1)
    with pytest.raises(AssertionError, match="The dimension of the vertex channel is not correct"):
        writer.add_vertex_pos(np.zeros(2), np.zeros(3), np.zeros(3))
    with pytest.warns(UserWarning, match="Unknown type half detected, skipping this channel: 'a'"):
        writer.add_vertex_channel("a", "half", np.zeros(3))
    with pytest.raises(AssertionError, match="1 faces of 3 vertices need 3 indices, got 4"):
        writer.add_faces(np.arange(4))
    with pytest.raises(AssertionError, match="vertex pos channel is missing"):
        qd.tools.PLYWriter(num_vertices=3).export(tmp_path / "c.ply")
    assert not (tmp_path / "c.ply").exists()


def read_vtk(path):
    """Returns the extent and the arrays by name of a file with raw appended data."""
    content = path.read_bytes()
    head, raw = content.split(b'<AppendedData encoding="raw">\n_', 1)
    tree = xml.etree.ElementTree.fromstring(head + b"</VTKFile>")
    arrays = {}
    for node in tree.iter("DataArray"):
        at = int(node.get("offset"))
        size = int.from_bytes(raw[at : at + 8], "little")
        arrays[node.get("Name")] = np.frombuffer(raw[at + 8 : at + 8 + size], node.get("type").lower())
    assert raw[at + 8 + size :] == b"\n</AppendedData>\n</VTKFile>\n"
    return tree.find("RectilinearGrid").get("WholeExtent"), arrays


def test_vtk(tmp_path):
    x = qd.field(qd.f32, (3, 4))
    x.from_numpy(np.arange(12, dtype=np.float32).reshape(3, 4))
    path = qd.tools.write_vtk(x, str(tmp_path / "density"))
    assert path == str(tmp_path / "density.vtr")
    extent, arrays = read_vtk(tmp_path / "density.vtr")
    assert extent == "0 2 0 3 0 0"
    assert arrays["x"].tolist() == [0, 1, 2] and arrays["y"].tolist() == [0, 1, 2, 3] and arrays["z"].tolist() == [0]
    assert arrays["density"].dtype == np.float32
    assert arrays["density"].reshape((3, 4), order="F")[2, 1] == 9
    cube = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    qd.tools.write_vtk(cube, str(tmp_path / "cube"))
    extent, arrays = read_vtk(tmp_path / "cube.vtr")
    assert extent == "0 1 0 2 0 3"
    assert np.array_equal(arrays["cube"].reshape((2, 3, 4), order="F"), cube)
    with pytest.raises(ValueError, match="2 or 3 indices, this one has 1"):
        qd.tools.write_vtk(np.zeros(3), str(tmp_path / "line"))


def test_diagnose(capsys):
    qd.tools.diagnose.main()
    text = capsys.readouterr().out
    said = dict(line.split(":", 1) for line in text.splitlines())
    assert said["Quadrants"].strip() == qd.__version_str__
    assert said[f"arch {qd.cpu.name}"].strip() == "runs here"
    assert said["arch cuda"].strip() == "not part of this build"
    assert said["running on"].strip() == "arch=interp"
    assert said["cache"].strip().startswith("off")
    assert len({len(line) - len(line.split(":", 1)[1].lstrip()) for line in text.splitlines()}) == 1
