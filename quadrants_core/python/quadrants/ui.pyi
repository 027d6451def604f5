# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.ui: windows with a canvas, scenes in three dimensions and widgets.

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
    """A new `Camera`.
    
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
        res: pixels, (width, height).
        vsync: wait for the screen with each frame.
        show_window: False: no window; pictures come from `save_image` and `get_image_buffer_as_numpy`.
        fps_limit: frames a second that `show` lets pass at most.
        pos: of the upper left corner on the screen, pixels.
    
    Attributes:
        running: False once the window was closed; set it to False to end a loop.
        event: what `get_event` found last; None: nothing yet.
    
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
        """The widgets, as `get_gui()` gives them."""

    def destroy(self) -> None:
        """Closes the window."""
    event: Any

    def get_canvas(self) -> Canvas:
        """The canvas."""

    def get_cursor_pos(self) -> tuple[float, float]:
        """Where the pointer is, from (0, 0), lower left, to (1, 1)."""

    def get_depth_buffer(self, depth: Any) -> None:
        """Copies the depth of the frame's scene.
        
        Args:
            depth: field or ndarray of `qd.f32`, of the window's shape."""

    def get_depth_buffer_as_numpy(self) -> np.ndarray:
        """How deep the frame's scene is: (width, height) of floats, 1 at the near plane, 0 at the far one and where nothing is."""

    def get_event(self, tag: str | None=None) -> bool:
        """Whether a key went down or up that was not taken yet; if so, it is `event`.
        
        Args:
            tag: as of `get_events`."""

    def get_events(self, tag: str | None=None) -> list[Any]:
        """Keys that went down or up since they were asked for last.
        
        Args:
            tag: `qd.ui.PRESS` or `qd.ui.RELEASE`; None: both."""

    def get_gui(self) -> Gui:
        """The widgets."""

    def get_image_buffer_as_numpy(self) -> np.ndarray:
        """The frame: (width, height, 4) of floats from 0 to 1, y up."""

    def get_scene(self) -> Scene:
        """A scene in three dimensions, for `canvas.scene`."""

    def get_window_shape(self) -> tuple[int, int]:
        """(width, height) in pixels."""

    def is_pressed(self, *keys: str) -> bool:
        """Whether one of the keys is down.
        
        Args:
            *keys: such as `"a"`, `qd.ui.SPACE`, `qd.ui.LMB`."""
    running: bool

    def save_image(self, filename: Any) -> None:
        """Writes the frame as a picture, before it is shown.
        
        Args:
            filename: its ending says the kind."""

    def show(self) -> None:
        """Shows the frame and begins the next."""

class Gui:
    """Widgets, declared anew for each frame. Places and sizes are shares of the window from its upper left corner.
    
    A widget gives what a person set it to, unless the program hands it another value than it was given last: then that counts.
    
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
            name: as of `sub_window`.
            x: as of `sub_window`.
            y: as of `sub_window`.
            width: as of `sub_window`.
            height: as of `sub_window`."""

    def button(self, text: str) -> bool:
        """A button.
        
        Args:
            text: what stands on it.
        
        Returns:
            Whether it was pressed since the last frame."""

    def checkbox(self, text: str, old_value: bool) -> bool:
        """A box to tick.
        
        Args:
            text: what stands beside it.
            old_value: whether it is ticked.
        
        Returns:
            Whether it is ticked now."""

    def color_edit_3(self, text: str, old_value: Sequence[float]) -> tuple[float, float, float]:
        """A colour to choose.
        
        Args:
            text: what stands beside it.
            old_value: three numbers from 0 to 1.
        
        Returns:
            The three numbers as they are now."""

    def combo(self, text: str, old_value: int, choices: Sequence[str]) -> int:
        """A list to choose from.
        
        Args:
            text: what stands beside it.
            old_value: which is chosen, as a number from 0.
            choices: texts.
        
        Returns:
            Which is chosen now."""

    def end(self) -> None:
        """Ends the panel."""

    def input_text(self, text: str, old_value: str) -> str:
        """A line to write in.
        
        Args:
            text: what stands beside it.
            old_value: what is written there.
        
        Returns:
            What is written there now."""

    def plot(self, text: str, values: Any) -> None:
        """A line of values.
        
        Args:
            text: what stands beside it.
            values: numbers."""

    def slider_float(self, text: str, old_value: float, minimum: float, maximum: float) -> float:
        """A slider for a number.
        
        Args:
            text: what stands beside it.
            old_value: where it stands.
            minimum: where it begins.
            maximum: where it ends.
        
        Returns:
            Where it stands now."""

    def slider_int(self, text: str, old_value: int, minimum: int, maximum: int) -> int:
        """A slider for a whole number.
        
        Args:
            text: what stands beside it.
            old_value: where it stands.
            minimum: where it begins.
            maximum: where it ends.
        
        Returns:
            Where it stands now."""

    def sub_window(self, name: str, x: float, y: float, width: float, height: float) -> AbstractContextManager[Self]:
        """A panel, for `with`.
        
        Args:
            name: its title.
            x: of its left side.
            y: of its upper side.
            width: 0: as wide as what is in it.
            height: 0: as high."""

    def text(self, text: object, color: Sequence[float] | None=None, size: float | None=None) -> None:
        """A line of text.
        
        Args:
            text: what.
            color: three numbers from 0 to 1; None: the usual one.
            size: of its letters, in pixels; None: the usual one."""

