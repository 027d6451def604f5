# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.tools: files for other programs, pictures and videos, and what this installation can do."""
from collections.abc import Iterator
from typing import Any, Self
from quadrants.tools import diagnose as diagnose, np2ply as np2ply, vtk as vtk

def write_vtk(scalar_field: Any, filename: str) -> None:
    """Writes points of a rectilinear grid, whose coordinates are the indices, as a file of VTK.
    
    Args:
        scalar_field: a field of scalars with 2 or 3 indices, or an array of that shape.
        filename: the path, without .vtr.
    
    Returns:
        The path of the file.
    
    Raises:
        ValueError: another number of indices.
    
    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> qd.tools.write_vtk(qd.field(qd.f32, shape=(2, 2)), os.path.join(folder, "grid"))[-8:]
        'grid.vtr'"""

class PLYWriter:
    """Collects channels of vertices and faces as NumPy arrays, then writes a file in the format PLY.
    
    Args:
        num_vertices: how many vertices.
        num_faces: how many faces.
        face_type: "tri" or "quad".
        comment: text in the head of the file.
    
    Example:
        >>> import numpy as np, os, tempfile
        >>> writer = qd.tools.PLYWriter(num_vertices=3)
        >>> p = np.zeros(3, dtype=np.float32)
        >>> writer.add_vertex_pos(p, p, p)
        >>> writer.export_ascii(os.path.join(tempfile.mkdtemp(), "points.ply"))"""

    def __init__(self, num_vertices: Any, num_faces: Any=0, face_type: Any='tri', comment: Any='created by PLYWriter') -> None: ...

    def add_face_channel(self, key: Any, data_type: Any, data: Any) -> Any:
        """One more number of each face or vertex.
        
        Args:
            key: its name in the file.
            data_type: its type there, such as "float".
            data: an array with one number for each."""

    def add_face_id(self) -> Any:
        """The number of each face."""

    def add_face_piece(self, piece: Any) -> Any:
        """The number of the piece that each belongs to.
        
        Args:
            piece: an array of integers."""

    def add_faces(self, indices: Any) -> Any:
        """Vertices of each face.
        
        Args:
            indices: an array of integers, 3 or 4 a face."""

    def add_vertex_alpha(self, alpha: Any) -> Any:
        """Opacity.
        
        Args:
            alpha: floats between 0 and 1."""

    def add_vertex_channel(self, key: Any, data_type: Any, data: Any) -> Any:
        """One more number of each face or vertex.
        
        Args:
            key: its name in the file.
            data_type: its type there, such as "float".
            data: an array with one number for each."""

    def add_vertex_color(self, r: Any, g: Any, b: Any) -> Any:
        """Colours.
        
        Args:
            r: red, floats between 0 and 1.
            g: green.
            b: blue."""

    def add_vertex_id(self) -> Any:
        """The number of each vertex."""

    def add_vertex_normal(self, nx: Any, ny: Any, nz: Any) -> Any:
        """Normals.
        
        Args:
            nx: their first components.
            ny: their second.
            nz: their third."""

    def add_vertex_piece(self, piece: Any) -> Any:
        """The number of the piece that each belongs to.
        
        Args:
            piece: an array of integers."""

    def add_vertex_pos(self, x: Any, y: Any, z: Any) -> Any:
        """Positions.
        
        Args:
            x: their first components.
            y: their second.
            z: their third."""

    def add_vertex_rgba(self, r: Any, g: Any, b: Any, a: Any) -> Any:
        """Colours with opacity.
        
        Args:
            r: red, floats between 0 and 1.
            g: green.
            b: blue.
            a: opacity."""

    def add_vertex_vel(self, vx: Any, vy: Any, vz: Any) -> Any:
        """Velocities.
        
        Args:
            vx: their first components.
            vy: their second.
            vz: their third."""

    def export(self, path: Any) -> Any:
        """Writes a binary file.
        
        Args:
            path: where to."""

    def export_ascii(self, path: Any) -> Any:
        """Writes a file of text.
        
        Args:
            path: where to."""

    def export_frame(self, series_num: Any, path: Any) -> Any:
        """Writes a binary file of a series.
        
        Args:
            series_num: its number, which goes into the name.
            path: the name without it."""

    def export_frame_ascii(self, series_num: Any, path: Any) -> Any:
        """Writes a text file of a series.
        
        Args:
            series_num: its number, which goes into the name.
            path: the name without it."""

    def print_header(self, path: Any, format: Any) -> Any:
        """Writes the header alone.
        
        Args:
            path: where to.
            format: "ascii 1.0" or "binary_little_endian 1.0"."""

    def sanity_check(self) -> Any:
        """Raises if what a file needs is missing."""

