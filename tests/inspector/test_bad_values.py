"""Values that no window can show are refused at the call that passes them, with a message that names it; the window survives."""

import math
import sys
import time

import numpy as np
import pytest
import quadrants as qd
from quadrants._windows.process import Memory, Process

NAN, INF = math.nan, math.inf
ONE = np.zeros((1, 3))


@pytest.fixture
def window():
    made = qd.ui.Window("bad values", (60, 40), show_window=False)
    yield made
    made.get_canvas().set_background_color((1, 1, 1))
    assert made.get_image_buffer_as_numpy().max() == 1 and made.running
    made.destroy()


@pytest.fixture
def gui():
    with qd.GUI("bad values", 8, show_gui=False) as made:
        yield made
        made.clear(0xFFFFFF)
        assert made.get_image().max() == 1 and made.running


WIDGETS = {
    "button": lambda g: g.button(3),
    "checkbox": lambda g: g.checkbox(3, True),
    "slider_int": lambda g: g.slider_int(None, 1, 0, 2),
    "slider_float": lambda g: g.slider_float(3, 1, 0, 2),
    "color_edit_3": lambda g: g.color_edit_3(3, (1, 0, 0)),
    "combo": lambda g: g.combo(3, 0, ["a"]),
    "input_text": lambda g: g.input_text(3, "a"),
}


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_with_an_invalid_text(window, name):
    with pytest.raises(TypeError, match=f"{name}: text must be a str, not "):
        WIDGETS[name](window.get_gui())


@pytest.mark.parametrize("bad", [NAN, INF, -INF, "x", None])
def test_numbers_of_widgets(window, bad):
    g = window.get_gui()
    for name, call in {
        "slider_float: old_value": lambda: g.slider_float("s", bad, 0, 1), "slider_float: minimum": lambda: g.slider_float("s", 0, bad, 1),
        "slider_float: maximum": lambda: g.slider_float("s", 0, 0, bad), "slider_int: old_value": lambda: g.slider_int("s", bad, 0, 1),
        "slider_int: minimum": lambda: g.slider_int("s", 0, bad, 1), "slider_int: maximum": lambda: g.slider_int("s", 0, 0, bad),
        "combo: old_value": lambda: g.combo("s", bad, ["a"]), "color_edit_3: a part of old_value": lambda: g.color_edit_3("s", (bad, 0, 0)),
        "sub_window: x": lambda: g.begin("s", bad, 0, 1, 1), "sub_window: height": lambda: g.begin("s", 0, 0, 1, bad),
        "text: a part of color": lambda: g.text("s", color=(0, bad, 0)),
    }.items():  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=f"{name} must be (an integer|a (finite )?number), not "):
            call()
    if bad is not None:
        with pytest.raises((TypeError, ValueError), match="text: size must be a (finite )?number, not "):
            g.text("s", size=bad)


def test_choices_and_colours_of_widgets(window):
    g = window.get_gui()
    with pytest.raises(ValueError, match="combo: choices must contain at least one str"):
        g.combo("s", 0, [])
    for colour in ((1, 0), (1,), (), (1, 1, 1, 1, 1)):
        with pytest.raises(ValueError, match=f"color_edit_3: old_value must have 3 or 4 numbers, not {len(colour)}"):
            g.color_edit_3("s", colour)
        with pytest.raises(ValueError, match=f"text: color must have 3 or 4 numbers, not {len(colour)}"):
            g.text("s", colour)
    with pytest.raises(TypeError, match="color_edit_3: old_value must be 3 or 4 numbers, not 1"):
        g.color_edit_3("s", 1)
    for call in (lambda: g.slider_int("s", 2**70, 0, 1), lambda: g.combo("s", -(2**70), ["a"])):
        with pytest.raises(ValueError, match="old_value must be a 64-bit integer, not"):
            call()


