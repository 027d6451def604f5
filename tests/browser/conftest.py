"""JupyterLab in headless Chromium. One server for the run, a copy of the notebook for each test; every wait is for a condition, never for a
time. QD_SCREENSHOTS=FOLDER saves pictures to look at."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 120_000  # ms without progress, enough for a busy machine; on a timeout the condition is reported

# Resolves when the notebook is open, its kernel has answered and the widget manager listens.
READY = """async () => {
    const app = window.jupyterapp; await app.restored;
    const panel = app.shell.currentWidget;
    await panel.context.ready; await panel.sessionContext.ready;
    const kernel = panel.sessionContext.session?.kernel;
    if (!kernel) return;
    await kernel.info;
    while (!('jupyter.widget' in kernel._targetRegistry)) await new Promise(go => setTimeout(go, 25));
}"""


# For each mark in the gutter of a cell, after drawing all messages received so far: the line next to it in the page's layout, its text, and
# its description.
MARKS = """async index => {
    for (let frames = 0; frames < 3; ++frames) await new Promise(drawn => requestAnimationFrame(drawn));
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[index];
    const view = cell.editor.editor;
    return [...cell.node.querySelectorAll('.qd-mark-count')].map(mark => {
        const box = mark.getBoundingClientRect();
        const block = view.lineBlockAtHeight(box.top + box.height / 2 - view.documentTop);
        return [view.state.doc.lineAt(block.from).number, mark.textContent, mark.getAttribute('aria-label')];
    });
}"""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": "/usr/bin/chromium",
            "args": ["--no-sandbox", "--disable-dev-shm-usage"]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 1300, "height": 1000}}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, folder):
        self.folder = folder
        notebooks, home, settings = folder / "notebooks", folder / "home", folder / "config" / "labconfig"
        for path in (notebooks, home, settings):
            path.mkdir(parents=True)
        quiet = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
        (settings / "default_setting_overrides.json").write_text(json.dumps(quiet))
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(folder / "ipython"),
                       "JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_DATA_DIR": str(folder / "data"),
                       "JUPYTER_RUNTIME_DIR": str(folder / "runtime"), "XDG_CACHE_HOME": str(folder / "cache"),
                       "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
        self.log = (folder / "server.log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root",
             f"--ServerApp.root_dir={notebooks}", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
             "--LabApp.expose_app_in_browser=True", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
            env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.wait_until_up()

    def wait_until_up(self):
        while True:
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            try:
                return urllib.request.urlopen(f"{self.url}/api", timeout=10).read()
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)

    def ask(self, method, path):
        request = urllib.request.Request(self.url + path, method=method)
        text = urllib.request.urlopen(request, timeout=60).read()
        return json.loads(text) if text else None

    def end_kernels(self):
        for session in self.ask("GET", "/api/sessions"):
            self.ask("DELETE", f"/api/sessions/{session['id']}")

    def close(self):
        self.end_kernels()
        self.process.terminate()
        self.process.wait()
        self.log.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


class Lab:
    """A page of JupyterLab with one notebook open."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        self.errors = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", self.page_failed)
        page.on("console", self.page_said)

    def page_said(self, message):
        """Ignores one message: JupyterLab's debugger asks a restarted kernel for its state, and logs an error if the page is left before
        the reply."""
        if message.type == "error" and "debugger state: Canceled future for debug_request" not in message.text:
            self.errors.append(message.text)

    def page_failed(self, error):
        """JupyterLab's own views sometimes remove a node twice while cells are redrawn; such an error counts only if one of our modules is
        in its stack. Widgets are loaded from blobs."""
        stack = error.stack or ""
        if "'removeChild' on 'Node'" not in error.message or "quadrants-jupyter" in stack or "blob:" in stack:
            self.errors.append(f"{error.message}\n{stack}")

    def put(self, name, cells=None, spec="quadrants"):
        """Writes a copy of a notebook of the repository, or a new one with these cells for a kernel."""
        target = self.server.folder / "notebooks" / f"{name}.ipynb"
        if cells is None:
            shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", target)
        else:
            kernel = {"kernelspec": {"name": spec, "display_name": spec.title(), "language": "python"}}
            made = [{"cell_type": "code", "id": f"cell-{n}", "metadata": {}, "outputs": [], "execution_count": None,
                     "source": text} for n, text in enumerate(cells)]
            target.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": made}))
        return self

    def open(self, name):
        self.page.goto(f"{self.server.url}/lab/tree/{name}.ipynb?reset")
        self.page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.context")
        self.page.evaluate(READY)
        self.page.evaluate("window.jupyterapp.shell.collapseLeft()")
        return self

    def command(self, name, **arguments):
        return self.page.evaluate("([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => null)",
                                  [name, arguments])

    def run_all(self):
        self.command("notebook:run-all-cells")

    def run_cell(self, index):
        self.page.evaluate("index => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = index; }", index)
        self.command("notebook:run-cell")

    def cells(self):
        """Returns the current cells of the notebook in the page."""
        return self.page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")

    def ask(self, code):
        """Returns the output of the kernel for this code, which does not belong to a cell."""
        return self.page.evaluate("""async code => {
            const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
            const future = kernel.requestExecute({code, store_history: false});
            let text = '';
            future.onIOPub = message => { if (message.header.msg_type === 'stream') text += message.content.text; };
            await future.done;
            return text;
        }""", code)

    def snapshot(self, index):
        """Returns the counts of a cell from qd.coverage.snapshot() in the kernel."""
        label = f"cell {self.cells()[index]['execution_count']}"
        told = self.ask("import json, quadrants as qd\n"
                        f"print(json.dumps(qd.coverage.snapshot().get({label!r}, {{}})))")
        return {int(line): count for line, count in json.loads(told).items()}

    def marks(self, index):
        """Returns line -> text of its mark, for a visible cell."""
        found = self.page.evaluate(MARKS, index)
        assert len({number for number, _, _ in found}) == len(found), found
        return {number: text for number, text, _ in found}

    def counts(self, index):
        """Returns line -> exact count in its mark."""
        told = {number: words.split(".")[0] for number, _, words in self.page.evaluate(MARKS, index)}
        plain = {"Never ran": "0", "Ran once": "1"}
        return {number: int(plain.get(words, words).strip("Ran times").replace(",", "")) for number, words in told.items()}

    def show(self, selector):
        """Scrolls to the first match in the notebook and returns it: cells that are not visible are not in the page."""
        index = next(n for n, cell in enumerate(self.cells()) if cell["source"].startswith(selector))
        self.page.evaluate("""async index => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = index;
            await notebook.scrollToItem(index, 'start');
        }""", index)
        return self.page.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')

    def theme(self, name):
        self.command("apputils:change-theme", theme=name)
        light = "true" if "Light" in name else "false"
        self.page.wait_for_selector(f'body[data-jp-theme-name="{name}"][data-jp-theme-light="{light}"]', state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def picture(self, name, element=None):
        folder = os.environ.get("QD_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            (element or self.page).screenshot(path=f"{folder}/{name}.png")


@pytest.fixture
def lab(page, server):
    lab = Lab(page, server)
    yield lab
    server.end_kernels()
