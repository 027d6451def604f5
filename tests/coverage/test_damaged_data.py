"""The tool finds files that are damaged, or are not files: it skips them, reports it and continues."""

import os
import random
import sqlite3

import pytest

from quadrants._coverage import command as tool, data as data_files, runs

coverage = pytest.importorskip("coverage")
TEXT = "a = 1\nif a > 1:\n    b = 2\nc = 3\n"
COLUMNS = {"coverage_schema": ["version"], "meta": ["key", "value"], "file": ["id", "path"], "context": ["id", "context"],
           "line_bits": ["file_id", "context_id", "numbits"], "arc": ["file_id", "context_id", "fromno", "tono"],
           "tracer": ["file_id", "tracer"], "qd_sources": ["path", "digest"], "qd_runs": ["run"],
           "qd_counts": ["run", "path", "line", "count"]}  # fmt: skip
VALUES = [None, -1, 0, 2.5, float("inf"), 2**62, -(2**62), "", "x\0y", "x" * 9000, b"", b"\xff\xfe", b"\xff" * 2_000_000]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COVERAGE_FILE", raising=False)
    monkeypatch.setenv("_QD_KCOV_RUN", "1 .coverage")
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(TEXT)
    return tmp_path


def made(path, arcs=False, more=()):
    """Writes data of two sources, several pages long."""
    data = coverage.CoverageData(basename=str(path))
    names = [os.path.abspath(name) for name in ("one.py", "two.py", *more)]
    for context in ("", "test_a|run"):
        data.set_context(context)
        if arcs:
            data.add_arcs({name: [(-1, 1), (1, 2), (2, 4), (4, -1)] for name in names})
        else:
            data.add_lines({name: [1, 2, 4] for name in names})
    data.write()
    data.close(force=True)
    texts = [(name, runs.digest_of(TEXT)) for name in names]
    runs.write_tables(path, "process", texts, [(name, line, 7) for name in names for line in (1, 2, 4)])
    return path


def said(capsys, *arguments, status=0):
    assert tool.main(["report", *map(str, arguments)]) == status
    out = capsys.readouterr()
    return out.out + out.err


def test_intact_files_are_reported(folder, capsys):
    made(folder / "_qd_kcov.1")
    assert "left out" not in (text := said(capsys)) and text.count("75.0%") == 3


