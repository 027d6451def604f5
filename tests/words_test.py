"""Comments are sentences in the field's terms. These counts may only shrink; a change that lowers one updates it here.

Run as a program with paths, it lists what it counts: `python tests/words_test.py quadrants_core/ir`.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("quadrants_core", "kernel", "inspector", "jupyter", "labextension/src", "widgets", "tests", "benchmarks", "docs", "examples")
LIKE_C = {".h", ".cpp", ".def", ".inc", ".ts", ".tsx"}

# A comment that opens with one of these has no subject, unless it is a question that a heading asks.
RELATIVE = re.compile(r"(What|Whether|Who|Whose|Which|Of|Where|How|Why)\b")
# Coined words, and the field's terms for them.
COINED = {
    r"\btold\b": "reported to, notified, given",
    r"\btells? of\b": "reports",
    r"\bspeaks?\b": "has side effects on the host, uses",
    r"\bhands? on\b": "forwards",
    r"\b(?:some|no)body\b": "name the actor: the caller, another thread, no thread",
    r"\bwhoever\b": "name the actor",
    r"\bseen its end\b": "has completed",
    r"\banew\b": "again",
    r"(?<!-)\brounds\b(?! (?:to|toward|half|once|up|down|away))": "iterations, trip count",
    r"\bstandstill": "pending call",
    r"\bforeseen?\b": "predicted",
    r"\bnews\b": "changes, updates",
}
WORDS = {re.compile(word): better for word, better in COINED.items()}


def files(*folders):
    names = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in names if Path(name).suffix in LIKE_C | {".py"}]


def c_comments(text):
    """Yields (line, text) of every comment block: consecutive lines form one block, and a trailing comment is a block of its own."""
    block = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith(("//", "*", "/*")):
            block.append((number, bare.lstrip("/*<! ")))
            continue
        if block:
            yield block[0][0], " ".join(part for _, part in block)
            block = []
        if found := re.search(r"\s//[/<]*\s?(?!\S*://)(.*)", line):
            yield number, found.group(1)
    if block:
        yield block[0][0], " ".join(part for _, part in block)


def python_comments(text):
    """Yields the same for a Python file, in which docstrings are comments too."""
    block, last = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if block and token.start[0] != block[-1][0] + 1:
                yield block[0][0], " ".join(part for _, part in block)
                block = []
            block.append((token.start[0], token.string.lstrip("#! ")))
        elif token.type == tokenize.STRING and last in (tokenize.INDENT, tokenize.NEWLINE, None, tokenize.DEDENT):
            yield token.start[0], token.string.strip("rbuf\"' \n")
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            last = token.type if token.type != tokenize.ENCODING else None
    if block:
        yield block[0][0], " ".join(part for _, part in block)


def offences(path):
    """Yields (line, fault, comment) of each offence."""
    text = path.read_text(encoding="utf-8")
    for line, comment in python_comments(text) if path.suffix == ".py" else c_comments(text):
        if RELATIVE.match(comment):
            yield line, "opens with a bare relative", comment
        for word, better in WORDS.items():
            if word.search(comment):
                yield line, f"write instead: {better}", comment


def counts():
    found = Counter()
    for folder in FOLDERS:
        for path in files(folder):
            if path != Path(__file__).resolve():
                found[folder] += sum(1 for _ in offences(path))
    return found


# The offences that are left, by folder.
LEFT = {}


def test_comments_are_sentences_in_plain_words():
    found = counts()
    assert {folder: count for folder, count in found.items() if count} == LEFT


def test_comments_are_found(tmp_path):
    source = "int a; // What a is.\n// It is told\n// anew.\nint b; // fine, see http://b\n"
    (tmp_path / "a.cpp").write_text(source, encoding="utf-8")
    assert [(line, wrong) for line, wrong, _ in offences(tmp_path / "a.cpp")] == [
        (1, "opens with a bare relative"),
        (2, "write instead: reported to, notified, given"),
        (2, "write instead: again"),
    ]
    (tmp_path / "a.py").write_text('"""Whether."""\nx = "What"  # Of x.\n', encoding="utf-8")
    assert [line for line, _, _ in offences(tmp_path / "a.py")] == [1, 2]


if __name__ == "__main__":
    for path in files(*(sys.argv[1:] or FOLDERS)):
        for line, wrong, comment in offences(path):
            print(f"{path.relative_to(ROOT)}:{line}: {wrong}: {comment[:100]}")
