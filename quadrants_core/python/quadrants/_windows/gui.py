"""qd.GUI: a window with a canvas."""

import math
import numbers
import os

import numpy as np

from quadrants._exceptions import QuadrantsRuntimeError
from quadrants._windows import arrays, colormaps, image
from quadrants._windows.process import end_of_slider
from quadrants._windows.surface import Surface


class GUI:
    """A window with a canvas that is redrawn for each frame.

    Positions range from (0, 0), lower left, to (1, 1); colours are 0xRRGGBB; radii and widths are in pixels. Calls add to a frame, and
    `show` passes the frame to the process that displays the window.

    Args:
        name: the title.
        res: size in pixels, (width, height) or one number for both.
        background_color: the colour that a frame starts with.
        show_gui: if False, do not open a window; use `get_image` and `show(file)` for pictures.
        fullscreen: whether to cover the whole screen.
        fast_gui: if True, a picture stays on the canvas in every frame until another is set.

    Attributes:
        running: False after the window has been closed; set it to False to end a loop.
        fps_limit: maximum number of frames per second, enforced by `show`; 60 by default.
        SHIFT, ALT, CTRL, ESCAPE, RETURN, TAB, BACKSPACE, SPACE, UP, DOWN, LEFT, RIGHT, CAPSLOCK, LMB, MMB, RMB: names of keys and mouse
            buttons.
        EXIT, WHEEL, MOVE: keys of events: closing the window, turning the wheel, moving the pointer.
        PRESS, RELEASE, MOTION: types of events.
        Event: class of the object that `get_event` stores in `event`.
        WidgetValue: class of the objects that `slider` and `label` return.

    Example:
        >>> gui = qd.GUI("a disc", res=(64, 64), show_gui=False)
        >>> gui.circle((0.5, 0.5), color=0xFF0000, radius=10)
        >>> gui.get_image()[32, 32].tolist()
        [1.0, 0.0, 0.0, 1.0]
        >>> gui.close()
    """

    SHIFT, ALT, CTRL, ESCAPE, RETURN, TAB, BACKSPACE, SPACE = "Shift", "Alt", "Control", "Escape", "Return", "Tab", "BackSpace", " "
    UP, DOWN, LEFT, RIGHT, CAPSLOCK = "Up", "Down", "Left", "Right", "Caps_Lock"
    LMB, MMB, RMB, EXIT, WHEEL, MOVE = "LMB", "MMB", "RMB", "WMClose", "Wheel", "Motion"
    MOTION, PRESS, RELEASE = "Move", "Press", "Release"

    class Event:
        """An input event: `type` (PRESS, RELEASE, MOTION), `key`, `pos`, `modifier`, and `delta` of the wheel."""

        def __init__(self, type=None, key=None, pos=None, modifier=None, delta=(0, 0)):
            self.type, self.key, self.pos, self.modifier, self.delta = type, key, pos, modifier, delta

        def __repr__(self):
            return f"Event({self.type}, {self.key!r}, pos={self.pos})"

    class WidgetValue:
        """The value of a slider or label, read and written as `value`."""

        def __init__(self, gui, widget):
            self._gui, self._widget = gui, widget

        @property
        def value(self):
            self._gui._surface.poll()
            return self._gui._value_of(self._widget)

        @value.setter
        def value(self, value):
            label = self._widget["do"] == "label"
            self._widget["value"] = arrays.real(value, "label: value") if label else arrays.number(value, "slider: value")
            self._widget["set"] = True

    def __init__(self, name="Taichi", res=512, background_color=0x0, show_gui=True, fullscreen=False, fast_gui=False):
        self.name, self.background_color, self.fast_gui = name, background_color, fast_gui
        self._surface = Surface(name, res if hasattr(res, "__len__") else (res, res), show=show_gui, fullscreen=fullscreen)
        self.res = tuple(self._surface.size)
        self.event, self.frame = None, 0
        self._widgets = []
        self._closed = False
        self._kept = None  # the picture of `fast_gui`
        self.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the window."""
        self._closed = True
        self._surface.close()

    # widgets, in a panel in the upper left

    def _widget(self, what, text, value, **more):
        widget = {"do": what, "key": f"{len(self._widgets)}/{text}", "text": text, "value": value, "set": True, **more}
        self._widgets.append(widget)
        return widget

    def _value_of(self, widget):
        if widget.get("set"):
            return widget["value"]
        value = self._surface.answers.get(widget["key"], widget["value"])
        return value

    def slider(self, text, minimum, maximum, step=1):
        """Adds a slider.

        Args:
            text: the caption.
            minimum: the lowest value.
            maximum: the highest value.
            step: the step size.

        Returns:
            An object whose `value` is the position of the slider.
        """
        ends = {name: arrays.number(x, f"GUI.slider: {name}") for name, x in (("minimum", minimum), ("maximum", maximum))}
        least, most = (end_of_slider(x, f"GUI.slider: {name}") for name, x in ends.items())
        text, step = arrays.text(text, "GUI.slider: text"), arrays.number(step, "GUI.slider: step")
        return GUI.WidgetValue(self, self._widget("slider_float", text, least, least=least, most=most, step=step))

    def label(self, text):
        """Adds a line of text with a number.

        Args:
            text: the caption before the number.

        Returns:
            An object whose `value` is the number.
        """
        return GUI.WidgetValue(self, self._widget("label", text, 0.0))

    def button(self, text, event_name=None):
        """Adds a button.

        Args:
            text: the caption.
            event_name: the key of the button's events; None: `WidgetButton_` followed by the text.

        Returns:
            The key of the events.
        """
        text = arrays.text(text, "GUI.button: text")
        name = arrays.text(event_name, "GUI.button: event_name") if event_name else f"WidgetButton_{text}"
        self._widget("button", text, False, event=name)
        return name

    def _panel(self):
        if not self._widgets:
            return []
        made = [{"do": "begin", "text": "", "x": 0.01, "y": 0.01, "width": 0, "height": 0, "plain": True}]
        for widget in self._widgets:
            if widget["do"] == "label":
                made.append({"do": "text", "text": f"{widget['text']}: {widget['value']:.4g}"})
            else:
                made.append(dict(widget))
                widget.pop("set", None)
        return [*made, {"do": "end"}]

    # drawing

    def clear(self, color=None):
        """Clears the canvas.

        Args:
            color: the fill colour 0xRRGGBB; None: the background colour.
        """
        self._surface.clear()
        self._surface.background = arrays.word(self.background_color if color is None else color, "GUI.clear")
        if self._kept is not None:
            self._surface.image(self._kept, "GUI.set_image")

    def set_image(self, img):
        """Fills the canvas with a picture, `img[x, y]`.

        Args:
            img: a field, ndarray or NumPy array with the shape `res`, of floats from 0 to 1 or unsigned integers; elements are numbers or
                vectors of length 2 to 4.
        """
        array, _ = arrays.image(img, "GUI.set_image")
        if array.shape[:2] != self.res:
            raise ValueError(f"GUI.set_image: the picture is {array.shape[0]} x {array.shape[1]}, the window {self.res[0]} x {self.res[1]}")
        if self.fast_gui:
            self._kept = np.array(array)
        self._surface.clear()
        self._surface.image(array, "GUI.set_image")

    def get_image(self):
        """Returns the canvas as floats from 0 to 1, with shape (width, height, 4)."""
        return self._surface.picture().astype(np.float32) / 255

    def contour(self, scalar_field, normalize=False):
        """Fills the canvas with the colour-mapped values of a field.

        Args:
            scalar_field: a field of numbers with two axes.
            normalize: if True, map the range from the minimum to the maximum, instead of from 0 to 1.
        """
        self._surface.clear()
        self._surface.image(colormaps.contour(arrays.host(scalar_field, "GUI.contour"), "plasma", normalize), "GUI.contour")

    def _colours(self, color, count, what):
        if isinstance(color, (numbers.Real, str)):
            return arrays.word(color, what)
        return {"at": self._surface.put(arrays.numbers(color, count, what), np.uint32), "form": "rgb"}

    def circle(self, pos, color=0xFFFFFF, radius=1):
        """Draws a disc.

        Args:
            pos: the centre.
            color: 0xRRGGBB.
            radius: the radius in pixels, at which the disc has faded out.
        """
        self.circles(arrays.point(pos, "GUI.circle"), radius, _of_one(color, "GUI.circle"))

    def circles(self, pos, radius=1, color=0xFFFFFF, palette=None, palette_indices=None):
        """Draws discs.

        Args:
            pos: the centres, with shape (n, 2).
            radius: the radius in pixels, at which the disc has faded out; one number or one per disc.
            color: 0xRRGGBB, one colour or one per disc.
            palette: colours that `palette_indices` select from.
            palette_indices: for each disc, the index of its colour in `palette`.
        """
        centres = arrays.points(pos, 2, "GUI.circles")
        count = len(centres)
        if palette is not None:
            if palette_indices is None:
                raise ValueError("GUI.circles: a palette needs palette_indices")
            chosen = arrays.numbers(arrays.indices(palette_indices, "GUI.circles"), count, "GUI.circles")
            if count and not 0 <= chosen.min() <= chosen.max() < len(palette):
                raise ValueError(f"GUI.circles: palette_indices must be from 0 to {len(palette) - 1}, these are from {chosen.min()} to {chosen.max()}")
            color = np.asarray(palette, np.uint32)[chosen]
        colour = self._colours(color, count, "GUI.circles")
        radii = arrays.lengths(radius, "GUI.circles")
        # the discs of the window fade outside their radius
        radii = self._surface.per_item(np.where(radii < 1, radii**3 / 2, radii - 0.5), count, "GUI.circles")
        self._surface.add("discs", n=count, at=self._surface.put(centres), radius=radii, colour=colour)

    def triangle(self, a, b, c, color=0xFFFFFF):
        """Draws a triangle.

        Args:
            a: the first corner.
            b: the second corner.
            c: the third corner.
            color: 0xRRGGBB.
        """
        self.triangles(*(arrays.point(p, "GUI.triangle") for p in (a, b, c)), _of_one(color, "GUI.triangle"))

    def triangles(self, a, b, c, color=0xFFFFFF):
        """Draws triangles.

        Args:
            a: the first corners, with shape (n, 2).
            b: the second corners.
            c: the third corners.
            color: 0xRRGGBB, one colour or one per triangle.
        """
        corners = arrays.alike([arrays.points(p, 2, "GUI.triangles") for p in (a, b, c)], "GUI.triangles")
        colour = self._colours(color, len(corners), "GUI.triangles")
        self._surface.add("triangles", n=len(corners), at=self._surface.put(corners), colour=colour)

    def line(self, begin, end, radius=1, color=0xFFFFFF):
        """Draws a line.

        Args:
            begin: the start point.
            end: the end point.
            radius: the radius in pixels.
            color: 0xRRGGBB.
        """
        self.lines(*(arrays.point(p, "GUI.line") for p in (begin, end)), radius, _of_one(color, "GUI.line"))

    def lines(self, begin, end, radius=1, color=0xFFFFFF):
        """Draws lines.

        Args:
            begin: the start points, with shape (n, 2).
            end: the end points.
            radius: the radius in pixels; one number or one per line.
            color: 0xRRGGBB, one colour or one per line.
        """
        ends = arrays.alike([arrays.points(p, 2, "GUI.lines") for p in (begin, end)], "GUI.lines")
        radii = arrays.lengths(radius, "GUI.lines")
        ink = np.where(radii < 1, radii * np.maximum(radii, 0), radii * 2.0 - 1.0)  # as much ink as a line that fades over its last pixel
        width = self._surface.per_item(ink, len(ends), "GUI.lines")
        self._surface.add("lines", n=len(ends), at=self._surface.put(ends), width=width, colour=self._colours(color, len(ends), "GUI.lines"))

    def arrow(self, orig, direction, radius=1, color=0xFFFFFF, **kwargs):
        """Draws an arrow.

        Args:
            orig: the start point.
            direction: the vector from the start point to the tip.
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB.
            **kwargs: `tip_scale` (default 0.2 of the length) and `angle` (default 45 degrees) of the tip.
        """
        self.arrows(arrays.point(orig, "GUI.arrow"), arrays.point(direction, "GUI.arrow"), radius, _of_one(color, "GUI.arrow"), **kwargs)

    def arrows(self, orig, direction, radius=1, color=0xFFFFFF, *, tip_scale=0.2, angle=45):
        """Draws arrows.

        Args:
            orig: the start points, with shape (n, 2).
            direction: the vectors from the start points to the tips.
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB, one colour or one per arrow.
            tip_scale: length of the lines of the tip relative to the arrow.
            angle: angle between these lines and the arrow, in degrees.
        """
        begin, way = arrays.points(orig, 2, "GUI.arrows"), arrays.points(direction, 2, "GUI.arrows")
        arrays.alike([begin, way], "GUI.arrows")
        end, turned = begin + way, math.radians(180 - angle)
        self.lines(begin, end, radius, color)
        for sign in (1, -1):
            c, s = math.cos(turned), sign * math.sin(turned)
            tip = np.stack([way[:, 0] * c - way[:, 1] * s, way[:, 0] * s + way[:, 1] * c], axis=1)
            self.lines(end, end + tip * tip_scale, radius, color)

    def rect(self, topleft, bottomright, radius=1, color=0xFFFFFF):
        """Draws the outline of a rectangle.

        Args:
            topleft: a corner.
            bottomright: the opposite corner.
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB.
        """
        (x0, y0), (x1, y1) = (arrays.point(p, "GUI.rect")[0] for p in (topleft, bottomright))
        corners = np.asarray([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], np.float32)
        self.lines(corners, np.roll(corners, -1, axis=0), radius, _of_one(color, "GUI.rect"))

    def text(self, content, pos, font_size=15, color=0xFFFFFF):
        """Draws a text.

        Args:
            content: the text.
            pos: the upper left corner.
            font_size: the font size in pixels.
            color: 0xRRGGBB.
        """
        x, y = (arrays.number(part, "GUI.text: a part of pos") for part in arrays.point(pos, "GUI.text")[0].tolist())
        size = arrays.number(font_size, "GUI.text: font_size")
        self._surface.add("text", text=str(content), x=x, y=y, size=size, colour=arrays.word(color, "GUI.text"))

    @staticmethod
    def _grid(width, height, bound):
        x, y = np.meshgrid(np.linspace(bound / width, 1 - bound / width, width), np.linspace(bound / height, 1 - bound / height, height), indexing="ij")
        return np.stack([x, y], axis=-1).reshape(-1, 2)

    def point_field(self, radius, color=0xFFFFFF, bound=0.5):
        """Draws a grid of discs.

        Args:
            radius: the radii in pixels, with shape (w, h).
            color: 0xRRGGBB, one colour or one per disc.
            bound: distance of the outermost discs from the border, in cells.
        """
        radii = arrays.host(radius, "GUI.point_field")
        self.circles(self._grid(*radii.shape[:2], bound), radii.reshape(-1), color)

    def arrow_field(self, direction, radius=1, color=0xFFFFFF, bound=0.5, **kwargs):
        """Draws a grid of arrows.

        Args:
            direction: the vectors, with shape (w, h, 2).
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB, one colour or one per arrow.
            bound: distance of the outermost arrows from the border, in cells.
            **kwargs: as for `arrow`.
        """
        way = arrays.host(direction, "GUI.arrow_field")
        self.arrows(self._grid(*way.shape[:2], bound), way.reshape(-1, 2), radius, color, **kwargs)

    def vector_field(self, vector_field, arrow_spacing=5, color=0xFFFFFF):
        """Draws arrows for vectors on a grid; the longest arrow is a tenth of the canvas.

        Args:
            vector_field: a field of 2-vectors with two axes.
            arrow_spacing: distance between arrows, in cells.
            color: 0xRRGGBB.
        """
        begin, way = colormaps.arrows(arrays.host(vector_field, "GUI.vector_field"), arrow_spacing, 0.1)
        self.arrows(begin, way, 1, color)

    def show(self, file=None):
        """Shows the frame and begins the next one.

        Args:
            file: path of a picture file to write the frame to as well; None: no file.
        """
        if self._closed:
            raise QuadrantsRuntimeError("this GUI was closed")
        given = {widget["key"]: widget["value"] for widget in self._widgets if widget.get("set")}
        self._surface.widgets = self._panel()
        if file:
            image.imwrite(self._surface.picture(), os.fspath(file))
        self._surface.present()
        self._surface.answers.update(given)
        self.frame += 1
        for widget in self._widgets:
            if widget["do"] == "button" and widget["key"] in self._surface.presses:
                self._surface.presses.discard(widget["key"])
                self._surface.events.append(("Press", widget["event"], self._surface.pointer, (0, 0)))
        self.clear()

    # events

    def has_key_event(self):
        """Returns whether there are events that have not been taken."""
        self._surface.poll()
        return bool(self._surface.events)

    def get_key_event(self):
        """Waits for the next event and returns it."""
        while not self._surface.events and self._surface.process.alive:
            for message in self._surface.process.receive(1.0):
                self._surface._take(message)
        if not self._surface.events:
            return GUI.Event(GUI.PRESS, GUI.EXIT, (0.0, 0.0), [])
        kind, key, pos, delta = self._surface.events.pop(0)
        return GUI.Event(kind, key, pos, self._surface.modifiers(), delta)

    def get_events(self, *e_filter):
        """Yields the pending events in order.

        Args:
            *e_filter: the requested keys, types, or (type, key) pairs; none: all events.
        """
        wanted = {tuple(entry) if isinstance(entry, (list, tuple)) else entry for entry in e_filter}
        while self.has_key_event():
            event = self.get_key_event()
            if not wanted or wanted & {event.type, event.key, (event.type, event.key)}:
                yield event

    def get_event(self, *e_filter):
        """Returns whether there is a pending event; if so, it is stored in `event`.

        Args:
            *e_filter: as for `get_events`.
        """
        for event in self.get_events(*e_filter):
            self.event = event
            return True
        return False

    def is_pressed(self, *keys):
        """Returns whether any of the keys is held down.

        Args:
            *keys: keys such as `"a"`, `GUI.SPACE`, `GUI.LMB`.
        """
        return self._surface.is_pressed(*keys)

    def get_cursor_pos(self):
        """Returns the position of the pointer, from (0, 0), lower left, to (1, 1)."""
        self._surface.poll()
        return self._surface.pointer

    @property
    def running(self):
        """True while the window is open; use it as the condition of the main loop."""
        self._surface.poll()
        return self._surface.process.alive and not self._surface.closing

    @running.setter
    def running(self, value):
        self._surface.closing = not value

    @property
    def fps_limit(self):
        """Maximum number of frames per second, enforced by `show`; None: no limit."""
        return self._surface.fps_limit

    @fps_limit.setter
    def fps_limit(self, value):
        self._surface.fps_limit = value


def _of_one(color, what):
    """Validates the colour of a single item."""
    arrays.word(color, what)
    return color


def rgb_to_hex(c):
    """Converts three numbers from 0 to 1 into 0xRRGGBB.

    Args:
        c: red, green, blue; numbers or arrays.

    Example:
        >>> hex(qd.rgb_to_hex((1.0, 0.5, 0.0)))
        '0xff7f00'
    """
    r, g, b = (np.clip(np.int32(np.asarray(part) * 255), 0, 255) for part in c)
    made = (r << 16) + (g << 8) + b
    return made if made.ndim else int(made)


def hex_to_rgb(color):
    """Converts 0xRRGGBB into three numbers from 0 to 1.

    Args:
        color: an integer.

    Example:
        >>> qd.hex_to_rgb(0xFF0033)
        (1.0, 0.0, 0.2)
    """
    return (color >> 16 & 0xFF) / 255, (color >> 8 & 0xFF) / 255, (color & 0xFF) / 255
