"""qd.ui.Window with its canvas and widgets."""

import os
from contextlib import contextmanager

import numpy as np

from quadrants._exceptions import QuadrantsRuntimeError
from quadrants._windows import arrays, colormaps, image
from quadrants._windows.process import end_of_slider, written
from quadrants._windows.scene import Scene
from quadrants._windows.surface import Surface

PRESS, RELEASE = "Press", "Release"
_NAMES = {"Shift_L": "Shift", "Shift_R": "Shift", "Control_L": "Control", "Control_R": "Control", "Alt_L": "Alt", "Alt_R": "Alt"}
_NAMES["Caps_Lock"] = "CapsLock"
_KEYS = {"CapsLock": "Caps_Lock"}
_CALLS = {"color": "color_edit_3"}  # widgets that have another name in messages


class Event:
    """A key press or release: `type` (`qd.ui.PRESS`, `qd.ui.RELEASE`) and `key`."""

    def __init__(self, type, key):
        self.type, self.key = type, key

    def __repr__(self):
        return f"Event({self.type}, {self.key!r})"


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
        >>> window.destroy()
    """

    def __init__(self, name, res, vsync=False, show_window=True, fps_limit=1000, pos=(100, 100)):
        self._surface = Surface(name, res, show=show_window, vsync=vsync, position=pos, resizable=True, fps_limit=fps_limit)
        self._canvas, self._scene, self._gui = Canvas(self._surface), Scene(), Gui(self._surface)
        self._event = None
        self._destroyed = False

    @property
    def running(self):
        """True while the window is open; use it as the condition of the main loop."""
        self._surface.poll()
        return self._surface.process.alive and not self._surface.closing

    @running.setter
    def running(self, value):
        self._surface.closing = not value

    @property
    def event(self):
        """The event found last by `get_event`."""
        return self._event

    @event.setter
    def event(self, value):
        self._event = value

    def get_events(self, tag=None):
        """Returns the keys pressed or released since the last call.

        Args:
            tag: `qd.ui.PRESS` or `qd.ui.RELEASE`; None: both.
        """
        if tag not in (None, PRESS, RELEASE):
            raise ValueError(f"get_events takes qd.ui.PRESS, qd.ui.RELEASE or None, not {tag!r}")
        self._surface.poll()
        found = [(kind, key) for kind, key, *_ in self._surface.events if kind in (PRESS, RELEASE) and key != "WMClose"]
        wanted = [event for event in found if tag in (None, event[0])]
        left = [event for event in self._surface.events if event[:2] not in wanted and event[0] != "Move"]
        self._surface.events = left
        return [Event(kind, _NAMES.get(key, key)) for kind, key in wanted]

    def get_event(self, tag=None):
        """Returns whether there is a pending key press or release; if so, it is stored in `event`.

        Args:
            tag: as for `get_events`.
        """
        if tag not in (None, PRESS, RELEASE):
            raise ValueError(f"get_event takes qd.ui.PRESS, qd.ui.RELEASE or None, not {tag!r}")
        self._surface.poll()
        events = self._surface.events
        events[:] = [event for event in events if event[0] != "Move" and event[1] != "WMClose"]
        for position, (kind, key, *_) in enumerate(events):
            if tag in (None, kind):
                del events[position]
                self._event = Event(kind, _NAMES.get(key, key))
                return True
        return False

    def is_pressed(self, *keys):
        """Returns whether any of the keys is held down.

        Args:
            *keys: keys such as `"a"`, `qd.ui.SPACE`, `qd.ui.LMB`.
        """
        return self._surface.is_pressed(*(_KEYS.get(key, key) for key in keys))

    def get_canvas(self):
        """Returns the canvas."""
        return self._canvas

    def get_scene(self):
        """Returns a three-dimensional scene, for `canvas.scene`."""
        return self._scene

    def get_gui(self):
        """Returns the widgets."""
        return self._gui

    @property
    def GUI(self):
        """The widgets, see `get_gui`."""
        return self._gui

    def get_cursor_pos(self):
        """Returns the position of the pointer, from (0, 0), lower left, to (1, 1)."""
        self._surface.poll()
        return self._surface.pointer

    def show(self):
        """Shows the frame and begins the next one."""
        if self._destroyed:
            raise QuadrantsRuntimeError("this window was destroyed")
        self._surface.present()
        self._gui._begin()
        if self.running:
            self._surface.size = list(self._surface.window_size())  # follows the size of the window, which the user may have changed

    def get_window_shape(self):
        """Returns the size (width, height) in pixels."""
        return tuple(self._surface.size)

    def save_image(self, filename):
        """Writes the frame to a picture file; call it before `show`.

        Args:
            filename: path of the file; the extension selects the format.
        """
        image.imwrite(self._surface.picture(), os.fspath(filename))

    def get_image_buffer_as_numpy(self):
        """Returns the frame as floats from 0 to 1, with shape (width, height, 4) and the y axis upwards."""
        return self._surface.picture().astype(np.float32) / 255

    def get_depth_buffer_as_numpy(self):
        """Returns the depth of the frame's scene as floats with shape (width, height): 1 at the near plane, 0 at the far plane and where
        the scene is empty."""
        return self._surface.depth()

    def get_depth_buffer(self, depth):
        """Copies the depth of the frame's scene to a field or ndarray.

        Args:
            depth: a field or ndarray of `qd.f32` with the shape of the window.
        """
        if tuple(depth.shape) != self.get_window_shape():
            raise ValueError(f"get_depth_buffer: the window is {self.get_window_shape()}, the field {tuple(depth.shape)}")
        depth.from_numpy(self._surface.depth())

    def destroy(self):
        """Closes the window."""
        self._destroyed = True
        self._surface.close()


class Canvas:
    """The drawing surface of a window. Positions range from (0, 0), lower left, to (1, 1); colours are 3 or 4 numbers from 0 to 1; lengths
    are relative to the height.

    Example:
        >>> window = qd.ui.Window("blue", (8, 8), show_window=False)
        >>> canvas = window.get_canvas()
        >>> canvas.set_background_color((0, 0, 1))
        >>> window.get_image_buffer_as_numpy()[4, 4].tolist()
        [0.0, 0.0, 1.0, 1.0]
        >>> window.destroy()
    """

    def __init__(self, surface):
        self._surface = surface

    def _pixels(self, share, what):
        return arrays.number(share, f"{what}: width") * self._surface.size[1]

    def set_background_color(self, color):
        """Sets the colour that a frame starts with.

        Args:
            color: three numbers from 0 to 1.
        """
        self._surface.background = arrays.word_of(color, "set_background_color")
        self._surface._fresh = True

    def set_image(self, img):
        """Fills the canvas with a picture, `img[x, y]`, stretched to its size.

        Args:
            img: a field, ndarray or NumPy array of floats from 0 to 1 or unsigned integers; elements are numbers or vectors of length 2 to
                4.
        """
        self._surface.image(img, "set_image")

    def contour(self, scalar_field, cmap_name="plasma", normalize=False):
        """Fills the canvas with the colour-mapped values of a field.

        Args:
            scalar_field: a field of numbers with two axes.
            cmap_name: plasma, viridis, inferno, magma, gray, coolwarm, jet or turbo.
            normalize: if True, map the range from the minimum to the maximum, instead of from 0 to 1.
        """
        self._surface.image(colormaps.contour(arrays.host(scalar_field, "contour"), cmap_name, normalize), "contour")

    def circles(self, centers, radius, color=(0.5, 0.5, 0.5), per_vertex_color=None, per_vertex_radius=None):
        """Draws discs.

        Args:
            centers: a field of 2-vectors.
            radius: the radius of all discs.
            color: the colour of all discs.
            per_vertex_color: one colour per disc, overrides `color`.
            per_vertex_radius: one radius per disc, overrides `radius`.
        """
        places = arrays.points(centers, 2, "circles")
        n = len(places)
        colour = arrays.word_of(color, "circles") if per_vertex_color is None else self._surface.per_vertex(per_vertex_color, n, "circles")
        size = arrays.lengths(radius if per_vertex_radius is None else per_vertex_radius, "circles") * float(self._surface.size[1])
        self._surface.add("discs", n=n, at=self._surface.put(places), radius=self._surface.per_item(size, n, "circles"), colour=colour)

    def _grouped(self, vertices, indices, group, per_vertex_color, color, what):
        """Returns (count, positions, colour) of lines or triangles."""
        places = arrays.points(vertices, 2, what)
        if indices is None:
            chosen = np.arange(len(places) // group * group)
        else:
            chosen = arrays.inside(arrays.indices(indices, what).astype(np.int64), len(places), group, what)
        n = len(chosen) // group
        if per_vertex_color is None:
            return n, places[chosen], arrays.word_of(color, what)
        each = arrays.host(per_vertex_color, what)
        return n, places[chosen], self._surface.per_vertex(each.reshape(-1, each.shape[-1])[chosen], n * group, what)

    def lines(self, vertices, width, indices=None, color=(0.5, 0.5, 0.5), per_vertex_color=None):
        """Draws lines.

        Args:
            vertices: a field of 2-vectors; without `indices`, each consecutive pair is a line.
            width: the width of all lines.
            indices: indices of the vertices, two per line.
            color: the colour of all lines.
            per_vertex_color: one colour per vertex, overrides `color`.
        """
        n, ends, colour = self._grouped(vertices, indices, 2, per_vertex_color, color, "lines")
        at = self._surface.put(ends)
        self._surface.add("lines", n=n, at=at, width=self._pixels(width, "lines"), colour=colour, by_end=per_vertex_color is not None)

    def triangles(self, vertices, color=(0.5, 0.5, 0.5), indices=None, per_vertex_color=None):
        """Draws triangles.

        Args:
            vertices: a field of 2-vectors; without `indices`, each consecutive triple is a triangle.
            color: the colour of all triangles.
            indices: indices of the vertices, three per triangle.
            per_vertex_color: one colour per vertex, overrides `color`.
        """
        n, corners, colour = self._grouped(vertices, indices, 3, per_vertex_color, color, "triangles")
        self._surface.add("triangles", n=n, at=self._surface.put(corners), colour=colour, by_corner=per_vertex_color is not None)

    def vector_field(self, vector_field, arrow_spacing=5, scale=0.1, width=0.002, color=(0, 0, 0)):
        """Draws arrows for vectors on a grid.

        Args:
            vector_field: a field of 2-vectors with two axes.
            arrow_spacing: distance between arrows, in cells.
            scale: length of the longest arrow.
            width: width of the lines.
            color: the colour of all arrows.
        """
        begin, way = colormaps.arrows(arrays.host(vector_field, "vector_field"), arrow_spacing, scale)
        end, parts = begin + way, [(begin, begin + way)]
        for angle in (np.pi - np.pi / 6, np.pi + np.pi / 6):
            c, s = np.cos(angle), np.sin(angle)
            parts.append((end, end + 0.2 * np.stack([way[:, 0] * c - way[:, 1] * s, way[:, 0] * s + way[:, 1] * c], axis=1)))
        ends = np.concatenate([np.concatenate(part, axis=1) for part in parts])
        width = self._pixels(width, "vector_field")
        self._surface.add("lines", n=len(ends), at=self._surface.put(ends), width=width, colour=arrays.word_of(color, "vector_field"))

    def scene(self, scene):
        """Draws a scene.

        Args:
            scene: a `qd.ui.Scene`; it is cleared afterwards.
        """
        if not isinstance(scene, Scene):
            raise TypeError(f"scene takes a qd.ui.Scene, as returned by window.get_scene(), not {scene!r}")
        scene._hand_over(self._surface)


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
        >>> window.destroy()
    """

    def __init__(self, surface):
        self._surface = surface
        self._given = {}  # key -> the value last returned to the program
        self._begin()

    def _begin(self):
        self._panel, self._counts = "", {}

    def _key(self, text):
        """Returns a key that is the same in every frame: the panel, the text, and a counter if several widgets share both."""
        place = f"{self._panel}/{text}"
        self._counts[place] = count = self._counts.get(place, 0) + 1
        return f"{place}#{count}" if count > 1 else place

    def _add(self, what, **members):
        self._surface.widgets.append({"do": what, **members})
        self._surface._fresh = True

    def _widget(self, what, text, value, **members):
        text = arrays.text(text, f"{_CALLS.get(what, what)}: text")
        key = self._key(text)
        known = key in self._given
        mine = not known or self._given[key] != value
        self._add(what, key=key, text=text, value=value, set=mine, **members)
        self._surface.poll()
        made = value if mine else self._surface.answers.get(key, value)
        if mine:
            self._surface.answers[key] = value
        self._given[key] = made
        return made

    @contextmanager
    def sub_window(self, name, x, y, width, height):
        """Adds a panel, as a context manager.

        Args:
            name: the title.
            x: position of the left side.
            y: position of the upper side.
            width: the width; 0: fits the content.
            height: the height; 0: fits the content.
        """
        self.begin(name, x, y, width, height)
        try:
            yield self
        finally:
            self.end()

    def begin(self, name, x, y, width, height):
        """Begins a panel.

        Args:
            name: as for `sub_window`.
            x: as for `sub_window`.
            y: as for `sub_window`.
            width: as for `sub_window`.
            height: as for `sub_window`.
        """
        place = {"x": x, "y": y, "width": width, "height": height}
        place = {key: arrays.number(value, f"sub_window: {key}") for key, value in place.items()}
        self._panel = written(str(name))
        self._add("begin", text=self._panel, **place)

    def end(self):
        """Ends the panel."""
        self._panel = ""
        self._add("end")

    def text(self, text, color=None, size=None):
        """Adds a line of text.

        Args:
            text: the text.
            color: three numbers from 0 to 1; None: the default colour.
            size: font size in pixels; None: the default size.
        """
        colour = [] if color is None else arrays.row(color, "text", "color")
        self._add("text", text=str(text), colour=colour, size=arrays.number(size or 0, "text: size"))

    def checkbox(self, text, old_value):
        """Adds a check box.

        Args:
            text: the caption.
            old_value: whether the box is checked.

        Returns:
            Whether the box is checked now.
        """
        return bool(self._widget("checkbox", text, bool(old_value)))

    def slider_int(self, text, old_value, minimum, maximum):
        """Adds a slider for an integer.

        Args:
            text: the caption.
            old_value: the value.
            minimum: the lowest value.
            maximum: the highest value.

        Returns:
            The current value.
        """
        value, *ends = (arrays.integer(x, f"slider_int: {name}") for name, x in (("old_value", old_value), ("minimum", minimum), ("maximum", maximum)))
        least, most = (end_of_slider(x, f"slider_int: {name}") for name, x in zip(("minimum", "maximum"), ends))
        return int(self._widget("slider_int", text, value, least=least, most=most))

    def slider_float(self, text, old_value, minimum, maximum):
        """Adds a slider for a floating-point number.

        Args:
            text: the caption.
            old_value: the value.
            minimum: the lowest value.
            maximum: the highest value.

        Returns:
            The current value.
        """
        value, *ends = (arrays.number(x, f"slider_float: {name}") for name, x in (("old_value", old_value), ("minimum", minimum), ("maximum", maximum)))
        least, most = (end_of_slider(x, f"slider_float: {name}") for name, x in zip(("minimum", "maximum"), ends))
        return float(self._widget("slider_float", text, value, least=least, most=most))

    def color_edit_3(self, text, old_value):
        """Adds a colour picker.

        Args:
            text: the caption.
            old_value: the colour, three numbers from 0 to 1.

        Returns:
            The current colour, three numbers from 0 to 1.
        """
        return tuple(self._widget("color", text, arrays.row(old_value, "color_edit_3", "old_value")[:3]))

    def button(self, text):
        """Adds a button.

        Args:
            text: the caption.

        Returns:
            Whether the button was pressed since the last frame.
        """
        text = arrays.text(text, "button: text")
        key = self._key(text)
        self._add("button", key=key, text=text)
        self._surface.poll()
        pressed = key in self._surface.presses
        self._surface.presses.discard(key)
        return pressed

    def combo(self, text, old_value, choices):
        """Adds a drop-down list.

        Args:
            text: the caption.
            old_value: the index of the selected choice, starting at 0.
            choices: the texts of the choices.

        Returns:
            The current index.
        """
        value, texts = arrays.integer(old_value, "combo: old_value"), [str(choice) for choice in choices]
        if not texts:
            raise ValueError("combo: choices must contain at least one str")
        return int(self._widget("combo", text, value, choices=texts))

    def input_text(self, text, old_value):
        """Adds a text input line.

        Args:
            text: the caption.
            old_value: the text of the line.

        Returns:
            The current text.
        """
        return str(self._widget("input_text", text, str(old_value)))

    def plot(self, text, values):
        """Adds a line plot.

        Args:
            text: the caption.
            values: the numbers to plot.
        """
        numbers = np.nan_to_num(np.asarray(arrays.host(values, "plot"), np.float32).reshape(-1))
        self._add("plot", text=str(text), values=numbers.tolist())
