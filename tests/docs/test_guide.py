"""Runs the code of the guide: every ```python block of a page, in order, in one process for each page.

A ```text block right after it is its output, without the header lines of Quadrants; after a ```python error block it is (a part of) the
message of the error that ends the block. A ```python NAME.py block is a script of that name. """

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
PAGES = sorted(GUIDE.glob("*.md"))
FENCE = re.compile(r"^```(\S*) ?(.*?)\n(.*?)^```\n", re.M | re.S)


def blocks(text):
    """Yields (language, word after it, number of the first line inside, content, True if only blank lines separate it from the previous
    block)."""
    end = 0
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        yield found[1], found[2], line, found[3], not text[end : found.start()].strip()
        end = found.end()


RUNNER = """
import contextlib, io, linecache, subprocess, sys
name, scope = {name!r}, {{"__name__": "__main__"}}
text = open(name, encoding="utf-8").read()
linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # so that lines of errors are those of the page
for line, body, wanted, word in {steps!r} if __name__ == "__main__" else ():  # processes of multiprocessing import this file
    out, said, fails = io.StringIO(), None, word == "error"
    with contextlib.redirect_stdout(out):
        try:
            if word.endswith(".py"):
                with open(word, "w") as file:
                    file.write(body)
                out.write(subprocess.run([sys.executable, word], stdout=subprocess.PIPE, text=True, check=True).stdout)
            else:
                exec(compile("\\n" * (line - 1) + body, name, "exec"), scope)
        except Exception as error:
            if not fails:
                raise
            said = str(error)
    if fails and said is None:
        sys.exit(f"{{name}}:{{line}}: no error")
    got = said if fails else "".join(x for x in out.getvalue().splitlines(True) if not x.startswith("[Quadrants] "))
    got = got.strip()
    if wanted is not None and (wanted.strip() not in got if fails else wanted.strip() != got):
        sys.exit(f"{{name}}:{{line}}: the page says\\n{{wanted}}\\nand this came\\n{{got}}")
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_runs(page, tmp_path):
    steps = []
    for language, word, line, body, follows in blocks(page.read_text(encoding="utf-8")):
        if language == "python":
            steps.append([line, body, None, word])
        elif language == "text" and follows and steps:
            steps[-1][2] = body
    if not steps:
        pytest.skip("no code")
    runner = tmp_path / "run_page.py"
    runner.write_text(RUNNER.format(name=str(page), steps=steps))
    done = subprocess.run([sys.executable, runner], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-3000:]


def anchors(page):
    if page.suffix != ".md":
        return []
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        to = page.parent / target if target else page
        assert to.exists(), target
        assert not anchor or anchor in anchors(to), f"{target}#{anchor}: {anchors(to)}"


def test_every_page_is_in_the_contents():
    contents = (GUIDE / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.name != "README.md" and f"({page.name}" not in contents] == []


def test_questions_have_answers():
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", (GUIDE / "README.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) >= 30 and all("](" in answer for _, answer in rows)
