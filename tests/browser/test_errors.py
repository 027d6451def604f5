"""An error of a kernel as it looks in JupyterLab."""

import pytest
from test_lab import THEMES, assert_readable

FAILS = ["import quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)",
         "@qd.func\ndef inner(x):\n    return x + nothing\n@qd.kernel\ndef outer(x: qd.i32):\n    y = inner(x)\nouter(1)"]


@pytest.mark.parametrize("theme", THEMES)
def test_an_error_is_readable(lab, theme):
    lab.put("fails", FAILS).open("fails")
    lab.theme(theme)
    lab.page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    output = lab.page.locator('.jp-OutputArea-output').filter(has_text='is not defined').first
    output.wait_for()
    lab.picture(f"error {theme}", output)
    assert_readable(output)