def test_ranges_of_sliders(window, gui):
    g, large = window.get_gui(), sys.float_info.max
    for low, high in ((-large, large), (0, large / 2 * 1.01), (-large / 2 * 1.01, 0)):
        with pytest.raises(ValueError, match="slider_float: .* is outside the range of a slider, -"):
            g.slider_float("s", 0, low, high)
        with pytest.raises(ValueError, match="slider: .* is outside the range of a slider, -"):
            gui.slider("s", low, high)
    for low, high in ((-(2**62) - 1, 0), (0, 2**62)):
        with pytest.raises(ValueError, match="slider_int: .* is outside the range of a slider, -"):
            g.slider_int("s", 0, low, high)
    with g.sub_window("s", 0, 0, 1, 1):
        assert g.slider_float("a", 0, -large / 2, large / 2) == 0
        assert g.slider_int("b", 0, -(2**62), 2**62 - 1) == 0
        assert g.slider_float("c", large, 0, 1) == large
        assert g.slider_int("d", 2**63 - 1, 0, 1) == 2**63 - 1
        window.show()
        assert window.running
    gui.slider("s", -large / 2, large / 2)
    gui.show()


@pytest.mark.parametrize("bad", [NAN, INF])
def test_numbers_of_canvases_and_scenes(window, bad):
    c, s, k, two = window.get_canvas(), window.get_scene(), qd.ui.Camera(), np.zeros((2, 3))
    for name, call in {
        "circles: a radius": lambda: c.circles(ONE, bad), "particles: a radius": lambda: s.particles(ONE, bad),
        "lines: width": lambda: s.lines(two, bad), "vector_field: width": lambda: c.vector_field(np.zeros((8, 8, 2)), width=bad),
        "point_light: a part of pos": lambda: s.point_light((bad, 0, 0), (1, 1, 1)), "point_light: a part of color": lambda: s.point_light((0, 0, 0), (1, bad, 1)),
        "ambient_light: a part of color": lambda: s.ambient_light((1, bad, 1)), "set_background_color: a part of a colour": lambda: c.set_background_color((1, bad, 0)),
        "circles: a part of a colour": lambda: c.circles(ONE, 1, (bad, 0, 0)), "particles: a part of a colour": lambda: s.particles(ONE, 1, (bad, 0, 0)),
        "mesh: a part of a colour": lambda: s.mesh(np.zeros((3, 3)), color=(bad, 0, 0)),
        "position: x": lambda: k.position(bad, 0, 0), "lookat: y": lambda: k.lookat(0, bad, 0), "up: z": lambda: k.up(0, 0, bad),
        "fov: fov": lambda: k.fov(bad), "left: left": lambda: k.left(bad), "z_near: z_near": lambda: k.z_near(bad), "z_far: z_far": lambda: k.z_far(bad),
    }.items():  # fmt: skip
        with pytest.raises(ValueError, match=f"{name} must be a finite number, not {bad}"):
            call()
    with pytest.raises(ValueError, match="lines: width must be a finite number"):
        c.lines(two, bad)
    c.scene(s)  # the refused values are not in the scene


def test_lengths_of_positions_and_colours(window):
    s = window.get_scene()
    with pytest.raises(ValueError, match="point_light: pos must have 3 or 4 numbers, not 2"):
        s.point_light((0, 0), (1, 1, 1))
    with pytest.raises(ValueError, match="point_light: color must have 3 or 4 numbers, not 1"):
        s.point_light((0, 0, 0), (1,))
    with pytest.raises(ValueError, match="ambient_light: color must have 3 or 4 numbers, not 2"):
        s.ambient_light((1, 1))
    with pytest.raises(TypeError, match="set_background_color: a colour must be 3 or 4 numbers, not 3"):
        window.get_canvas().set_background_color(3)
    s.point_light(qd.Vector([0, 0, 0]), np.ones(3))


