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
_CALLS = {"color": "color_edit_3"}  # of widgets that are called otherwise in messages


class Event:
    """A key that went down or up: `type` (`qd.ui.PRESS`, `qd.ui.RELEASE`) and `key`."""

    def __init__(self, type, key):
        self.type, self.key = type, key

    def __repr__(self):
        return f"Event({self.type}, {self.key!r})"


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
        >>> window.destroy()
    """

    def __init__(self, name, res, vsync=False, show_window=True, fps_limit=1000, pos=(100, 100)):
        self._surface = Surface(name, res, show=show_window, vsync=vsync, position=pos, resizable=True, fps_limit=fps_limit)
        self._canvas, self._scene, self._gui = Canvas(self._surface), Scene(), Gui(self._surface)
        self._event = None
        self._destroyed = False

    @property
    def running(self):
        """Whether the window is open; False ends the loop that asks."""
        self._surface.poll()
        return self._surface.process.alive and not self._surface.closing

    @running.setter
    def running(self, value):
        self._surface.closing = not value

    @property
    def event(self):
        """What `get_event` found last."""
        return self._event

    @event.setter
    def event(self, value):
        self._event = value

    def get_events(self, tag=None):
        """Keys that went down or up since they were asked for last.

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
        """Whether a key went down or up that was not taken yet; if so, it is `event`.

        Args:
            tag: as of `get_events`.
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
        """Whether one of the keys is down.

        Args:
            *keys: such as `"a"`, `qd.ui.SPACE`, `qd.ui.LMB`.
        """
        return self._surface.is_pressed(*(_KEYS.get(key, key) for key in keys))

    def get_canvas(self):
        """The canvas."""
        return self._canvas

    def get_scene(self):
        """A scene in three dimensions, for `canvas.scene`."""
        return self._scene

    def get_gui(self):
        """The widgets."""
        return self._gui

    @property
    def GUI(self):
        """The widgets, as `get_gui()` gives them."""
        return self._gui

    def get_cursor_pos(self):
        """Where the pointer is, from (0, 0), lower left, to (1, 1)."""
        self._surface.poll()
        return self._surface.pointer

    def show(self):
        """Shows the frame and begins the next."""
        if self._destroyed:
            raise QuadrantsRuntimeError("this window was destroyed")
        self._surface.present()
        self._gui._begin()
        if self.running:
            self._surface.size = list(self._surface.window_size())  # as large as a person made it

    def get_window_shape(self):
        """(width, height) in pixels."""
        return tuple(self._surface.size)

    def save_image(self, filename):
        """Writes the frame as a picture, before it is shown.

        Args:
            filename: its ending says the kind.
        """
        image.imwrite(self._surface.picture(), os.fspath(filename))

    def get_image_buffer_as_numpy(self):
        """The frame: (width, height, 4) of floats from 0 to 1, y up."""
        return self._surface.picture().astype(np.float32) / 255

    def get_depth_buffer_as_numpy(self):
        """How deep the frame's scene is: (width, height) of floats, 1 at the near plane, 0 at the far one and where nothing is."""
        return self._surface.depth()

    def get_depth_buffer(self, depth):
        """Copies the depth of the frame's scene.

        Args:
            depth: field or ndarray of `qd.f32`, of the window's shape.
        """
        if tuple(depth.shape) != self.get_window_shape():
            raise ValueError(f"get_depth_buffer: the window is {self.get_window_shape()}, the field {tuple(depth.shape)}")
        depth.from_numpy(self._surface.depth())

    def destroy(self):
        """Closes the window."""
        self._destroyed = True
        self._surface.close()


