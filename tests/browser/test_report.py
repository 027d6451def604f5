"""The HTML page of the coverage report."""

import os
import subprocess
import sys

PROGRAM = """import numpy as np, quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)

@qd.kernel
def a_kernel_with_a_rather_long_name(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        if x[i] > 10:
            x[i] = 10  # a long comment that makes this line of the program wider than any page of a phone would ever be
        elif x[i] < 0:
            x[i] = 0

a_kernel_with_a_rather_long_name(np.ones(10, np.float32))
"""


def test_a_narrow_page(page, tmp_path):
    (tmp_path / "a_program_with_a_rather_long_name.py").write_text(PROGRAM)
    environment = {**os.environ, "QD_KERNEL_COVERAGE": "1"}
    subprocess.run([sys.executable, "a_program_with_a_rather_long_name.py"], cwd=tmp_path, env=environment, check=True)
    subprocess.run([sys.executable, "-m", "quadrants.coverage", "report", "--html", "report.html"], cwd=tmp_path, check=True)
    page.set_viewport_size({"width": 500, "height": 900})
    page.goto((tmp_path / "report.html").as_uri())
    page.get_by_text("never").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 500
