"""Ratchets: what the core has too much of may only shrink. The table holds the exceptions with their counts; who brings a count
down writes the new one here."""

import re
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "quadrants_core"
SOURCES = sorted(p for p in CORE.rglob("*") if p.suffix in (".h", ".cpp", ".def", ".inc"))
LINES = 500
DEFAULT = re.compile(r"^\s*default:", re.MULTILINE)


def text(path):
    return path.read_text(encoding="utf-8")


# `default:` keeps the compiler from telling where a new op, node or kind has no meaning yet. These switches are over numbers, over
# tables that are not ours, over tokens, or over letters of options.
DEFAULTS = {
    "backends/cpu/elf.cpp": 1,
    "backends/cpu/line_table.cpp": 1,
    "codegen/llvm/x86.cpp": 1,
    "syntax/atoms.cpp": 1,
    "syntax/blocks.cpp": 1,
    "syntax/expressions.cpp": 3,
    "syntax/statements.cpp": 2,
    "tools/execute.cpp": 1,
    "tools/shrink.cpp": 1,
}


def over_the_limit(counts, limit):
    return {str(path.relative_to(CORE)): n for path, n in counts.items() if n > limit}


def test_there_is_something_to_check():
    assert len(SOURCES) > 200


def test_switches_are_complete():
    assert over_the_limit({path: len(DEFAULT.findall(text(path))) for path in SOURCES}, 0) == DEFAULTS


def test_files_are_short():
    assert over_the_limit({path: len(text(path).splitlines()) for path in SOURCES}, LINES) == {}


# What moves, merges or repeats instructions asks ir::is_movable. These ask for less: they evaluate in place, look for what is unused,
# or follow what depends on what.
PURE = {"autodiff/activity.cpp": 2, "autodiff/crossing.cpp": 1, "autodiff/refuse.cpp": 1, "passes/dce.cpp": 1, "passes/fold.cpp": 1}


def test_passes_move_what_is_movable():
    passes = [path for path in SOURCES if path.parent.name in ("passes", "autodiff")]
    assert over_the_limit({path: text(path).count("Effect::pure") for path in passes}, 0) == PURE
    assert sum(text(path).count("is_movable(") for path in passes) > 8
