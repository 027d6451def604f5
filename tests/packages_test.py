"""The packages of environment.yml (conda-forge) and .ci/apt-packages.txt (Debian) agree."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "environment.yml").read_text(encoding="utf-8")


def debian():
    lines = (ROOT / ".ci/apt-packages.txt").read_text(encoding="utf-8").splitlines()
    return [line.split("#")[0].strip() for line in lines if not line.startswith("#")]


def commented():
    """Returns the name of each conda package -> its comment."""
    rows = [re.fullmatch(r"  - (\S+)(?: [\d=<>.,]+)? +# (.+)", line) for line in TEXT.splitlines() if line.startswith("  - ") and "#" in line]
    assert all(rows)
    return {row[1]: row[2] for row in rows}


def for_debian(comment):
    found = re.fullmatch(r"for (\S+(?:, \S+)*)(?: \(kernel\))?", comment)
    return found[1].split(", ") if found else []


def reasons():
    """Returns the Debian packages that the head leaves out -> the reason."""
    return dict(re.findall(r"^#   ([a-z0-9+.-]+): (.+)$", TEXT, re.M))


def test_each_package_has_a_line_or_a_reason():
    lines = [name for comment in commented().values() for name in for_debian(comment)]
    assert sorted(lines + list(reasons())) == sorted(debian())


def test_form():
    environment = yaml.safe_load(TEXT)
    assert environment.keys() == {"name", "channels", "dependencies"} and environment["channels"] == ["conda-forge", "nodefaults"]
    *packages, pip = environment["dependencies"]
    assert pip == {"pip": ["-r .ci/requirements.txt"]}
    names = [re.match(r"[a-z0-9_.-]+", package)[0] for package in packages]
    assert names == list(commented()) and len(set(names)) == len(names), "each package has a comment"
    assert all(for_debian(comment) or comment.startswith("in addition: ") for comment in commented().values())
    gpu = {"cuda-toolkit", "libvulkan-loader", "libvulkan-headers", "vulkan-tools"}
    assert gpu | {"imgui", "glfw", "xeus", "xeus-python"} <= set(names)


def test_versions_agree():
    """The major version of LLVM, and the versions that CMake asks for."""
    for name, comment in commented().items():
        for package in for_debian(comment):
            if wanted := re.search(r"(?:lld|llvm)-(\d+)", package):
                assert f"  - {name} ={wanted[1]} " in TEXT
    asked = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "CMakeLists.txt", ROOT / "kernel/CMakeLists.txt"))
    for name in ("xeus", "xeus-python"):
        version = re.search(rf"find_package\({name} ([\d.]+) REQUIRED", asked)[1]
        mine = re.search(rf"^  - {name} =(\S+)", TEXT, re.M)[1]
        assert version.startswith(mine)
