"""qd.GUI: drawing on and off the screen, events and widgets."""

import time

import numpy as np
import pytest
import quadrants as qd


def press(gui, *events):
    """Sends a user's events over the window's test channel, and draws a frame that receives them."""
    for event in events:
        gui._surface.process.send({"kind": "input", "events": [event]})
    gui.show()
    gui._surface.settle()
    while gui._surface.process.receive(0.2):
        pass


def click(x, y):
    return [{"type": "move", "x": x, "y": y}, {"type": "button", "key": "LMB", "down": True}, {"type": "button", "key": "LMB", "down": False}]


@pytest.fixture
def gui(shown):
    with qd.GUI("test", (80, 60), background_color=0x102030, show_gui=shown) as made:
        made.show()
        yield made


def pixels(gui):
    return (gui.get_image()[..., :3] * 255).round().astype(int)


BACK = [0x10, 0x20, 0x30]


def test_clear_and_background(gui):
    assert (pixels(gui) == BACK).all()
    gui.clear(0xFF8000)
    assert (pixels(gui) == [255, 128, 0]).all()
    gui.show()
    assert (pixels(gui) == BACK).all()


@pytest.mark.parametrize("dtype, one", [(qd.f32, 1.0), (qd.f64, 1.0), (qd.u8, 255), (qd.u16, 65535), (qd.u32, 2**32 - 1)])
def test_set_image_of_fields(gui, dtype, one):
    field = qd.field(dtype, (80, 60))
    field[10, 5] = one
    gui.set_image(field)
    found = pixels(gui)
    assert (found[10, 5] == 255).all() and found.sum() == 3 * 255


@pytest.mark.parametrize("components", [2, 3, 4])
def test_set_image_of_vectors(gui, components):
    values = np.random.default_rng(components).random((80, 60, components)).astype(np.float32)
    field = qd.Vector.field(components, qd.f32, (80, 60))
    field.from_numpy(values)
    expected = np.zeros((80, 60, 3))
    expected[..., : min(components, 3)] = values[..., :3]
    for image in (field, values, values.astype(np.float64)):
        gui.set_image(image)
        assert np.abs(pixels(gui) - expected * 255).max() <= 0.51


def test_set_image_of_ndarrays_and_nan(gui):
    array = qd.ndarray(qd.f32, (80, 60))
    values = np.linspace(-0.5, 1.5, 4800, dtype=np.float32).reshape(80, 60)
    values[3, 4] = np.nan
    array.from_numpy(values)
    gui.set_image(array)
    expected = (np.clip(np.nan_to_num(values), 0, 1) * 255)[..., None]
    assert np.abs(pixels(gui) - expected).max() <= 0.51


def test_set_image_refuses(gui):
    with pytest.raises(ValueError, match="the picture is 60 x 80, the window 80 x 60"):
        gui.set_image(np.zeros((60, 80), np.float32))
    with pytest.raises(ValueError, match="floats from 0 to 1 or unsigned integers, not int32"):
        gui.set_image(np.zeros((80, 60), np.int32))
    with pytest.raises(TypeError, match="takes a field, an ndarray"):
        gui.set_image("picture")


def test_a_picture_of_a_fast_gui_stays():
    with qd.GUI("fast", (8, 6), show_gui=False, fast_gui=True) as gui:
        image = np.ones((8, 6, 3), np.float32)
        gui.set_image(image)
        image[:] = 0
        gui.show()
        gui.show()
        assert (gui.get_image() == 1).all()


def area(gui, colour):
    """Returns the pixels covered by a shape with one bright channel on black."""
    return (gui.get_image()[..., :3] @ np.asarray(colour)).sum()


def disc(radius):
    """Returns the area of a disc in the reference: the coverage of a pixel is the distance by which its centre is inside the radius, so a
    disc fades towards its edge."""
    return np.pi / 3 * (radius**3 if radius < 1 else radius**2 + radius * (radius - 1) + (radius - 1) ** 2)