class Canvas:
    """What a window shows. Positions go from (0, 0), lower left, to (1, 1); colours are 3 or 4 numbers from 0 to 1; lengths are shares of the height.

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
        """What a frame begins with.

        Args:
            color: three numbers from 0 to 1.
        """
        self._surface.background = arrays.word_of(color, "set_background_color")
        self._surface._fresh = True

    def set_image(self, img):
        """Fills the canvas with a picture, `img[x, y]`, stretched to its size.

        Args:
            img: field, ndarray or NumPy array; floats from 0 to 1 or unsigned integers; one number each, or vectors of 2 to 4.
        """
        self._surface.image(img, "set_image")

    def contour(self, scalar_field, cmap_name="plasma", normalize=False):
        """Fills the canvas with the values of a field in colours.

        Args:
            scalar_field: a field of numbers with two axes.
            cmap_name: plasma, viridis, inferno, magma, gray, coolwarm, jet or turbo.
            normalize: from its least to its greatest value, instead of from 0 to 1.
        """
        self._surface.image(colormaps.contour(arrays.host(scalar_field, "contour"), cmap_name, normalize), "contour")

    def circles(self, centers, radius, color=(0.5, 0.5, 0.5), per_vertex_color=None, per_vertex_radius=None):
        """Draws discs.

        Args:
            centers: field of vectors of two numbers.
            radius: of all.
            color: of all.
            per_vertex_color: of each, instead.
            per_vertex_radius: of each, instead.
        """
        places = arrays.points(centers, 2, "circles")
        n = len(places)
        colour = arrays.word_of(color, "circles") if per_vertex_color is None else self._surface.per_vertex(per_vertex_color, n, "circles")
        size = arrays.lengths(radius if per_vertex_radius is None else per_vertex_radius, "circles") * float(self._surface.size[1])
        self._surface.add("discs", n=n, at=self._surface.put(places), radius=self._surface.per_item(size, n, "circles"), colour=colour)

    def _grouped(self, vertices, indices, group, per_vertex_color, color, what):
        """(count, positions, colour) of lines or triangles."""
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
            vertices: field of vectors of two numbers; two in order are a line.
            width: of all.
            indices: which vertices, two a line.
            color: of all.
            per_vertex_color: of each vertex, instead.
        """
        n, ends, colour = self._grouped(vertices, indices, 2, per_vertex_color, color, "lines")
        at = self._surface.put(ends)
        self._surface.add("lines", n=n, at=at, width=self._pixels(width, "lines"), colour=colour, by_end=per_vertex_color is not None)

    def triangles(self, vertices, color=(0.5, 0.5, 0.5), indices=None, per_vertex_color=None):
        """Draws triangles.

        Args:
            vertices: field of vectors of two numbers; three in order are a triangle.
            color: of all.
            indices: which vertices, three a triangle.
            per_vertex_color: of each vertex, instead.
        """
        n, corners, colour = self._grouped(vertices, indices, 3, per_vertex_color, color, "triangles")
        self._surface.add("triangles", n=n, at=self._surface.put(corners), colour=colour, by_corner=per_vertex_color is not None)

    def vector_field(self, vector_field, arrow_spacing=5, scale=0.1, width=0.002, color=(0, 0, 0)):
        """Draws arrows for vectors on a grid.

        Args:
            vector_field: a field of vectors of two numbers, with two axes.
            arrow_spacing: every how many cells.
            scale: length of the longest.
            width: of their lines.
            color: of all.
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
            scene: a `qd.ui.Scene`, which begins anew.
        """
        if not isinstance(scene, Scene):
            raise TypeError(f"scene takes a qd.ui.Scene, as window.get_scene() gives one, not {scene!r}")
        scene._hand_over(self._surface)


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
        >>> window.destroy()
    """

    def __init__(self, surface):
        self._surface = surface
        self._given = {}  # key -> what the program was given last
        self._begin()

    def _begin(self):
        self._panel, self._counts = "", {}

    def _key(self, text):
        """A name that stays the same from frame to frame: the panel, the text, and which of those that share both."""
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
        """A panel, for `with`.

        Args:
            name: its title.
            x: of its left side.
            y: of its upper side.
            width: 0: as wide as what is in it.
            height: 0: as high.
        """
        self.begin(name, x, y, width, height)
        try:
            yield self
        finally:
            self.end()

    def begin(self, name, x, y, width, height):
        """Begins a panel.

        Args:
            name: as of `sub_window`.
            x: as of `sub_window`.
            y: as of `sub_window`.
            width: as of `sub_window`.
            height: as of `sub_window`.
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
        """A line of text.

        Args:
            text: what.
            color: three numbers from 0 to 1; None: the usual one.
            size: of its letters, in pixels; None: the usual one.
        """
        colour = [] if color is None else arrays.row(color, "text", "color")
        self._add("text", text=str(text), colour=colour, size=arrays.number(size or 0, "text: size"))

    def checkbox(self, text, old_value):
        """A box to tick.

        Args:
            text: what stands beside it.
            old_value: whether it is ticked.

        Returns:
            Whether it is ticked now.
        """
        return bool(self._widget("checkbox", text, bool(old_value)))

    def slider_int(self, text, old_value, minimum, maximum):
        """A slider for a whole number.

        Args:
            text: what stands beside it.
            old_value: where it stands.
            minimum: where it begins.
            maximum: where it ends.

        Returns:
            Where it stands now.
        """
        value, *ends = (arrays.integer(x, f"slider_int: {name}") for name, x in (("old_value", old_value), ("minimum", minimum), ("maximum", maximum)))
        least, most = (end_of_slider(x, f"slider_int: {name}") for name, x in zip(("minimum", "maximum"), ends))
        return int(self._widget("slider_int", text, value, least=least, most=most))

    def slider_float(self, text, old_value, minimum, maximum):
        """A slider for a number.

        Args:
            text: what stands beside it.
            old_value: where it stands.
            minimum: where it begins.
            maximum: where it ends.

        Returns:
            Where it stands now.
        """
        value, *ends = (arrays.number(x, f"slider_float: {name}") for name, x in (("old_value", old_value), ("minimum", minimum), ("maximum", maximum)))
        least, most = (end_of_slider(x, f"slider_float: {name}") for name, x in zip(("minimum", "maximum"), ends))
        return float(self._widget("slider_float", text, value, least=least, most=most))

    def color_edit_3(self, text, old_value):
        """A colour to choose.

        Args:
            text: what stands beside it.
            old_value: three numbers from 0 to 1.

        Returns:
            The three numbers as they are now.
        """
        return tuple(self._widget("color", text, arrays.row(old_value, "color_edit_3", "old_value")[:3]))

    def button(self, text):
        """A button.

        Args:
            text: what stands on it.

        Returns:
            Whether it was pressed since the last frame.
        """
        text = arrays.text(text, "button: text")
        key = self._key(text)
        self._add("button", key=key, text=text)
        self._surface.poll()
        pressed = key in self._surface.presses
        self._surface.presses.discard(key)
        return pressed

    def combo(self, text, old_value, choices):
        """A list to choose from.

        Args:
            text: what stands beside it.
            old_value: which is chosen, as a number from 0.
            choices: texts.

        Returns:
            Which is chosen now.
        """
        value, texts = arrays.integer(old_value, "combo: old_value"), [str(choice) for choice in choices]
        if not texts:
            raise ValueError("combo: choices holds at least one text")
        return int(self._widget("combo", text, value, choices=texts))

    def input_text(self, text, old_value):
        """A line to write in.

        Args:
            text: what stands beside it.
            old_value: what is written there.

        Returns:
            What is written there now.
        """
        return str(self._widget("input_text", text, str(old_value)))

    def plot(self, text, values):
        """A line of values.

        Args:
            text: what stands beside it.
            values: numbers.
        """
        numbers = np.nan_to_num(np.asarray(arrays.host(values, "plot"), np.float32).reshape(-1))
        self._add("plot", text=str(text), values=numbers.tolist())
