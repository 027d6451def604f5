# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.tools: files for other programs, and what this installation can do."""
from collections.abc import Iterator
from typing import Any, Self
from quadrants.tools import diagnose as diagnose, np2ply as np2ply, vtk as vtk

def write_vtk(scalar_field: Any, filename: str) -> None:
    """Writes a scalar field of 2 or 3 indices, or an array of that shape, as points of a rectilinear grid:
    `filename`.vtr. The points have the indices as coordinates. Gives the path of the file."""

class PLYWriter:
    """Collects channels of vertices and faces as NumPy arrays, then writes a file."""

    def __init__(self, num_vertices: Any, num_faces: Any=0, face_type: Any='tri', comment: Any='created by PLYWriter') -> None: ...

    def add_face_channel(self, key: Any, data_type: Any, data: Any) -> Any:
        """One more number of each face: its name, its type in the file, and the array."""

    def add_face_id(self) -> Any:
        """The number of each face."""

    def add_face_piece(self, piece: Any) -> Any:
        """The number of the piece that each face belongs to."""

    def add_faces(self, indices: Any) -> Any:
        """Vertices of each face."""

    def add_vertex_alpha(self, alpha: Any) -> Any:
        """Opacity: floats between 0 and 1."""

    def add_vertex_channel(self, key: Any, data_type: Any, data: Any) -> Any:
        """One more number of each vertex: its name, its type in the file, and the array."""

    def add_vertex_color(self, r: Any, g: Any, b: Any) -> Any:
        """Colours: floats between 0 and 1."""

    def add_vertex_id(self) -> Any:
        """The number of each vertex."""

    def add_vertex_normal(self, nx: Any, ny: Any, nz: Any) -> Any:
        """Normals, as floats."""

    def add_vertex_piece(self, piece: Any) -> Any:
        """The number of the piece that each vertex belongs to."""

    def add_vertex_pos(self, x: Any, y: Any, z: Any) -> Any:
        """Positions, as floats."""

    def add_vertex_rgba(self, r: Any, g: Any, b: Any, a: Any) -> Any:
        """Colours with opacity: floats between 0 and 1."""

    def add_vertex_vel(self, vx: Any, vy: Any, vz: Any) -> Any:
        """Velocities, as floats."""

    def export(self, path: Any) -> Any:
        """Writes a binary file."""

    def export_ascii(self, path: Any) -> Any:
        """Writes a file of text."""

    def export_frame(self, series_num: Any, path: Any) -> Any:
        """Writes a binary file of a series: the number goes into its name."""

    def export_frame_ascii(self, series_num: Any, path: Any) -> Any:
        """Writes a text file of a series: the number goes into its name."""

    def print_header(self, path: Any, format: Any) -> Any:
        """Writes the header alone; `format` is "ascii 1.0" or "binary_little_endian 1.0"."""

    def sanity_check(self) -> Any:
        """Raises if what a file needs is missing."""
