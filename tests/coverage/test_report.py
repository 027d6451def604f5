"""python -m quadrants.coverage report."""

import re
import subprocess

import pytest

from sample_project import PROGRAM


@pytest.fixture
def measured(project):
    """A git project in which the last commit added lines that ran and lines that did not; two processes ran it."""

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
    assert re.search(r"^total +19 +2 +5/6 +88.0%$", said, re.M)
    assert len(measured.files()) == 2, "the data stay"
    assert report(measured) == said


def test_threshold(measured):
    report(measured, "--fail-under", "50")
    assert "is less than 99%" in report(measured, "--fail-under", "99", status=2)
    assert "0.0% is less than 50%" in report(measured, "--fail-under", "50", "--diff", "main~1", status=2)


def test_changed_lines_in_the_terminal(measured):
    said = report(measured, "--diff", "main~1")
    assert said.endswith("of what is new: 0.0% (0 of 2 lines)\n  shapes/kernels.py: never ran 20-21\n")


def test_markdown(measured):
    said = report(measured, "--diff", "main~1", "--markdown", "-", ENABLE_QUADRANTS_HEADER_PRINT="1")
    assert re.match(r"## Coverage of [0-9a-f]{7,}\n", said), "and nothing else, for it goes to a file"
    assert "Overall: **88.0%** (19 lines, 2 missing).\n" in said
    assert "**0.0%** of what is new since `main~1` ran (0 of 2 lines)" in said
    assert "| ⚠️ | `shapes/kernels.py` | 0.0% | 88.0% | 20-21 |" in said
    others = said[said.index("<details><summary>1 file without new lines</summary>"):]
    assert "\n| ✅ | `shapes/__init__.py` | 100.0% | |\n\n</details>" in others
    listing = others[others.index("<details><summary><code>shapes/kernels.py</code></summary>"):]
    assert re.search(r"^ +17 +3 \? +if x\[i\] >= 0:  # never goes to 20$", listing, re.M)
    assert "limit_all" in listing and "clipped(v, limit)" not in listing, "only what is near to what never ran"


def test_no_changed_lines(measured):
    said = report(measured, "--diff", "HEAD", "--html", "report.html")
    assert said.endswith("\nno measured line is new since HEAD\n")
    text = (measured.folder / "report.html").read_text()
    assert "; no measured line is new since HEAD.</p>" in text and re.search("<h1>Coverage of [0-9a-f]{7,}</h1>", text)
    assert "\nNo measured line is new since `HEAD`.\n" in report(measured, "--diff", "HEAD", "--markdown", "-")
    measured.kernels.write_text(measured.kernels.read_text() + "\n# a word\n")
    assert re.search("^## Coverage of [0-9a-f]{7,}, edited since\n", report(measured, "--markdown", "-"), re.M)


def test_combine(measured):
    """Merges everything into one file, including the counts; coverage.py's own data stay in it, however often it is repeated."""
    said = report(measured)
    report(measured, "--annotate", "before")
    hosts = [path.name for path in measured.folder.glob(".coverage.*")]
    assert len(hosts) == 2
    measured.run("-m", "quadrants.coverage", "combine", "--keep")
    assert len(measured.files()) == 2 and len(list(measured.folder.glob(".coverage*"))) == 3
    for path in [*measured.files(), *hosts]:
        (measured.folder / path).unlink()
    measured.run("program.py", QD_KERNEL_COVERAGE="1", _QD_KCOV_ARC="1")
    text = measured.run("-m", "quadrants.coverage", "combine")
    assert text == "2 data files combined in .coverage\n" and not measured.files()
    assert report(measured) == said
    report(measured, "--annotate", "after")
    before, after = ((measured.folder / name / "shapes/kernels.py,cover").read_text() for name in ("before", "after"))
    assert re.search(r"^ +17 +3 \?", before, re.M) and re.search(r"^ +17 +4 \?", after, re.M), "what ran since is added"
    assert measured.run("-m", "quadrants.coverage", "combine", "nowhere", status=1)