def test_a_camera_that_makes_no_picture(window):
    s, c, k = window.get_scene(), window.get_canvas(), qd.ui.Camera()
    k.fov(0)
    s.set_camera(k)
    with pytest.raises(ValueError, match="scene: the camera .* does not define a view"):
        c.scene(s)
    k.fov(45)
    k.curr_position = qd.Vector([NAN, 0.0, 0.0])
    with pytest.raises(ValueError, match="scene: the camera .* does not define a view"):
        c.scene(s)
    k.position(0, 0, 0)
    c.scene(s)


def test_widgets_of_a_gui(gui):
    for name, call in {"slider": lambda: gui.slider(3, 0, 1), "button": lambda: gui.button(3)}.items():
        with pytest.raises(TypeError, match=f"GUI.{name}: text must be a str, not int"):
            call()
    with pytest.raises(TypeError, match="GUI.button: event_name must be a str, not int"):
        gui.button("b", 3)
    for bad in (NAN, INF, "x", None):
        for call in (lambda: gui.slider("s", bad, 1), lambda: gui.slider("s", 0, bad), lambda: gui.slider("s", 0, 1, bad)):
            with pytest.raises((TypeError, ValueError), match="GUI.slider: (minimum|maximum|step) must be a (finite )?number, not "):
                call()
    slider, label = gui.slider("s", 0, 1), gui.label("l")
    for bad in (NAN, INF, "x", None, [1]):
        with pytest.raises((TypeError, ValueError), match="slider: value must be a (finite )?number, not "):
            slider.value = bad
    for bad in ("x", None, [1]):
        with pytest.raises(TypeError, match="label: value must be a number, not "):
            label.value = bad
    slider.value, label.value = 0.5, NAN
    gui.show()
    assert slider.value == 0.5 and gui.running


def test_numbers_and_colours_of_a_gui(gui):
    for name, call in {
        "GUI.circle[s]?: a radius": lambda: gui.circle((0, 0), radius=NAN), "GUI.lines: a radius": lambda: gui.line((0, 0), (1, 1), radius=INF),
        "GUI.text: font_size": lambda: gui.text("a", (0, 0), font_size=NAN), "GUI.text: a part of pos": lambda: gui.text("a", (NAN, 0)),
        "GUI.clear: a colour": lambda: gui.clear(NAN),
    }.items():  # fmt: skip
        with pytest.raises(ValueError, match=f"{name} must be a finite number, not "):
            call()
    for call in (
        lambda: gui.circle((0, 0), color=(1, 0, 0)), lambda: gui.line((0, 0), (1, 1), color=[1, 0, 0]), lambda: gui.triangle((0, 0), (1, 1), (0, 1), (1, 0, 0)),
        lambda: gui.rect((0, 0), (1, 1), color=(1, 0, 0)), lambda: gui.arrow((0, 0), (1, 1), color=(1.0, 0, 0)),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="a colour must be an integer 0xRRGGBB, not "):
            call()


def test_sizes_that_no_window_has():
    for size in ((16385, 2), (2, 16385)):
        for open_one in (lambda: qd.GUI("a", size, show_gui=False), lambda: qd.ui.Window("a", size, show_window=False)):
            with pytest.raises(ValueError, match=f"at most 16384 x 16384 pixels, not {size[0]} x {size[1]}"):
                open_one()
    with qd.GUI("a", (16384, 2), show_gui=False) as gui:
        gui.clear(0xFFFFFF)
        assert gui.get_image().min() == 1


def test_names_that_are_not_utf_8(window, gui):
    g = window.get_gui()
    g.begin("\udcff", 0, 0, 1, 1)
    g.text("\udcff and \U0001f600")
    assert g.combo("\udcff", 0, ["\udcff"]) == 0 and not g.button("\udcff")
    g.end()
    window.show()
    assert window.running
    gui.text("\ud800", (0, 1))
    gui.label("\udcff")
    gui.show()
    with qd.GUI("\udcff", 8, show_gui=False) as other:
        other.clear(0xFFFFFF)
        assert other.get_image().min() == 1


