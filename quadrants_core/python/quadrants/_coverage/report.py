"""Coverage reports: the data of coverage.py and of kernels combined, as text, annotated source, Markdown and HTML."""

import contextlib
import dataclasses
import glob
import json
import os
import re
import shutil
import sys
import tempfile
import unicodedata
import warnings
from html import escape

from quadrants._coverage import changes as _changes, cobertura as _cobertura, data as _coverage_data, runs as _coverage_runs
from quadrants._coverage.changes import ReportError
from quadrants._coverage.percent import LOW, percentage, shown

LONGEST_COMMENT = 60000  # characters; hosts of pull requests accept 65,536
AROUND = 3  # lines shown before and after lines that never ran, in Markdown


_no_data = "no data: run the tests with pytest --cov or with QD_KERNEL_COVERAGE=1 first"


@dataclasses.dataclass
class File:
    name: str  # relative to the working directory if inside it
    text: list  # lines of the source
    statements: set
    missing: set
    partial: dict  # line -> lines that it never continued to; negative: leaves the function
    branches: tuple  # (taken, total)
    counts: dict  # line -> count, where kernels counted it
    changed: set  # lines that are new since the base revision

    def percent(self, branches=True):
        taken, ways = self.branches if branches else (0, 0)
        return percentage(len(self.statements) - len(self.missing) + taken, len(self.statements) + ways)

    @property
    def new(self):
        return self.statements & self.changed

    @property
    def diff_percent(self):
        return percentage(len(self.new - self.missing), len(self.new))

    def state(self, line):
        """Returns "ran", "partial", "missing", or "" for a line without a statement."""
        if line in self.missing:
            return "missing"
        if line in self.partial:
            return "partial"
        return "ran" if line in self.statements else ""

    def gaps(self, among=None):
        """Returns what never ran, among all lines or the given ones: "3-5, 9, 22->25, 30->exit". A branch is listed only if its target line
        ran."""
        wanted = (lambda line: True) if among is None else among.__contains__
        found = [(int(part.split("-")[0]), part) for part in ranges(filter(wanted, self.missing)).split(", ") if part]
        for start, ends in self.partial.items():
            found += [(start, f"{start}->{end if end > 0 else 'exit'}") for end in ends if end not in self.missing and wanted(start)]
        return [part for _, part in sorted(found, key=lambda one: one[0])]

    def places(self, among):
        """Returns (first line, last line, what is wrong) of the given lines that never ran, and of their branches that were never taken."""
        found, follows = [], False
        for line in sorted(self.statements):
            if (is_gap := line in self.missing and line in among) and follows:
                found[-1][1] = line
            elif is_gap:
                found.append([line, line])
            follows = is_gap
        places = [(first, last, f"Line {first} never ran." if first == last else f"Lines {first} to {last} never ran.") for first, last in found]
        for line, ends in self.partial.items():
            ends = [end for end in ends if end not in self.missing] if line in among else ()
            places += [(line, line, f"Line {line} never {'leaves the function' if end < 0 else f'continues to line {end}'}.") for end in ends]
        return sorted(places)

    def marks(self, line):
        """Describes which lines a line that ran never continued to."""
        ends = self.partial.get(line, ())
        return ", ".join("never leaves the function" if end < 0 else f"never goes to {end}" for end in ends)


def ranges(lines):
    """Formats {3, 4, 5, 9} as "3-5, 9"."""
    found = []
    for line in sorted(lines):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


# --- data ------------------------------------------------------------------------------------------------------------


def _data_files(paths, host):
    """Returns the data files. `host`: path of coverage.py's own file; the files of parallel processes have suffixes."""
    names = ["_qd_kcov.*", glob.escape(os.path.basename(host)), glob.escape(os.path.basename(host)) + ".*"]
    if not paths:
        folders = ("", os.path.dirname(host), os.path.dirname(host))
        paths = [path for folder, name in zip(folders, names) for path in _matches(folder, name)]
    found = []
    for path in paths:
        found += [inner for name in names for inner in _matches(path, name)] if os.path.isdir(path) else [path]
    return list(dict.fromkeys(found))


@dataclasses.dataclass
class _Source:
    """The data taken from one file, for the sources in `names`."""

    path: str
    data: _coverage_data.Data
    names: list


