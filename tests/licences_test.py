"""The licences in the package are those of the code that its binaries contain: libraries that are linked, and headers of libraries."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "licenses").glob("*.txt")}

BINARIES = {
    "libquadrants_core.so": "quadrants/_lib/libquadrants_core.so", "libquadrants_llvm.so": "quadrants/_lib/libquadrants_llvm.so",
    "quadrants_linalg.so": "quadrants/_lib/quadrants_linalg.so", "qd-inspector": "quadrants/_lib/qd-inspector", "xquadrants": "kernel/xquadrants",
}  # fmt: skip

# A header, a static library or a needed shared library -> the file in licenses/.
CODE = {
    r"/pybind11(_json)?/": "pybind11", r"/eigen3/": "Eigen", r"/nlohmann/": "nlohmann-json", r"/imgui|libimgui\.a": "imgui",
    r"/llvm-|/llvm-c-|libLLVM\w+\.a": "LLVM", r"/xeus(-python)?/|/xtl/": "xeus", r"/zmq(_addon)?\.hpp": "cppzmq",
    r"libstb\.": "stb", r"libglfw\.|/GLFW/": "GLFW", r"libzstd\.": "zstd",
}  # fmt: skip

# Interfaces of the system: their code stays in libraries that no wheel contains.
SYSTEM = re.compile(
    r"/usr/include/(c\+\+|x86_64-linux-gnu|linux|asm\S*|python3[\d.]*|openssl|GL|KHR)/|/usr/include/[a-z0-9_-]+\.h$|/usr/lib/gcc|zmq\.h$|"
    r"lib(stdc\+\+|m|gcc_s|c|z|crypto|zmq|uuid|python3[\d.]+|xeus|xeus-python)\.(so|a)|ld-linux"
)


def listed():
    """Returns the binary -> the names of licences, as NOTICE lists them."""
    found = {name: set() for name in BINARIES}
    for name, binaries in re.findall(r"licenses/([\w-]+)\.txt +(.+)", (ROOT / "NOTICE").read_text(encoding="utf-8")):
        for binary in re.findall(r"[\w-]+(?:\.so)?", binaries):
            if binary in found:
                found[binary].add(name)
    return found


def code_of(target):
    """Returns the licences of the code in a binary, and those of the shared libraries that auditwheel would add to a wheel for it."""
    ninja = lambda *words: subprocess.run(["ninja", "-C", BUILD, "-t", *words], check=True, capture_output=True, text=True).stdout  # noqa: E731
    inputs = [line.strip() for line in ninja("inputs", target).splitlines()]
    headers = {line.strip() for line in ninja("deps", *(name for name in inputs if name.endswith(".o"))).splitlines() if line.startswith("    /")}
    static = {name for name in inputs if name.startswith("/") and name.endswith(".a")}
    needed = re.findall(r"NEEDED.*\[(.+)\]", subprocess.run(["readelf", "-d", BUILD / target], check=True, capture_output=True, text=True).stdout)
    licence = lambda name: next((found for pattern, found in CODE.items() if re.search(pattern, name)), None)  # noqa: E731
    foreign = {name for name in headers | static if not name.startswith((f"{ROOT}/", f"{BUILD}/"))}
    unknown = sorted(name for name in foreign | {*needed} if licence(name) is None and not SYSTEM.search(name))
    assert not unknown, f"{target} contains code of unknown licence: add it to licenses/, NOTICE and this table: {unknown[:5]}"
    return {licence(name) for name in foreign} - {None}, {licence(name) for name in needed} - {None}


@pytest.mark.parametrize("binary", BINARIES)
def test_notice_lists_the_code_of_each_binary(binary):
    if not (BUILD / BINARIES[binary]).exists():
        pytest.skip("not part of this build")
    contained, grafted = code_of(BINARIES[binary])
    assert contained - {"GLFW"} <= listed()[binary], "NOTICE lists it"  # headers of GLFW are declarations
    assert listed()[binary] <= contained | grafted, "the binary contains what NOTICE lists"
    assert grafted <= TEXTS.keys()


def test_texts():
    expression = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
    stated = {name for text in TEXTS.values() for name in re.search(r"^SPDX-License-Identifier: (.+)$", text, re.M)[1].split(" AND ")}
    assert sorted({*expression.split(" AND ")} - {"Apache-2.0"}) == sorted(stated)
    notice = (ROOT / "NOTICE").read_text()
    assert {*re.findall(r"licenses/([\w-]+)\.txt", notice)} == TEXTS.keys()
    for name, text in TEXTS.items():
        assert re.search(r"^Source: https://", text, re.M) and re.search(r"copyright \(c\)", text, re.I), name
        assert len(text) > 1000, name
    licence = (ROOT / "LICENSE").read_text()
    assert "Copyright 2026 The Quadrants maintainers" in licence and "[yyyy]" not in licence and notice.splitlines()[1].startswith("Copyright")


def test_distributions_contain_them(tmp_path):
    """The metadata of the wheel, which scikit-build-core makes without building."""
    make = f"from scikit_build_core.build import prepare_metadata_for_build_wheel as make; make({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", make], cwd=ROOT, check=True, capture_output=True)
    (info,) = tmp_path.glob("*.dist-info")
    stated = set(re.findall(r"^License-File: (.+)$", (info / "METADATA").read_text(), re.M))
    assert stated == {"LICENSE", "NOTICE", *(f"licenses/{name}.txt" for name in TEXTS)}
    assert all((info / "licenses" / name).is_file() for name in stated)