def test_messages_have_only_members_that_windows_read():
    process = Process({"mode": "window", "title": "\udcff", "size": [8, 8], "show": False})
    assert process.wait_for("hello") is not None
    frame = {"kind": "frame", "number": 1, "memory": 1, "size": [8, 8], "background": 0, "draw": [], "widgets": []}
    for bad in (NAN, INF, -INF, object()):
        with pytest.raises((TypeError, ValueError), match="a message of the kind 'frame' for a window"):
            process.send({**frame, "number": bad})
    assert process.alive
    process.close()


def test_sliders_of_any_range_leave_the_window_alone():
    """This also holds for a program that sends messages by itself."""
    process = Process({"mode": "window", "title": "a", "size": [60, 40], "show": False})
    members = {"key": "s", "text": "s", "value": 0}
    panel = {"do": "begin", "text": "p", "x": 0, "y": 0, "width": 1, "height": 1}
    memory = Memory(process, 1)
    memory.reserve(1)
    for number, (what, least, most) in enumerate([("slider_int", -(2**63), 2**63 - 1), ("slider_float", -1.7e308, 1.7e308), ("slider_float", 1.7e308, -1.7e308)], 1):
        widgets = [panel, {"do": what, **members, "least": least, "most": most}, {"do": "end"}]
        process.send({"kind": "frame", "number": number, "memory": 1, "size": [60, 40], "background": 0, "draw": [], "widgets": widgets})
        assert process.wait_for("shown") is not None
    process.close()
    process = Process({"mode": "inspect", "title": "a", "size": [600, 400], "show": False})
    ends = [(-(2**63), 2**63 - 1, True), (-(2**62), 2**62 - 1, True), (-1.7e308, 1.7e308, False)]
    told = [{"name": str(k), "value": 0, "lowest": low, "highest": high, "whole": whole} for k, (low, high, whole) in enumerate(ends)]
    process.send({"kind": "parameters", "parameters": told})
    for _ in range(3):
        process.send({"kind": "test", "do": "model"})
        assert process.wait_for("model") is not None
    process.close()


def test_a_frame_that_was_refused_is_not_shown_again(window):
    window.get_canvas()._surface.add("text", text="a", x=NAN, y=0.0, size=10.0, colour=0)
    began = time.monotonic()
    with pytest.raises(ValueError, match="a message of the kind 'frame'"):
        window.show()
    window.get_canvas().set_background_color((1, 1, 1))
    assert window.get_image_buffer_as_numpy().max() == 1
    assert time.monotonic() - began < 20


@pytest.fixture
def inspector():
    made = qd.inspect(show_window=False, keep=False)
    yield made
    began = time.monotonic()
    while time.monotonic() - began < 0.5:
        assert made.alive
        time.sleep(0.02)
    made.close()


def test_texts_of_an_inspector(inspector):
    inspector.say("file \udcff.dat")
    inspector.plot("\udcff", 1)
    inspector.param("\udcff", 0.0, -1, 1)
    inspector.param("", 0.0, -1, 1)
    inspector.param("", 0, -1, 1)
    for call in (lambda: inspector.plot(3, 1), lambda: inspector.param(3, 0, -1, 1)):
        with pytest.raises(TypeError, match="name must be a str, not int"):
            call()


def test_ranges_of_parameters(inspector):
    large = sys.float_info.max
    for low, high in ((-1.7e308, 1.7e308), (0.0, large), (0, 2**62), (-(2**62) - 1, 0)):
        with pytest.raises(ValueError, match="parameter p: (lo|hi)=.* is outside the range of a slider, -"):
            inspector.param("p", low if low else type(low)(0), low, high)
    inspector.param("f", 0.0, -large / 2, large / 2)
    inspector.param("i", 0, -(2**62), 2**62 - 1)
