"""Results of the build: hashes of sources that are part of cache keys, and the source distribution."""

import email
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "quadrants_core"
BUILD = ROOT / os.environ.get("BUILD", "build")

# stamp -> targets built from all the sources that it must cover
STAMPS = {
    "quadrants_core/stamp/codegen_stamp.h": ["quadrants/_lib/libquadrants_llvm.so", "quadrants_core/libqd_engine.a",
                                             "quadrants_core/libqd_cpu.a", "quadrants_core/libqd_interp.a",
                                             "quadrants_core/libqd_passes.a", "quadrants_core/libqd_runtime.a"],
    "quadrants_core/python/bind/stamp/frontend_stamp.h": ["quadrants/_lib/libquadrants_core.so"],
}


def ninja(*arguments):
    return subprocess.run(["ninja", "-C", BUILD, *arguments], check=True, capture_output=True, text=True).stdout


def test_a_fresh_build_folder_is_configured_despite_failing_pythons(tmp_path):
    shims = tmp_path / "shims"
    shims.mkdir()
    for name in ["python", "python2", "python3", *(f"python3.{minor}" for minor in range(6, 16))]:
        (shims / name).write_text(f"#!/bin/sh\necho \"shim: {name}: command not found\" >&2\nexit 127\n")
        (shims / name).chmod(0o755)
    python = subprocess.run(["sed", "-n", "s/^Python_EXECUTABLE:[A-Z]*=//p", BUILD / "CMakeCache.txt"], check=True, capture_output=True, text=True)
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja", f"-DPython_EXECUTABLE={python.stdout.strip()}"],
                          capture_output=True, text=True, env={**os.environ, "PATH": f"{shims}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    if (BUILD / "kernel/xquadrants").exists():
        linked = [line for line in (tmp_path / "build/build.ninja").read_text().splitlines() if "LINK_LIBRARIES" in line and "libxeus-python" in line]
        assert linked and all("libpython" in line for line in linked)  # pybind11::embed links Python's library


# Versions of symbols of Ubuntu 22.04, the oldest system that wheels built on Debian 12 are for.
NEWEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}


@pytest.mark.skipif(os.confstr("CS_GNU_LIBC_VERSION").split()[1] > "2.36", reason="the system links newer versions of symbols")
@pytest.mark.parametrize("binary", ["libquadrants_core.so", "libquadrants_llvm.so", "quadrants_linalg.so", "qd-inspector"])
def test_binaries_load_on_ubuntu_22_04(binary):
    said = subprocess.run(["readelf", "-VW", BUILD / "quadrants/_lib" / binary], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI)_([\d.]+|\w+)", said)
    assert len(needed) > 5
    newer = [f"{library}_{version}" for library, version in needed
             if not version[0].isdigit() or tuple(map(int, version.split("."))) > NEWEST[library]]  # fmt: skip
    assert newer == []


def core_sources(lines):
    paths = {Path(os.path.normpath(BUILD / line.strip())) for line in lines}
    return {p for p in paths if p.is_relative_to(CORE)}


def made_from(targets):
    """Returns the files of the core that these targets are built from: sources, and the headers that the compiler read."""
    inputs = ninja("-t", "inputs", *targets).splitlines()
    objects = [line for line in inputs if line.endswith(".o")]
    read = [line for line in ninja("-t", "deps", *objects).splitlines() if line.startswith(" ")]
    return core_sources(inputs) | core_sources(read)


@pytest.mark.parametrize("stamp, targets", STAMPS.items(), ids=["machine code", "records"])
def test_a_stamp_covers_the_sources_of_the_library(stamp, targets):
    llvm, *stamped = (BUILD / f"{stamp}.sources").read_text().splitlines()
    wanted = made_from(targets)
    assert {CORE / "layout/layout.h", CORE / "ir/ops.def", CORE / "abi/abi.h"} <= wanted
    assert sorted(str(p) for p in wanted - {Path(p) for p in stamped} if p.suffix != ".txt") == []
    built = {}
    exec((BUILD / "quadrants/_lib/_build_info.py").read_text(), built)
    assert llvm.split()[:2] == ["LLVM", built["llvm"]]


def test_a_stamp_differs_with_every_source_and_with_the_compiler(tmp_path):
    first, second = tmp_path / "a file.cpp", tmp_path / "b.cpp"

    def stamp(llvm="LLVM 22.1.0 X86", one="int x;", two="int y;"):
        first.write_text(one)
        second.write_text(two)
        listed = tmp_path / "stamp.sources"
        listed.write_text(f"{llvm}\n{first}\n{second}\n")
        subprocess.run(["cmake", "-DNAME=NAME", f"-DOUT={tmp_path / 'stamp.h'}", f"-DSOURCES={listed}", "-P", CORE / "stamp.cmake"],
                       check=True)
        return (tmp_path / "stamp.h").read_text()

    assert stamp() == stamp()
    different = [stamp(), stamp(llvm="LLVM 22.1.1 X86"), stamp(llvm="LLVM 22.1.0 X86;NVPTX"), stamp(one="int z;"), stamp(two="")]
    assert len(set(different)) == len(different)


def test_the_version_is_in_one_place():
    stated = {}
    exec((CORE / "python/quadrants/_version.py").read_text(), stated)
    assert ".".join(map(str, stated["version"])) == stated["version_str"]
    configured = (BUILD / "CMakeCache.txt").read_text()
    assert f"CMAKE_PROJECT_VERSION:STATIC={stated['version_str']}\n" in configured
    for folder in ("widgets", "labextension"):  # npm requires a version in its files
        assert json.loads((ROOT / folder / "package.json").read_text())["version"] == stated["version_str"]


def test_metadata_of_the_package(tmp_path):
    make = f"from scikit_build_core.build import prepare_metadata_for_build_wheel as make; print(make({str(tmp_path)!r}))"
    made = subprocess.run([sys.executable, "-c", make], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()[-1]
    said = email.message_from_string((tmp_path / made / "METADATA").read_text())
    stated = {}
    exec((CORE / "python/quadrants/_version.py").read_text(), stated)
    assert said["Name"] == "xeus-quadrants"  # PyPI's `quadrants` is another package
    assert said["Version"] == stated["version_str"] and said["Author"]
    assert {*said.get_all("Provides-Extra")} == {"notebook", "coverage", "torch", "test"}
    assert "Typing :: Typed" in said.get_all("Classifier")


def test_the_source_distribution_holds_every_file(tmp_path):
    make = f"import sys; sys.path.insert(0, '.ci'); from build_backend import build_sdist; build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", make], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
        (note,) = (name for name in archive.getnames() if name.endswith("/quadrants_core/commit.txt"))
        stated = archive.extractfile(note).read().decode().strip()
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert len(stated) == 8 and commit.startswith(stated) and not (CORE / "commit.txt").exists()
    kept = set(subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")) - {""}
    kept = {name for name in kept if (ROOT / name).is_file()}
    new = set(subprocess.run(["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout.split("\0")) - {""}
    assert "quadrants_core/ir/builder.h" in kept
    assert sorted(kept - held) == []
    assert sorted(held - kept - new) == ["PKG-INFO", "quadrants_core/commit.txt"]
