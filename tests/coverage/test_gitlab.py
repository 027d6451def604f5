"""quadrants-coverage report --gitlab, and Cobertura XML."""

import json
import re
import xml.dom.minidom
from pathlib import Path

import ci_project
import pytest
import yaml
from ci_project import ARCS, COUNTS, NAME, NEW, git

# coverage-04.dtd of Cobertura: element -> (the elements inside, as a pattern; required attributes)
RATES = {"line-rate", "branch-rate", "complexity"}
DTD = {
    "coverage": ("(sources )?packages ", {*RATES, "lines-covered", "lines-valid", "branches-covered", "branches-valid", "version", "timestamp"}),
    "sources": ("(source )*", set()),
    "source": ("", set()),
    "packages": ("(package )*", set()),
    "package": ("classes ", {*RATES, "name"}),
    "classes": ("(class )*", set()),
    "class": ("methods lines ", {*RATES, "name", "filename"}),
    "methods": ("(method )*", set()),
    "lines": ("(line )*", set()),
    "line": ("(conditions )*", {"number", "hits"}),
}


def check_dtd(element):
    inside, required = DTD[element.tagName]
    children = [child for child in element.childNodes if child.nodeType == child.ELEMENT_NODE]
    assert re.fullmatch(inside, "".join(f"{child.tagName} " for child in children)), element.tagName
    assert required <= set(element.attributes.keys()), element.tagName
    for child in children:
        check_dtd(child)


def lines_of(path):
    """Returns file name -> line -> hits, after checking the form of the file."""
    document = xml.dom.minidom.parse(str(path))
    check_dtd(document.documentElement)
    return {one.getAttribute("filename"): {int(line.getAttribute("number")): int(line.getAttribute("hits"))
            for line in one.getElementsByTagName("line")} for one in document.getElementsByTagName("class")}  # fmt: skip


@pytest.mark.parametrize("settings", ["", "source = shapes\n", "relative_files = True\n", "source =\n    shapes\n    .\n"])
def test_cobertura(repository, run, settings):
    """Names are relative to the repository, whatever the configuration of coverage.py; hits are the counts of kernels."""
    ci_project.write(repository, ".coveragerc", f"[run]\nbranch = True\n{settings}")
    assert run(None, "report", "--xml", "out/coverage.xml")[0] == 0
    assert lines_of(repository / "out/coverage.xml") == {NAME: {1: 1, 2: 5, 5: 1, 6: 1000, 7: 1000, 8: 1000, 9: 0, 11: 0, 12: 1000}}
    text = (repository / "out/coverage.xml").read_text()
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>') and f"<sources><source>{repository}</source></sources>" in "".join(text.split("\n"))
    assert 'condition-coverage="50% (1/2)"' in text and 'missing-branches="8"' in text


def test_cobertura_outside_of_git(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    ci_project.write(tmp_path, "part ü/a&b.py", NEW)
    ci_project.write(tmp_path.parent, "elsewhere.py", NEW)
    ci_project.measure(tmp_path, {"part ü/a&b.py": ARCS, tmp_path.parent / "elsewhere.py": ARCS}, {"part ü/a&b.py": COUNTS})
    assert run(None, "report", "--xml", "coverage.xml")[0] == 0
    found = lines_of(tmp_path / "coverage.xml")
    assert found.keys() == {"part ü/a&b.py", str(tmp_path.parent / "elsewhere.py")} and found["part ü/a&b.py"][6] == 1000


def check_code_quality(path):
    """Returns the report after checking the fields that GitLab documents."""
    issues = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(issues, list)
    for one in issues:
        assert one.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert one["location"].keys() == {"path", "lines"} and one["location"]["lines"].keys() == {"begin"}
        assert type(one["location"]["lines"]["begin"]) is int and not one["location"]["path"].startswith(("/", "./", "../"))
        assert one["description"] and one["check_name"]
    assert len({one["fingerprint"] for one in issues}) == len(issues)
    return issues


def test_a_merge_request(repository, run, monkeypatch):
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", git(repository, "rev-parse", "main~1"))
    monkeypatch.setenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
    status, said, messages = run(None, "report", "--gitlab", "--fail-under", "80")
    assert (status, messages) == (2, "quadrants-coverage: 71.4% is less than 80%\n")
    assert "of what is new: 71.4% (5 of 7 lines)" in said
    folder = repository / "coverage-report"
    assert sorted(path.name for path in folder.iterdir()) == ["code-quality.json", "coverage.xml", "report.html"]
    assert lines_of(folder / "coverage.xml")[NAME][9] == 0 and "since main" in (folder / "report.html").read_text()
    found = [(one["check_name"], one["severity"], one["description"], one["location"]) for one in check_code_quality(folder / "code-quality.json")]
    assert found == [
        ("branch-never-taken", "info", "Line 6 never continues to line 8.", {"path": NAME, "lines": {"begin": 6}}),
        ("line-never-ran", "minor", "Lines 9 to 11 never ran.", {"path": NAME, "lines": {"begin": 9}}),
    ]


def test_other_pipelines(repository, run):
    status, said, _ = run(None, "report", "--gitlab", "--output", "there")
    assert status == 0 and "new" not in said and (repository / "there/code-quality.json").exists()


def test_a_shallow_clone(repository, run, tmp_path, monkeypatch):
    """GitLab fetches 20 commits by default."""
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "change", f"file://{repository}", "shallow")
    ci_project.measure(tmp_path / "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", git(repository, "rev-parse", "main~1"))
    status, _, messages = run(None, "report", "--gitlab")
    assert status == 1 and "in this shallow clone, so fetch the whole history:" in messages and "GIT_DEPTH: 0" in messages and messages.count("\n") == 1


def test_fingerprints_move_with_the_lines(repository, run):
    """Otherwise GitLab would report an old gap as a new one. Equal lines have different fingerprints."""

    def fingerprints(text, arcs):
        ci_project.write(repository, NAME, text)
        ci_project.measure(repository, {NAME: arcs}, {NAME: {1: 1}})
        run(None, "report", "--gitlab")
        return [one["fingerprint"] for one in check_code_quality(repository / "coverage-report/code-quality.json")]

    text = "x = 0\nif x:\n    x = 1\nif x:\n    x = 1\n"
    arcs = [(-1, 1), (1, 2), (2, 4), (4, -1)]
    before = fingerprints(text, arcs)
    moved = fingerprints("# one\n# two\n" + text, [(a + 2 if a > 0 else a, b + 2 if b > 0 else b) for a, b in arcs])
    assert len(before) == 2 and before == moved
    assert fingerprints(text.replace("x = 1", "x = 2"), arcs) != before


def test_the_job_of_the_guide(repository, run, monkeypatch):
    """Its artifacts are the files that are written, and its pattern finds the percentage of all lines."""
    page = (Path(__file__).resolve().parents[2] / "docs/guide/ci.md").read_text(encoding="utf-8")
    _, block = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)
    job = yaml.safe_load(block)["test"]
    assert job["variables"] == {"GIT_DEPTH": 0}
    assert "quadrants-coverage report --gitlab --fail-under 80" in job["script"]
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", git(repository, "rev-parse", "main~1"))
    _, said, _ = run(None, *job["script"][-1].split()[1:])
    assert re.findall(job["coverage"].strip("/"), said) == ["69.2"]
    reports = job["artifacts"]["reports"]
    assert reports["coverage_report"]["coverage_format"] == "cobertura"
    for path in (reports["coverage_report"]["path"], reports["codequality"], *job["artifacts"]["paths"]):
        assert (repository / path).exists()
