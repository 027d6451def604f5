"""python -m quadrants.coverage report: combined host and kernel coverage of all processes, as a terminal summary, annotated source,
Markdown for a pull request, HTML with heat, Cobertura XML, or in the runs of GitHub and GitLab. Lines, branches and exclusions are those
of coverage.py; the files of the kernels add execution counts. python -m quadrants.coverage combine merges all data into one file."""

import argparse
import os
import sys

from quadrants._coverage import github, gitlab
from quadrants._coverage.changes import ReportError
from quadrants._coverage.percent import shown
from quadrants._coverage.report import annotated, as_html, as_markdown, as_text, combine, data_file, gather, plain, totals, warn, write

_options = {
    "--diff": ("BASE", "also report lines that are new since this revision"),
    "--annotate": ("FOLDER", "write annotated sources"),
    "--markdown": ("FILE", "write Markdown; - for standard output"),
    "--html": ("FILE", "write one HTML page"),
    "--xml": ("FILE", "write Cobertura XML, with the counts of kernels as hits"),
}
_services = {
    "--github": "in a step of GitHub Actions: write the summary of the step, mark new lines that never ran, and compare with the target branch of "
    "the pull request; writes comment.md, report.html and coverage.xml for later steps",
    "--gitlab": "in a job of GitLab CI: compare with the target branch of the merge request, and write coverage.xml, code-quality.json and "
    "report.html for its artifacts",
}


def parser(prog="quadrants-coverage"):
    made = argparse.ArgumentParser(prog=prog, description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="combine host and kernel data and report them", description=__doc__)
    summary = "combine the data of coverage.py and of kernels into one file, and remove the files read"
    whole = summary + ". `coverage combine _qd_kcov.*` without --append discards the previous content of .coverage"
    joined = commands.add_parser("combine", help=summary, description=whole)
    joined.add_argument("--keep", action="store_true", help="keep the files read")
    for command in (report, joined):
        command.add_argument("data", nargs="*", help="data files or folders (default: _qd_kcov.* and those of coverage.py)")
    for name, (value, text) in _options.items():
        report.add_argument(name, metavar=value, help=text)
    status = "exit with status 2 if a smaller share of the new lines (with nothing to compare with: of all lines) ran"
    report.add_argument("--fail-under", type=float, metavar="PERCENT", help=status)
    for name in ("--include", "--omit"):
        report.add_argument(name, action="append", metavar="PATTERN")
    services = report.add_mutually_exclusive_group()
    for name, text in _services.items():
        services.add_argument(name, action="store_true", help=text)
    report.add_argument("--output", metavar="FOLDER", default="coverage-report", help="folder of the files of --github and --gitlab (%(default)s)")
    report.add_argument("--name", default="Kernel coverage", help="heading of --github, which tells the comments of several jobs apart (%(default)s)")
    comment = "write a comment to the pull request of this run of GitHub Actions, or update the one with the same hidden first line"
    commands.add_parser("comment", help=comment, description=comment).add_argument("file", help="comment.md as written by report --github")
    return made


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        return {"report": _report, "combine": _combine, "comment": _comment}[options.command](options)
    except ReportError as error:
        warn(error)
    except OSError as error:
        warn(f"{error.filename or 'a file'} cannot be written ({error.strerror or error}): choose another place")
    return 1


def _combine(options):
    count = combine(options.data, options.keep)
    print(f"{count} data file{'' if count == 1 else 's'} combined in {plain(data_file())}")
    return 0


def _comment(options):
    return github.comment(options.file)


def _report(options):
    service = None
    if options.github or options.gitlab:
        service = (github if options.github else gitlab).Service(options)
    revision, base = (options.diff, options.diff) if options.diff or not service else service.base()
    xml = [options.xml] * bool(options.xml) + [os.path.join(options.output, "coverage.xml")] * bool(service)
    files = gather(options.data, revision, options.include, options.omit, xml)
    total = totals(files, base)
    reached = total.overall if total.diff is None else total.diff
    has_failed = options.fail_under is not None and reached < options.fail_under
    failure = f"{shown(reached)} is less than {options.fail_under:g}%" if has_failed else ""
    if options.markdown != "-":
        text = as_text(files, total, base)
        sys.stdout.write(service.quoted(text) if service else text)
    _write_forms(options, files, total, base)
    if service:
        write(os.path.join(options.output, "report.html"), as_html(files, total, base))
        service.write(files, total, base, failure)
    if failure:
        warn(failure)
    return 2 if failure else 0


def _write_forms(options, files, total, base):
    if options.annotate:
        taken = set()
        for f in files:
            write(os.path.join(options.annotate, _inside(f.name, taken) + ",cover"), annotated(f))
    if options.markdown:
        text = as_markdown(files, total, base)
        if options.markdown == "-":
            sys.stdout.write(text)
        else:
            write(options.markdown, text)
    if options.html:
        write(options.html, as_html(files, total, base))


def _inside(name, taken):
    """Returns a relative path without parent references, distinct from those in `taken`."""
    parts = [part for part in os.path.normpath(name).split(os.sep) if part not in ("", os.curdir, os.pardir)]
    path, number = os.path.join(*parts), 1
    while path in taken:
        number += 1
        path = os.path.join(*parts[:-1], f"{number}-{parts[-1]}")
    taken.add(path)
    return path
