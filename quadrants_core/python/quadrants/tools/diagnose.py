"""What to send along with a question: versions, the machine, what runs here and why the rest does not."""


def main():
    """Prints what this installation is and can do."""
    import os
    import platform
    import sys

    from quadrants import _settings, _version

    def line(what, value):
        print(f"{what + ':':<22}{value}")

    line("Quadrants", _version.version_str)
    for part, value in _build():
        line(part, value)
    line("package", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    line("Python", f"{platform.python_version()} ({sys.executable})")
    line("system", platform.platform())
    line("processor", f"{_processor()}, {len(os.sched_getaffinity(0))} of {os.cpu_count()} threads usable")
    for name in ("numpy", "torch", "IPython"):
        line(name, _package_version(name))
    line("C++ compiler", _compiler())
    for name, value in _archs():
        line(f"arch {name}", value)
    line("cache", _cache())
    c = _settings.current()
    line("running on", f"arch={c.arch.name}" if _settings.cfg is not None else "nothing: qd.init() was not called")
    for name in sorted(n for n in os.environ if n.startswith("QD_")):
        line(name, os.environ[name])


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
    """Every architecture that programs can name, and whether it runs here."""
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
                pass  # another process has replaced it
    return f"{len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB"


if __name__ == "__main__":
    main()
