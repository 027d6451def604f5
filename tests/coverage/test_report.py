"""python -m quadrants.coverage report."""

import re
import subprocess

import pytest

from sample_project import PROGRAM


@pytest.fixture
def measured(project):
    """A git project whose last change added lines that ran and lines that did not; two processes ran it."""

    def git(*command):
        whole = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *command]
        subprocess.run(whole, cwd=project.folder, check=True, capture_output=True)

    project.write(".gitignore", "*\n!shapes/\n!shapes/*.py\n")
    text = project.kernels.read_text()
    project.write("shapes/kernels.py", text.replace("        else:\n            x[i] = 0\n            x[i] -= 1\n", ""))
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "before")
    project.write("shapes/kernels.py", text)
    git("commit", "-q", "-a", "-m", "after")
    project.write("program.py", PROGRAM)
    for values in ("[1, 20]", "[2]"):
        project.write("program.py", PROGRAM.replace("[1, 20]", values))
        project.run("-m", "coverage", "run", "--branch", "--source=shapes", "-p", "program.py", QD_KERNEL_COVERAGE="1")
    return project


def report(project, *options, **keywords):
    return project.run("-m", "quadrants.coverage", "report", *options, **keywords)


def test_summary(measured):
    said = report(measured)
    (row,) = [line for line in said.splitlines() if line.startswith("shapes/kernels.py")]
    assert row.endswith("20-21") and "5/6" in row
    assert len(measured.files()) == 2, "the data stay"
    assert report(measured) == said


def test_threshold(measured):
    report(measured, "--fail-under", "50")
    assert "is less than 99%" in report(measured, "--fail-under", "99", status=2)
    assert "0.0% is less than 50%" in report(measured, "--fail-under", "50", "--diff", "main~1", status=2)


def test_markdown(measured):
    said = report(measured, "--diff", "main~1", "--markdown", "-")
    assert "**0.0%** of what is new since `main~1` ran (0 of 2 lines)" in said
    assert "| ⚠️ | `shapes/kernels.py` | 0.0% |" in said and "| 20-21 |" in said
    assert "<details><summary><code>shapes/kernels.py</code></summary>" in said
    assert re.search(r"^ +17 +3 \? +if x\[i\] >= 0:  # never goes to 20$", said, re.M)


def test_annotated_source(measured):
    report(measured, "--annotate", "listing")
    text = (measured.folder / "listing/shapes/kernels.py,cover").read_text()
    assert re.search(r"^ +18 +3 > +x\[i\] = clipped", text, re.M) and re.search(r"^ +20 +! +x\[i\] = 0", text, re.M)


def test_html(measured):
    report(measured, "--html", "out/report.html", "--diff", "main~1")
    text = (measured.folder / "out/report.html").read_text()
    assert '<tr class="missing new"><td>20</td><td>never</td>' in text
    assert re.search(r'<tr class="partial" style="--level:0\.\d\d"><td>17</td><td>3</td>', text)
    assert '<span class="mark">never goes to 20' in text


def test_errors(project):
    assert "no data: run the tests" in report(project, status=1)
    project.program(PROGRAM)
    assert "quadrants-coverage: git" in report(project, "--diff", "nowhere", status=1)