def test_a_comment_is_not_too_long():
    from quadrants._coverage import report as tool

    def file(name, lines):
        numbers = set(range(1, lines + 1))
        return tool.File(name, ["x = 1  # ." + "." * 50] * lines, numbers, numbers, {}, (0, 0), {}, set())

    files = [file("small.py", 10), file("huge.py", 2000), file("other.py", 10)]
    said = tool.as_markdown(files, tool.totals(files, None), None)
    assert len(said) < tool.LONGEST_COMMENT and said.count("```python") == 2
    assert said.endswith("\nListings of 1 more file would make this too long.\n")


def test_ways_of_branches_that_led_nowhere_else():
    from quadrants._coverage.report import File, shown

    f = File("a.py", [], {*range(1, 10)}, {3, 4, 5, 9}, {2: [3], 6: [8, -1], 7: [-1]}, (1, 5), {}, set())
    assert f.gaps() == ["3-5", "6->8", "6->exit", "7->exit", "9"] and f.gaps({4, 6}) == ["4", "6->8", "6->exit"]
    assert (shown(89.96), shown(100.0), shown(72.3), shown(0.0)) == ("89.9%", "100.0%", "72.3%", "0.0%")


def test_new_files_and_names_with_blanks(project):
    """All lines of an untracked file are new."""

    def git(*command):
        whole = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *command]
        subprocess.run(whole, cwd=project.folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    project.write("part one/old.py", "a = 1\n")
    git("add", "part one")
    git("commit", "-q", "-m", "before")
    project.write("part one/old.py", "a = 1\nif a > 1:\n    a = 2\n")
    project.write("part one/fresh é.py", "b = 1\nif b > 1:\n    b = 2\n")
    project.write("program.py", "import runpy\nrunpy.run_path('part one/old.py')\nrunpy.run_path('part one/fresh é.py')\n")
    project.run("-m", "coverage", "run", "--include=part one/*", "program.py")
    said = report(project, "--diff", "main")
    assert "of what is new: 60.0% (3 of 5 lines)" in said
    assert "  part one/fresh é.py: never ran 3\n  part one/old.py: never ran 3\n" in said


def test_counts_of_other_machines(project):
    """The names of their files are mapped, and their counts are added to those of this machine."""
    settings = "[run]\nbranch = True\n[paths]\nsource =\n    shapes\n    */elsewhere/shapes\n"
    project.write(".coveragerc", settings)
    project.program(PROGRAM)
    there = project.folder / "elsewhere"
    there.mkdir()
    (there / ".coveragerc").write_text(settings)
    (project.folder / "shapes").rename(there / "shapes")
    project.write("elsewhere/program.py", PROGRAM)
    project.run("program.py", folder=there, QD_KERNEL_COVERAGE="1", PYTHONPATH=str(there))
    (there / "shapes").rename(project.folder / "shapes")
    report(project, "--annotate", "listing", ".", "elsewhere")
    text = (project.folder / "listing/shapes/kernels.py,cover").read_text()
    assert re.search(r"^ +17 +4 \? +if x\[i\] >= 0:", text, re.M)


def test_annotated_source(measured):
    report(measured, "--annotate", "listing")
    text = (measured.folder / "listing/shapes/kernels.py,cover").read_text()
    assert re.search(r"^ +18 +3 > +x\[i\] = clipped", text, re.M) and re.search(r"^ +20 +! +x\[i\] = 0", text, re.M)


def test_html(measured):
    report(measured, "--html", "out/report.html", "--diff", "main~1")
    text = (measured.folder / "out/report.html").read_text()
    assert re.search(r'<tr id="f\d-20" class="missing new"><td>20</td><td>never</td>', text)
    assert re.search(r'<tr id="f\d-17" class="partial" style="--level:0\.\d\d"><td>17</td><td>3</td>', text)
    assert re.search(r'<a class="mark" href="#f\d-20">never goes to 20', text)
    assert re.search(r'<a class="gap" href="#f\d-20">20-21</a>', text) and "<tr><td>total</td><td>19</td>" in text


def test_data_of_another_text_are_refused(project):
    project.program(PROGRAM)
    (name,) = project.files()
    text = project.kernels.read_text()
    project.kernels.write_text("# one\n# two\n# three\n" + text)
    said = report(project, "--annotate", "listing", status=1)
    assert f"shapes/kernels.py has changed since {name} was written" in said and "No data to report" in said
    listing = project.folder / "listing/shapes/kernels.py,cover"
    assert not listing.exists()
    project.program(PROGRAM)
    said = report(project, "--annotate", "listing")
    assert re.search(r"^ +21 +2 > +x\[i\] = clipped", listing.read_text(), re.M), "those of the text as it is count alone"
    project.kernels.write_text(text)
    assert f"changed since {name}" not in report(project)


@pytest.mark.parametrize("how", ["cut", "filled", "empty"])
def test_a_damaged_file_is_skipped_with_a_message(project, how):
    project.program(PROGRAM)
    project.program(PROGRAM)
    first, second = project.files()
    path = project.folder / first
    content = path.read_bytes()
    path.write_bytes({"cut": content[:3000], "filled": content[:100] + b"\xa5" * (len(content) - 100), "empty": b""}[how])
    said = report(project)
    assert f"quadrants-coverage: {first} is damaged, and left out" in said and "Traceback" not in said
    assert re.search(r"^shapes/kernels.py .*20-21", said, re.M)
    (project.folder / second).unlink()
    said = report(project, status=1)
    assert "no data: run the tests" in said and "Traceback" not in said


def test_names_do_not_become_markup():
    from quadrants._coverage import report as tool

    names = ["<img src=x onerror=alert(1)>.py", "a|b.py", "tick`s``.py", "two\nlines.py", "`a`"]
    files = [tool.File(name, ["x = 1"], {1}, {1}, {}, (0, 0), {}, set()) for name in names]
    said = tool.as_markdown(files, tool.totals(files, None), None)
    rows = [line for line in said.splitlines() if line.startswith("| ⚠️")]
    assert [row.split(" | ")[1] for row in rows] == [
        "`<img src=x onerror=alert(1)>.py`", "`a\\|b.py`", "```tick`s``.py```", "`two?lines.py`", "`` `a` ``"]
    assert all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert "<summary><code>&lt;img src=x onerror=alert(1)&gt;.py</code></summary>" in said
    assert "<img" not in re.sub("`<img[^`]*`", "", said)


def test_annotated_sources_stay_in_their_folder(tmp_path, monkeypatch):
    import argparse

    from quadrants._coverage import command, report as tool

    names = ["a/../../../out.py", "../out.py", "/out.py", "..//../x/./out.py", "x/out.py"]
    files = [tool.File(name, [f"x = {n}"], {1}, set(), {}, (0, 0), {}, set()) for n, name in enumerate(names)]
    monkeypatch.chdir(tmp_path)
    command._write_forms(argparse.Namespace(annotate="in/listing", markdown=None, html=None), files, None, None)
    written = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*,cover"))
    assert written == sorted(f"in/listing/{name},cover" for name in
                             ["out.py", "2-out.py", "3-out.py", "x/out.py", "x/2-out.py"])


def test_data_where_the_configuration_says(project):
    project.write(".coveragerc", "[run]\nbranch = True\nsource = shapes\ndata_file = data/measured\n")
    (project.folder / "data").mkdir()
    project.write("program.py", PROGRAM)
    project.run("-m", "coverage", "run", "program.py", QD_KERNEL_COVERAGE="1")
    project.run("-m", "coverage", "run", "-p", "program.py", QD_KERNEL_COVERAGE="1")
    assert len(list((project.folder / "data").iterdir())) == 2
    assert re.search(r"^shapes/kernels.py .* 20-21$", report(project), re.M), "host lines are there too"


def test_errors(project):
    assert "no data: run the tests" in report(project, status=1)
    project.program(PROGRAM)
    assert "quadrants-coverage: git" in report(project, "--diff", "nowhere", status=1)
