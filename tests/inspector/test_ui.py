"""qd.ui: canvas, scenes, cameras, widgets."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture
def window(shown):
    made = qd.ui.Window("test", (80, 60), show_window=shown)
    yield made
    made.destroy()


def press(window, *events):
    for event in events:
        window._surface.process.send({"kind": "input", "events": [event]})
    window.show()
    window._surface.settle()


def click(x, y):
    return [{"type": "move", "x": x, "y": y}, {"type": "button", "key": "LMB", "down": True}, {"type": "button", "key": "LMB", "down": False}]


def bytes_of(window):
    return (window.get_image_buffer_as_numpy() * 255).round().astype(int)[..., :3]


def field_of(values):
    values = np.asarray(values, np.float32)
    made = qd.Vector.field(values.shape[-1], qd.f32, values.shape[:-1])
    made.from_numpy(values)
    return made


def whole_numbers(values):
    made = qd.field(qd.i32, len(values))
    made.from_numpy(np.asarray(values, np.int32))
    return made


def test_canvas(window):
    canvas = window.get_canvas()
    canvas.set_background_color((0, 0, 1))
    canvas.circles(field_of([[0.25, 0.5], [0.75, 0.5]]), radius=0.1, per_vertex_color=field_of([[1, 0, 0], [0, 1, 0]]))
    found = bytes_of(window)
    assert [found[x, 30].tolist() for x in (20, 40, 60)] == [[255, 0, 0], [0, 0, 255], [0, 255, 0]]
    assert found[..., 0].sum() / 255 == pytest.approx(np.pi * 36, abs=2), "a tenth of the height"
    window.show()
    assert (bytes_of(window)[..., 0] == 255).any(), "what was shown last"
    canvas.lines(field_of([[0, 0.5], [1, 0.5], [0.5, 0], [0.5, 1]]), width=0.1, indices=whole_numbers([2, 3]), color=(1, 1, 1))
    found = bytes_of(window)
    assert (found[35:45, :, 0] == 255).sum() == pytest.approx(6 * 60, abs=12) and found[10, 30].tolist() == [0, 0, 255]
    canvas.triangles(np.array([[0, 0.0], [1, 0], [0, 1]]), per_vertex_color=np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]))
    found = bytes_of(window)
    assert found[1, 1, 0] > 240 and found[77, 0, 1] > 240 and found[0, 57, 2] > 240 and abs(found[26, 20].sum() - 255) < 6
    with pytest.raises(ValueError, match="indices must be from 0 to 1"):
        canvas.lines(field_of([[0, 0], [1, 1]]), 0.1, indices=whole_numbers([0, 2]))
    with pytest.raises(ValueError, match="3 or 4 numbers"):
        canvas.circles(field_of([[0, 0]]), 0.1, color=(1, 2))
    with pytest.raises(ValueError, match="1 colours for 2 things"):
        canvas.circles(field_of([[0, 0], [1, 1]]), 0.1, per_vertex_color=field_of([[1, 0, 0]]))


def test_images_are_stretched(window):
    canvas = window.get_canvas()
    canvas.set_image(np.array([[[0, 0, 0], [255, 0, 0]], [[0, 255, 0], [0, 0, 255]]], np.uint8))
    found = bytes_of(window)
    assert found[0, 59].tolist() == [255, 0, 0] and found[79, 0].tolist() == [0, 255, 0] and found[79, 59].tolist() == [0, 0, 255]
    assert found[40, 30].sum() == pytest.approx(255 * 3 / 4, abs=6)


def test_scene_of_everything(window):
    scene, canvas, camera = window.get_scene(), window.get_canvas(), qd.ui.Camera()
    camera.position(0, 0, 4)
    camera.lookat(0, 0, 0)
    scene.set_camera(camera)
    scene.ambient_light((1, 1, 1))
    square = field_of([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    scene.mesh(square, indices=whole_numbers([0, 1, 2, 0, 2, 3]), color=(0, 1, 0))
    scene.particles(field_of([[0, 0, 1], [0, 0, -2]]), radius=0.3, per_vertex_color=field_of([[1, 0, 0], [0, 0, 1]]))
    scene.lines(field_of([[-1, 1.2, 0], [1, 1.2, 0]]), 3, color=(1, 1, 0))
    canvas.scene(scene)
    found, depth = bytes_of(window), window.get_depth_buffer_as_numpy()
    scale = 30 / np.tan(np.radians(22.5)) / 4  # pixels per unit at the square's distance
    assert found[40, 30].tolist() == [255, 0, 0] and found[30, 20].tolist() == [0, 255, 0]
    assert not (found == [0, 0, 255]).all(axis=2).any(), "what is behind is hidden"
    green = (found == [0, 255, 0]).all(axis=2)
    assert np.ptp(np.nonzero(green.any(axis=1))[0]) == pytest.approx(2 * scale, abs=2)
    assert found[..., :2].min(axis=2).sum() / 255 == pytest.approx(3 * 2 * scale, rel=0.05), "yellow, 3 pixels wide"
    near = 0.1 / 999.9
    assert depth[30, 20] == pytest.approx(near * -4 / 4 + 0.1 * 1000 / 999.9 / 4, rel=1e-3) and depth[0, 0] == 0
    copied = qd.field(qd.f32, (80, 60))
    window.get_depth_buffer(copied)
    assert (copied.to_numpy() == depth).all()
    with pytest.raises(ValueError, match="the window is"):
        window.get_depth_buffer(qd.field(qd.f32, (4, 4)))
    window.show()
    canvas.scene(scene)
    assert (bytes_of(window) == 0).all(), "a scene is declared anew for each frame"


def test_parts_and_instances(window):
    scene, canvas, camera = window.get_scene(), window.get_canvas(), qd.ui.Camera()
    camera.position(0, 0, 5)
    camera.lookat(0, 0, 0)
    corner = [[-0.4, -0.4, 0], [0.4, -0.4, 0], [0, 0.4, 0]]
    two = field_of(corner + [[x + 2, y, z] for x, y, z in corner])
    where = [np.eye(4) for _ in range(3)]
    for k, matrix in enumerate(where):
        matrix[0, 3] = 1.5 * (k - 1)
    transforms = qd.Matrix.field(4, 4, qd.f32, 3)
    transforms.from_numpy(np.array(where, np.float32))

    def columns(**how):
        scene.set_camera(camera)
        scene.ambient_light((1, 1, 1))
        scene.mesh_instance(**{"vertices": two, "color": (1, 1, 1), **how})
        canvas.scene(scene)
        found = bytes_of(window)[..., 0].max(axis=1) > 0
        window.show()
        return [bool(found[round(40 + x * 30 / np.tan(np.radians(22.5)) / 5)]) for x in (-1.5, 0, 1.5, 2)]

    assert columns() == [False, True, False, True]
    assert columns(vertex_count=3) == [False, True, False, False]
    assert columns(vertex_offset=3) == [False, False, False, True]
    first = whole_numbers([0, 1, 2, 3, 4, 5])
    assert columns(indices=first, index_count=3) == [False, True, False, False]
    assert columns(indices=first, index_offset=3) == [False, False, False, True]
    assert columns(indices=first, transforms=transforms, index_count=3) == [True, True, True, False]
    assert columns(indices=first, transforms=transforms, index_count=3, instance_offset=1, instance_count=1) == [False, True, False, False]


def test_light_and_sides(window):
    scene, canvas, camera = window.get_scene(), window.get_canvas(), qd.ui.Camera()
    triangle = np.array([[-3, -3, 0], [3, -3, 0], [0, 3, 0]])

    def middle(z, lamp=None, **how):
        camera.position(0, -0.5, z)
        camera.lookat(0, -0.5, 0)
        scene.set_camera(camera)
        scene.ambient_light((0.25, 0.25, 0.25))
        scene.point_light((0, -0.5, z if lamp is None else lamp), (0.5, 0.5, 0.5))
        scene.mesh(triangle, color=(1, 1, 1), **how)
        canvas.scene(scene)
        return bytes_of(window)[40, 30, 0]

    assert middle(4) == pytest.approx(191, abs=2)
    window.show()
    assert middle(-4) == pytest.approx(64, abs=2), "the back is lit by the ambient light alone"
    window.show()
    assert middle(-4, two_sided=True) == pytest.approx(191, abs=2)
    for z in (4, -4):
        window.show()
        assert middle(z, lamp=-z, two_sided=True) == pytest.approx(191, abs=2), "light falls through"


def test_camera_is_that_of_the_published_programs():
    camera = qd.ui.make_camera()
    camera.position(1, 2, 3)
    camera.lookat(0, 0.5, 0)
    camera.fov(60)
    camera.z_far(100)
    view = [[0.94868332, -0.1355262, 0.2857143, 0], [0, 0.90350801, 0.42857146, 0], [-0.31622776, -0.4065786, 0.85714293, 0], [0, -0.45175397, -3.7142859, 1]]
    assert np.abs(camera.get_view_matrix() - view).max() < 1e-6
    projection = [[1.1547005, 0, 0, 0], [0, 1.7320507, 0, 0], [0, 0, 1.001001e-3, -1], [0, 0, 0.1001001, 0]]
    assert np.abs(camera.get_projection_matrix(1.5) - projection).max() < 1e-6
    camera.projection_mode(qd.ui.ProjectionMode.Orthogonal)
    for name, value in dict(left=-2, right=2, bottom=-1, top=1, z_near=1, z_far=11).items():
        getattr(camera, name)(value)
    ends = np.array([[2, 1, -1, 1], [-2, -1, -11, 1]]) @ camera.get_projection_matrix(2)
    assert np.abs(ends - [[1, 1, 1, 1], [-1, -1, 0, 1]]).max() < 1e-6


def test_camera_follows_keys_and_pointer():
    window = qd.ui.Window("camera", (80, 60), show_window=False)
    camera = qd.ui.Camera()
    camera.position(0, 0, 0)
    camera.lookat(0, 0, 1)
    camera.track_user_inputs(window, hold_key=qd.ui.RMB)
    press(window, {"type": "key", "key": "w", "down": True})
    camera.track_user_inputs(window, movement_speed=1, hold_key=qd.ui.RMB)
    assert camera.curr_position[2] > 0 and camera.curr_position[0] == 0
    press(window, {"type": "key", "key": "w", "down": False}, {"type": "button", "key": "RMB", "down": True}, {"type": "move", "x": 40, "y": 30})
    camera.track_user_inputs(window, hold_key=qd.ui.RMB)
    press(window, {"type": "move", "x": 60, "y": 30})
    camera.track_user_inputs(window, hold_key=qd.ui.RMB)
    ahead = camera.curr_lookat - camera.curr_position
    assert ahead[0] < 0 and abs(ahead.norm() - 1) < 1e-6
    window.destroy()


def test_events(window):
    press(window, {"type": "key", "key": "Shift_L", "down": True}, {"type": "key", "key": "a", "down": True}, {"type": "key", "key": "a", "down": False})
    assert window.is_pressed(qd.ui.SHIFT) and not window.is_pressed("a", qd.ui.LMB)
    assert window.get_event(qd.ui.RELEASE) and window.event.key == "a" and window.event.type == qd.ui.RELEASE
    assert [(e.type, e.key) for e in window.get_events()] == [(qd.ui.PRESS, qd.ui.SHIFT), (qd.ui.PRESS, "a")]
    assert not window.get_event()
    with pytest.raises(ValueError, match="takes qd.ui.PRESS"):
        window.get_events("press")
    press(window, {"type": "close"})
    assert not window.running


def test_a_window_that_the_user_enlarges():
    window = qd.ui.Window("size", (80, 60), show_window=False)
    window.show()
    press(window, {"type": "resize", "x": 100, "y": 70})
    window.show()
    assert window.get_window_shape() == (100, 70)
    window.get_canvas().circles(np.array([[0.5, 0.5]]), 0.2, color=(1, 1, 1))
    found = window.get_image_buffer_as_numpy()
    assert found.shape == (100, 70, 4) and found[50, 35].tolist() == [1, 1, 1, 1]
    window.destroy()


def declared(window, given, log):
    gui = window.get_gui()
    with gui.sub_window("Panel", 0, 0, 1, 1) as panel:
        log["f"] = panel.slider_float("float", given["f"], 0, 1)
        log["i"] = panel.slider_int("int", given["i"], 0, 10)
        log["c"] = panel.checkbox("check", given["c"])
        log["b"] = panel.button("button")
        log["k"] = panel.combo("choice", given["k"], ["one", "two"])
        log["t"] = panel.input_text("text", given["t"])
        log["x"] = panel.color_edit_3("colour", given["x"])
        panel.text("words", color=(1, 0, 0), size=20)
        panel.plot("values", [1, 2, float("nan")])


@pytest.fixture
def panel(shown):
    window = qd.ui.Window("widgets", (400, 300), show_window=shown)
    given, log = {"f": 0.5, "i": 3, "c": False, "k": 0, "t": "", "x": (0.0, 0.5, 1.0)}, {}

    def frame(*events, **changed):
        """Returns the values of the widgets in a frame that passes the previous values back, with some changes."""
        given.update(changed)
        declared(window, given, log)
        press(window, *events)
        declared(window, {**given, **{k: v for k, v in log.items() if k != "b"}}, log)
        given.update({k: v for k, v in log.items() if k != "b"})
        window._surface.widgets.clear()
        window._gui._begin()
        return dict(log)

    yield frame
    window.destroy()


def test_widgets_return_the_values_of_the_user(panel):
    first = panel()
    assert first == {"f": 0.5, "i": 3, "c": False, "b": False, "k": 0, "t": "", "x": (0.0, 0.5, 1.0)}
    moved = panel(*click(200, 37))
    assert moved["f"] > 0.6 and moved["i"] == 3
    assert panel()["f"] == moved["f"], "stays"
    assert panel(*click(20, 83))["c"] is True
    assert panel(*click(30, 106))["b"] is True
    assert panel()["b"] is False, "a press counts once"
    assert panel(f=0.125)["f"] == 0.125, "the program wins where it passes another value"
    assert panel()["f"] == 0.125
    written = panel(*click(100, 152), {"type": "text", "text": "ä1"})
    assert panel()["t"] == "ä1", written


def test_save_image_and_files(window, tmp_path):
    window.get_canvas().set_background_color((1, 0.5, 0))
    window.save_image(tmp_path / "w.png")
    assert (qd.tools.imread(tmp_path / "w.png") == [255, 128, 0, 255]).all()
    rng = np.random.default_rng(0)
    for components in (1, 3, 4):
        values = rng.integers(0, 256, (7, 5, components), np.uint8)
        qd.tools.imwrite(values, tmp_path / "p.png")
        assert (qd.tools.imread(tmp_path / "p.png") == values).all()
    qd.tools.imwrite(values[..., 0], tmp_path / "g.png")
    assert qd.tools.imread(tmp_path / "g.png").shape == (7, 5, 1) and qd.tools.imread(tmp_path / "g.png", 4).shape == (7, 5, 4)
    floats = rng.random((6, 4))
    qd.tools.imwrite(floats, tmp_path / "f.png")
    assert np.abs(qd.tools.imread(tmp_path / "f.png")[..., 0] - floats * 255).max() <= 0.5
    with pytest.raises(ValueError, match="floats from 0 to 1 or unsigned integers, not int32"):
        qd.tools.imwrite(np.zeros((4, 4), np.int32), tmp_path / "x.png")
    with pytest.raises(FileNotFoundError):
        qd.tools.imread(tmp_path / "missing.png")
    data = (tmp_path / "p.png").read_bytes()
    for cut in range(10, len(data) - 20, 7):
        (tmp_path / "cut.png").write_bytes(data[:cut])
        with pytest.raises((ValueError, OSError)):
            qd.tools.imread(tmp_path / "cut.png")


def test_png_of_others(tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    values = np.random.default_rng(1).integers(0, 256, (40, 30, 3), np.uint8)
    smooth = np.add.outer(np.arange(40), np.arange(30)).astype(np.uint8)[..., None] * np.ones(3, np.uint8)
    for rows in (values, smooth):
        for ending in ("png", "bmp"):
            pillow.fromarray(rows).save(tmp_path / f"p.{ending}")
            assert (qd.tools.imread(tmp_path / f"p.{ending}") == rows[::-1].swapaxes(0, 1)).all()
    qd.tools.imwrite(smooth, tmp_path / "p.jpg")
    assert np.abs(qd.tools.imread(tmp_path / "p.jpg").astype(int) - smooth).mean() < 3


def test_pictures_of_16_bits(tmp_path):
    """The upper eight bits of each value are used, as by imwrite for uint16."""
    pillow = pytest.importorskip("PIL.Image")
    values = (np.arange(256) * 257).astype(np.uint16).reshape(16, 16)
    for ending in ("png", "tif", "pgm"):
        pillow.fromarray(values).save(tmp_path / f"p.{ending}")
        read = qd.tools.imread(tmp_path / f"p.{ending}")
        assert read.shape == (16, 16, 1) and (read[..., 0] == (values >> 8)[::-1].T).all()
        assert (qd.tools.imread(tmp_path / f"p.{ending}", 3) == read).all()
    qd.tools.imwrite(values, tmp_path / "w.png")
    assert (qd.tools.imread(tmp_path / "w.png")[..., 0] == values >> 8).all()


def test_files_that_are_not_pictures(tmp_path):
    pytest.importorskip("PIL.Image")
    qd.tools.imwrite(np.zeros((8, 8, 3)), tmp_path / "whole.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:50])
    for name, text in (("cut.png", None), ("text.jpg", b"a text"), ("empty.png", b"")):
        if text is not None:
            (tmp_path / name).write_bytes(text)
        with pytest.raises((ValueError, OSError), match=f"imread: .*{name}: (the picture is damaged|unknown picture format)"):
            qd.tools.imread(tmp_path / name)


def test_videos_that_are_refused(tmp_path):
    for bad in (0, -1, np.nan, None):
        with pytest.raises((TypeError, ValueError), match="VideoManager: framerate must be (a number|a finite number|greater than 0), not "):
            qd.tools.VideoManager(tmp_path, framerate=bad)

    class Nothing:
        def process(self, img):
            pass

    with pytest.raises(TypeError, match="write_frame, for the result of post_processor.process, takes a field.* not NoneType"):
        qd.tools.VideoManager(tmp_path, post_processor=Nothing(), automatic_build=False).write_frame(np.zeros((4, 4)))


def test_imresize():
    values = np.arange(12).reshape(4, 3)
    assert (qd.tools.imresize(values, 8, 6)[::2, ::2] == values).all() and qd.tools.imresize(values, 2).shape == (2, 2)
    assert qd.tools.imresize(values, 4, 3) is values
    with pytest.raises(ValueError, match="0 x 5"):
        qd.tools.imresize(values, 0, 5)


def test_video(tmp_path, capsys):
    pillow = pytest.importorskip("PIL.Image")
    video = qd.tools.VideoManager(tmp_path, "film.mp4", framerate=10, automatic_build=False)
    for k in range(3):
        video.write_frame(np.full((9, 8), k / 3))
    video.make_video(gif=True, mp4=False)
    film = pillow.open(video.get_output_filename(".gif"))
    assert film.n_frames == 3 and film.size == (8, 8)
    video.clean_frames()
    assert not list((tmp_path / "frames").iterdir())