def spoilt(path, random):
    """Damages a data file in a random way."""
    how = random.choice(["flip", "page", "cut", "more", "swap", "cell", "cell", "cell", "row", "schema"])
    if how in ("cell", "row", "schema"):
        table = random.choice(list(COLUMNS))
        column, value = random.choice(COLUMNS[table]), random.choice(VALUES)
        database = sqlite3.connect(path)
        try:
            with database:
                if how == "cell":
                    database.execute(f"update or ignore {table} set {column} = ?", (value,))
                elif how == "row":
                    database.execute(f"insert or ignore into {table} ({column}) values (?)", (value,))
                else:
                    database.execute(f"drop table {table}")
        except sqlite3.Error:  # the column does not accept such a value
            pass
        database.close()
        return
    content = bytearray(path.read_bytes())
    page = 4096 * random.randrange(len(content) // 4096)
    if how == "flip":
        for _ in range(random.choice([1, 10, 100])):
            content[random.randrange(len(content))] = random.randrange(256)
    elif how == "page":
        content[page : page + 4096] = bytes(4096)
    elif how == "cut":
        del content[random.randrange(len(content)) :]
    elif how == "more":
        content += bytes(random.randrange(10_000))
    else:
        other = 4096 * random.randrange(len(content) // 4096)
        content[page : page + 4096], content[other : other + 4096] = content[other : other + 4096], content[page : page + 4096]
    path.write_bytes(content)


@pytest.mark.parametrize("seed", range(int(os.environ.get("QD_DAMAGED", 30))))
def test_random_damage(folder, capsys, seed):
    chance = random.Random(seed)
    arcs = chance.random() < 0.5
    made(folder / "_qd_kcov.1", arcs)
    for number in range(2, 6):
        spoilt(made(folder / f"_qd_kcov.{number}", arcs), chance)
    tool.main(["report", "--markdown", "report.md", "--html", "report.html", "--annotate", "listing"])
    text = capsys.readouterr().out
    assert "one.py" in text or "two.py" in text, "the whole file is there"
    assert runs.drop_earlier(str(folder), "1 .coverage") is None


@pytest.mark.parametrize("value", [None, 5, 2.5, b"one.py"])
def test_paths_that_are_not_text(folder, capsys, value):
    path = made(folder / "_qd_kcov.1")
    made(folder / "_qd_kcov.2")
    database = sqlite3.connect(path)
    with database:
        database.execute("pragma writable_schema = on")
        database.execute("update sqlite_master set sql = replace(sql, 'path text', 'path') where name = 'file'")
    database.close()
    database = sqlite3.connect(path)
    with database:
        database.execute("update file set path = ? where id = 1", (value,))
    database.close()
    text = said(capsys)
    assert "_qd_kcov.1 is damaged, and left out" in text and "75.0%" in text


def test_a_page_in_the_middle(folder, capsys):
    path = made(folder / "_qd_kcov.1", more=[f"{n}.py" for n in range(300)])
    made(folder / "_qd_kcov.2")
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        path.write_bytes(content[: 4096 * page] + bytes(4096) + content[4096 * (page + 1) :])
        assert "75.0%" in said(capsys)


def test_endless_files_are_not_read(folder, capsys):
    """An endless file is read neither as data nor as a source."""
    os.mkfifo("_qd_kcov.1")
    os.mkfifo("fifo.py")
    os.symlink("/dev/zero", "_qd_kcov.2")
    os.symlink("_qd_kcov.3", "_qd_kcov.3")
    os.symlink("/dev/zero", "zero.py")
    with open("huge.py", "wb") as file:
        file.truncate(3_000_000_000)
    made(folder / "_qd_kcov.4", more=["fifo.py", "zero.py", "huge.py", "gone.py", "."])
    text = said(capsys)
    for name in ("_qd_kcov.1 is not a regular file", "_qd_kcov.2 is not a regular file", "_qd_kcov.3 cannot be read"):
        assert f"{name}" in text
    for name in ("fifo.py", "zero.py", "huge.py"):
        assert f"{name}, which _qd_kcov.4 covers, is not a source file" in text
    assert text.count("75.0%") == 3
    runs.drop_earlier(str(folder), "1 .coverage")


def test_sparse_files_are_not_read_whole(folder, capsys):
    """The work is limited by the real content of a file, not by the sizes it claims."""
    made(folder / "_qd_kcov.1")
    long = made(folder / "_qd_kcov.2")
    os.truncate(long, 3_000_000_000)
    many = made(folder / "_qd_kcov.3")
    database = sqlite3.connect(many)
    with database:
        database.execute("update line_bits set numbits = ?", (b"\xff" * 2_000_000,))
    database.close()
    text = said(capsys)
    assert "_qd_kcov.2 is damaged, and left out" in text and "_qd_kcov.3 is damaged, and left out" in text
    assert text.count("75.0%") == 3


def test_pages_that_lead_in_circles(folder):
    """Each page of a tree of pages names the next one many times, so SQLite by itself would never finish."""
    path = made(folder / "_qd_kcov.1")
    database = sqlite3.connect(path)
    root = dict(database.execute("select name, rootpage from sqlite_master"))["qd_counts"]
    database.close()
    content, page, children = bytearray(path.read_bytes()), 4096, 400
    first = len(content) // page + 1

    def interior(child):
        cells = b"".join(child.to_bytes(4, "big") + b"\x7f" for _ in range(children))
        pointers = b"".join((page - 5 * (n + 1)).to_bytes(2, "big") for n in range(children))
        head = b"\x05\0\0" + children.to_bytes(2, "big") + (page - 5 * children).to_bytes(2, "big") + b"\0" + child.to_bytes(4, "big")
        body = head + pointers
        return body + bytes(page - len(body) - len(cells)) + cells

    content[(root - 1) * page : root * page] = interior(first)
    for n in range(15):
        content += interior(first + n + 1)
    content += b"\x0d" + bytes(4) + b"\x10\0\0" + bytes(page - 8)
    content[28:32] = (len(content) // page).to_bytes(4, "big")
    path.write_bytes(content)
    with pytest.raises(data_files.Damaged):
        data_files.read(path)


def test_names_do_not_control_a_terminal(folder, capsys):
    name = "\x1b]0;owned\x07\x1b[31m.py"
    (folder / name).write_text("a = 1\nb = 2\n")
    (folder / f"_qd_kcov.{name}").write_bytes(b"no data")
    made(folder / "_qd_kcov.1")
    data = coverage.CoverageData(basename=str(folder / "_qd_kcov.2"))
    data.add_lines({str(folder / name): [1]})
    data.write()
    data.close(force=True)
    text = said(capsys) + said(capsys, "--markdown", "-") + said(capsys, name, status=1) + said(capsys, "--diff", name, status=1)
    assert "?]0;owned??[31m.py" in text and "\x1b" not in text and "\x07" not in text


def test_text_of_sources_does_not_control_a_terminal(folder, capsys):
    (folder / "two.py").write_text(TEXT.replace("1\n", "1  # \x1b[31m\n", 1))
    made(folder / "_qd_kcov.1")
    data = coverage.CoverageData(basename=str(folder / ".coverage"))
    data.add_lines({str(folder / "two.py"): [1]})
    data.write()
    data.close(force=True)
    text = said(capsys, "--markdown", "-")
    assert "# ?[31m" in text and "\x1b" not in text


def test_lines_are_those_of_python(folder, capsys):
    """A form feed does not end a line."""
    (folder / "two.py").write_text("a = 1\n\x0c\nif a > 1:\n    b = '\x1c'\n    c = 3\n")
    data = coverage.CoverageData(basename=str(folder / ".coverage"))
    data.add_lines({str(folder / "two.py"): [1, 3]})
    data.write()
    data.close(force=True)
    said(capsys, "--annotate", "listing")
    lines = (folder / "listing/two.py,cover").read_text().splitlines()
    assert lines[-1].endswith("!     c = 3") and lines[-1].lstrip().startswith("5")


def test_a_missing_plugin(folder, capsys):
    made(folder / "_qd_kcov.1")
    (folder / "page.html").write_text("x")
    data = coverage.CoverageData(basename=str(folder / ".coverage"))
    data.add_lines({str(folder / "page.html"): [1]})
    data.add_file_tracers({str(folder / "page.html"): "nowhere.Plugin"})
    data.write()
    data.close(force=True)
    assert "page.html was measured by a plugin" in (text := said(capsys)) and "75.0%" in text


def test_missing_files(folder, capsys):
    made(folder / "_qd_kcov.1")
    (folder / "notes.txt").write_text("no data")
    text = said(capsys, "nowhere", "notes.txt", "_qd_kcov.1")
    assert "nowhere cannot be read (No such file or directory), and left out" in text
    assert "notes.txt is damaged, and left out" in text and "75.0%" in text
