"""Registers what `cmake --install` has installed as pip would: writes the metadata of pyproject.toml, the commands, and the list of files.

    register.py PREFIX PACKAGES VERSION FILES

PACKAGES is the folder of Python packages below PREFIX; FILES is a text with the paths of the installed files, separated by semicolons.
"""

import os
import shutil
import sys
import tomllib
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]

COMMAND = """#!{python}
from {module} import {function}

raise SystemExit({function}())
"""


def metadata(project, version, licences):
    """Returns the core metadata of a [project] table."""
    fields = [
        ("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", version), ("Summary", project["description"]),
        ("Keywords", ",".join(project["keywords"])), *(("Author", author["name"]) for author in project["authors"]),
        ("License-Expression", project["license"]), *(("License-File", name) for name in licences),
        *(("Classifier", name) for name in project["classifiers"]), ("Requires-Python", project["requires-python"]),
        *(("Requires-Dist", needed) for needed in project["dependencies"]),
    ]  # fmt: skip
    for extra, wanted in project["optional-dependencies"].items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f"{needed}; extra == '{extra}'") for needed in wanted]
    return "".join(f"{name}: {value}\n" for name, value in fields)


def entry_points(project):
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    parts = ("\n".join([f"[{group}]", *(f"{name} = {found}" for name, found in names.items())]) for group, names in groups.items())
    return "\n\n".join(parts) + "\n"


def remove_older(packages):
    """Removes the metadata that an earlier installation by CMake has written, under whatever name."""
    for pattern in ("quadrants-*.dist-info", "xeus_quadrants-*.dist-info"):
        for info in packages.glob(pattern):
            installer = info / "INSTALLER"
            if installer.is_file() and installer.read_text().strip() == "cmake":
                shutil.rmtree(info)


def main(prefix, folder, version, listed):
    root = os.environ.get("DESTDIR", "")
    prefix_here, packages = Path(root + prefix), Path(root + prefix) / folder
    with open(SOURCE / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    remove_older(packages)
    info = packages / f"{project['name'].replace('-', '_')}-{version}.dist-info"
    licences = sorted(str(path.relative_to(SOURCE)) for pattern in project["license-files"] for path in SOURCE.glob(pattern))
    written = {
        "METADATA": metadata(project, version, licences), "INSTALLER": "cmake\n", "entry_points.txt": entry_points(project),
        **{f"licenses/{name}": (SOURCE / name).read_text(encoding="utf-8") for name in licences},
    }  # fmt: skip
    files = [Path(root + name) for name in Path(listed).read_text().split(";") if name]
    for name, text in written.items():
        (info / name).parent.mkdir(parents=True, exist_ok=True)
        (info / name).write_text(text, encoding="utf-8")
        files.append(info / name)
    for name, found in project["scripts"].items():
        module, _, function = found.partition(":")
        path = prefix_here / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(COMMAND.format(python=f"{prefix}/bin/python3", module=module, function=function))
        path.chmod(0o755)
        files.append(path)
    files.append(info / "RECORD")
    record = sorted({os.path.relpath(path, packages) for path in files})
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in record), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
