"""The commands of the page about installing, and of README.md, which shows the same ones."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/install.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = 'pip install "$(ls -t dist/xeus_quadrants-*.whl | head -n 1)[notebook]"'


def test_the_command_installs_a_wheel_from_its_file(tmp_path):
    """Two wheels are there; the command takes the newer one."""
    (tmp_path / "dist").mkdir()
    for number, version in enumerate(("0.1.1", "0.1.0")):
        info = f"xeus_quadrants-{version}.dist-info"
        with zipfile.ZipFile(tmp_path / f"dist/xeus_quadrants-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: xeus-quadrants\nVersion: {version}\nProvides-Extra: notebook\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", f"{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
        subprocess.run(["touch", "-d", f"2026-01-0{number + 1}", wheel.filename], check=True)
    assert COMMAND in PAGE and COMMAND in README
    command = COMMAND.replace("pip install", f"{sys.executable} -m pip install --disable-pip-version-check --no-deps --no-index --target there")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["xeus_quadrants-0.1.0.dist-info"]


def test_no_page_installs_from_an_index():
    """Nothing is published, so no page may contain a command that fetches a package of this name."""
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for block in re.findall(r"^```.*?^```", path.read_text(encoding="utf-8"), re.M | re.S):
            for line in re.findall(r"pip3? install.*quadrants.*", block):
                assert "dist/xeus_quadrants-" in line or "xeus-quadrants[test] @ " in line, f"{path}: {line}"



def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    stated = {}
    exec((ROOT / "quadrants_core/python/quadrants/_version.py").read_text(), stated)
    assert cited["version"] == stated["version_str"] and cited["license"] == "Apache-2.0" and cited["authors"]
