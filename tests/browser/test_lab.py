"""The notebook as a user sees it: real JupyterLab, the Quadrants kernel, the tour."""

import json
import re

import pytest

THEMES = ["JupyterLab Light", "JupyterLab Dark"]

# The lowest contrast (WCAG 2) of any text below an element with the actual colours behind it; 4.5 is readable.
CONTRAST = """root => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = text => {  // whatever form the colour has: let the browser paint it
        canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
    };
    const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3]));
    const parent = node => node.parentElement ?? node.getRootNode().host;
    const behind = node => {
        if (!node) return [255, 255, 255];
        return over(rgba(getComputedStyle(node).backgroundColor), behind(parent(node)));
    };
    const light = rgb => rgb.map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    let worst = {contrast: 99, text: ''};
    for (const node of root.querySelectorAll('*')) {
        const own = [...node.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('');
        if (!own || node.localName === 'style') continue;
        let opacity = 1;
        for (let n = node; n; n = parent(n)) opacity *= Number(getComputedStyle(n).opacity);
        const back = behind(node), colour = rgba(getComputedStyle(node).color);
        const [a, b] = [light(over([...colour.slice(0, 3), colour[3] * opacity], back)), light(back)].sort((x, y) => y - x);
        const contrast = (a + 0.05) / (b + 0.05);
        if (contrast < worst.contrast) worst = {contrast, text: own.slice(0, 40), style: node.className};
    }
    return worst;
}"""


HATCHED = """root => [...root.querySelectorAll('tr.qd-never, tr.qd-never *')]
    .filter(node => getComputedStyle(node).backgroundImage !== 'none').map(node => node.className)"""


def assert_readable(element):
    for _ in range(100):  # a theme may still be loading
        worst = element.evaluate(CONTRAST)
        if 4.5 <= worst["contrast"] < 99:
            return
        element.page.wait_for_timeout(100)
    raise AssertionError(worst)


def assert_nothing_cut_off(element):
    """Asserts that content wider than its container can be scrolled, and that no text overlaps its neighbour."""
    cut = element.evaluate("""root => [...root.querySelectorAll('td, th, span, button')].filter(node =>
        node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX === 'hidden').map(n => n.textContent)""")
    assert cut == []


def test_tour(lab):
    lab.put("tour").open("tour")
    assert lab.page.locator(".jp-KernelName, .jp-Toolbar-kernelName").first.inner_text().startswith("Quadrants")
    lab.run_all()
    cells = lab.cells()
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert [o for cell in code for o in cell["outputs"] if o["output_type"] == "error"] == []

    first, second = [cell for cell in code if cell["source"].startswith("%%qd_kernel")]
    assert "step: 6 tasks, 6 compiled" in "".join(first["outputs"][0]["data"]["text/plain"])
    assert "step: 6 tasks, 1 compiled, 5 unchanged" in "".join(second["outputs"][0]["data"]["text/plain"])

    for theme in THEMES:
        lab.theme(theme)
        cell = lab.show("%qd_coverage")
        heatmap = cell.locator(".qd-heatmap")
        heatmap.locator("tr.qd-ran").first.wait_for()
        assert heatmap.locator("tr.qd-never").count() >= 1
        assert set(heatmap.evaluate(HATCHED)) == {"qd-count"}, "the count, and not the code beside it"
        assert heatmap.locator(".qd-mark").count() >= 1
        assert_readable(heatmap)
        assert_nothing_cut_off(heatmap)
        lab.picture(f"heatmap-{theme.split()[-1].lower()}", cell)
        report = lab.show("%%qd_kernel").locator(".jp-OutputArea-output")
        report.get_by_text("6 tasks, 6 compiled").wait_for()
        assert_readable(report)
        lab.picture(f"report-{theme.split()[-1].lower()}")

    heatmap = lab.show("%qd_coverage").locator(".qd-heatmap")
    use_with_keys(lab, heatmap)

    older, newer = [n for n, cell in enumerate(cells) if cell["source"].startswith("%%qd_kernel")]
    lab.page.evaluate("index => window.jupyterapp.shell.currentWidget.content.scrollToItem(index, 'start')", newer)
    lab.page.wait_for_function("index => window.jupyterapp.shell.currentWidget.content.widgets[index]"
                               ".node.querySelector('.qd-mark-count')", arg=newer)
    marked = lab.counts(newer)
    (listed,) = [cell for cell in code if cell["source"].startswith("%qd_coverage")]  # ran first: the newer cell's marks start from its counts
    (before,) = listed["outputs"][0]["data"]["application/vnd.quadrants.coverage+json"]["cells"]
    begun = {line["number"]: line["count"] for line in before["lines"]}
    ran = {line: count - begun.get(line, 0) for line, count in lab.snapshot(older).items()}  # unchanged kernels belong to the older cell
    counted = {**ran, **lab.snapshot(newer)}
    assert len(marked) > 5 and marked == {line: counted[line] for line in marked}
    lab.picture("gutter-tour")
    lab.command("docmanager:save")
    assert lab.errors == []


