"""Kernels as text: printed by options, written by QD_DUMP_IR, read by QD_LOAD_IR."""

import re

import pytest
from option_programs import begin, small
import quadrants as qd


def test_print_ir(arch, capfd):
    k, _ = small(arch, print_ir=True)
    capfd.readouterr()
    k(1)
    qd.sync()
    text = capfd.readouterr().out
    assert "after fold" in text and "after lower_access" in text and 'range @"small' in text
    k, _ = small(arch)
    capfd.readouterr()
    k(2)
    assert capfd.readouterr().out == ""


def test_print_ir_lives_in_cfg(arch, capfd):
    small(arch)

    def compile_one():
        @qd.kernel
        def k(n: qd.i32) -> qd.i32:
            return n * 5 - 2

        capfd.readouterr()
        k(1)
        qd.sync()
        return capfd.readouterr().out

    assert compile_one() == ""
    qd.cfg.print_ir = True
    qd.cfg.default_ip = qd.i64  # another kernel for the task cache of this program
    assert "after fold" in compile_one()
    qd.cfg.print_ir = False
    qd.cfg.default_ip = qd.i32
    assert compile_one() == ""


def test_print_ir_dbg_info(arch, capfd):
    for places in (True, False):
        k, _ = small(arch, print_ir=True, print_preprocessed_ir=True, print_ir_dbg_info=places)
        capfd.readouterr()
        k(1)
        qd.sync()
        line = k.__wrapped__.__code__.co_firstlineno + 3 if hasattr(k, "__wrapped__") else None
        text = capfd.readouterr().out
        assert bool(re.search(r"@\d+:\d+$", text, re.M)) is places
        if places and line:
            assert f"@{line}:" in text


def test_llvm_ir_before_and_after_its_optimiser(capfd):
    texts = {}
    for option in ("print_kernel_llvm_ir", "print_kernel_llvm_ir_optimized"):
        k, _ = small("cpu", **{option: True})
        capfd.readouterr()
        k(1)
        texts[option] = capfd.readouterr().out
    before, after = texts.values()
    assert "] LLVM IR of" in before and "] optimised LLVM IR of" in after
    assert before.count("\n") > after.count("\n") > 10 and "define" in before and "define" in after


@pytest.mark.parametrize(
    "variable, words, others",
    [
        ("QD_DUMP_AST", ["FunctionDef", "AugAssign"], ["after fold"]),
        ("QD_DUMP_CFG", ["after forward_stores", "after loop_registers"], ["after fold", "FunctionDef"]),
        ("QD_DUMP_SIMPLIFY", ["after fold", "after simplify_branches", "after cse"], ["after forward_stores", "FunctionDef"]),
        ("QD_DUMP", ["after licm"], ["after fold"]),
    ],
)
def test_dumps_of_stages(arch, capfd, monkeypatch, variable, words, others):
    monkeypatch.setenv(variable, "licm" if variable == "QD_DUMP" else "1")
    k, _ = small(arch)
    capfd.readouterr()
    k(1)
    qd.sync()
    text = capfd.readouterr().out
    assert all(word in text for word in words) and not any(word in text for word in others)


def test_only(arch, capfd, monkeypatch):
    monkeypatch.setenv("QD_DUMP", "fold")
    monkeypatch.setenv("QD_ONLY", "second")
    begin(arch)

    @qd.kernel
    def first() -> qd.i32:
        return 1

    @qd.kernel
    def second() -> qd.i32:
        return 2

    capfd.readouterr()
    first(), second()
    qd.sync()
    text = capfd.readouterr().out
    assert "second after fold" in text and "first" not in text


# Files of kernels


def test_files_of_dumped_kernels(monkeypatch, tmp_path):
    monkeypatch.setenv("QD_DUMP_IR", "1")
    begin(qd.cpu, debug_dump_path=str(tmp_path / "not" / "there"))

    @qd.kernel
    def k(n: qd.template()) -> qd.i32:
        return n + 1

    assert k(1) == 2 and k(2) == 3
    names = sorted(path.name for path in (tmp_path / "not" / "there").iterdir())
    stems = [k.__qualname__.replace("<", "_").replace(">", "_")] * 2
    found = {name for name in names if name.endswith("_initial.qir")}
    assert len(names) == 8 and len(found) == 2 and any("_2_initial" in name for name in found), (names, stems)
    for suffix in ("_initial.qir", "_after_offload.qir", ".ll", ".s"):
        assert sum(name.endswith(suffix) for name in names) == 2


def test_files_that_cannot_be_written(arch, monkeypatch, tmp_path, capfd):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("QD_DUMP_IR", "1")
    k, _ = small(arch, debug_dump_path=str(file))
    k(1)
    assert re.search(r"QD_DUMP_IR: .*_initial.qir cannot be written \(.+\); debug_dump_path names", "".join(capfd.readouterr()))


def dumped(arch, monkeypatch, folder):
    """Returns a kernel, the file with its IR, and a function that compiles and runs the kernel again."""
    monkeypatch.setenv("QD_DUMP_IR", "1")

    def run():
        begin(arch, debug_dump_path=str(folder), src_ll_cache=False)
        x = qd.field(qd.i32, 4)

        @qd.kernel
        def k(n: qd.i32) -> qd.i32:
            for i in x:
                x[i] = n * 1000
            return x[2] + 17

        return k(3)

    assert run() == 3017
    monkeypatch.delenv("QD_DUMP_IR")
    (file,) = folder.glob("*_initial.qir")
    return file, run


def test_loaded_ir(arch, monkeypatch, tmp_path):
    """With QD_LOAD_IR kernels are made from the files of QD_DUMP_IR, with all edits."""
    file, run = dumped(arch, monkeypatch, tmp_path)
    text = file.read_text()
    file.write_text(text.replace("1000", "2000"))
    assert run() == 3017
    monkeypatch.setenv("QD_LOAD_IR", "1")
    assert run() == 6017
    file.unlink()
    assert run() == 3017
    for off in ("0", ""):
        monkeypatch.setenv("QD_LOAD_IR", off)
        file.write_text(text.replace("1000", "2000"))
        assert run() == 3017


def test_ir_that_cannot_be_loaded(arch, monkeypatch, tmp_path):
    file, run = dumped(arch, monkeypatch, tmp_path)
    text = file.read_text()
    monkeypatch.setenv("QD_LOAD_IR", "1")
    broken = {
        "line 2": text.replace("\n", "\n    nonsense\n", 1),
        "0 functions": "",
        "malformed": re.sub(r"\n +ret[^\n]*\n*$", "\n", text),
        "other arguments": text.replace("i32) -> i32", "f32) -> i32", 1),
        "or fields": text.replace(" byte 0 ", " byte 4 ", 1),
    }
    for why, wrong in broken.items():
        assert wrong != text, why
        file.write_text(wrong)
        with pytest.raises(qd.QuadrantsRuntimeError, match=rf"QD_LOAD_IR cannot use {re.escape(str(file))}") as refused:
            run()
        assert why in str(refused.value) or why == "other arguments", str(refused.value)
    file.write_bytes(b"\xff\xfe\x00garbage")
    with pytest.raises(qd.QuadrantsRuntimeError, match=rf"QD_LOAD_IR cannot use {re.escape(str(file))}"):
        run()
    file.write_text(text)
    assert run() == 3017
