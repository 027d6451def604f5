"""Sliders of the notebooks: a move runs kernels and draws the picture below again, which is an ordinary output."""

# The picture in the output of the cell with the slider, if it differs from the one given.
PICTURE = """before => {
    const cells = window.jupyterapp.shell.currentWidget.content.model.toJSON().cells;
    const cell = cells.find(cell => cell.source.startsWith('alike = ipywidgets'));
    const found = cell.outputs.map(output => output.data?.['image/jpeg']).find(picture => picture);
    return found !== before && found;
}"""


def test_a_slider_redraws_the_picture(lab):
    lab.put("photograph").open("photograph")
    assert lab.page.evaluate(PICTURE), "the saved notebook has the picture"
    lab.run_all()
    handle = lab.show("alike = ipywidgets").locator(".widget-slider .noUi-handle")
    handle.wait_for()  # the slider is live: its cell runs, and the stored output below it is gone
    before = lab.page.wait_for_function(PICTURE).json_value()
    handle.press("ArrowRight")
    lab.page.wait_for_function(PICTURE, arg=before)
    lab.picture("slider", lab.page.locator(".jp-Notebook"))
    assert lab.errors == []
