"""python -m quadrants.coverage report: host and kernel coverage of all processes together, as a terminal summary, annotated
source, Markdown for a pull request, HTML with heat. Lines, branches and exclusions are those of coverage.py; how often a line
ran is what the files of the kernels add."""

import argparse
import contextlib
import dataclasses
import glob
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

LOW = 80  # percent: files below it get a mark


class ReportError(Exception):
    pass


@dataclasses.dataclass
class File:
    name: str  # relative to the working folder where it is inside of it
    text: list  # lines of the source
    statements: set
    missing: set
    partial: dict  # line -> lines that it never went to; negative: leaves the function
    branches: tuple  # (taken, all)
    counts: dict  # line -> how often it ran, where kernels counted it
    changed: set  # lines that are new since the base revision

    def percent(self, branches=True):
        taken, ways = self.branches if branches else (0, 0)
        return _percent(len(self.statements) - len(self.missing) + taken, len(self.statements) + ways)

    @property
    def new(self):
        return self.statements & self.changed

    @property
    def diff_percent(self):
        return _percent(len(self.new - self.missing), len(self.new))

    def state(self, line):
        """"ran", "partial", "missing", or "" for a line without a statement."""
        if line in self.missing:
            return "missing"
        if line in self.partial:
            return "partial"
        return "ran" if line in self.statements else ""

    def marks(self, line):
        """In words where a line that ran never went."""
        ends = self.partial.get(line, ())
        return ", ".join("never leaves the function" if end < 0 else f"never goes to {end}" for end in ends)


def _percent(part, whole):
    return 100.0 if whole == 0 else 100.0 * part / whole


def ranges(lines):
    """{3, 4, 5, 9} -> "3-5, 9" """
    found = []
    for line in sorted(lines):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


# --- data ------------------------------------------------------------------------------------------------------------


def _data_files(paths):
    if not paths:
        paths = sorted(glob.glob("_qd_kcov.*")) + sorted(glob.glob(".coverage*"))
    found = []
    for path in paths:
        if os.path.isdir(path):
            found += sorted(glob.glob(os.path.join(path, "_qd_kcov.*")) + glob.glob(os.path.join(path, ".coverage*")))
        else:
            found.append(path)
    found = [path for path in found if _is_data(path)]
    if not found:
        raise ReportError("no data: run the tests with pytest --cov or with QD_KERNEL_COVERAGE=1 first")
    return found


def _is_data(path):
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read(15) == b"SQLite format 3"
    return False


def _counts_in(path):
    """file -> line -> count, as the kernels of one process left it."""
    counts = {}
    with contextlib.closing(sqlite3.connect(path)) as database, contextlib.suppress(sqlite3.OperationalError):
        for file, line, count in database.execute("select path, line, count from qd_counts"):
            here = counts.setdefault(file, {})
            here[line] = here.get(line, 0) + int(count)
    return counts


