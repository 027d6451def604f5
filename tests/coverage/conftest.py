import os
import sys

import pytest
import sample_project  # first: it sets a variable that the package reads

import ci_project
from quadrants._coverage import command


@pytest.fixture
def project(tmp_path, request):
    return sample_project.Project(tmp_path, getattr(request, "param", "interp"))


@pytest.fixture(scope="session", autouse=True)
def coverage_files_elsewhere(tmp_path_factory):
    """Tests that switch kernel coverage on leave no files here."""
    yield
    files = sys.modules.get("quadrants._coverage.files")
    if files is not None and not os.environ.get("QD_KERNEL_COVERAGE"):
        files._folder = str(tmp_path_factory.mktemp("coverage"))


@pytest.fixture
def outside_of_ci(monkeypatch):
    """These tests run in CI too, where its variables are set."""
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "CI_", "COVERAGE_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def repository(tmp_path, monkeypatch, outside_of_ci):
    folder = ci_project.project(tmp_path / "work")
    monkeypatch.chdir(folder)
    ci_project.measure(folder)
    return folder


@pytest.fixture
def run(monkeypatch, capfd, outside_of_ci):
    """Runs the command in a step, and returns (status, output, messages)."""

    def run_in(actions, *arguments):
        for name, value in (actions.variables if actions else {}).items():
            monkeypatch.setenv(name, value)
        capfd.readouterr()
        status = command.main(list(arguments))
        return status, *capfd.readouterr()

    return run_in
