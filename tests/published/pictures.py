"""Compares the pictures of the examples with pictures/, which Taichi drew after as many frames, from the same seeds.

Pictures are made small first (64 pixels at most, each the mean of what it stands for), since fonts and the edges of lines differ. The
measure is the mean difference of their channels, in units of how much the kept picture differs from its own mean colour: 0 is the same
picture, 1 is as wrong as a picture of one colour. Random numbers are others here than there: such pictures are compared at 16 pixels, or
by how often which colours are there."""

import dataclasses
import pathlib

import numpy as np

PICTURES = pathlib.Path(__file__).resolve().parent / "pictures"
SIZE = 64


@dataclasses.dataclass
class Shown:
    """The way in which an example is shown, and the difference that it may have."""

    limit: float = 0.1
    why: str = ""  # it may be off by more
    frames: int = 10
    size: int = SIZE
    colours: bool = False  # compared, not where they are
    hand: bool = False  # the left button is held down, and the mouse moves
    ours: bool = False  # what is kept was shown here, and looked at, since Taichi cannot


LETTERS = "letters of another font"
RANDOM = "random numbers"
PLACES = "random places"
SHOWN = {
    "algorithm/poisson_disk_sampling": Shown(why=PLACES, colours=True),
    "features/gui/gui_image_io": Shown(why=PLACES, colours=True),
    "features/io/export_videos": Shown(why=PLACES, colours=True),
    "features/gui/keyboard": Shown(0.3, LETTERS),
    "ggui_examples/mpm128_ggui": Shown(why=RANDOM, size=16),
    "ggui_examples/mpm3d_ggui": Shown(0.15, RANDOM, size=16),
    "ggui_examples/stable_fluid_ggui": Shown(hand=True),
    "real_func/algorithm/poisson_disk_sampling": Shown(why=PLACES, colours=True),
    "real_func/rendering/cornell_box": Shown(0.15, RANDOM, size=16),
    "rendering/cornell_box": Shown(0.15, RANDOM, size=16),
    "rendering/oit_renderer": Shown(0.2, PLACES, colours=True),
    "simulation/ad_gravity": Shown(why=PLACES, size=16, colours=True),
    "simulation/eulerfluid2d": Shown(hand=True),
    "simulation/game_of_life": Shown(0.3, PLACES, colours=True),
    "simulation/implicit_fem": Shown(why="points smaller than a pixel", size=16),
    "simulation/mass_spring_game": Shown(0.4, LETTERS),
    "simulation/mpm128": Shown(why=RANDOM, size=16),
    "simulation/mpm3d": Shown(why=RANDOM, size=16),
    "simulation/mpm88": Shown(why=RANDOM, size=16),
    "simulation/mpm99": Shown(why=RANDOM, size=16),
    "simulation/nbody": Shown(why=PLACES, colours=True),
    "simulation/odop_solar": Shown(why=PLACES, colours=True),
    "simulation/pbf2d": Shown(why=RANDOM, size=16),
    "simulation/physarum": Shown(why=PLACES, colours=True),
    "simulation/stable_fluid": Shown(hand=True),
    "simulation/two_stream_instability": Shown(why=RANDOM, size=16),
    "simulation/waterwave": Shown(hand=True),
}


def shown(name):
    return SHOWN.get(name, Shown())


def small(picture, size=SIZE):
    """Bytes [row, column, channel], at most `size` of either, each the mean of the pixels that it stands for."""
    rows, columns = picture.shape[:2]
    step = max(rows, columns) / size
    if step <= 1:
        return picture
    for axis, length in ((0, rows), (1, columns)):
        sums = np.cumsum(np.insert(picture.astype(float), 0, 0, axis), axis)
        at = np.linspace(0, length, max(1, round(length / step)) + 1)
        low = np.floor(at).astype(int)
        part = np.expand_dims(at - low, (1, 2) if axis == 0 else (0, 2))
        there = sums.take(low, axis) * (1 - part) + sums.take(np.minimum(low + 1, length), axis) * part
        picture = np.diff(there, axis=axis) * (len(at) - 1) / length
    return picture.round().clip(0, 255).astype(np.uint8)


def kept(name):
    return PICTURES / f"{name.replace('/', '-')}.png"


def write(name, picture):
    from PIL import Image

    PICTURES.mkdir(exist_ok=True)
    Image.fromarray(small(picture)).save(kept(name), optimize=True)


def read(name):
    from PIL import Image

    with Image.open(kept(name)) as image:
        return np.asarray(image.convert("RGB"))


def off(name, picture, reference):
    """Returns the difference between a picture and the stored one, in the way in which the example is compared."""
    how = shown(name)
    found, wanted = (small(small(each), how.size).astype(float) for each in (picture, reference))
    if found.shape != wanted.shape:
        return float("inf")
    contrast = np.abs(wanted - wanted.mean((0, 1))).mean()
    if how.colours:
        found, wanted = (np.sort(each.reshape(-1, each.shape[-1]), 0) for each in (found, wanted))
    return float(np.abs(found - wanted).mean() / max(contrast, 0.05))