def _changes(base):
    """Absolute file -> lines that the working tree has and the revision has not."""

    def git(*command):
        done = subprocess.run(["git", *command], capture_output=True, text=True)
        if done.returncode:
            raise ReportError(f"git {' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    top = git("rev-parse", "--show-toplevel").strip()
    start = git("merge-base", base, "HEAD").strip()
    changed, here = {}, None
    plain = ("--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/")
    for line in git("-C", top, "diff", *plain, start).splitlines():
        if line.startswith("+++ "):
            name = line[4:].strip('"')
            path = os.path.realpath(os.path.join(top, name[2:]))
            here = changed.setdefault(path, set()) if name.startswith("b/") else None
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and here is not None:
            first, count = int(hunk[1]), int(hunk[2] if hunk[2] is not None else 1)
            here.update(range(first, first + count))
    return changed


def gather(paths, base=None, include=None, omit=None):
    """All files, by name."""
    import coverage
    from coverage.exceptions import CoverageException

    sources = _data_files(paths)
    counts = {}
    for path in sources:
        for file, lines in _counts_in(path).items():
            here = counts.setdefault(os.path.realpath(file), {})
            for line, count in lines.items():
                here[line] = here.get(line, 0) + count
    changed = _changes(base) if base else {}
    files = []
    with tempfile.TemporaryDirectory() as folder:
        measured = coverage.Coverage(data_file=os.path.join(folder, "data"), messages=False)
        if include:
            measured.set_option("report:include", include)
        if omit:
            measured.set_option("report:omit", omit)
        try:
            measured.combine(sources, keep=True, strict=True)
            out = os.path.join(folder, "report.json")
            measured.json_report(outfile=out, ignore_errors=True)
        except CoverageException as error:
            raise ReportError(str(error)) from None
        import json

        with open(out, encoding="utf-8") as file:
            report = json.load(file)
        for name, found in report["files"].items():
            files.append(_file(name, found, counts, changed))
    return sorted(files, key=lambda file: file.name)


def _file(name, found, counts, changed):
    path = os.path.realpath(name)
    with contextlib.suppress(OSError):
        with open(path, encoding="utf-8", errors="replace") as source:
            text = source.read().splitlines()
            return _described(name, path, text, found, counts, changed)
    return _described(name, path, [], found, counts, changed)


def _described(name, path, text, found, counts, changed):
    partial = {}
    for start, end in found.get("missing_branches", ()):
        if start not in found["missing_lines"]:
            partial.setdefault(start, []).append(end)
    summary = found["summary"]
    return File(
        name=name,
        text=text,
        statements={*found["executed_lines"], *found["missing_lines"]},
        missing=set(found["missing_lines"]),
        partial=partial,
        branches=(summary.get("covered_branches", 0), summary.get("num_branches", 0)),
        counts=counts.get(path, {}),
        changed=changed.get(path, set()),
    )


@dataclasses.dataclass
class Totals:
    overall: float
    diff: float | None  # None: no base revision was asked for
    new: int  # statements that are new
    new_ran: int


def totals(files, base):
    statements = sum(len(f.statements) + f.branches[1] for f in files)
    ran = sum(len(f.statements) - len(f.missing) + f.branches[0] for f in files)
    new = sum(len(f.new) for f in files)
    new_ran = sum(len(f.new - f.missing) for f in files)
    return Totals(_percent(ran, statements), _percent(new_ran, new) if base else None, new, new_ran)


# --- forms -----------------------------------------------------------------------------------------------------------


def as_text(files, total):
    width = max([len("file"), *(len(f.name) for f in files)])
    diff = "   diff" if total.diff is not None else ""
    out = [f"{'file':<{width}}  lines  missing  branches  cover{diff}  missing lines"]
    for f in files:
        taken, ways = f.branches
        new = "" if total.diff is None else f"{f.diff_percent:6.1f}%" if f.new else "      -"
        numbers = f"{len(f.statements):5}  {len(f.missing):7}  {f'{taken}/{ways}':>8}  {f.percent():5.1f}%{new}"
        out.append(f"{f.name:<{width}}  {numbers}  {ranges(f.missing)}".rstrip())
    last = f"total: {total.overall:.1f}%"
    if total.diff is not None:
        last += f", of what is new: {total.diff:.1f}% ({total.new_ran} of {total.new} lines)"
    return "\n".join([*out, last]) + "\n"


_signs = {"ran": ">", "partial": "?", "missing": "!", "": " "}


def annotated(f):
    """The source with what became of each line: > ran, ? some branch was never taken, ! never ran."""
    width = max([5, *(len(f"{count:,}") for count in f.counts.values())])
    out = []
    for number, text in enumerate(f.text, 1):
        count = f"{f.counts[number]:,}" if number in f.counts else ""
        marks = f"  # {f.marks(number)}" if number in f.partial else ""
        out.append(f"{number:5} {count:>{width}} {_signs[f.state(number)]} {text}{marks}".rstrip())
    return "\n".join(out) + "\n"


def as_markdown(files, total, base, low=LOW):
    out = ["## Coverage", ""]
    if total.diff is not None:
        out += [f"**{total.diff:.1f}%** of what is new since `{base}` ran ({total.new_ran} of {total.new} lines).", ""]
    out += [f"Overall: **{total.overall:.1f}%**.", ""]
    new_column = total.diff is not None
    out.append("| | file |" + (" new |" if new_column else "") + " overall | never ran |")
    out.append("| - | :- |" + (" -: |" if new_column else "") + " -: | :- |")
    shown = [f for f in files if not new_column or f.new] or files
    for f in shown:
        percent = f.diff_percent if new_column and f.new else f.percent()
        mark = "⚠️" if percent < low else "✅"
        new = f" {f'{f.diff_percent:.1f}%' if f.new else '-'} |" if new_column else ""
        missing = f.missing & f.changed if new_column and f.new else f.missing
        out.append(f"| {mark} | `{f.name}` |{new} {f.percent():.1f}% | {ranges(missing)} |")
    for f in shown:
        if f.text and (f.missing or f.partial):
            listing = annotated(f).rstrip("\n")
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", listing)), default=0))
            out += ["", f"<details><summary><code>{f.name}</code></summary>", "", f"{fence}python", listing, fence, ""]
            out.append("</details>")
    return "\n".join(out) + "\n"


_options = {
    "--diff": ("BASE", "also what is new since this revision"),
    "--annotate": ("FOLDER", "write annotated sources"),
    "--markdown": ("FILE", "write Markdown; - is the terminal"),
    "--html": ("FILE", "write one HTML page"),
}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="quadrants-coverage", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="combine host and kernel data and report them", description=__doc__)
    report.add_argument("data", nargs="*", help="data files, folders; without: _qd_kcov.* and .coverage* of this folder")
    for name, (value, text) in _options.items():
        report.add_argument(name, metavar=value, help=text)
    status = "status 2 if less of what is new (without --diff: of everything) ran"
    report.add_argument("--fail-under", type=float, metavar="PERCENT", help=status)
    for name in ("--include", "--omit"):
        report.add_argument(name, action="append", metavar="PATTERN")
    options = parser.parse_args(arguments)
    try:
        files = gather(options.data, options.diff, options.include, options.omit)
    except ReportError as error:
        print(f"quadrants-coverage: {error}", file=sys.stderr)
        return 1
    total = totals(files, options.diff)
    if options.markdown != "-":
        sys.stdout.write(as_text(files, total))
    _write_forms(options, files, total)
    reached = total.overall if total.diff is None else total.diff
    if options.fail_under is not None and reached < options.fail_under:
        print(f"quadrants-coverage: {reached:.1f}% is less than {options.fail_under:g}%", file=sys.stderr)
        return 2
    return 0


def _write_forms(options, files, total):
    if options.annotate:
        for f in files:
            name = re.sub(r"^(\.\./|/)+", "", f.name) + ",cover"
            _write(os.path.join(options.annotate, name), annotated(f))
    if options.markdown:
        text = as_markdown(files, total, options.diff)
        if options.markdown == "-":
            sys.stdout.write(text)
        else:
            _write(options.markdown, text)
    if options.html:
        from quadrants import _coverage_html

        _write(options.html, _coverage_html.page(files, total, options.diff))


def _write(path, text):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
