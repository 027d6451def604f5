"""The page after a kernel process died of a write past the end of an array."""

from test_lab import THEMES, assert_readable

CELLS = ["""import ctypes
import numpy as np
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]""",
         """@qd.kernel
def wild(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    qd.loop_config(serialize=True)
    for i in range(n):
        a[i] = 1.0""",
         """address = libc.malloc(4000)
block = np.ctypeslib.as_array((ctypes.c_float * 1000).from_address(address))
wild(block, 1004)
libc.free(address)""", "6 * 7"]  # fmt: skip


def test_a_dying_kernel_reports_why(lab):
    lab.put("wild", CELLS).open("wild")
    for index in 0, 1:
        lab.run_cell(index)
    lab.page.evaluate("""() => { const app = window.jupyterapp; app.shell.currentWidget.content.activeCellIndex = 2;
                               void app.commands.execute('notebook:run-cell'); }""")
    words = lab.page.locator(".jp-OutputArea-output").filter(has_text="kernel wild (Cell In[2], line 4)")
    words.first.wait_for()
    assert "qd.init(debug=True) checks every index" in words.first.inner_text()
    dialog = lab.page.get_by_role("button", name="Ok")
    dialog.click()
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'")
    lab.run_cell(3)
    again = lab.page.locator(".jp-OutputArea-output").filter(has_text="The kernel was restarted, and its variables are gone.")
    again.wait_for()
    assert "kernel wild (Cell In[2], line 4)" in again.inner_text()
    for theme in THEMES:
        lab.theme(theme)
        lab.picture(f"last words {theme}")
        assert_readable(again)
