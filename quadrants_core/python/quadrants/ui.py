"""qd.ui: windows with a canvas, three-dimensional scenes and widgets.

Example:
    >>> window = qd.ui.Window("a picture", (64, 32), show_window=False)
    >>> import numpy as np
    >>> window.get_canvas().set_image(np.full((64, 32), 0.5, np.float32))
    >>> window.get_window_shape()
    (64, 32)
    >>> window.destroy()
"""

import enum

from quadrants._windows.scene import Camera, Scene
from quadrants._windows.window import PRESS, RELEASE, Canvas, Gui, Window

SHIFT, ALT, CTRL, ESCAPE, RETURN, TAB, BACKSPACE, SPACE = "Shift", "Alt", "Control", "Escape", "Return", "Tab", "BackSpace", " "
UP, DOWN, LEFT, RIGHT, CAPSLOCK, LMB, MMB, RMB = "Up", "Down", "Left", "Right", "CapsLock", "LMB", "MMB", "RMB"


class ProjectionMode(enum.IntEnum):
    """The projection of a camera: perspective or orthogonal."""

    Perspective = 0
    Orthogonal = 1


def make_camera():
    """Makes a new `Camera`.

    Example:
        >>> camera = qd.ui.make_camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> list(camera.curr_position)
        [0.0, 0.0, 3.0]
    """
    return Camera()


def __dir__():
    return sorted(name for name in globals() if not name.startswith("_") and name != "enum")
