# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.ui: windows with a canvas, three-dimensional scenes and widgets.

Example:
    >>> window = qd.ui.Window("a picture", (64, 32), show_window=False)
    >>> import numpy as np
    >>> window.get_canvas().set_image(np.full((64, 32), 0.5, np.float32))
    >>> window.get_window_shape()
    (64, 32)
    >>> window.destroy()"""
import enum
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self
import numpy as np
SHIFT: str
ALT: str
CTRL: str
ESCAPE: str
RETURN: str
TAB: str
BACKSPACE: str
SPACE: str
UP: str
DOWN: str
LEFT: str
RIGHT: str
CAPSLOCK: str
LMB: str
MMB: str
RMB: str
PRESS: str
RELEASE: str

def make_camera() -> Camera:
    """Makes a new `Camera`.
    
    Example:
        >>> camera = qd.ui.make_camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> list(camera.curr_position)
        [0.0, 0.0, 3.0]"""

class Window:
    """A window with a canvas, scenes and widgets.
    
    Args:
        name: the title.
        res: size in pixels, (width, height).
        vsync: whether to synchronise each frame with the screen.
        show_window: if False, do not open a window; use `save_image` and `get_image_buffer_as_numpy` for pictures.
        fps_limit: maximum number of frames per second, enforced by `show`.
        pos: position of the upper left corner on the screen, in pixels.
    
    Attributes:
        running: False after the window has been closed; set it to False to end a loop.
        event: the event found last by `get_event`, or None.
    
    Example:
        >>> window = qd.ui.Window("a disc", (64, 64), show_window=False)
        >>> canvas = window.get_canvas()
        >>> import numpy as np
        >>> canvas.circles(np.array([[0.5, 0.5]]), radius=0.2, color=(1, 0, 0))
        >>> window.get_image_buffer_as_numpy()[32, 32].tolist()
        [1.0, 0.0, 0.0, 1.0]
        >>> window.destroy()"""

    def __init__(self, name: str, res: Sequence[int], vsync: bool=False, show_window: bool=True, fps_limit: int=1000, pos: Sequence[int]=...) -> None: ...

    @property
    def GUI(self) -> Gui:
        """The widgets, see `get_gui`."""

    def destroy(self) -> None:
        """Closes the window."""
    event: Any

    def get_canvas(self) -> Canvas:
        """Returns the canvas."""

    def get_cursor_pos(self) -> tuple[float, float]:
        """Returns the position of the pointer, from (0, 0), lower left, to (1, 1)."""

    def get_depth_buffer(self, depth: Any) -> None:
        """Copies the depth of the frame's scene to a field or ndarray.
        
        Args:
            depth: a field or ndarray of `qd.f32` with the shape of the window."""

    def get_depth_buffer_as_numpy(self) -> np.ndarray:
        """Returns the depth of the frame's scene as floats with shape (width, height): 1 at the near plane, 0 at the far plane and where
        the scene is empty."""

    def get_event(self, tag: str | None=None) -> bool:
        """Returns whether there is a pending key press or release; if so, it is stored in `event`.
        
        Args:
            tag: as for `get_events`."""

    def get_events(self, tag: str | None=None) -> list[Any]:
        """Returns the keys pressed or released since the last call.
        
        Args:
            tag: `qd.ui.PRESS` or `qd.ui.RELEASE`; None: both."""

    def get_gui(self) -> Gui:
        """Returns the widgets."""

    def get_image_buffer_as_numpy(self) -> np.ndarray:
        """Returns the frame as floats from 0 to 1, with shape (width, height, 4) and the y axis upwards."""

    def get_scene(self) -> Scene:
        """Returns a three-dimensional scene, for `canvas.scene`."""

    def get_window_shape(self) -> tuple[int, int]:
        """Returns the size (width, height) in pixels."""

    def is_pressed(self, *keys: str) -> bool:
        """Returns whether any of the keys is held down.
        
        Args:
            *keys: keys such as `"a"`, `qd.ui.SPACE`, `qd.ui.LMB`."""
    running: bool

    def save_image(self, filename: Any) -> None:
        """Writes the frame to a picture file; call it before `show`.
        
        Args:
            filename: path of the file; the extension selects the format."""

    def show(self) -> None:
        """Shows the frame and begins the next one."""

class Gui:
    """Widgets, declared again in each frame. Positions and sizes are relative to the window, from its upper left corner.
    
    A widget returns the value set by the user, unless the program passes a value different from the one returned last; then it returns that
    value.
    
    Example:
        >>> window = qd.ui.Window("widgets", (200, 100), show_window=False)
        >>> gui, speed = window.get_gui(), 1.0
        >>> with gui.sub_window("Settings", 0, 0, 0.5, 0.5):
        ...     speed = gui.slider_float("speed", speed, 0.0, 2.0)
        >>> speed
        1.0
        >>> window.destroy()"""

    def __init__(self, surface: Any) -> None: ...

    def begin(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """Begins a panel.
        
        Args:
            name: as for `sub_window`.
            x: as for `sub_window`.
            y: as for `sub_window`.
            width: as for `sub_window`.
            height: as for `sub_window`."""

    def button(self, text: str) -> bool:
        """Adds a button.
        
        Args:
            text: the caption.
        
        Returns:
            Whether the button was pressed since the last frame."""

    def checkbox(self, text: str, old_value: bool) -> bool:
        """Adds a check box.
        
        Args:
            text: the caption.
            old_value: whether the box is checked.
        
        Returns:
            Whether the box is checked now."""

    def color_edit_3(self, text: str, old_value: Sequence[float]) -> tuple[float, float, float]:
        """Adds a colour picker.
        
        Args:
            text: the caption.
            old_value: the colour, three numbers from 0 to 1.
        
        Returns:
            The current colour, three numbers from 0 to 1."""

    def combo(self, text: str, old_value: int, choices: Sequence[str]) -> int:
        """Adds a drop-down list.
        
        Args:
            text: the caption.
            old_value: the index of the selected choice, starting at 0.
            choices: the texts of the choices.
        
        Returns:
            The current index."""

    def end(self) -> None:
        """Ends the panel."""

    def input_text(self, text: str, old_value: str) -> str:
        """Adds a text input line.
        
        Args:
            text: the caption.
            old_value: the text of the line.
        
        Returns:
            The current text."""

    def plot(self, text: str, values: Any) -> None:
        """Adds a line plot.
        
        Args:
            text: the caption.
            values: the numbers to plot."""

    def slider_float(self, text: str, old_value: float, minimum: float, maximum: float) -> float:
        """Adds a slider for a floating-point number.
        
        Args:
            text: the caption.
            old_value: the value.
            minimum: the lowest value.
            maximum: the highest value.
        
        Returns:
            The current value."""

    def slider_int(self, text: str, old_value: int, minimum: int, maximum: int) -> int:
        """Adds a slider for an integer.
        
        Args:
            text: the caption.
            old_value: the value.
            minimum: the lowest value.
            maximum: the highest value.
        
        Returns:
            The current value."""

    def sub_window(self, name: str, x: float, y: float, width: float, height: float) -> AbstractContextManager[Self]:
        """Adds a panel, as a context manager.
        
        Args:
            name: the title.
            x: position of the left side.
            y: position of the upper side.
            width: the width; 0: fits the content.
            height: the height; 0: fits the content."""

    def text(self, text: object, color: Sequence[float] | None=None, size: float | None=None) -> None:
        """Adds a line of text.
        
        Args:
            text: the text.
            color: three numbers from 0 to 1; None: the default colour.
            size: font size in pixels; None: the default size."""

class Camera:
    """The point of view of a scene.
    
    Example:
        >>> camera = qd.ui.Camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> camera.get_view_matrix()[3].tolist()
        [0.0, 0.0, -3.0, 1.0]"""

    def __init__(self) -> None: ...

    def bottom(self, bottom: Any) -> Any:
        """Sets the lower border of the view, in orthogonal mode.
        
        Args:
            bottom: the coordinate, in units of the scene."""

    def fov(self, fov: Any) -> Any:
        """Sets the vertical field of view.
        
        Args:
            fov: the angle in degrees."""

    def get_projection_matrix(self, aspect: Any) -> Any:
        """Returns the 4x4 matrix that projects row vectors from camera to clip coordinates.
        
        Args:
            aspect: the aspect ratio, width divided by height."""

    def get_view_matrix(self) -> Any:
        """Returns the 4x4 matrix that transforms row vectors from scene to camera coordinates."""

    def left(self, left: Any) -> Any:
        """Sets the left border of the view, in orthogonal mode.
        
        Args:
            left: the coordinate, in units of the scene."""

    def lookat(self, x: Any, y: Any, z: Any) -> Any:
        """Sets the point that the camera looks at.
        
        Args:
            x: the x coordinate.
            y: the y coordinate.
            z: the z coordinate."""

    def position(self, x: Any, y: Any, z: Any) -> Any:
        """Sets the position of the camera.
        
        Args:
            x: the x coordinate.
            y: the y coordinate.
            z: the z coordinate."""

    def projection_mode(self, mode: Any) -> Any:
        """Sets the projection.
        
        Args:
            mode: `qd.ui.ProjectionMode.Perspective` (0) or `Orthogonal` (1)."""

    def right(self, right: Any) -> Any:
        """Sets the right border of the view, in orthogonal mode.
        
        Args:
            right: the coordinate, in units of the scene."""

    def top(self, top: Any) -> Any:
        """Sets the upper border of the view, in orthogonal mode.
        
        Args:
            top: the coordinate, in units of the scene."""

    def track_user_inputs(self, window: Any, movement_speed: Any=1.0, yaw_speed: Any=2.0, pitch_speed: Any=2.0, hold_key: Any=None) -> Any:
        """Moves the camera with the keys W, A, S, D (forward, left, back, right) and E, Q (up, down), and rotates it with the pointer.
        
        Args:
            window: the window that receives the input.
            movement_speed: speed in units of the scene per frame, at 60 frames per second.
            yaw_speed: speed of horizontal rotation.
            pitch_speed: speed of vertical rotation.
            hold_key: rotate only while this key is held down, such as `qd.ui.RMB`; None: always."""

    def up(self, x: Any, y: Any, z: Any) -> Any:
        """Sets the direction that points upwards in the picture.
        
        Args:
            x: the x component.
            y: the y component.
            z: the z component."""

    def z_far(self, z_far: Any) -> Any:
        """Sets the distance of the far clipping plane.
        
        Args:
            z_far: the distance, in units of the scene."""

    def z_near(self, z_near: Any) -> Any:
        """Sets the distance of the near clipping plane.
        
        Args:
            z_near: the distance, in units of the scene."""

class Canvas:
    """The drawing surface of a window. Positions range from (0, 0), lower left, to (1, 1); colours are 3 or 4 numbers from 0 to 1; lengths
    are relative to the height.
    
    Example:
        >>> window = qd.ui.Window("blue", (8, 8), show_window=False)
        >>> canvas = window.get_canvas()
        >>> canvas.set_background_color((0, 0, 1))
        >>> window.get_image_buffer_as_numpy()[4, 4].tolist()
        [0.0, 0.0, 1.0, 1.0]
        >>> window.destroy()"""

    def __init__(self, surface: Any) -> None: ...

    def circles(self, centers: Any, radius: Any, color: Any=..., per_vertex_color: Any=None, per_vertex_radius: Any=None) -> Any:
        """Draws discs.
        
        Args:
            centers: a field of 2-vectors.
            radius: the radius of all discs.
            color: the colour of all discs.
            per_vertex_color: one colour per disc, overrides `color`.
            per_vertex_radius: one radius per disc, overrides `radius`."""

    def contour(self, scalar_field: Any, cmap_name: Any='plasma', normalize: Any=False) -> Any:
        """Fills the canvas with the colour-mapped values of a field.
        
        Args:
            scalar_field: a field of numbers with two axes.
            cmap_name: plasma, viridis, inferno, magma, gray, coolwarm, jet or turbo.
            normalize: if True, map the range from the minimum to the maximum, instead of from 0 to 1."""

    def lines(self, vertices: Any, width: Any, indices: Any=None, color: Any=..., per_vertex_color: Any=None) -> Any:
        """Draws lines.
        
        Args:
            vertices: a field of 2-vectors; without `indices`, each consecutive pair is a line.
            width: the width of all lines.
            indices: indices of the vertices, two per line.
            color: the colour of all lines.
            per_vertex_color: one colour per vertex, overrides `color`."""

    def scene(self, scene: Any) -> Any:
        """Draws a scene.
        
        Args:
            scene: a `qd.ui.Scene`; it is cleared afterwards."""

    def set_background_color(self, color: Any) -> Any:
        """Sets the colour that a frame starts with.
        
        Args:
            color: three numbers from 0 to 1."""

    def set_image(self, img: Any) -> Any:
        """Fills the canvas with a picture, `img[x, y]`, stretched to its size.
        
        Args:
            img: a field, ndarray or NumPy array of floats from 0 to 1 or unsigned integers; elements are numbers or vectors of length 2 to
                4."""

    def triangles(self, vertices: Any, color: Any=..., indices: Any=None, per_vertex_color: Any=None) -> Any:
        """Draws triangles.
        
        Args:
            vertices: a field of 2-vectors; without `indices`, each consecutive triple is a triangle.
            color: the colour of all triangles.
            indices: indices of the vertices, three per triangle.
            per_vertex_color: one colour per vertex, overrides `color`."""

    def vector_field(self, vector_field: Any, arrow_spacing: Any=5, scale: Any=0.1, width: Any=0.002, color: Any=...) -> Any:
        """Draws arrows for vectors on a grid.
        
        Args:
            vector_field: a field of 2-vectors with two axes.
            arrow_spacing: distance between arrows, in cells.
            scale: length of the longest arrow.
            width: width of the lines.
            color: the colour of all arrows."""

class ProjectionMode(enum.IntEnum):
    """The projection of a camera: perspective or orthogonal."""
    Perspective = 0
    Orthogonal = 1

class Scene:
    """Particles, meshes and lines, lit by an ambient light and point lights. Everything is declared again in each frame and then drawn with
    `canvas.scene(scene)`.
    
    Example:
        >>> import numpy as np
        >>> window = qd.ui.Window("a ball", (64, 64), show_window=False)
        >>> scene, camera = window.get_scene(), qd.ui.Camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> scene.set_camera(camera)
        >>> scene.ambient_light((1, 1, 1))
        >>> scene.particles(np.zeros((1, 3), np.float32), radius=0.5, color=(0, 1, 0))
        >>> window.get_canvas().scene(scene)
        >>> window.get_image_buffer_as_numpy()[32, 32].tolist()
        [0.0, 1.0, 0.0, 1.0]
        >>> window.destroy()"""

    def __init__(self) -> None: ...

    def ambient_light(self, color: Any) -> Any:
        """Sets the ambient light.
        
        Args:
            color: the colour, three numbers from 0 to 1."""

    def lines(self, vertices: Any, width: Any, indices: Any=None, color: Any=..., per_vertex_color: Any=None, vertex_offset: Any=0, vertex_count: Any=None, index_offset: Any=0, index_count: Any=None) -> Any:
        """Adds lines.
        
        Args:
            vertices: a field of 3-vectors; without `indices`, each consecutive pair is a line.
            width: the width in pixels.
            indices: indices of the vertices, two per line.
            color: the colour of all lines.
            per_vertex_color: one colour per vertex, overrides `color`.
            vertex_offset: index of the first vertex; with `indices`, an offset added to each index.
            vertex_count: number of vertices to draw, without `indices`.
            index_offset: position of the first index to draw.
            index_count: number of indices to draw."""

    def mesh(self, vertices: Any, indices: Any=None, normals: Any=None, color: Any=..., per_vertex_color: Any=None, two_sided: Any=False, vertex_offset: Any=0, vertex_count: Any=None, index_offset: Any=0, index_count: Any=None, show_wireframe: Any=False) -> Any:
        """Adds triangles.
        
        Args:
            vertices: a field of 3-vectors; without `indices`, each consecutive triple is a triangle.
            indices: indices of the vertices, three per triangle.
            normals: one normal per vertex; None: the mean of the normals of its triangles.
            color: the colour of all triangles.
            per_vertex_color: one colour per vertex, overrides `color`.
            two_sided: whether to light the back side like the front.
            vertex_offset: index of the first vertex; with `indices`, an offset added to each index.
            vertex_count: number of vertices to draw, without `indices`.
            index_offset: position of the first index to draw.
            index_count: number of indices to draw.
            show_wireframe: whether to draw only the edges of the triangles."""

    def mesh_instance(self, vertices: Any, indices: Any=None, normals: Any=None, color: Any=..., per_vertex_color: Any=None, two_sided: Any=False, transforms: Any=None, instance_offset: Any=0, instance_count: Any=None, vertex_offset: Any=0, vertex_count: Any=None, index_offset: Any=0, index_count: Any=None, show_wireframe: Any=False) -> Any:
        """Adds several instances of the same mesh.
        
        Args:
            vertices: as for `mesh`.
            indices: as for `mesh`.
            normals: as for `mesh`.
            color: as for `mesh`.
            per_vertex_color: as for `mesh`.
            two_sided: as for `mesh`.
            transforms: a field of 4x4 matrices, one per instance.
            instance_offset: index of the first instance to draw.
            instance_count: number of instances to draw; None: all that follow.
            vertex_offset: as for `mesh`.
            vertex_count: as for `mesh`.
            index_offset: as for `mesh`.
            index_count: as for `mesh`.
            show_wireframe: as for `mesh`."""

    def particles(self, centers: Any, radius: Any, color: Any=..., per_vertex_color: Any=None, per_vertex_radius: Any=None, index_offset: Any=0, index_count: Any=None) -> Any:
        """Adds spheres.
        
        Args:
            centers: a field of 3-vectors.
            radius: the radius of all spheres.
            color: the colour of all spheres; 3 or 4 numbers from 0 to 1.
            per_vertex_color: one colour per sphere, overrides `color`.
            per_vertex_radius: one radius per sphere, overrides `radius`.
            index_offset: index of the first sphere to draw.
            index_count: number of spheres to draw; None: all that follow."""

    def point_light(self, pos: Any, color: Any) -> Any:
        """Adds a point light.
        
        Args:
            pos: the position, three numbers.
            color: the colour, three numbers from 0 to 1."""

    def set_camera(self, camera: Any) -> Any:
        """Sets the camera of the scene.
        
        Args:
            camera: a `qd.ui.Camera`."""
