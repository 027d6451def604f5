"""PLY files: points, optionally connected to triangles or quadrilaterals, with additional channels."""

import warnings

# type in the file -> NumPy type
_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8",
}  # fmt: skip
_CORNERS = {"tri": 3, "quad": 4}


class PLYWriter:
    """Collects channels of vertices and faces as NumPy arrays and writes them to a PLY file.

    Args:
        num_vertices: number of vertices.
        num_faces: number of faces.
        face_type: "tri" or "quad".
        comment: text in the header of the file.

    Example:
        >>> import numpy as np, os, tempfile
        >>> writer = qd.tools.PLYWriter(num_vertices=3)
        >>> p = np.zeros(3, dtype=np.float32)
        >>> writer.add_vertex_pos(p, p, p)
        >>> writer.export_ascii(os.path.join(tempfile.mkdtemp(), "points.ply"))
    """

    def __init__(self, num_vertices, num_faces=0, face_type="tri", comment="created by PLYWriter"):
        if num_vertices <= 0:
            raise AssertionError("num_vertices should be greater than 0")
        if face_type not in _CORNERS:
            raise AssertionError("Only tri and quad faces are supported for now")
        self.num_vertices = num_vertices
        self.num_faces = num_faces
        self.face_type = face_type
        self.comment = comment
        self._vertices = []  # (key, type, array)
        self._faces = []
        self._indices = None

    # vertices
    def add_vertex_channel(self, key, data_type, data):
        """Adds a channel with one number per vertex.

        Args:
            key: the name of the channel in the file.
            data_type: the type in the file, such as "float".
            data: an array with one number per vertex.
        """
        self._add(self._vertices, key, data_type, data, self.num_vertices, "vertex")

    def add_vertex_pos(self, x, y, z):
        """Adds positions.

        Args:
            x: x coordinates.
            y: y coordinates.
            z: z coordinates.
        """
        self._add_vertex_channels("x y z", "float", (x, y, z))

    def add_vertex_normal(self, nx, ny, nz):
        """Adds normals.

        Args:
            nx: x components.
            ny: y components.
            nz: z components.
        """
        self._add_vertex_channels("nx ny nz", "float", (nx, ny, nz))

    def add_vertex_color(self, r, g, b):
        """Adds colours.

        Args:
            r: red, as floats between 0 and 1.
            g: green, as floats between 0 and 1.
            b: blue, as floats between 0 and 1.
        """
        self._add_vertex_channels("red green blue", "float", (r, g, b))

    def add_vertex_alpha(self, alpha):
        """Adds opacities.

        Args:
            alpha: floats between 0 and 1.
        """
        self._add_vertex_channels("Alpha", "float", (alpha,))

    def add_vertex_rgba(self, r, g, b, a):
        """Adds colours with opacities.

        Args:
            r: red, as floats between 0 and 1.
            g: green, as floats between 0 and 1.
            b: blue, as floats between 0 and 1.
            a: opacity, as floats between 0 and 1.
        """
        self._add_vertex_channels("red green blue Alpha", "float", (r, g, b, a))

    def add_vertex_vel(self, vx, vy, vz):
        """Adds velocities.

        Args:
            vx: x components.
            vy: y components.
            vz: z components.
        """
        self._add_vertex_channels("vx vy vz", "float", (vx, vy, vz))

    def add_vertex_id(self):
        """Adds the index of each vertex."""
        self.add_vertex_channel("id", "int", range(self.num_vertices))

    def add_vertex_piece(self, piece):
        """Adds the number of the piece that each vertex belongs to.

        Args:
            piece: an array of integers.
        """
        self.add_vertex_channel("piece", "int", piece)

    # faces
    def add_faces(self, indices):
        """Sets the vertices of the faces.

        Args:
            indices: an array of integers, 3 or 4 per face.
        """
        import numpy as np

        corners = _CORNERS[self.face_type]
        indices = np.asarray(indices)
        if indices.size != self.num_faces * corners:
            raise AssertionError(f"{self.num_faces} faces of {corners} vertices need {self.num_faces * corners} indices, got {indices.size}")
        self._indices = indices.reshape(self.num_faces, corners).astype("<i4")

    def add_face_channel(self, key, data_type, data):
        """Adds a channel with one number per face.

        Args:
            key: the name of the channel in the file.
            data_type: the type in the file, such as "float".
            data: an array with one number per face.
        """
        self._add(self._faces, key, data_type, data, self.num_faces, "face")

    def add_face_id(self):
        """Adds the index of each face."""
        self.add_face_channel("id", "int", range(self.num_faces))

    def add_face_piece(self, piece):
        """Adds the number of the piece that each face belongs to.

        Args:
            piece: an array of integers.
        """
        self.add_face_channel("piece", "int", piece)

    # files
    def sanity_check(self):
        """Raises an error if required data are missing."""
        keys = {key for key, _, _ in self._vertices}
        if not {"x", "y", "z"} <= keys:
            raise AssertionError("The vertex pos channel is missing: call add_vertex_pos")
        if self.num_faces and self._indices is None:
            raise AssertionError("The face indices are missing: call add_faces")

    def print_header(self, path, format):
        """Writes only the header to a file.

        Args:
            path: the path of the file.
            format: "ascii 1.0" or "binary_little_endian 1.0".
        """
        with open(path, "wb") as file:
            file.write(self._header(format))

    def export(self, path):
        """Writes a binary file.

        Args:
            path: the path of the file.
        """
        import numpy as np

        self.sanity_check()
        with open(path, "wb") as file:
            file.write(self._header("binary_little_endian 1.0"))
            file.write(self._records(self._vertices, self.num_vertices).tobytes())
            if self.num_faces:
                corners = _CORNERS[self.face_type]
                count = ("count", "uchar", np.full(self.num_faces, corners, "u1"))
                file.write(self._records([count, ("corners", f"{corners}<i4", self._indices), *self._faces], self.num_faces).tobytes())

    def export_ascii(self, path):
        """Writes a text file.

        Args:
            path: the path of the file.
        """
        self.sanity_check()
        with open(path, "wb") as file:
            file.write(self._header("ascii 1.0"))
            for row in zip(*(data.tolist() for _, _, data in self._vertices)):
                file.write((" ".join(map(str, row)) + "\n").encode())
            if self.num_faces:
                channels = [data.tolist() for _, _, data in self._faces]
                for i, face in enumerate(self._indices.tolist()):
                    row = [len(face), *face, *(channel[i] for channel in channels)]
                    file.write((" ".join(map(str, row)) + "\n").encode())

    def export_frame(self, series_num, path):
        """Writes a binary file as a frame of a series.

        Args:
            series_num: the number of the frame, which becomes part of the name.
            path: the path without the number.
        """
        self.export(self._frame(series_num, path))

    def export_frame_ascii(self, series_num, path):
        """Writes a text file as a frame of a series.

        Args:
            series_num: the number of the frame, which becomes part of the name.
            path: the path without the number.
        """
        self.export_ascii(self._frame(series_num, path))

    # helpers
    def _add_vertex_channels(self, keys, data_type, columns):
        for key, data in zip(keys.split(), columns):
            self.add_vertex_channel(key, data_type, data)

    @staticmethod
    def _add(channels, key, data_type, data, count, of_what):
        import numpy as np

        if data_type not in _TYPES:
            warnings.warn(
                f"Unknown type {data_type} detected, skipping this channel: {key!r}; a PLY file has {', '.join(_TYPES)}",
                stacklevel=3,
            )
            return
        data = np.asarray(data)
        if data.size != count:
            raise AssertionError(
                f"The dimension of the {of_what} channel is not correct: {key!r} has {data.size} numbers for {count}"
            )
        channels.append((key, data_type, data.reshape(count).astype("<" + _TYPES[data_type])))

    @staticmethod
    def _records(channels, count):
        """Returns the channels as structured records, one per vertex or face."""
        import numpy as np

        types = ["<" + _TYPES[kind] if kind in _TYPES else kind for _, kind, _ in channels]
        records = np.empty(count, [(f"c{i}", t) for i, t in enumerate(types)])
        for i, (_, _, data) in enumerate(channels):
            records[f"c{i}"] = data
        return records

    def _header(self, format):
        lines = ["ply", f"format {format}", f"comment {self.comment}", f"element vertex {self.num_vertices}"]
        lines += [f"property {kind} {key}" for key, kind, _ in self._vertices]
        if self.num_faces:
            lines += [f"element face {self.num_faces}", "property list uchar int vertex_indices"]
            lines += [f"property {kind} {key}" for key, kind, _ in self._faces]
        return ("\n".join([*lines, "end_header"]) + "\n").encode()

    @staticmethod
    def _frame(series_num, path):
        path = str(path)
        return f"{path[:-4] if path.endswith('.ply') else path}_{series_num:06d}.ply"
