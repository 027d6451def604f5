"""What the examples draw with: the package's own windows, unseen, which close after a few frames and keep their last picture."""

import os
import pathlib

import numpy as np
import quadrants as qd

FRAMES = int(os.environ.get("PUBLISHED_FRAMES", 2))
FOLDER = os.environ.get("PUBLISHED_PICTURES")  # where pictures are kept
_count = 0


class Closed(BaseException):
    """Ends programs that draw for ever."""


def keep(pixels):
    """Notes a picture: what it shows must not be one colour alone, but that is for whoever reads the line."""
    global _count
    _count += 1
    print(f"picture of {pixels.shape[:2]}, {len(np.unique(pixels.reshape(-1, pixels.shape[-1])[::7], axis=0))} colours")
    if FOLDER:
        import sys

        qd.tools.imwrite(pixels, pathlib.Path(FOLDER) / f"{pathlib.Path(sys.argv[0]).stem}_{_count}.png")


class Few:
    """A window of few frames."""

    shown = 0

    @property
    def running(self):
        return self.shown < FRAMES and type(self).__mro__[2].running.fget(self)

    @running.setter
    def running(self, value):
        if not value:
            self.shown = FRAMES

    def show(self, *file):
        self.shown += 1
        if self.shown == FRAMES:
            keep(self._surface.picture())
        super().show(*file)
        if self.shown > FRAMES + 2:
            raise Closed


class GUI(Few, qd.GUI):
    def __init__(self, *args, **keywords):
        super().__init__(*args, **{**keywords, "show_gui": False})


class Window(Few, qd.ui.Window):
    def __init__(self, *args, **keywords):
        super().__init__(*args, **{**keywords, "show_window": False})


def imshow(img, *_args, **_keywords):
    img = np.asarray(img.to_numpy() if hasattr(img, "to_numpy") else img)
    keep(qd.tools.imresize(np.ascontiguousarray(img), *img.shape[:2]).reshape(*img.shape[:2], -1))
