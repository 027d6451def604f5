"""Taichi's own examples show what Taichi shows: a few of them, where it is installed; `python -m tests.published` runs all."""

import numpy as np
import pytest

pytest.importorskip("PIL.Image")
from tests.published import pictures  # noqa: E402
from tests.published.__main__ import compared, examples, run  # noqa: E402

NAMES = sorted(file.stem for file in pictures.PICTURES.glob("*.png"))


@pytest.mark.parametrize(
    "name",
    ["autodiff/diff_sph/diff_sph", "ggui_examples/fem128_ggui", "ggui_examples/mass_spring_3d_ggui", "rendering/rasterizer", "simulation/fem99"]
    + ["simulation/laplace_equation", "simulation/mpm88", "simulation/waterwave"],
)
def test_an_example_shows_what_the_reference_shows(name):
    if examples() is None:
        pytest.skip("Taichi is not installed: `make bench-peers`")
    end, picture = run(name)
    assert end == "ok"
    word, fine = compared(name, picture)
    assert fine, word


def test_small_pictures_are_means():
    picture = np.zeros((96, 200, 3), np.uint8)
    picture[:, 100:] = 200
    found = pictures.small(picture)
    assert found.shape == (31, 64, 3) and (found[:, :32] == 0).all() and (found[:, 32:] == 200).all()
    noise = np.random.default_rng(1).integers(0, 256, (100, 37, 3), np.uint8)
    assert pictures.small(noise).mean() == pytest.approx(noise.mean(), abs=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_other_pictures_are_detected(name):
    """No other example's picture passes for this one, nor one of a single colour."""
    full = next((each for each in pictures.SHOWN if each.replace("/", "-") == name), name)
    limit, kept = pictures.shown(full).limit, pictures.read(name)
    assert pictures.off(full, kept, kept) == 0
    blank = np.broadcast_to(kept.mean((0, 1)).astype(np.uint8), kept.shape)
    assert pictures.off(full, blank, kept) > limit
    close = [other for other in NAMES if other != name and pictures.off(full, pictures.read(other), kept) <= limit]
    assert {twin(each) for each in close} <= {twin(name)}


def twin(name):
    """Examples that exist twice, for both kinds of windows or of functions, show the same; so do those that begin alike."""
    alike = {"simulation-mpm99": "mpm128", "features-io-export_videos": "gui_image_io", "features-gui-keyboard": "gui_widgets"}
    alike["simulation-eulerfluid2d"] = "taichi_logo"
    return alike.get(name) or name.removeprefix("real_func-").removesuffix("_ggui").rpartition("-")[2]
