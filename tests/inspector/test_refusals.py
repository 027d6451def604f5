"""Errors of windows, canvases, scenes and pictures; and programs for the screen without a display."""

import os
import subprocess
import sys

import numpy as np
import pytest
import quadrants as qd

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)


@pytest.fixture
def window():
    made = qd.ui.Window("refusals", (40, 30), show_window=False)
    yield made
    made.destroy()


@pytest.fixture
def gui():
    with qd.GUI("refusals", (40, 30), show_gui=False) as made:
        yield made


LOOP = "window = {}\nfor _ in range(3):\n    assert window.running\n    window.show()\n"


@pytest.mark.parametrize("display", [None, ""])
@pytest.mark.parametrize("program", ["qd.tools.imshow(np.zeros((64, 64)))", LOOP.format("qd.GUI('g', (64, 64))"), LOOP.format("qd.ui.Window('w', (64, 64))")])
def test_programs_for_the_screen_without_one(program, display):
    here = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    if display is not None:
        here["DISPLAY"] = display
    begin = "import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.ERROR)\n"
    ended = subprocess.run([sys.executable, "-c", begin + program + "\nprint('ended')"], env=here, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and ended.stdout.splitlines()[-1] == "ended"
    said = [line for line in ended.stderr.splitlines() if "[Quadrants]" not in line]
    assert len(said) == 1 and "cannot show a window" in said[0] and "display" in said[0].lower()


@pytest.mark.parametrize("wrong", [[0, 1, 4], [0, 1, -1], [0, 1, 2**31 - 1]])
def test_indices_of_missing_vertices(window, wrong):
    scene, canvas, wrong = window.get_scene(), window.get_canvas(), np.array(wrong, np.int32)
    match = f"indices must be from 0 to 3, these are from {wrong.min()} to {wrong.max()}"
    with pytest.raises(ValueError, match=f"mesh: {match}"):
        scene.mesh(SQUARE, wrong)
    with pytest.raises(ValueError, match=f"mesh: {match}"):
        scene.mesh_instance(SQUARE, wrong)
    with pytest.raises(ValueError, match="lines: indices must be from 0 to 3"):
        scene.lines(SQUARE, 1, wrong[1:])
    with pytest.raises(ValueError, match=f"triangles: {match}"):
        canvas.triangles(SQUARE, indices=wrong)
    canvas.scene(scene)  # the refused items are not in it
    assert (window.get_image_buffer_as_numpy()[..., :3] == 0).all()
    with pytest.raises(ValueError, match="these are from 2 to 4"):
        scene.mesh(SQUARE, np.array([0, 1, 2], np.int32), vertex_offset=2)
    with pytest.raises(ValueError, match="these are from -1 to 1"):
        scene.mesh(SQUARE, vertex_offset=-1)


def test_indices_of_incomplete_triangles_or_lines(window):
    scene, canvas, four = window.get_scene(), window.get_canvas(), np.arange(4, dtype=np.int32)
    for call in (lambda: canvas.triangles(SQUARE, indices=four), lambda: scene.mesh(SQUARE, four)):
        with pytest.raises(ValueError, match="a multiple of 3, not 4"):
            call()
    for call in (lambda: canvas.lines(SQUARE, 0.1, indices=four[:3]), lambda: scene.lines(SQUARE, 1, four[:3])):
        with pytest.raises(ValueError, match="a multiple of 2, not 3"):
            call()
    canvas.triangles(SQUARE)  # without indices, surplus vertices are not drawn
    scene.mesh(SQUARE)


def test_vectors_of_two_and_of_three(window):
    """Both are positions on a canvas and in a scene, as in the published interface."""
    scene, canvas = window.get_scene(), window.get_canvas()
    canvas.circles(np.array([[0.5, 0.5, 7.0]]), radius=0.2, color=(1, 0, 0))
    assert window.get_image_buffer_as_numpy()[20, 15].tolist() == [1, 0, 0, 1]
    window.show()
    camera = qd.ui.Camera()
    camera.position(0, 0, 3)
    camera.lookat(0, 0, 0)
    scene.set_camera(camera)
    scene.ambient_light((1, 1, 1))
    scene.particles(np.zeros((1, 2), np.float32), radius=0.5, color=(0, 1, 0))
    canvas.scene(scene)
    assert window.get_image_buffer_as_numpy()[20, 15].tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="positions are vectors of 3 numbers"):
        scene.particles(np.zeros(3, np.float32), radius=0.5)


