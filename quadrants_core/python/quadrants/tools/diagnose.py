"""Information to attach to bug reports: versions, the machine, the available architectures, and why others are not available."""

from quadrants import _installation


def main():
    """Prints the properties of this installation."""
    for what, value in _facts():
        print(f"{what + ':':<22}{value}")


def _facts():
    """Yields (property, its value)."""
    import os
    import platform
    import sys

    from quadrants import _settings, _version

    yield "Quadrants", _version.version_str
    yield from _build()
    yield "package", os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "system", platform.platform()
    yield "processor", f"{_processor()}, {len(os.sched_getaffinity(0))} of {os.cpu_count()} threads usable"
    for name in ("numpy", "torch", "IPython"):
        yield name, _package_version(name)
    yield "C++ compiler", _compiler()
    for name, value in _archs():
        yield f"arch {name}", value
    yield "cache", _cache()
    c = _settings.current()
    yield "running on", f"arch={c.arch.name}" if _settings.cfg is not None else "nothing: qd.init() was not called"
    for name in sorted(n for n in os.environ if n.startswith("QD_")):
        yield name, os.environ[name]


def doctor(as_json=False):
    """Prints the output of main(), then what works and what does not, with remedies; or all of it as JSON. Returns the exit status, which is
    1 if kernels do not run."""
    found = list(_checks())
    if as_json:
        import json

        checks = [{"check": name, "state": state, "remedy": how} for name, state, how in found]
        print(json.dumps({"installation": dict(_facts()), "checks": checks}, indent=2))
    else:
        main()
        print()
        width = max(len(name) for name, *_ in found)
        for name, state, how in found:
            print(f"{state:<8}{name:<{width}}{'  ' + how if how else ''}")
    return 1 if any(state == "BROKEN" for _, state, _ in found) else 0


_PARTS = {
    "numpy": "arrays in and out of kernels", "IPython": "magics", "ipywidgets": "widgets", "anywidget": "heatmaps of coverage",
    "debugpy": "the debugger of notebooks", "coverage": "reports of coverage", "torch": "tensors as arguments",
}  # fmt: skip


def _checks():
    """Yields (what, ok, missing, warning or BROKEN, remedy)."""
    state, how = _kernels_run()
    yield "kernels compile and run", state, how
    state, how = _cache_is_writable()
    yield "compiled kernels are kept", state, how
    for name, purpose in _PARTS.items():
        there = _is_installed(name)
        yield f"{name}: {purpose}", "ok" if there else "missing", "" if there else f"pip install {name.lower()}"
    state, how = _notebook_kernel()
    yield "the Quadrants kernel for Jupyter", state, how
    if versions := _installation.other_versions():
        yield f"PyPI's package quadrants {', '.join(versions)}, another project, can be imported instead", "warning", "pip uninstall quadrants"


def _is_installed(module):
    import importlib.util

    return importlib.util.find_spec(module) is not None


def _kernels_run():
    import os
    import subprocess
    import sys

    program = ("import quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False, log_level='error')\n"
               "@qd.kernel\ndef f() -> qd.i32:\n    s = 0\n    for i in range(10):\n        s += i\n    return s\n"
               "assert f() == 45")  # fmt: skip
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # in a process of its own, since a broken installation may crash it
    with _program_file(program) as path:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment)
    if done.returncode == 0:
        return "ok", ""
    last = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
    return "BROKEN", f"{last}; install the package again, and report it if that does not help"


def _program_file(text):
    import contextlib
    import os
    import tempfile

    @contextlib.contextmanager
    def made():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            yield path

    return made()


def _cache_is_writable():
    import os

    from quadrants import _settings

    path = _settings.current().offline_cache_file_path
    path = path or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "quadrants")
    there = path
    while there and not os.path.exists(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    if os.path.isdir(there) and os.access(there, os.W_OK):
        return "ok", ""
    return "missing", f"{path} cannot be written to; set XDG_CACHE_HOME or QD_OFFLINE_CACHE_FILE_PATH to a folder that can"


def _notebook_kernel():
    import os
    import sys

    path = os.path.join(sys.prefix, "share", "jupyter", "kernels", "quadrants")
    if not os.path.isfile(os.path.join(path, "kernel.json")):
        return "missing", "install a wheel that contains it, or use: %load_ext quadrants_jupyter in ipykernel"
    absent = [name.lower() for name in ("IPython", "comm") if not _is_installed(name)]
    return ("missing", f"it needs: pip install {' '.join(absent)}") if absent else ("ok", path)


def _build():
    try:
        from quadrants._lib import _build_info

        return [("LLVM", _build_info.llvm), ("commit", _build_info.commit)]
    except ImportError:
        return [("LLVM", "unknown")]


def _processor():
    import platform

    try:
        with open("/proc/cpuinfo") as file:
            info = dict(line.split(":", 1) for line in file if ":" in line)
    except OSError:
        return platform.processor() or platform.machine()
    fields = {key.strip(): value.strip() for key, value in info.items()}
    known = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512_bf16", "asimd", "sve")
    features = set((fields.get("flags") or fields.get("Features") or "").split())
    return f"{fields.get('model name', platform.machine())} ({' '.join(f for f in known if f in features)})"


def _package_version(name):
    import importlib.metadata

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _compiler():
    from quadrants import _exceptions
    from quadrants._language import external as _external

    try:
        return _external._compiler()
    except _exceptions.QuadrantsRuntimeError:
        return "none (external functions need one)"


def _archs():
    """Returns each architecture that programs can name, and whether it is available."""
    from quadrants import _arch

    for arch in (_arch.cpu, _arch.Arch.interp, *_arch.gpu):
        here = _arch.backend_name(arch)
        yield arch.name, "runs here" if here else "not part of this build"


def _cache():
    from quadrants import _native, _settings

    c = _settings.current()
    if not c.offline_cache:
        return "off (offline_cache=False)"
    if _settings.cfg is None:
        return c.offline_cache_file_path or "in the user's folder for caches; qd.init() chooses it"
    folder = _native.core().cache_dir()
    return f"{folder} ({_size_of(folder)})"


def _size_of(folder):
    import os

    sizes = []
    for root, _, files in os.walk(folder):
        for file in files:
            try:
                sizes.append(os.path.getsize(os.path.join(root, file)))
            except OSError:
                pass  # another process has replaced the file
    return f"{len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB"


if __name__ == "__main__":
    main()
