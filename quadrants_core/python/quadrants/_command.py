"""The command `quadrants`: diagnosis of an installation, its cache, coverage reports, and windows on running programs."""

import argparse
import os
import sys

from quadrants import _installation

_COMMANDS = {
    "doctor": "what is installed, what is missing and how to get it",
    "cache": "shows, verifies, clears or packs the cache of compiled kernels; see quadrants cache --help",
    "coverage": "reports which lines of kernels ran; see quadrants coverage --help",
    "inspect": "opens a window on a running program, or lists the programs to attach to; see quadrants inspect --help",
}


def _parser():
    p = argparse.ArgumentParser(prog="quadrants", description="Data-parallel kernels in Python.")
    p.add_argument("--version", action="store_true", help="print the version and build information")
    commands = p.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    doctor = commands.add_parser("doctor", help=_COMMANDS["doctor"], description="Says " + _COMMANDS["doctor"] + ".")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    commands.add_parser("cache", help=_COMMANDS["cache"], add_help=False)
    commands.add_parser("coverage", help=_COMMANDS["coverage"], add_help=False)
    inspect = commands.add_parser(
        "inspect", help=_COMMANDS["inspect"],
        description="Opens the window of qd.inspect() on a program that was started with QD_INSPECT=attach; without PID: lists these programs.",
    )  # fmt: skip
    inspect.add_argument("process", metavar="PID", nargs="?", type=int, help="the process ID of the program")
    inspect.add_argument("--unseen", action="store_true", help="draw the window off screen")
    return p


def help_pages():
    """Yields (command, its help) for each command."""
    p = _parser()
    yield "quadrants", p.format_help()
    for name, sub in p._subparsers._group_actions[0].choices.items():
        if name not in ("cache", "coverage"):
            yield f"quadrants {name}", sub.format_help()
    from quadrants import cache
    from quadrants._coverage import command

    yield "quadrants cache", cache._parser("quadrants cache").format_help()
    coverage = command.parser("quadrants coverage")
    yield "quadrants coverage", coverage.format_help()
    for name, sub in coverage._subparsers._group_actions[0].choices.items():
        yield f"quadrants coverage {name}", sub.format_help()


def main(arguments=None):
    """Runs the command and returns its exit status."""
    return until_its_reader_leaves(_run, arguments)


def until_its_reader_leaves(run, arguments):
    """Returns the exit status of a command; 1 without a traceback if the reader of its output ends, as in `quadrants doctor | head`."""
    try:
        status = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush when Python ends
        return 1
    return status


def _run(arguments):
    if _installation.is_mixed():
        print(_installation.REMEDY, file=sys.stderr)
        return 1
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["coverage"]:
        from quadrants import coverage

        return coverage.main(arguments[1:])
    if arguments[:1] == ["cache"]:
        from quadrants import cache

        return cache._main(arguments[1:], "quadrants cache")
    p = _parser()
    chosen = p.parse_args(arguments)
    if chosen.version:
        print(_version())
        return 0
    if chosen.command == "doctor":
        from quadrants.tools import diagnose

        return diagnose.doctor(chosen.json)
    if chosen.command == "inspect":
        from quadrants._inspect import client

        return client.show_programs() if chosen.process is None else client.show(chosen.process, seen=not chosen.unseen)
    p.print_help()
    return 2


def _version():
    from quadrants import _version as version
    from quadrants._lib import _build_info

    return f"quadrants {version.version_str} (commit {_build_info.commit}, LLVM {_build_info.llvm}, Python {sys.version.split()[0]})"
