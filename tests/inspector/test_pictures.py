"""Whole pictures of small programs, compared with those in pictures/. QD_BLESS=1 rewrites them: look at them.

They have no text, since its font depends on the system."""

import os
from pathlib import Path

import numpy as np
import pytest
import quadrants as qd

Image = pytest.importorskip("PIL.Image")
PICTURES = Path(__file__).parent / "pictures"
SIZE = 128


def compare(name, found):
    """`found`: [w, h, 3], floats. A mean difference of 0.5 of 255 is allowed, and a thousandth of the pixels may differ by more than 8."""
    picture = np.swapaxes((found[..., :3] * 255).round().astype(np.uint8), 0, 1)[::-1]
    file = PICTURES / f"{name}.png"
    if os.environ.get("QD_BLESS"):
        file.parent.mkdir(exist_ok=True)
        Image.fromarray(picture).save(file, optimize=True)
    with Image.open(file) as kept:
        off = np.abs(np.asarray(kept.convert("RGB")).astype(int) - picture.astype(int))
    assert off.mean() <= 0.5 and (off.max(axis=2) > 8).mean() <= 1e-3, (off.mean(), (off.max(axis=2) > 8).mean())


def ring(n, radius=0.3):
    turn = np.arange(n, dtype=np.float32) * (2 * np.pi / n)
    return np.stack([0.5 + radius * np.cos(turn), 0.5 + radius * np.sin(turn)], 1).astype(np.float32)


def test_shapes_of_a_gui(shown):
    with qd.GUI("shapes", (SIZE, SIZE), background_color=0x102030, show_gui=shown) as gui:
        places = ring(12)
        gui.circles(places, radius=np.linspace(2, 9, 12), palette=[0xFF4040, 0x40FF40, 0x4080FF], palette_indices=np.arange(12) % 3)
        gui.lines(places, np.roll(places, 5, 0), radius=1.5, color=0xE0E0E0)
        gui.triangles(places[:4] * 0.4, places[4:8] * 0.4, places[8:] * 0.4, color=0x806020)
        gui.rect((0.05, 0.95), (0.95, 0.7), radius=2, color=0xFFFF00)
        gui.arrows(ring(6, 0.1), 0.25 * (ring(6, 0.4) - 0.5), radius=1, color=0xFF00FF)
        gui.triangle((0.7, 0.1), (0.95, 0.1), (0.8, 0.3), color=0x00A0A0)
        compare("gui", gui.get_image())


@qd.kernel
def waves(picture: qd.types.ndarray(qd.math.vec3, ndim=2)):
    for i, j in picture:
        x, y = i / SIZE - 0.5, j / SIZE - 0.5
        d = qd.sqrt(x * x + y * y)
        picture[i, j] = 0.5 + 0.5 * qd.Vector([qd.cos(20 * d), qd.cos(20 * d + 2), qd.cos(20 * d + 4)]) * (1 - d)


def test_layers_of_a_canvas(shown):
    window = qd.ui.Window("canvas", (SIZE, SIZE), show_window=shown)
    canvas = window.get_canvas()
    picture = qd.Vector.ndarray(3, qd.f32, (SIZE, SIZE))
    waves(picture)
    canvas.set_image(picture)
    places = qd.Vector.field(2, qd.f32, 10)
    places.from_numpy(ring(10))
    colours = qd.Vector.field(3, qd.f32, 10)
    colours.from_numpy(np.stack([np.linspace(0, 1, 10), np.linspace(1, 0, 10), np.full(10, 0.5)], 1).astype(np.float32))
    canvas.lines(places, width=0.01, color=(1, 1, 1))
    canvas.circles(places, radius=0.04, per_vertex_color=colours)
    corners = qd.Vector.field(2, qd.f32, 3)
    corners.from_numpy(ring(3, 0.15))
    canvas.triangles(corners, color=(0.1, 0.1, 0.1))
    compare("canvas", window.get_image_buffer_as_numpy())
    window.destroy()


def test_a_scene_with_light(shown):
    window = qd.ui.Window("scene", (SIZE, SIZE), show_window=shown)
    canvas, scene, camera = window.get_canvas(), window.get_scene(), qd.ui.Camera()
    camera.position(1.2, 1.5, 3.0)
    camera.lookat(0.0, 0.2, 0.0)
    scene.set_camera(camera)
    scene.ambient_light((0.3, 0.3, 0.3))
    scene.point_light(pos=(2.0, 3.0, 2.0), color=(0.9, 0.9, 0.8))
    balls = qd.Vector.field(3, qd.f32, 8)
    flat = (ring(8, 0.8) - 0.5).astype(np.float32)
    balls.from_numpy(np.stack([flat[:, 0], 0.2 + 0.1 * np.arange(8, dtype=np.float32), flat[:, 1]], 1))
    scene.particles(balls, radius=0.15, color=(0.9, 0.4, 0.2))
    floor = qd.Vector.field(3, qd.f32, 4)
    floor.from_numpy(np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], np.float32))
    indices = qd.field(qd.i32, 6)
    indices.from_numpy(np.array([0, 1, 2, 0, 2, 3], np.int32))
    scene.mesh(floor, indices, color=(0.3, 0.5, 0.8), two_sided=True)
    scene.lines(balls, width=2, color=(1.0, 1.0, 0.2))
    canvas.set_background_color((0.05, 0.05, 0.08))
    canvas.scene(scene)
    compare("scene", window.get_image_buffer_as_numpy())
    window.destroy()


@pytest.mark.skipif(bool(os.environ.get("QD_BLESS")), reason="pictures are written")
def test_another_picture_is_detected():
    """A visible difference exceeds the tolerance."""
    with qd.GUI("shapes", (SIZE, SIZE), background_color=0x102030, show_gui=False) as gui:
        gui.circles(ring(12), radius=5)
        with pytest.raises(AssertionError):
            compare("gui", gui.get_image())
