"""Windows for the examples: windows of the installed package without a display, which close after some frames and keep their last picture."""

import os
import pathlib
import types

import numpy as np

FRAMES = int(os.environ.get("PUBLISHED_FRAMES", 2))
FOLDER = os.environ.get("PUBLISHED_PICTURES")  # where pictures are kept: 1.npy, 2.npy and so on, bytes [row, column, channel]
HAND = "PUBLISHED_HAND" in os.environ  # the left button is held down, and the mouse moves
_count = 0


def now():
    """A clock that goes on by a 60th of a second at each frame, and a little whenever it is read: programs divide by differences."""
    Few.read += 1
    return Few.frames / 60 + Few.read * 1e-7


class Closed(BaseException):
    """Ends programs that draw for ever."""


def keep(pixels):
    """Notes a picture, floats [x, y, channel] with y up."""
    global _count
    _count += 1
    pixels = np.swapaxes((np.clip(pixels[..., :3], 0, 1) * 255).round().astype(np.uint8), 0, 1)[::-1]
    print(f"picture of {pixels.shape[:2]}, {len(np.unique(pixels.reshape(-1, pixels.shape[-1])[::7], axis=0))} colours")
    if FOLDER:
        np.save(pathlib.Path(FOLDER) / f"{_count}.npy", pixels)


def show_plot():
    import matplotlib.pyplot

    canvas = matplotlib.pyplot.gcf().canvas
    canvas.draw()
    keep(np.asarray(canvas.buffer_rgba())[::-1].swapaxes(0, 1) / 255)


def watch(video_manager):
    """Keeps the first frame of videos of bytes."""
    write_frame = video_manager.write_frame

    def write(self, image):
        if _count == 0:
            keep(np.asarray(image) / 255)
        write_frame(self, image)

    video_manager.write_frame = write


class Few:
    """A window of few frames."""

    shown = 0
    frames = read = 0  # of all windows

    @property
    def running(self):
        return self.shown < FRAMES and super().running

    @running.setter
    def running(self, value):
        if not value:
            self.shown = FRAMES

    def show(self, *file):
        self.shown += 1
        Few.frames += 1
        if self.shown == FRAMES:
            keep(self.pixels())
        super().show(*file)
        if self.shown > FRAMES + 2:
            raise Closed


class Hand:
    """A person that presses the left button and moves the mouse."""

    def _pressed(self):
        where = self.get_cursor_pos()
        return [types.SimpleNamespace(type=self.PRESS, key=self.LMB, pos=where, modifier=[], delta=(0, 0))] if self.shown % 5 == 0 else []

    def get_cursor_pos(self):
        return 0.3 + 0.03 * self.shown, 0.4 + 0.01 * self.shown

    def is_pressed(self, *keys):
        return self.LMB in keys

    def get_events(self, *_):
        return self._pressed()


class Headless:
    """Replaces the parts of Taichi's `ui.Window` that need a display: input raises, and showing crashes. Reading a frame begins the next."""

    event = None

    def get_event(self, tag=None):
        return False

    def get_events(self, tag=None):
        return []

    def is_pressed(self, *keys):
        return False

    def get_cursor_pos(self):
        return 0.0, 0.0

    def show(self):
        if self.shown != FRAMES:
            self.get_image_buffer_as_numpy()


def classes(package):
    """`GUI` and `ui.Window` of quadrants or of Taichi, as windows of few frames."""
    gui, unseen = package.GUI, package.ui.Window
    is_reference = package.__name__ == "taichi"
    if is_reference:
        unseen = type("Window", (Headless, unseen), {})
    if HAND:
        gui = type("GUI", (Hand, gui), {})
        unseen = type("Window", (Hand, unseen), {"PRESS": package.ui.PRESS, "LMB": package.ui.LMB})

    class GUI(Few, gui):
        def __init__(self, *args, **keywords):
            super().__init__(*args, **{**keywords, "show_gui": False})

        def pixels(self):
            if not (is_reference and self.fast_gui):
                return self.get_image()
            width, height = self.res  # get_image would overrun it: words of blue, green, red and nothing, rows from the top
            return self.img.view(np.uint8).reshape(height, width, 4)[::-1, :, 2::-1].swapaxes(0, 1) / 255

    class Window(Few, unseen):
        def __init__(self, *args, **keywords):
            super().__init__(*args, **{**keywords, "show_window": False})

        def pixels(self):
            return self.get_image_buffer_as_numpy()

    return GUI, Window


def imshow(gui_class):
    """In a window of few frames, as the reference's does."""

    def show(img, title="imshow"):
        img = img.to_numpy() if hasattr(img, "to_numpy") else np.asarray(img)
        with gui_class(title, res=img.shape[:2]) as gui:
            while gui.running:
                gui.set_image(img)
                gui.show()

    return show
