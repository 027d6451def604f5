"""qd.cache: the cache on disk that spares later programs compilations.

`why(kernel)` reports whether a kernel was found in the cache, and if not, what had changed; `info()` describes the contents; `verify()`
finds damaged and untrusted entries; `clear()` empties the cache; `export(path)` and `import_(path)` transfer it to another place. From a
shell: `quadrants cache info`, or `python -m quadrants.cache info`.
"""

import os

from quadrants import _native, _runtime, _settings
from quadrants._cache.why import Specialisation, Why, why as _why

__all__ = ["Damage", "Info", "Specialisation", "Why", "clear", "export", "import_", "info", "path", "publish", "verify", "why"]
_CODE = ("kernel_compilation_manager", "unpublished_kernels")


class Info:
    """The result of `qd.cache.info`. Prints as text.

    Args:
        path: the folder.
        files: the files in the cache.
        config: the options.
        distrusted: {folder: the reason why its files are not used}.

    Attributes:
        path: the folder.
        kernels, kernel_bytes: number of files with code, and their total size in bytes.
        unpublished: number of those files that belong to running or killed programs.
        records, fast_records: number of files that state the dependencies of kernels, and of those for kernels with fastcache=True.
        damaged: number of files that are not used.
        distrusted: {folder: the reason why its files are not used}.
        limit, policy, enabled, signed: the options of the running program.

    Example:
        See `qd.cache.info`.
    """

    def __init__(self, path, files, config, distrusted=()):
        self.distrusted = dict(distrusted)
        code = [f for f in files if f["folder"] in _CODE]
        self.path = path
        self.kernels, self.kernel_bytes = len(code), sum(f["bytes"] for f in code)
        self.unpublished = sum(f["folder"] == _CODE[1] for f in files)
        self.records = sum(f["folder"] == "records" for f in files)
        self.fast_records = sum(f["folder"] == "python_side_cache" for f in files)
        self.damaged = sum(bool(f["problem"]) for f in files)
        self.enabled = bool(config.offline_cache)
        self.limit, self.policy = config.offline_cache_max_size_of_files, config.offline_cache_cleaning_policy
        self.signed = bool(os.environ.get("QD_CACHE_KEY"))

    def __repr__(self):
        lines = [
            f"{self.path}{'' if self.enabled else '  (offline_cache=False: not used for code)'}",
            f"  compiled code: {self.kernels} kernels in {_size(self.kernel_bytes)}; limit {_size(self.limit)}, policy {self.policy}",
            f"  calls that start without parsing their kernel: {self.records}, and {self.fast_records} of kernels with fastcache=True",
        ]
        if self.unpublished:
            lines.insert(2, f"  {self.unpublished} of these kernels are not shared yet: their programs still run, or were killed")
        lines += [f"  nothing in {folder} is used: {why}" for folder, why in self.distrusted.items()]
        if self.damaged:
            lines.append(f"  {self.damaged} files are not used: see qd.cache.verify()")
        if self.signed:
            lines.append("  signed: files without the signature of QD_CACHE_KEY are not used")
        return "\n".join(lines)


class Damage:
    """The result of `qd.cache.verify`; true if there is any damage. Prints as text.

    Args:
        checked: number of files.
        problems: {path: the reason why the file is not used}.

    Attributes:
        checked: number of files.
        problems: {path: the reason why the file is not used}.

    Example:
        See `qd.cache.verify`.
    """

    def __init__(self, checked, problems):
        self.checked, self.problems = checked, problems

    def __bool__(self):
        """Returns whether there is any damage."""
        return bool(self.problems)

    def __repr__(self):
        if not self.problems:
            return f"{self.checked} files, all intact and trusted"
        return "\n".join([f"{self.checked} files; {len(self.problems)} files or folders are not used:", *(f"  {p}: {why}" for p, why in self.problems.items())])


def _size(count):
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def path():
    """Returns the cache folder of the running program.

    Example:
        >>> qd.cache.path().startswith("/")
        True
    """
    _runtime.require_program()
    return _native.core().cache_dir()


def _files():
    _runtime.require_program()
    return _native.core().kept_files(False)


def why(kernel):
    """Reports, for each specialisation of a kernel in this program, whether it was loaded from the cache, and if not, what differed from
    the cache entry: a line of the source, an option, a type, or a captured value.

    Args:
        kernel: a kernel.

    Returns:
        A `qd.cache.Why`, which prints as text.

    Raises:
        TypeError: the argument is not a kernel.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> f()
        1
        >>> len(qd.cache.why(f).specialisations)
        1
    """
    _runtime.require_program()
    return _why(kernel, _settings.of_python is not None)


def info():
    """Returns a description of the contents of the cache.

    Example:
        >>> qd.cache.info().damaged
        0
    """
    return Info(path(), _files(), _settings.current(), _distrusted(path()))


def verify(remove=False):
    """Validates every file as a program would, and checks who has write permission for the folders.

    Args:
        remove: whether to delete files that are not used.

    Returns:
        A `qd.cache.Damage`.

    Example:
        >>> qd.cache.verify().problems
        {}
    """
    files = _files()
    bad = {os.path.join(path(), f["folder"], f["name"]): f["problem"] for f in files if f["problem"]}
    for place in bad if remove else ():
        _unlink(place)
    return Damage(len(files), {**_distrusted(path()), **bad})