def _sources(paths, aliases, plugins):
    """Reads the intact data, for sources that have not changed since; reports what it omits."""
    found = []
    for path in paths:
        try:
            data = _coverage_data.read(path)
        except _coverage_data.Damaged as error:
            warn(f"{path} {error}, and left out")
            continue
        places = {name: os.path.realpath(aliases.map(name)) for name in {*data.names, *(name for name, _ in data.digests)}}
        stale = _coverage_runs.stale_names(data, places.get)
        for name in sorted(stale):
            warn(f"{name} has changed since {path} was written; its data are left out: run the tests again")
        odd = {name for name in data.names if os.path.exists(places[name]) and not _coverage_data.is_plain(places[name])}
        for name in sorted(odd):
            warn(f"{name}, which {path} covers, is not a source file and is left out")
        unknown = {name for name, tracer in data.tracers.items() if tracer.rpartition(".")[0] not in plugins}
        for name in sorted(unknown):
            warn(f"{name} was measured by a plugin that the configuration of coverage.py does not name, and is left out")
        found.append(_Source(path, data, [name for name in data.names if name not in stale | odd | unknown]))
    if not found:
        raise ReportError(_no_data)
    return found


def warn(text):
    for line in str(text).splitlines():
        print(f"quadrants-coverage: {plain(line)}", file=sys.stderr)


def _matches(folder, name):
    return sorted(glob.glob(os.path.join(glob.escape(folder), name)))


def _counts_in(sources, aliases):
    """Returns absolute file -> line -> count as recorded by the kernels of these processes."""
    counts = {}
    for source in sources:
        wanted = set(source.names)
        for name, line, count in source.data.counts:
            if name in wanted:
                here = counts.setdefault(os.path.realpath(aliases.map(name)), {})
                here[line] = here.get(line, 0) + count
    return counts


def _aliases(measured):
    """Returns the mapping of file names from other machines, from [paths] in the configuration."""
    from coverage.files import PathAliases

    aliases = PathAliases(relative=measured.get_option("run:relative_files"))
    for result, *patterns in (measured.get_option("paths") or {}).values():
        for pattern in patterns:
            aliases.add(pattern, result)
    return aliases


def _copies(sources, folder, contexts=False):
    """Writes data files that contain only the requested data."""
    import coverage

    paths = [os.path.join(folder, f"wanted.{number}") for number in range(len(sources))]
    for path, source in zip(paths, sources):
        copy = coverage.CoverageData(basename=path)
        source.data.fill(copy, source.names, contexts)
        copy.write()
        copy.close(force=True)
    return paths


@contextlib.contextmanager
def _wanted(paths, contexts=False):
    """Yields (a coverage.Coverage with the data of all intact files, these files, aliases of names)."""
    import coverage
    from coverage.exceptions import CoverageException

    found = _data_files(paths, data_file())
    if not found:
        raise ReportError(_no_data)
    with tempfile.TemporaryDirectory() as folder:
        measured = coverage.Coverage(data_file=os.path.join(folder, "data"), messages=False)
        aliases = _aliases(measured)
        sources = _sources(found, aliases, measured.get_option("run:plugins") or ())
        try:
            measured.combine(_copies(sources, folder, contexts), strict=True)
            yield measured, sources, aliases
        except CoverageException as error:
            raise ReportError(str(error)) from None


def data_file():
    """Returns the path of coverage.py's data file."""
    import coverage

    return os.environ.get("COVERAGE_FILE") or coverage.Coverage().get_option("run:data_file")


def gather(paths, base=None, include=None, omit=None, xml=()):
    """Returns the File objects of all files, by name; also writes Cobertura XML to the paths `xml`."""
    changed = _changes.since(base) if base else {}
    with _wanted(paths) as (measured, sources, aliases), tempfile.TemporaryDirectory() as folder:
        if include:
            measured.set_option("report:include", include)
        if omit:
            measured.set_option("report:omit", omit)
        out = os.path.join(folder, "report.json")
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            measured.json_report(outfile=out, ignore_errors=True)
        for warning in warned:
            warn(warning.message)
        with open(out, encoding="utf-8") as file:
            report = json.load(file)
        counts = _counts_in(sources, aliases)
        files = {name: _file(name, found, counts, changed) for name, found in report["files"].items()}
        for path in xml:
            os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
            _cobertura.write(path, measured, files)
    return sorted(files.values(), key=lambda file: file.name)


