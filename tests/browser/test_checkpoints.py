"""The checkpoint stepper in JupyterLab: forward, back, an element edited, resumed, by mouse and by keyboard; what remains in a page that is
only read."""

from test_lab import THEMES, assert_nothing_cut_off, assert_readable

CELLS = ["%load_ext quadrants_jupyter\nimport enum\nimport quadrants as qd\nqd.init(arch=qd.cpu)",
         """Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)
plane = qd.field(qd.f32, (40, 60))

class Stage(enum.IntEnum):
    GROW = 4
    PAINT = 5

@qd.kernel(graph=True, checkpoints=True)
def staged(x: Line, stop: Flag, n: Flag):
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
        with qd.checkpoint(Stage.GROW, yield_on=stop):
            for i in x:
                x[i] *= 2
        with qd.checkpoint(Stage.PAINT, yield_on=stop):
            for i, j in plane:
                if j > 30:
                    plane[i, j] += i
        n[()] -= 1

x, stop, n = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
n[()] = 2""",
         "%qd_step staged(x, stop, n)",
         """@qd.kernel(graph=True)
def beside(x: Line, y: Line, n: Flag):
    while qd.graph.do_while(n):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[i] += 1
                for i in x:
                    x[i] *= 2
            with qd.graph.parallel():
                for i in y:
                    y[i] += 1
        n[()] -= 1
%qd_graph beside""", "%qd_graph staged"]  # fmt: skip


def test_graphs_as_boxes(lab):
    """Sections are next to each other, and the content of a loop is in its box."""
    lab.put("graphs", [*CELLS[:2], *CELLS[3:]]).open("graphs")
    lab.run_all()
    picture = lab.show("@qd.kernel(graph=True)\ndef beside").locator(".qd-stepper")
    first, second = (picture.get_by_text(f"section {n}", exact=True) for n in (1, 2))
    second.wait_for()
    once, again = first.bounding_box(), second.bounding_box()
    assert abs(once["y"] - again["y"]) < 2 and once["x"] + once["width"] < again["x"]
    staged = lab.show("%qd_graph staged").locator(".qd-stepper")
    staged.get_by_text("checkpoint PAINT", exact=True).wait_for()
    for theme in THEMES:
        lab.theme(theme)
        for name, source in (("beside", "@qd.kernel(graph=True)\ndef beside"), ("staged", "%qd_graph staged")):
            drawn = lab.show(source).locator(".qd-stepper")
            drawn.get_by_text("the graph").wait_for()
            assert_nothing_cut_off(drawn)
            lab.picture(f"graph-{name}-{theme.split()[-1].lower()}", drawn)
    assert lab.errors == []


def test_stepper(lab):
    lab.put("stepper", CELLS[:3]).open("stepper")
    lab.run_all()
    cell = lab.show("%qd_step")
    stepper = cell.locator(".qd-checkpoints")
    stepper.get_by_text("stopped", exact=True).wait_for()
    steps, status = stepper.locator("li"), stepper.get_by_role("status")

    def held(index):
        return stepper.get_by_role("textbox", name=f"x [{index}]").input_value()

    def step(text):
        return steps.filter(has_text=text)

    assert held(0) == "1" and step("checkpoint GROW").get_attribute("aria-current") == "step"
    stepper.get_by_role("button", name="next checkpoint").click()
    step("checkpoint GROW").get_by_text("done").wait_for()
    assert held(0) == "2"
    stepper.get_by_role("button", name="back").click()
    step("checkpoint GROW").get_by_text("pending").wait_for()
    assert held(0) == "1"

    box = stepper.get_by_role("textbox", name="x [1]")
    box.fill("70")
    box.press("Enter")
    status.get_by_text("x[1] was set to 70").wait_for()
    assert stepper.locator("td.qd-changed").count() == 1

    stepper.get_by_role("button", name="next checkpoint").focus()  # by keyboard from here on
    lab.page.keyboard.press("n")
    step("checkpoint GROW").get_by_text("done").wait_for()
    assert held(1) == "140"
    lab.page.keyboard.press("n")
    step("checkpoint PAINT").get_by_text("done").wait_for()
    assert len(lab.cells()) == 3  # no shortcut of the notebook was triggered
    status.get_by_text("the launch has stopped; changed: plane").wait_for()
    for theme in THEMES:
        lab.theme(theme)
        stepper = lab.show("%qd_step").locator(".qd-checkpoints")
        stepper.get_by_text("stopped", exact=True).wait_for()
        assert_readable(stepper)
        assert_nothing_cut_off(stepper)
        lab.picture(f"stepper-{theme.split()[-1].lower()}", stepper)

    lab.ask("stop[()] = 1")
    stepper.get_by_role("button", name="to the end").click()
    stepper.get_by_text("yielded at GROW", exact=True).wait_for()
    assert stepper.get_by_label("from").input_value() == "4"
    stepper.get_by_role("button", name="resume").click()
    status.get_by_text("started again").wait_for()
    lab.ask("n[()] = 1")  # statements outside of loops also ran after the yield
    stepper.get_by_role("button", name="to the end").click()
    stepper.get_by_text("at its end", exact=True).wait_for()
    assert lab.ask("print(stop[()], n[()])") == "0 0\n"

    saved = next(output["data"] for output in lab.cells()[2]["outputs"] if "data" in output)
    assert "at its end" in "".join(saved["text/html"]) and "at its end" in "".join(saved["text/plain"])
    assert lab.errors == []
    lab.command("docmanager:save")
    lab.server.end_kernels()
    lab.page.reload()
    lab.open("stepper")
    cell = lab.show("%qd_step")
    cell.locator(".qd-stepper").get_by_text("staged: at its end").wait_for()
    assert cell.locator(".qd-checkpoints").count() == 0
