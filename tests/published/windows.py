"""What the examples draw with, showing nothing: windows that close after a few frames, where the pointer stands still."""

import os

import numpy as np

FRAMES = int(os.environ.get("PUBLISHED_FRAMES", 2))
KEYS = "SPACE ESCAPE LMB MMB RMB PRESS RELEASE UP DOWN LEFT RIGHT MOTION EXIT SHIFT CTRL TAB RETURN BACKSPACE WHEEL".split()


class Closed(BaseException):
    """Ends programs that draw for ever."""


def picture(x, *_args, **_keywords):
    x = np.asarray(x.to_numpy() if hasattr(x, "to_numpy") else x)
    print(f"picture of {x.shape}, mean {np.nan_to_num(x.astype(np.float64)).mean():.4g}")


class Anything:
    """Takes every call and gives what takes every call."""

    def __init__(self, *_args, **_keywords):
        pass

    def __call__(self, *_args, **_keywords):
        return Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class GUI:
    locals().update({key: key.lower() for key in KEYS})

    def __init__(self, *_args, **_keywords):
        self.frame, self.event, self.fps_limit = 0, None, 60

    @property
    def running(self):
        return self.frame < FRAMES

    @running.setter
    def running(self, value):
        if not value:
            self.frame = FRAMES

    def show(self, *_):
        self.frame += 1
        if self.frame > FRAMES + 2:
            raise Closed


    def set_image(self, x):
        picture(x)

    def circles(self, x, *_args, **_keywords):
        picture(x)

    def get_event(self, *_):
        return False

    def get_events(self, *_):
        return iter(())

    def get_cursor_pos(self):
        return 0.5, 0.5

    def is_pressed(self, *_):
        return False

    def slider(self, *_args, **_keywords):
        return type("Slider", (), {"value": 0.0})

    label = button = slider

    def get_canvas(self):
        return Anything()

    get_gui = get_scene = get_canvas

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_keywords: None
