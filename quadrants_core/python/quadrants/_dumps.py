"""Text forms of kernels during compilation: printed on request, written for QD_DUMP_IR, and read for QD_LOAD_IR."""

import os as _os

from quadrants import _environment, _logging, _settings

# form -> suffix of its file name
_FILES = {"frontend": "_initial.qir", "ir": "_after_offload.qir", "llvm": ".ll", "asm": ".s"}
_TITLES = {
    "syntax": "syntax tree",
    "frontend": "frontend",
    "given": "LLVM IR",
    "llvm": "optimised LLVM IR",
    "asm": "asm",
}

_met = {}  # kernel name -> number of kernels of this name compiled in this program
_stem = ""  # common prefix of the files of the kernel being compiled


def _printed(environ=_os.environ):
    """Returns which forms are printed."""
    c = _settings.current()
    return {
        "syntax": _environment.value("dump_ast", environ),
        "frontend": c.print_preprocessed_ir,
        "given": c.print_kernel_llvm_ir,
        "llvm": c.print_kernel_llvm_ir_optimized,
        "asm": c.print_kernel_asm,
    }


def forms(environ=_os.environ):
    """Returns the forms that are requested for every compiled kernel."""
    wanted = [form for form, is_wanted in _printed(environ).items() if is_wanted]
    return wanted + [form for form in _FILES if form not in wanted] if _environment.value("dump_ir", environ) else wanted


def begin(kernel):
    """Called when a kernel is compiled; kernels with the same name get separate files."""
    global _stem
    count = _met[kernel] = _met.get(kernel, 0) + 1
    name = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in kernel)
    _stem = name if count == 1 else f"{name}_{count}"


def _path(form):
    return _os.path.join(_settings.current().debug_dump_path, _stem + _FILES[form])


def show(kernel, form, text):
    """Prints or writes one form of the kernel, as requested."""
    if _printed().get(form):
        print(f"[Quadrants] {_TITLES[form]} of {kernel}:\n{text}", flush=True)
    if form in _FILES and _environment.value("dump_ir"):
        try:
            _os.makedirs(_settings.current().debug_dump_path, exist_ok=True)
            with open(_path(form), "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            _logging.warn(f"QD_DUMP_IR: {_path(form)} cannot be written ({error.strerror}); debug_dump_path names another folder")


def edited():
    """Returns (path, text) of the file to compile instead of the kernel; None if it does not exist."""
    path = _path("frontend")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return path, file.read().replace("\0", "\ufffd")
    except FileNotFoundError:
        return None


_settings.after_reset.append(_met.clear)
