"""Display of a picture."""

import os

from quadrants._windows import image


def imshow(img, title="imshow"):
    """Shows a picture: in a notebook below the cell, else in a window until it is closed or Escape is pressed.

    Without a display, one line on stderr says so, and the program continues.

    Args:
        img: a field, ndarray or NumPy array, `img[x, y]`.
        title: the title of the window.

    Example:
        >>> import numpy as np
        >>> qd.tools.imshow(np.random.rand(64, 64), "noise")  # doctest: +SKIP
    """
    import sys

    shell = sys.modules.get("IPython")
    if shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None:
        import tempfile

        import IPython.display

        with tempfile.TemporaryDirectory() as folder:
            image.imwrite(img, os.path.join(folder, "picture.png"))
            IPython.display.display(IPython.display.Image(filename=os.path.join(folder, "picture.png")))
        return
    from quadrants._windows.gui import GUI

    pixels = image.array(img, "imshow")
    with GUI(title, pixels.shape[:2]) as gui:
        if not gui._surface.visible():  # an invisible window could not be closed; the process has reported why it is not visible
            return
        while gui.running and not gui.get_event((GUI.PRESS, GUI.ESCAPE)):
            gui.set_image(pixels)
            gui.show()