def use_with_keys(lab, heatmap):
    """Uses the buttons of the heatmap without a mouse."""
    first, second = heatmap.locator("button").all()
    first.focus()
    lab.page.keyboard.press("Tab")
    assert second.evaluate("node => node.matches(':focus-visible')")
    outline = second.evaluate("node => getComputedStyle(node).outlineStyle")
    assert outline != "none", "nobody could see where the focus is"
    lab.picture("heatmap-focus", heatmap.locator(".qd-bar").first)
    rows = heatmap.locator("tbody tr:not([hidden])").count()
    lab.page.keyboard.press("Space")
    assert second.get_attribute("aria-pressed") == "true"
    assert 0 < heatmap.locator("tbody tr:not([hidden])").count() < rows
    lab.page.keyboard.press("Enter")
    assert second.get_attribute("aria-pressed") == "false"
    assert heatmap.locator("tbody tr:not([hidden])").count() == rows


COVERAGE = ["import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu)",
            "%%qd_kernel\n@qd.kernel\ndef clip(x: qd.types.ndarray(qd.f32, ndim=1)):\n    for i in x:\n"
            "        if x[i] > 10:\n            x[i] = 10\n        elif x[i] < 0:\n            x[i] = 0",
            "clip(np.arange(2000, dtype=np.float32)); %qd_coverage".replace("; %", "\n%")]


FOLLOWED = ["import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)",
            "%%qd_kernel\n@qd.kernel\ndef clip(x: qd.types.ndarray(ndim=1), n: qd.i32):\n    for i in x:\n"
            "        for k in qd.static(range(3)):\n            if n == k:\n                x[i] = k\n"
            "        if x[i] > 10:\n            x[i] = 10\n        elif x[i] < 0:\n            x[i] = 0",
            "%qd_coverage --live",
            "clip(np.arange(2000, dtype=np.float32), 7)",
            "clip(np.arange(-1, 100, dtype=np.float32), 7); clip(np.full(5, 20, np.int32), 1)",
            "%%qd_kernel\n@qd.kernel\ndef long(x: qd.types.ndarray(qd.f32, ndim=1)):\n"
            "    for i in range(67108864):\n        for j in range(1000):\n            x[i % 64] = qd.sin(x[i % 64])",
            "%qd_coverage --live long",
            "long(np.ones(64, np.float32))"]


def counts(heatmap):
    """Returns line -> the text next to it."""
    rows = heatmap.locator("tbody tr").evaluate_all(
        "rows => rows.filter(row => row.querySelector('.qd-count').textContent)"
        ".map(row => [Number(row.querySelector('.qd-number').textContent), row.querySelector('.qd-count').textContent])")
    return {number: text for number, text in rows}


def test_heatmap_that_follows(lab):
    lab.put("follows", FOLLOWED).open("follows")
    for index in range(4):
        lab.run_cell(index)
    heatmap = lab.show("%qd_coverage --live").locator(".qd-heatmap")
    heatmap.locator("tr.qd-ran").first.wait_for()
    heatmap.get_by_text("follows what runs").wait_for()
    assert counts(heatmap) == {4: "1", 5: "2,000", 6: "6,000", 7: "never", 8: "2,000", 9: "1,989", 10: "11", 11: "never"}

    heatmap.get_by_role("radio", name="all runs").focus()
    lab.page.keyboard.press("ArrowRight")
    assert heatmap.get_by_role("radio", name="newest run").is_checked()
    lab.run_cell(4)
    heatmap.locator("tr.qd-ran td.qd-count").filter(has_text=re.compile("^106$")).first.wait_for()
    assert counts(heatmap)[9] == "89"
    assert heatmap.get_by_role("radio", name="newest run").is_checked(), "though the output was drawn anew"
    heatmap.get_by_role("radio", name="newest run").focus()
    lab.page.keyboard.press("ArrowRight")
    heatmap.locator("tr.qd-more").first.wait_for()
    assert counts(heatmap) == {4: "+1", 5: "\u22121,894", 6: "\u22125,682", 7: "+5", 8: "\u22121,894", 9: "\u22121,900",
                               10: "+6", 11: "+1"}
    heatmap.locator(".qd-note").get_by_text("4 lines more often, 4 lines less often than in the run before").wait_for()
    assert "4 lines more often" in heatmap.get_by_role("status").inner_text(), "screen readers are told"
    assert heatmap.get_by_role("button", name="share").is_disabled()
    for theme in THEMES:
        lab.theme(theme)
        heatmap = lab.show("%qd_coverage --live").locator(".qd-heatmap")
        heatmap.locator("tr.qd-more").first.wait_for()
        assert_readable(heatmap)
        assert_nothing_cut_off(heatmap)
        lab.picture(f"difference-{theme.split()[-1].lower()}", heatmap)

    heatmap.get_by_label("specialisation").select_option("clip(x: i32[:], n: i32)")
    heatmap.get_by_text("copies 1 and 3 of 3 never ran").wait_for()
    assert counts(heatmap) == {4: "1", 5: "5", 6: "15", 7: "5", 8: "5", 9: "never", 10: "5", 11: "never"}
    assert heatmap.get_by_role("radio", name="newest run").is_disabled()
    assert_readable(heatmap)
    lab.picture("specialisation-dark", heatmap)
    stored = lab.cells()[2]["outputs"][0]["data"]
    assert "2,106 |" in "".join(stored["text/plain"]) and "2,106" in "".join(stored["text/html"])
    assert lab.errors == []