def test_negative_radii(window, gui):
    scene, canvas, two, radii = window.get_scene(), window.get_canvas(), np.zeros((2, 3)), np.array([1.0, -2.0])
    for call in (
        lambda: canvas.circles(two, -2), lambda: canvas.circles(two, 1, per_vertex_radius=radii), lambda: scene.particles(two, -2),
        lambda: scene.particles(two, 1, per_vertex_radius=radii), lambda: gui.circle((0, 0), radius=-2), lambda: gui.circles(two, radius=radii),
        lambda: gui.line((0, 0), (1, 1), radius=-2),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="a radius must not be negative, got -"):
            call()
    scene.particles(two, 0)
    gui.circles(two, radius=0)


def test_lists_of_radii_and_colours(gui):
    gui.circles([[0.25, 0.5], [0.75, 0.5]], radius=[3, 6], color=[0xFF0000, 0x00FF00])
    found = gui.get_image()
    assert found[..., 0].sum() == pytest.approx(np.pi * 6.33, abs=2) and found[..., 1].sum() == pytest.approx(np.pi * 30.33, abs=3)  # (3 r^2 - 3 r + 1) / 3


def test_arguments_of_gui(gui):
    for call in (lambda: gui.circle((0, 0), color="red"), lambda: gui.text("a", (0, 0), color="red"), lambda: gui.clear("red")):
        with pytest.raises(TypeError, match="a colour must be an integer 0xRRGGBB, not 'red'"):
            call()
    for call in (
        lambda: gui.circle(0.5), lambda: gui.line(0.5, (1, 1)), lambda: gui.triangle((0, 0), (1, 1), 0.5), lambda: gui.rect(0.5, (1, 1)),
        lambda: gui.arrow(0.5, (1, 1)), lambda: gui.text("a", 0.5),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="a position must be two numbers, not 0.5"):
            call()
    with pytest.raises(TypeError, match="a radius must be a number, or an array with one number for each, not 'x'"):
        gui.circle((0, 0), radius="x")
    two, three = np.zeros((2, 2)), np.zeros((3, 2))
    for call in (lambda: gui.lines(two, three), lambda: gui.arrows(two, three)):
        with pytest.raises(ValueError, match="the arrays must have the same number of positions; these have 2 and 3"):
            call()
    with pytest.raises(ValueError, match="these have 2, 2 and 3"):
        gui.triangles(two, two, three)


def test_sizes_of_windows():
    for size in ((-3, 5), (0, 0), (5, 0)):
        for open_one in (lambda: qd.GUI("a", size, show_gui=False), lambda: qd.ui.Window("a", size, show_window=False)):
            with pytest.raises(ValueError, match=f"at least 1 x 1 pixels, not {size[0]} x {size[1]}"):
                open_one()
    for size in ((64.5, 64), ("6", 4), "64"):
        for open_one in (lambda: qd.GUI("a", size, show_gui=False), lambda: qd.ui.Window("a", size, show_window=False)):
            with pytest.raises(TypeError, match="the size of a window must be two integers"):
                open_one()
    with pytest.raises(TypeError, match="the size of a window must be two integers, not 100"):
        qd.ui.Window("a", 100, show_window=False)
    with qd.GUI("a", np.int64(20), show_gui=False) as gui:
        assert gui.res == (20, 20)


def test_objects_that_are_not_scenes_or_windows(window):
    with pytest.raises(TypeError, match="scene takes a qd.ui.Scene"):
        window.get_canvas().scene(None)
    window.destroy()
    with pytest.raises(qd.QuadrantsRuntimeError, match="this window was destroyed"):
        window.show()


def test_objects_that_are_not_pictures(tmp_path):
    with pytest.raises(TypeError, match="imresize: the width must be an integer, not 2.5"):
        qd.tools.imresize(np.zeros((4, 4)), 2.5)
    with pytest.raises(TypeError, match="imresize: the height must be an integer, not 'a'"):
        qd.tools.imresize(np.zeros((4, 4)), 2, "a")
    video = qd.tools.VideoManager(tmp_path, automatic_build=False)
    with pytest.raises(TypeError, match="write_frame takes a field, an ndarray or a NumPy array of numbers, not str"):
        video.write_frame("a")
    for empty in (np.zeros((0, 0)), np.zeros((4, 0, 3)), np.zeros(4)):
        with pytest.raises(ValueError, match="imwrite takes pictures of at least 1 x 1 pixels, not of the shape"):
            qd.tools.imwrite(empty, tmp_path / "empty.png")
    assert not (tmp_path / "empty.png").exists()
    with pytest.raises(TypeError, match="imshow takes a field"):
        qd.tools.imshow("a")


def test_a_frame_that_begins_with_nothing(window):
    window.get_canvas().circles(np.zeros((0, 2)), 0.1)
    assert (window.get_image_buffer_as_numpy()[..., :3] == 0).all()