class Camera:
    """From where a scene is seen.
    
    Example:
        >>> camera = qd.ui.Camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> camera.get_view_matrix()[3].tolist()
        [0.0, 0.0, -3.0, 1.0]"""

    def __init__(self) -> None: ...

    def bottom(self, bottom: Any) -> Any:
        """The lower border, in orthogonal mode.
        
        Args:
            bottom: in units of the scene."""

    def fov(self, fov: Any) -> Any:
        """The angle between the upper and the lower border.
        
        Args:
            fov: degrees."""

    def get_projection_matrix(self, aspect: Any) -> Any:
        """The matrix that takes the camera's points, as rows, to the picture's: (4, 4).
        
        Args:
            aspect: width of the picture, by its height."""

    def get_view_matrix(self) -> Any:
        """The matrix that takes the scene's points, as rows, to the camera's: (4, 4)."""

    def left(self, left: Any) -> Any:
        """The left border, in orthogonal mode.
        
        Args:
            left: in units of the scene."""

    def lookat(self, x: Any, y: Any, z: Any) -> Any:
        """A point that it looks at.
        
        Args:
            x: a number.
            y: a number.
            z: a number."""

    def position(self, x: Any, y: Any, z: Any) -> Any:
        """Where it stands.
        
        Args:
            x: a number.
            y: a number.
            z: a number."""

    def projection_mode(self, mode: Any) -> Any:
        """How far things become small.
        
        Args:
            mode: `qd.ui.ProjectionMode.Perspective` (0) or `Orthogonal` (1)."""

    def right(self, right: Any) -> Any:
        """The right border, in orthogonal mode.
        
        Args:
            right: in units of the scene."""

    def top(self, top: Any) -> Any:
        """The upper border, in orthogonal mode.
        
        Args:
            top: in units of the scene."""

    def track_user_inputs(self, window: Any, movement_speed: Any=1.0, yaw_speed: Any=2.0, pitch_speed: Any=2.0, hold_key: Any=None) -> Any:
        """Moves by the keys W, A, S, D (ahead, left, back, right), E and Q (up, down), and turns with the pointer.
        
        Args:
            window: whose keys.
            movement_speed: in units of the scene, by frame at 60 a second.
            yaw_speed: to the sides.
            pitch_speed: up and down.
            hold_key: turns while this key is down, such as `qd.ui.RMB`; None: always."""

    def up(self, x: Any, y: Any, z: Any) -> Any:
        """What is up in the picture.
        
        Args:
            x: a number.
            y: a number.
            z: a number."""

    def z_far(self, z_far: Any) -> Any:
        """What is farther is not seen.
        
        Args:
            z_far: in units of the scene."""

    def z_near(self, z_near: Any) -> Any:
        """What is nearer is not seen.
        
        Args:
            z_near: in units of the scene."""

class Canvas:
    """What a window shows. Positions go from (0, 0), lower left, to (1, 1); colours are 3 or 4 numbers from 0 to 1; lengths are shares of the height.
    
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
            centers: field of vectors of two numbers.
            radius: of all.
            color: of all.
            per_vertex_color: of each, instead.
            per_vertex_radius: of each, instead."""

    def contour(self, scalar_field: Any, cmap_name: Any='plasma', normalize: Any=False) -> Any:
        """Fills the canvas with the values of a field in colours.
        
        Args:
            scalar_field: a field of numbers with two axes.
            cmap_name: plasma, viridis, inferno, magma, gray, coolwarm, jet or turbo.
            normalize: from its least to its greatest value, instead of from 0 to 1."""

    def lines(self, vertices: Any, width: Any, indices: Any=None, color: Any=..., per_vertex_color: Any=None) -> Any:
        """Draws lines.
        
        Args:
            vertices: field of vectors of two numbers; two in order are a line.
            width: of all.
            indices: which vertices, two a line.
            color: of all.
            per_vertex_color: of each vertex, instead."""

    def scene(self, scene: Any) -> Any:
        """Draws a scene.
        
        Args:
            scene: a `qd.ui.Scene`, which begins anew."""

    def set_background_color(self, color: Any) -> Any:
        """What a frame begins with.
        
        Args:
            color: three numbers from 0 to 1."""

    def set_image(self, img: Any) -> Any:
        """Fills the canvas with a picture, `img[x, y]`, stretched to its size.
        
        Args:
            img: field, ndarray or NumPy array; floats from 0 to 1 or unsigned integers; one number each, or vectors of 2 to 4."""

    def triangles(self, vertices: Any, color: Any=..., indices: Any=None, per_vertex_color: Any=None) -> Any:
        """Draws triangles.
        
        Args:
            vertices: field of vectors of two numbers; three in order are a triangle.
            color: of all.
            indices: which vertices, three a triangle.
            per_vertex_color: of each vertex, instead."""

    def vector_field(self, vector_field: Any, arrow_spacing: Any=5, scale: Any=0.1, width: Any=0.002, color: Any=...) -> Any:
        """Draws arrows for vectors on a grid.
        
        Args:
            vector_field: a field of vectors of two numbers, with two axes.
            arrow_spacing: every how many cells.
            scale: length of the longest.
            width: of their lines.
            color: of all."""