def combine(paths, keep=False):
    """Merges all data, including coverage.py's own, into one file and removes the others. The counts of kernels are retained."""
    target = os.path.abspath(data_file())
    with _wanted(paths, contexts=True) as (measured, sources, aliases):
        measured.save()
        counts = [(name, line, count) for name, lines in _counts_in(sources, aliases).items() for line, count in lines.items()]
        digests = {(aliases.map(name), digest) for source in sources for name, digest in source.data.digests if name in source.names}
        made = measured.get_data().data_filename()
        measured.get_data().close(force=True)
        _coverage_runs.write_tables(made, os.urandom(8).hex(), sorted(digests), counts)
        part = f"{target}.{os.getpid()}.part"
        shutil.copyfile(made, part)
        os.replace(part, target)
    for source in sources:
        if not keep and os.path.abspath(source.path) != target:
            os.remove(source.path)
    return len(sources)


def _file(name, found, counts, changed):
    path = os.path.realpath(name)
    with contextlib.suppress(OSError):
        with open(path, encoding="utf-8", errors="replace") as source:
            text = re.findall(r".*\n|.+", source.read())  # lines as in Python: a form feed does not end a line
            return _described(name, path, [line.rstrip("\n") for line in text], found, counts, changed)
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
    diff: float | None  # None: no base revision was given
    lines: int
    missing: int
    branches: tuple  # (taken, total)
    new: int  # new statements
    new_ran: int


def totals(files, base):
    lines, missing = sum(len(f.statements) for f in files), sum(len(f.missing) for f in files)
    taken, ways = (sum(f.branches[at] for f in files) for at in (0, 1))
    new = sum(len(f.new) for f in files)
    new_ran = sum(len(f.new - f.missing) for f in files)
    overall = percentage(lines - missing + taken, lines + ways)
    return Totals(overall, percentage(new_ran, new) if base else None, lines, missing, (taken, ways), new, new_ran)


# --- output formats --------------------------------------------------------------------------------------------------


def _nothing_new(base):
    return f"no measured line is new since {base}"


def as_text(files, total, base=None):
    diff = total.diff is not None
    rows = [["file", "lines", "missing", "branches", "cover", *["new"] * diff, "never ran"]]

    def row(name, lines, missing, branches, percent, new, gaps):
        rows.append([name, str(lines), str(missing), "/".join(map(str, branches)), shown(percent), *[new] * diff, ", ".join(gaps)])

    for f in files:
        row(f.name, len(f.statements), len(f.missing), f.branches, f.percent(), shown(f.diff_percent) if f.new else "-", f.gaps())
    rows = [[plain(name), *rest] for name, *rest in rows]
    row("total", total.lines, total.missing, total.branches, total.overall, shown(total.diff) if diff else "", [])
    widths = [max(map(len, column)) for column in zip(*rows)]
    out = []
    for name, *numbers, gaps in rows:
        cells = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:])]
        out.append("  ".join([f"{name:<{widths[0]}}", *cells, gaps]).rstrip())
    out.insert(-1, "-" * (sum(widths[:-1]) + 2 * len(widths[:-2])))
    if diff and not total.new:
        out.append(plain(_nothing_new(base)))
    elif diff:
        out.append(f"of what is new: {shown(total.diff)} ({total.new_ran} of {total.new} lines)")
        out += [f"  {plain(f.name)}: never ran {', '.join(f.gaps(f.new))}" for f in files if f.gaps(f.new)]
    return "\n".join(out) + "\n"


_signs = {"ran": ">", "partial": "?", "missing": "!", "": " "}


def annotated(f, wanted=None):
    """Returns the source, or the requested lines of it, with a mark for each line: > ran, ? a branch was never taken, ! never ran."""
    width = max([5, *(len(f"{count:,}") for count in f.counts.values())])
    out, last = [], 0
    for number, text in enumerate(f.text, 1):
        if wanted is not None and number not in wanted:
            continue
        if number > last + 1:
            out.append("  ...")
        last = number
        count = f"{f.counts[number]:,}" if number in f.counts else ""
        marks = f"  # {f.marks(number)}" if number in f.partial else ""
        out.append(f"{number:5} {count:>{width}} {_signs[f.state(number)]} {plain(text)}{marks}".rstrip())
    if last < len(f.text):
        out.append("  ...")
    return "\n".join(out) + "\n"


