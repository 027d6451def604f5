"""JupyterLab's own debugger on the Quadrants kernel: the button with the bug, a breakpoint at a line of a kernel, the sidebar, and
continuing."""

import contextlib

from playwright.sync_api import expect

CELL = """%%qd_kernel
import quadrants as qd
qd.init(arch=qd.python)
x = qd.field(qd.f32, 3)

@qd.kernel
def fill(scale: qd.f32):
    for i in x:
        half = i * scale
        x[i] = half

fill(0.5)
"done"
"""

# The source line at which the debugger stopped, counted in the editor.
STANDS = """() => {
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[0];
    const line = cell.node.querySelector('.jp-DebuggerEditor-highlight');
    const view = cell.editor.editor;
    return line && view.state.doc.lineAt(view.posAtDOM(line)).number;
}"""


def test_a_kernel_stops_at_a_breakpoint(lab):
    lab.put("debugger", [CELL]).open("debugger")
    page = lab.page
    bug = page.locator(".jp-DebuggerBugButton").first
    for _ in range(10):  # a click is lost until JupyterLab has asked the kernel about its debugger
        bug.click()
        with contextlib.suppress(AssertionError):
            expect(bug).to_have_attribute("aria-pressed", "true", timeout=10_000)
            break
    expect(bug).to_have_attribute("aria-pressed", "true")
    line = page.locator(".jp-Cell .cm-line").nth(9)
    gutter = page.locator(".jp-Cell .cm-gutter.cm-breakpoint-gutter")
    gutter.wait_for()
    line_box, gutter_box = line.bounding_box(), gutter.bounding_box()
    page.mouse.click(gutter_box["x"] + gutter_box["width"] / 2, line_box["y"] + line_box["height"] / 2)
    point = page.locator(".jp-Cell .cm-breakpoint-icon:visible")
    point.wait_for()
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell'); }")  # the command ends after the program continued
    page.wait_for_function(f"({STANDS})() === 10")
    callstack = page.locator(".jp-DebuggerCallstack-body")
    stack = callstack.get_by_role("listitem")
    expect(stack).to_have_count(2)  # no frames between the cell and the kernel
    expect(stack.first).to_contain_text("fill")
    expect(page.locator(".jp-DebuggerVariables-body").first).to_contain_text("f32(0.5)")
    lab.picture("debugger")
    point.click()
    expect(page.locator(".jp-DebuggerBreakpoint")).to_have_count(0)
    for _ in range(3):  # the program may have reached the line again before the breakpoint was removed
        page.wait_for_function(f"({STANDS})() === 10 || !document.querySelector('.jp-DebuggerEditor-highlight')")
        lab.command("debugger:continue")
    page.locator(".jp-OutputArea-executeResult", has_text="done").wait_for()
    bug.click()
    expect(bug).to_have_attribute("aria-pressed", "false")
    assert lab.ask("print(1 + 1)") == "2\n"