@pytest.mark.parametrize("radius", [0.5, 0.8, 1, 1.5, 3, 10])
def test_discs_fade_before_their_radius(gui, radius):
    gui.clear(0)
    rng = np.random.default_rng(1)
    places = (rng.random((9, 2)) + [12, 12]) / [80, 60] if radius > 3 else np.stack([np.arange(9) % 3, np.arange(9) // 3], 1) * 0.2 + rng.random((9, 2)) * 0.02 + 0.2
    found = []
    for place in places:
        gui.clear(0)
        gui.circle(place, color=0xFF0000, radius=radius)
        found.append(area(gui, [1, 0, 0]))
    assert np.mean(found) == pytest.approx(disc(radius), rel=0.1)


def test_circles(gui):
    gui.clear(0)
    places = np.array([[0.25, 0.25], [0.75, 0.75]])
    gui.circles(places, radius=np.array([5.0, 8.0]), color=np.array([0x00FF00, 0x0000FF]))
    assert abs(area(gui, [0, 1, 0]) - disc(5)) < 3 and abs(area(gui, [0, 0, 1]) - disc(8)) < 4
    found = pixels(gui)
    assert list(found[20, 15]) == [0, 255, 0] and list(found[60, 45]) == [0, 0, 255], "y goes up"
    gui.clear(0)
    gui.circles(places, radius=4, palette=[0xFF0000, 0x00FF00], palette_indices=[1, 1])
    assert area(gui, [1, 0, 0]) == 0 and area(gui, [0, 1, 0]) > 70
    with pytest.raises(ValueError, match="palette_indices must be from 0 to 1, these are from 0 to 2"):
        gui.circles(places, palette=[1, 2], palette_indices=[0, 2])
    with pytest.raises(ValueError, match="1 numbers for 2 things"):
        gui.circles(places, radius=np.array([1.0]))


def test_lines_triangles_rect_arrows(gui):
    gui.clear(0)
    gui.line((0.25, 0.5), (0.75, 0.5), radius=2, color=0xFF0000)
    assert abs(area(gui, [1, 0, 0]) - 40 * 3) < 5
    gui.clear(0)
    gui.triangle((0, 0), (1, 0), (0, 1), color=0x00FF00)
    assert abs(area(gui, [0, 1, 0]) - 80 * 60 / 2) < 45
    found = pixels(gui)
    assert found[1, 1, 1] == 255 and found[78, 58, 1] == 0
    gui.clear(0)
    gui.rect((0.25, 0.75), (0.75, 0.25), radius=1, color=0x0000FF)
    assert abs(area(gui, [0, 0, 1]) - 140) < 8
    gui.clear(0)
    gui.arrow((0.1, 0.1), (0.5, 0.5), color=0xFFFFFF, tip_scale=0.3, angle=30)
    length = np.hypot(40, 30)
    assert abs(area(gui, [1, 0, 0]) - length * 1.6) < 8
    gui.clear(0)
    gui.triangles(np.array([[0, 0.0], [0.5, 0.5]]), np.array([[0.5, 0], [1, 0.5]]), np.array([[0, 0.5], [0.5, 1]]), color=np.array([0xFF0000, 0x00FF00]))
    assert area(gui, [1, 0, 0]) == pytest.approx(600, abs=30) and area(gui, [0, 1, 0]) == pytest.approx(600, abs=30)


@pytest.mark.parametrize("radius", [0.25, 0.5, 0.75])
def test_thin_lines_are_faint(gui, radius):
    """Their colour is as faint as the reference's: the coverage of a pixel is the distance by which its centre is inside the radius."""
    gui.clear(0)
    gui.line((0.1, 0.1), (0.9, 0.6), radius=radius, color=0xFFFFFF)
    assert area(gui, [1, 0, 0]) == pytest.approx(np.hypot(64, 30) * radius**2, rel=0.15)


def test_text_contour_and_vectors(gui):
    gui.clear(0)
    gui.text("Text", (0.1, 0.9), font_size=20, color=0xFFFFFF)
    found = pixels(gui).max(axis=2)
    rows, columns = np.nonzero(found.max(axis=0))[0], np.nonzero(found.max(axis=1))[0]
    assert 8 <= columns[0] <= 12 and 35 < columns[-1] < 70 and 30 < rows[0] and rows[-1] < 55
    values = np.fromfunction(lambda x, y: x, (40, 30), dtype=np.float32)
    gui.contour(values, normalize=True)
    found = pixels(gui)
    assert found[0, 30].tolist() == [13, 8, 135] and found[-1, 30].tolist() == [240, 249, 33]  # the ends of the colour map plasma
    gui.clear(0)
    gui.vector_field(np.ones((40, 30, 2)), arrow_spacing=10, color=0xFFFFFF)
    assert 12 * 5 < area(gui, [1, 0, 0]) < 12 * 30


def test_show_writes_a_file(gui, tmp_path):
    values = np.random.default_rng(0).random((80, 60, 3)).astype(np.float32)
    gui.set_image(values)
    gui.show(tmp_path / "picture.png")
    found = qd.tools.imread(str(tmp_path / "picture.png"))
    assert found.shape == (80, 60, 4) and np.abs(found[..., :3] - values * 255).max() <= 0.51
    assert gui.frame == 2


def test_a_slow_program_is_not_slowed_and_a_fast_one_is_paced(gui, shown):
    gui.fps_limit = 50
    gui.show()
    start = time.perf_counter()
    for _ in range(10):
        gui.show()
    passed = time.perf_counter() - start
    assert passed > 0.17 if shown else passed < 2


def test_events(gui):
    press(gui, {"type": "move", "x": 20, "y": 15}, {"type": "key", "key": "a", "down": True}, {"type": "key", "key": "Shift_L", "down": True})
    assert gui.get_cursor_pos() == (0.25, 0.75) and gui.is_pressed("a") and gui.is_pressed(gui.SHIFT) and not gui.is_pressed("b")
    assert gui.get_event((gui.PRESS, "a")) and gui.event.key == "a" and gui.event.pos == (0.25, 0.75)
    press(gui, {"type": "key", "key": "a", "down": False}, {"type": "wheel", "x": 0, "y": 1}, *click(40, 30))
    found = list(gui.get_events())
    assert [(e.type, e.key) for e in found if e.key != gui.MOVE] == [
        (gui.PRESS, "Shift_L"), (gui.RELEASE, "a"), (gui.MOTION, gui.WHEEL), (gui.PRESS, gui.LMB), (gui.RELEASE, gui.LMB),
    ]  # fmt: skip
    assert [e.delta for e in found if e.key == gui.WHEEL] == [(0, 120)]
    assert all(e.modifier == ["Shift"] for e in found) and not gui.is_pressed("a")
    assert not gui.get_event()


def test_closing(gui):
    assert gui.running
    press(gui, {"type": "close"})
    assert gui.get_event(gui.EXIT) and not gui.running
    gui.running = True
    assert gui.running
    gui.running = False
    assert not gui.running


def test_widgets(shown):
    with qd.GUI("widgets", (300, 200), show_gui=shown) as gui:
        slider, label, go = gui.slider("speed", 0, 10), gui.label("sum"), gui.button("go")
        slider.value = 4
        label.value = 3
        gui.show()
        assert (slider.value, label.value, go) == (4, 3, "WidgetButton_go")
        press(gui)
        assert slider.value == 4
        press(gui, *click(200, 20))  # on the slider, to the right of its centre
        moved = slider.value
        assert moved > 4 and moved == int(moved), "goes by its step"
        assert not gui.get_event(gui.LMB), "what a widget took is not the program's"
        list(gui.get_events())
        press(gui, *click(22, 62))
        gui.show()
        assert gui.get_event(go)
        assert not gui.get_event(go)
        slider.value = 1
        gui.show()
        press(gui)
        assert slider.value == 1


def test_on_and_off_screen_are_equal(display, monkeypatch):
    monkeypatch.setenv("DISPLAY", display)
    pictures = []
    for seen in (True, False):
        with qd.GUI("same", (200, 150), show_gui=seen) as gui:
            gui.slider("slider", 0, 10)
            gui.show()
            rng = np.random.default_rng(1)
            gui.circles(rng.random((300, 2)), radius=rng.random(300) * 9, color=(rng.random(300) * 0xFFFFFF).astype(np.uint32))
            gui.text("seen", (0.5, 0.5), 30)
            gui._surface.widgets = gui._panel()
            pictures.append((gui.get_image() * 255).astype(int))
            assert gui._surface.seen == seen
    difference = np.abs(pictures[0] - pictures[1])
    assert difference.mean() < 0.5 and (difference.max(axis=2) > 8).mean() < 0.001


def test_hex_and_rgb():
    assert qd.rgb_to_hex((1, 0.5, 0)) == 0xFF7F00 and qd.hex_to_rgb(0xFF0000) == (1, 0, 0)
    assert qd.rgb_to_hex((np.array([1.0, 0]), np.zeros(2), np.zeros(2))).tolist() == [0xFF0000, 0]


def test_programs_that_write_their_own_name():
    for wrong in ("512", (1, 2, 3), None):
        with pytest.raises(TypeError, match="the size of a window must be two integers"):
            qd.GUI("wrong", wrong, show_gui=False)
