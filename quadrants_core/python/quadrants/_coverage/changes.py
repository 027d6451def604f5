"""Lines that are new since a git revision, for coverage reports."""

import contextlib
import os
import re
import subprocess

from quadrants._coverage.data import SOURCES_OF_CELLS


class ReportError(Exception):
    pass


def git(*command):
    try:
        done = subprocess.run(["git", *command], capture_output=True, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise ReportError(f"git cannot be started ({error.strerror}): install it, or report without the lines that are new") from None
    if done.returncode:
        raise ReportError(f"git {' '.join(command)}: {done.stderr.strip() or 'found nothing'}")
    return done.stdout


def root():
    """Returns the root of the repository, the working directory outside git."""
    try:
        return os.path.realpath(git("rev-parse", "--show-toplevel").strip())
    except ReportError:
        return os.path.realpath(os.getcwd())


def below(top, name):
    """Returns the path relative to a folder, with slashes; None for files elsewhere and for sources that are not in a file."""
    parts = os.path.relpath(os.path.realpath(name), top).split(os.sep)
    return None if parts[0] == os.pardir or SOURCES_OF_CELLS in parts else "/".join(parts)


def merge_base(base):
    """Returns the commit from which HEAD and the revision diverged."""
    try:
        return git("merge-base", base, "HEAD").strip()
    except ReportError as error:
        if git("rev-parse", "--is-shallow-repository").strip() != "true":
            raise
        deepen = "fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab, or git fetch --unshallow"
        raise ReportError(f"{base} and HEAD have no common commit in this shallow clone, so fetch the whole history: {deepen}") from error


def since(base):
    """Returns absolute file -> lines that are in the working tree and not in the revision."""
    top = git("rev-parse", "--show-toplevel").strip()
    start = merge_base(base)
    changed, here = {}, None
    for name in git("-C", top, "ls-files", "--others", "--exclude-standard", "-z").split("\0"):
        if name.endswith(".py") and SOURCES_OF_CELLS not in name.split("/"):
            with contextlib.suppress(OSError), open(os.path.join(top, name), "rb") as file:
                changed[os.path.realpath(file.name)] = set(range(1, 1 + len(file.read().splitlines())))
    plain = ("--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/")
    for line in git("-C", top, "-c", "core.quotePath=false", "diff", *plain, start).splitlines():
        if line.startswith("+++ "):
            name = line[4:].rstrip("\t").strip('"')
            path = os.path.realpath(os.path.join(top, name[2:]))
            here = changed.setdefault(path, set()) if name.startswith("b/") else None
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and here is not None:
            first, count = int(hunk[1]), int(hunk[2] if hunk[2] is not None else 1)
            here.update(range(first, first + count))
    return changed


def commit():
    """Returns the revision of the working tree, marked if it has been edited; "" outside git."""
    try:
        return git("describe", "--always", "--dirty", "--exclude=*").strip().replace("-dirty", ", edited since")
    except ReportError:
        return ""