def test_heatmap_while_a_kernel_runs(lab):
    lab.put("live", FOLLOWED).open("live")
    for index in (0, 5, 6):
        lab.run_cell(index)
    heatmap = lab.show("%qd_coverage --live long").locator(".qd-heatmap")
    heatmap.wait_for()
    lab.page.evaluate("""() => { const app = window.jupyterapp; const notebook = app.shell.currentWidget.content;
        notebook.activeCellIndex = 7; app.commands.execute('notebook:run-cell'); }""")
    heatmap.get_by_text("counting").wait_for()
    heatmap.get_by_role("button", name="only what never ran").focus()
    lab.page.evaluate("""() => { window.grown = new Set(); const cell = () =>
        [...document.querySelectorAll('.qd-heatmap tr')].find(row => row.firstChild.textContent === '6').children[1].textContent;
        window.watch = setInterval(() => window.grown.add(cell()), 20); }""")
    lab.page.wait_for_function("window.grown.size >= 3")
    assert lab.page.evaluate("document.activeElement.textContent") == "only what never ran"
    lab.picture("counting", heatmap)
    lab.command("notebook:interrupt-kernel")
    heatmap.get_by_text("follows what runs").wait_for()
    lab.page.evaluate("clearInterval(window.watch)")
    lab.page.wait_for_function("document.activeElement.textContent === 'only what never ran'")
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'")
    assert lab.errors == []


def test_a_saved_notebook_shows_its_pictures_without_a_kernel(lab):
    lab.put("saved", COVERAGE).open("saved")
    lab.run_all()
    lab.show("clip").locator(".qd-heatmap tr.qd-ran").first.wait_for()
    lab.command("docmanager:save")
    lab.server.end_kernels()
    path = lab.server.folder / "notebooks" / "saved.ipynb"
    saved = json.loads(path.read_text())
    saved["metadata"]["kernelspec"] = {"name": "not-installed", "display_name": "none", "language": "python"}
    path.write_text(json.dumps(saved))  # as for a reader who has only the file
    lab.page.goto("about:blank")
    lab.page.goto(f"{lab.server.url}/lab/tree/saved.ipynb?reset")
    choose = lab.page.locator(".jp-Dialog").get_by_role("button", name="No Kernel")
    choose.click()
    for theme in THEMES:
        lab.theme(theme)
        table = lab.show("clip").locator(".qd-heatmap")
        table.get_by_text("never true").wait_for()
        assert_readable(table)
        lab.picture(f"saved-{theme.split()[-1].lower()}")


def test_stop_button(lab):
    lab.put("stop", ["import quadrants as qd\nqd.init(arch=qd.cpu)",
                     "@qd.kernel\ndef endless(n: qd.i32) -> qd.i32:\n    a = 0\n    while n > 0:\n        a += 1\n"
                     "    return a\nprint('running')\nendless(1)",
                     "print('still', 'here')"])
    lab.open("stop")
    endless = lab.show("@qd.kernel")
    lab.page.evaluate("""() => { const app = window.jupyterapp; const notebook = app.shell.currentWidget.content;
        notebook.activeCellIndex = 0; app.commands.execute('notebook:run-all-cells'); }""")
    endless.get_by_text("running", exact=True).wait_for()
    lab.page.locator('.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]').click()
    endless.locator(".jp-OutputArea-output").get_by_text("KeyboardInterrupt").first.wait_for()
    lab.picture("stop")
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'")
    lab.run_cell(2)
    assert lab.cells()[2]["outputs"][0]["text"] == "still here\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_exported_page(browser, browser_context_args, tmp_path, scheme):
    """nbconvert's page of a notebook with a heatmap loads nothing from the network and is readable in both themes."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in COVERAGE])
    NotebookClient(notebook, kernel_name="quadrants", timeout=300, store_widget_state=False).execute()
    text, _ = HTMLExporter(theme=scheme).from_notebook_node(notebook)
    (tmp_path / "page.html").write_text(text)
    context = browser.new_context(**browser_context_args, color_scheme=scheme)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    table = page.locator(".jp-OutputArea-output pre").filter(has_text="never true")
    assert_readable(table)
    assert_nothing_cut_off(table)
    context.close()