class VideoManager:
    """Writes frames as pictures, and makes a video of them: MP4 by ffmpeg, GIF by ffmpeg or Pillow.
    
    Args:
        output_dir: folder for the video, and for the pictures in `frames`.
        video_filename: name of the video; its ending is left out.
        width: of the video; None: of the pictures.
        height: likewise.
        post_processor: an object whose `process(img)` gives the picture to write.
        framerate: frames a second.
        automatic_build: make the video now and then while frames are written.
    
    Example:
        >>> import os, tempfile, numpy as np
        >>> video = qd.tools.VideoManager(tempfile.mkdtemp(), automatic_build=False)
        >>> for i in range(3):
        ...     video.write_frame(np.full((8, 8), i / 3))
        >>> len(os.listdir(video.get_frame_directory()))
        3"""

    def __init__(self, output_dir: Any, video_filename: Any=None, width: Any=None, height: Any=None, post_processor: Any=None, framerate: Any=24, automatic_build: Any=True) -> None: ...

    def clean_frames(self) -> Any:
        """Deletes the pictures that were written."""

    def get_frame_directory(self) -> Any:
        """Path of the folder with the pictures."""

    def get_output_filename(self, suffix: Any) -> Any:
        """Path of the video.
        
        Args:
            suffix: its ending, such as `.mp4`."""

    def make_video(self, mp4: Any=True, gif: Any=True) -> Any:
        """Makes a video of the pictures written so far.
        
        Args:
            mp4: as .mp4, for which ffmpeg must be installed; where it is not, a line says so.
            gif: as .gif, by Pillow."""

    def write_frame(self, img: Any) -> Any:
        """Writes one picture.
        
        Args:
            img: as of `imwrite`; an odd last row or column is left out, which videos cannot have."""

    def write_frames(self, images: Any) -> Any:
        """Writes pictures.
        
        Args:
            images: as of `write_frame`."""

def imread(filename: Any, channels: Any=0) -> Any:
    """Reads a picture: (width, height, components) of bytes; of numbers of 16 bits the upper eight.
    
    Args:
        filename: a file that exists.
        channels: components wanted, 1 to 4; 0: as in the file.
    
    Returns:
        A NumPy array, `img[x, y]`.
    
    Example:
        >>> import numpy as np, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "picture.png")
        >>> qd.tools.imwrite(np.full((4, 2, 3), 0.5), name)
        >>> qd.tools.imread(name)[3, 1].tolist()
        [128, 128, 128]"""

def imresize(img: Any, w: Any, h: Any=None) -> Any:
    """A picture in another size: the nearest pixel of the old one for each.
    
    Args:
        img: field, ndarray or NumPy array, `img[x, y]`.
        w: width.
        h: height; None: as wide as high.
    
    Example:
        >>> import numpy as np
        >>> qd.tools.imresize(np.zeros((4, 4)), 8, 2).shape
        (8, 2)"""

def imshow(img: Any, title: Any='imshow') -> Any:
    """Shows a picture: in a notebook below the cell, else in a window until it is closed or Escape pressed.
    
    Where there is no display, one line on stderr says so, and the program runs on.
    
    Args:
        img: field, ndarray or NumPy array, `img[x, y]`.
        title: of the window.
    
    Example:
        >>> import numpy as np
        >>> qd.tools.imshow(np.random.rand(64, 64), "noise")  # doctest: +SKIP"""

def imwrite(img: Any, filename: Any) -> Any:
    """Writes a picture.
    
    Args:
        img: field, ndarray or NumPy array, `img[x, y]`: floats from 0 to 1 or unsigned integers, one number each or 3 or 4.
        filename: its ending says the kind; .png needs nothing more, others Pillow.
    
    Example:
        >>> import numpy as np, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "picture.png")
        >>> qd.tools.imwrite(np.full((4, 2, 3), 0.5), name)
        >>> qd.tools.imread(name)[3, 1].tolist()
        [128, 128, 128]"""
