# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.tools: file export, pictures and videos, and diagnosis of the installation."""
from collections.abc import Iterator
from typing import Any, Self
from quadrants.tools import diagnose as diagnose, np2ply as np2ply, vtk as vtk

def write_vtk(scalar_field: Any, filename: str) -> None:
    """Writes a VTK file with the values at the points of a rectilinear grid, whose coordinates are the indices.
    
    Args:
        scalar_field: a field of scalars with 2 or 3 indices, or an array of such a shape.
        filename: the path without the extension .vtr.
    
    Returns:
        The path of the file.
    
    Raises:
        ValueError: the number of indices is not 2 or 3.
    
    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> qd.tools.write_vtk(qd.field(qd.f32, shape=(2, 2)), os.path.join(folder, "grid"))[-8:]
        'grid.vtr'"""

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
        >>> writer.export_ascii(os.path.join(tempfile.mkdtemp(), "points.ply"))"""

    def __init__(self, num_vertices: Any, num_faces: Any=0, face_type: Any='tri', comment: Any='created by PLYWriter') -> None: ...

    def add_face_channel(self, key: Any, data_type: Any, data: Any) -> Any:
        """Adds a channel with one number per face.
        
        Args:
            key: the name of the channel in the file.
            data_type: the type in the file, such as "float".
            data: an array with one number per face."""

    def add_face_id(self) -> Any:
        """Adds the index of each face."""

    def add_face_piece(self, piece: Any) -> Any:
        """Adds the number of the piece that each face belongs to.
        
        Args:
            piece: an array of integers."""

    def add_faces(self, indices: Any) -> Any:
        """Sets the vertices of the faces.
        
        Args:
            indices: an array of integers, 3 or 4 per face."""

    def add_vertex_alpha(self, alpha: Any) -> Any:
        """Adds opacities.
        
        Args:
            alpha: floats between 0 and 1."""

    def add_vertex_channel(self, key: Any, data_type: Any, data: Any) -> Any:
        """Adds a channel with one number per vertex.
        
        Args:
            key: the name of the channel in the file.
            data_type: the type in the file, such as "float".
            data: an array with one number per vertex."""

    def add_vertex_color(self, r: Any, g: Any, b: Any) -> Any:
        """Adds colours.
        
        Args:
            r: red, as floats between 0 and 1.
            g: green, as floats between 0 and 1.
            b: blue, as floats between 0 and 1."""

    def add_vertex_id(self) -> Any:
        """Adds the index of each vertex."""

    def add_vertex_normal(self, nx: Any, ny: Any, nz: Any) -> Any:
        """Adds normals.
        
        Args:
            nx: x components.
            ny: y components.
            nz: z components."""

    def add_vertex_piece(self, piece: Any) -> Any:
        """Adds the number of the piece that each vertex belongs to.
        
        Args:
            piece: an array of integers."""

    def add_vertex_pos(self, x: Any, y: Any, z: Any) -> Any:
        """Adds positions.
        
        Args:
            x: x coordinates.
            y: y coordinates.
            z: z coordinates."""

    def add_vertex_rgba(self, r: Any, g: Any, b: Any, a: Any) -> Any:
        """Adds colours with opacities.
        
        Args:
            r: red, as floats between 0 and 1.
            g: green, as floats between 0 and 1.
            b: blue, as floats between 0 and 1.
            a: opacity, as floats between 0 and 1."""

    def add_vertex_vel(self, vx: Any, vy: Any, vz: Any) -> Any:
        """Adds velocities.
        
        Args:
            vx: x components.
            vy: y components.
            vz: z components."""

    def export(self, path: Any) -> Any:
        """Writes a binary file.
        
        Args:
            path: the path of the file."""

    def export_ascii(self, path: Any) -> Any:
        """Writes a text file.
        
        Args:
            path: the path of the file."""

    def export_frame(self, series_num: Any, path: Any) -> Any:
        """Writes a binary file as a frame of a series.
        
        Args:
            series_num: the number of the frame, which becomes part of the name.
            path: the path without the number."""

    def export_frame_ascii(self, series_num: Any, path: Any) -> Any:
        """Writes a text file as a frame of a series.
        
        Args:
            series_num: the number of the frame, which becomes part of the name.
            path: the path without the number."""

    def print_header(self, path: Any, format: Any) -> Any:
        """Writes only the header to a file.
        
        Args:
            path: the path of the file.
            format: "ascii 1.0" or "binary_little_endian 1.0"."""

    def sanity_check(self) -> Any:
        """Raises an error if required data are missing."""

class VideoManager:
    """Writes frames as picture files and makes a video from them: MP4 with ffmpeg, GIF with Pillow.
    
    Args:
        output_dir: folder of the video; the pictures are in its subfolder `frames`.
        video_filename: name of the video; its extension is ignored.
        width: width of the video; None: that of the pictures.
        height: height of the video; None: that of the pictures.
        post_processor: an object whose `process(img)` returns the picture to write.
        framerate: frames per second.
        automatic_build: whether to make the video periodically while frames are written.
    
    Example:
        >>> import os, tempfile, numpy as np
        >>> video = qd.tools.VideoManager(tempfile.mkdtemp(), automatic_build=False)
        >>> for i in range(3):
        ...     video.write_frame(np.full((8, 8), i / 3))
        >>> len(os.listdir(video.get_frame_directory()))
        3"""

    def __init__(self, output_dir: Any, video_filename: Any=None, width: Any=None, height: Any=None, post_processor: Any=None, framerate: Any=24, automatic_build: Any=True) -> None: ...

    def clean_frames(self) -> Any:
        """Deletes the written pictures."""

    def get_frame_directory(self) -> Any:
        """Returns the path of the folder with the pictures."""

    def get_output_filename(self, suffix: Any) -> Any:
        """Returns the path of the video.
        
        Args:
            suffix: the file extension, such as `.mp4`."""

    def make_video(self, mp4: Any=True, gif: Any=True) -> Any:
        """Makes a video of the pictures written so far.
        
        Args:
            mp4: whether to make an .mp4 file, which needs ffmpeg; if it is not installed, a message says so.
            gif: whether to make a .gif file, which needs Pillow."""

    def write_frame(self, img: Any) -> Any:
        """Writes one picture.
        
        Args:
            img: as for `imwrite`; an odd last row or column is omitted, since videos need even sizes."""

    def write_frames(self, images: Any) -> Any:
        """Writes pictures.
        
        Args:
            images: the pictures, as for `write_frame`."""

def imread(filename: Any, channels: Any=0) -> Any:
    """Reads a picture as bytes with shape (width, height, components); of 16-bit components, the upper eight bits.
    
    Args:
        filename: path of the file.
        channels: requested number of components, 1 to 4; 0: that of the file.
    
    Returns:
        A NumPy array, `img[x, y]`.
    
    Example:
        >>> import numpy as np, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "picture.png")
        >>> qd.tools.imwrite(np.full((4, 2, 3), 0.5), name)
        >>> qd.tools.imread(name)[3, 1].tolist()
        [128, 128, 128]"""

def imresize(img: Any, w: Any, h: Any=None) -> Any:
    """Resizes a picture by choosing the nearest pixel.
    
    Args:
        img: a field, ndarray or NumPy array, `img[x, y]`.
        w: the new width.
        h: the new height; None: the same as the width.
    
    Example:
        >>> import numpy as np
        >>> qd.tools.imresize(np.zeros((4, 4)), 8, 2).shape
        (8, 2)"""

def imshow(img: Any, title: Any='imshow') -> Any:
    """Shows a picture: in a notebook below the cell, else in a window until it is closed or Escape is pressed.
    
    Without a display, one line on stderr says so, and the program continues.
    
    Args:
        img: a field, ndarray or NumPy array, `img[x, y]`.
        title: the title of the window.
    
    Example:
        >>> import numpy as np
        >>> qd.tools.imshow(np.random.rand(64, 64), "noise")  # doctest: +SKIP"""

def imwrite(img: Any, filename: Any) -> Any:
    """Writes a picture to a file.
    
    Args:
        img: a field, ndarray or NumPy array, `img[x, y]`, of floats from 0 to 1 or unsigned integers, with one, 3 or 4 components.
        filename: path of the file; the extension selects the format. Formats other than .png need Pillow.
    
    Example:
        >>> import numpy as np, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "picture.png")
        >>> qd.tools.imwrite(np.full((4, 2, 3), 0.5), name)
        >>> qd.tools.imread(name)[3, 1].tolist()
        [128, 128, 128]"""
