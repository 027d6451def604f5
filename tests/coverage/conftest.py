import os
import sys

import pytest
import sample_project


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