def clear():
    """Removes all kernels and cache entries; kernels loaded by this program remain usable.

    Returns:
        The number of removed files.

    Example:
        >>> removed = qd.cache.clear()
        >>> qd.cache.info().kernels
        0
    """
    _runtime.require_program()
    removed = 0
    for folder, keeps in _owned(path()):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            removed += keeps(name) and _unlink(os.path.join(folder, name))
    return removed


def _distrusted(root):
    """Returns {folder: reason} of the cache folders that are not used because another user may have written to them."""
    folders = (root, *(folder for folder, _ in _owned(root)))
    return {folder: why for folder in folders if (why := _why_untrusted(folder))}


def _why_untrusted(folder):
    import stat

    try:
        found = os.lstat(folder)
    except OSError as error:
        return "" if isinstance(error, FileNotFoundError) else error.strerror
    if stat.S_ISLNK(found.st_mode):
        return "it is a link"
    if found.st_uid not in (0, os.geteuid()):
        return f"it belongs to another user (uid {found.st_uid})"
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a folder"
    return "other users can write to it (remedy: chmod go-w)" if found.st_mode & 0o022 else ""


def _owned(root):
    """Yields the folders of a cache, each with a predicate for the names of its files."""
    code = lambda name: name.endswith((".qdc", ".qdb", ".lock", ".tmp"))
    yield from ((os.path.join(root, folder), code) for folder in _CODE)
    yield os.path.join(root, "records"), lambda name: name.endswith((".qdr", ".tmp"))
    yield os.path.join(root, "python_side_cache"), lambda name: name.endswith((".cache.txt", ".tmp"))


def _unlink(place):
    try:
        os.unlink(place)
    except FileNotFoundError:
        return False
    return True


def publish():
    """Publishes what has been compiled so far to the folder shared by programs, as at the end of the program.

    Example:
        >>> qd.cache.publish()
        >>> qd.cache.info().unpublished
        0
    """
    _runtime.require_program()
    _native.core().publish()


def export(path, all=False):
    """Exports kernels and cache entries to one file, which gives a warm start to another machine with the same kind of processor, or to a
    container.

    Args:
        path: the path of the file.
        all: if True, export everything; if False, only what this program has used.

    Returns:
        The number of files exported.

    Raises:
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> packed = os.path.join(tempfile.mkdtemp(), "kernels.zip")
        >>> qd.cache.export(packed) >= 0
        True
        >>> qd.cache.import_(packed)
        0
    """
    from quadrants._cache import archive

    publish()
    return archive.write(path, _native.core().cache_dir(), [f for f in _files() if all or f["used"]])


def import_(path):
    """Adds the contents of a file made by `qd.cache.export` to the cache. Its code will be executed, so import only files that you trust.
    Entries that no program would use, such as unsigned ones when QD_CACHE_KEY is set, are skipped.

    Args:
        path: the path of the file.

    Returns:
        The number of new files.

    Raises:
        ValueError: the file is of another kind or damaged; nothing has been added. OSError: it cannot be read.

    Example:
        See `qd.cache.export`.
    """
    from quadrants._cache import archive

    _runtime.require_program()
    root = _native.core().cache_dir()
    new = set(archive.read(path, root))
    bad = [f for f in _files() if f["problem"] and (f["folder"], f["name"]) in new]
    for file in bad:
        _unlink(os.path.join(root, file["folder"], file["name"]))
    return len(new) - len(bad)


def _parser(prog):
    import argparse

    parser = argparse.ArgumentParser(prog=prog, description="The cache of compiled kernels on disk.")
    parser.add_argument("-p", "--path", default="", help="the folder of the cache (default: that of programs)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    commands.add_parser("info", help="show the content of the cache (the default command)")
    commands.add_parser("path", help="print the folder of the cache")
    commands.add_parser("verify", help="list files that are damaged or not trusted").add_argument("--remove", action="store_true", help="remove them")
    commands.add_parser("clear", help="remove all files")
    commands.add_parser("unlock", help="remove a lock that a process left behind")
    commands.add_parser("export", help="pack all files into an archive").add_argument("file")
    commands.add_parser("import", help="add the files of an archive").add_argument("file")
    for command in commands.choices.values():
        command.add_argument("-p", "--path", default=argparse.SUPPRESS, help="the folder of the cache (default: that of programs)")
    return parser


def _main(arguments=None, prog="python -m quadrants.cache"):
    """Runs the command and returns its exit status."""
    try:
        return _run(_parser(prog).parse_args(arguments))
    except (OSError, ValueError) as error:
        import sys

        print(f"{prog}: {error}", file=sys.stderr)
        return 1


def _run(given):
    _runtime.init(log_level="error", offline_cache_file_path=given.path)
    try:
        if given.command in (None, "info"):
            print(info())
        elif given.command == "path":
            print(path())
        elif given.command == "verify":
            damage = verify(given.remove)
            print(damage)
            return 1 if damage and not given.remove else 0
        elif given.command == "clear":
            print(f"{clear()} files removed")
        elif given.command == "unlock":
            print("unlocked" if _unlink(os.path.join(path(), _CODE[0], "qdcache.lock")) else "there was no lock")
        elif given.command == "export":
            print(f"{export(given.file, all=True)} files packed")
        else:
            print(f"{import_(given.file)} files are new")
    finally:
        _runtime.reset()
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(_main())