class ProjectionMode(enum.IntEnum):
    """How a camera shows what is far: smaller, or as large as what is near."""
    Perspective = 0
    Orthogonal = 1

class Scene:
    """Balls, meshes and lines, lit by an ambient light and point lights. All is declared anew for each frame, then drawn with `canvas.scene(scene)`.
    
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
        """The light that is everywhere.
        
        Args:
            color: three numbers from 0 to 1."""

    def lines(self, vertices: Any, width: Any, indices: Any=None, color: Any=..., per_vertex_color: Any=None, vertex_offset: Any=0, vertex_count: Any=None, index_offset: Any=0, index_count: Any=None) -> Any:
        """Adds lines.
        
        Args:
            vertices: field of vectors of three numbers; two in order are a line.
            width: in pixels.
            indices: which vertices, two a line.
            color: of all.
            per_vertex_color: of each vertex, instead.
            vertex_offset: the first vertex; with indices: added to each.
            vertex_count: how many vertices are drawn, without indices.
            index_offset: the first index.
            index_count: how many indices are drawn."""

    def mesh(self, vertices: Any, indices: Any=None, normals: Any=None, color: Any=..., per_vertex_color: Any=None, two_sided: Any=False, vertex_offset: Any=0, vertex_count: Any=None, index_offset: Any=0, index_count: Any=None, show_wireframe: Any=False) -> Any:
        """Adds triangles.
        
        Args:
            vertices: field of vectors of three numbers; three in order are a triangle.
            indices: which vertices, three a triangle.
            normals: of each vertex; None: the mean of its triangles'.
            color: of all.
            per_vertex_color: of each vertex, instead.
            two_sided: lit from behind as from before.
            vertex_offset: the first vertex; with indices: added to each.
            vertex_count: how many vertices are drawn, without indices.
            index_offset: the first index.
            index_count: how many indices are drawn.
            show_wireframe: the sides of the triangles alone."""

    def mesh_instance(self, vertices: Any, indices: Any=None, normals: Any=None, color: Any=..., per_vertex_color: Any=None, two_sided: Any=False, transforms: Any=None, instance_offset: Any=0, instance_count: Any=None, vertex_offset: Any=0, vertex_count: Any=None, index_offset: Any=0, index_count: Any=None, show_wireframe: Any=False) -> Any:
        """Adds the same triangles in several places.
        
        Args:
            vertices: as of `mesh`.
            indices: as of `mesh`.
            normals: as of `mesh`.
            color: as of `mesh`.
            per_vertex_color: as of `mesh`.
            two_sided: as of `mesh`.
            transforms: field of matrices 4 x 4, one for each place.
            instance_offset: the first that is drawn.
            instance_count: how many; None: all that follow.
            vertex_offset: as of `mesh`.
            vertex_count: as of `mesh`.
            index_offset: as of `mesh`.
            index_count: as of `mesh`.
            show_wireframe: as of `mesh`."""

    def particles(self, centers: Any, radius: Any, color: Any=..., per_vertex_color: Any=None, per_vertex_radius: Any=None, index_offset: Any=0, index_count: Any=None) -> Any:
        """Adds balls.
        
        Args:
            centers: field of vectors of three numbers.
            radius: of all.
            color: of all; 3 or 4 numbers from 0 to 1.
            per_vertex_color: of each, instead.
            per_vertex_radius: of each, instead.
            index_offset: the first that is drawn.
            index_count: how many; None: all that follow."""

    def point_light(self, pos: Any, color: Any) -> Any:
        """Adds a light that shines from a point.
        
        Args:
            pos: three numbers.
            color: three numbers from 0 to 1."""

    def set_camera(self, camera: Any) -> Any:
        """From where the scene is seen.
        
        Args:
            camera: a `qd.ui.Camera`."""