def as_markdown(files, total, base, low=LOW, heading=None):
    diff = total.diff is not None
    commit = "" if heading else _changes.commit()
    out = [f"## {plain(heading or (f'Coverage of {commit}' if commit else 'Coverage'))}", ""]
    if diff and not total.new:
        out += [f"No{_nothing_new(_markdown_code(base))[2:]}.", ""]
    elif diff:
        out += [f"**{shown(total.diff)}** of what is new since {_markdown_code(base)} ran ({total.new_ran} of {total.new} lines).", ""]
    lines = f"{total.lines:,} {'line' if total.lines == 1 else 'lines'}, {total.missing:,} missing"
    out += [f"Overall: **{shown(total.overall)}** ({lines}).", ""]
    new, others = ([f for f in files if f.new], [f for f in files if not f.new]) if diff else ([], files)
    if new:
        out += _markdown_table(new, True, low, LONGEST_COMMENT // 2)
    room = LONGEST_COMMENT - 1000 - sum(len(line) + 1 for line in out)
    if others and diff:
        title = f"{len(others)} {'file' if len(others) == 1 else 'files'} without new lines"
        table = _markdown_table(others, False, low, room)
        out += [*[""] * bool(new), f"<details><summary>{title}</summary>", "", *table, "", "</details>"]
    elif others:
        out += _markdown_table(others, False, low, room)
    return "\n".join(out + _markdown_listings(new if diff else others, sum(len(line) + 1 for line in out))) + "\n"


def _markdown_table(files, new, low, room):
    """Returns a row for each file, as many as fit into `room` characters."""
    out = ["| | file | new | overall | new lines that never ran |", "| - | :- | -: | -: | :- |"] if new else \
          ["| | file | overall | never ran |", "| - | :- | -: | :- |"]  # fmt: skip
    for number, f in enumerate(files):
        mark = "⚠️" if (f.diff_percent if new else f.percent()) < low else "✅"
        cells = [shown(f.diff_percent)] * new + [shown(f.percent()), ", ".join(f.gaps(f.new if new else None))]
        row = f"| {mark} | {_markdown_code(f.name, in_table=True)} | {' | '.join(cells)} |".replace("|  |", "| |")
        room -= len(row) + 1
        if room < 0:
            left_out = len(files) - number
            return [*out, "", f"{left_out} more {'file' if left_out == 1 else 'files'} would make this too long."]
        out.append(row)
    return out


def plain(name):
    """Returns the name on one line, without characters that a terminal hides or interprets."""
    return "".join("?" if c != "\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in name)


def _markdown_code(name, in_table=False):
    """Formats a code span with arbitrary content. In a table, bars must be escaped with a backslash."""
    name = plain(name)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", name)), default=0))
    pad = " " if name.startswith(("`", " ")) or name.endswith(("`", " ")) else ""
    span = f"{fence}{pad}{name}{pad}{fence}"
    return span.replace("|", "\\|") if in_table else span


def _markdown_listings(files, length):
    """Returns listings of what never ran with a few lines of context, up to the maximum size of a comment."""
    out, left_out = [], 0
    for f in files:
        lines = f.missing | f.partial.keys()
        if not f.text or not lines:
            continue
        listing = annotated(f, {near for line in lines for near in range(line - AROUND, line + AROUND + 1)}).rstrip("\n")
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", listing)), default=0))
        title = f"<details><summary><code>{escape(plain(f.name))}</code></summary>"
        block = ["", title, "", f"{fence}python", listing, fence, "", "</details>"]
        more = sum(len(line) + 1 for line in block)
        if length + more > LONGEST_COMMENT:
            left_out += 1
        else:
            out += block
            length += more
    if left_out:
        out += ["", f"Listings of {left_out} more {'file' if left_out == 1 else 'files'} would make this too long."]
    return out


def as_html(files, total, base):
    from quadrants._coverage import html as _coverage_html

    return _coverage_html.page(files, total, base, _changes.commit())


def write(path, text):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
