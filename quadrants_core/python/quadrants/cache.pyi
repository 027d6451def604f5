# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.cache: the cache on disk that spares later programs compilations.

`why(kernel)` reports whether a kernel was found in the cache, and if not, what had changed; `info()` describes the contents; `verify()`
finds damaged and untrusted entries; `clear()` empties the cache; `export(path)` and `import_(path)` transfer it to another place. From a
shell: `quadrants cache info`, or `python -m quadrants.cache info`."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class Damage:
    """The result of `qd.cache.verify`; true if there is any damage. Prints as text.
    
    Args:
        checked: number of files.
        problems: {path: the reason why the file is not used}.
    
    Attributes:
        checked: number of files.
        problems: {path: the reason why the file is not used}.
    
    Example:
        See `qd.cache.verify`."""

    def __init__(self, checked: Any, problems: Any) -> None: ...

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
        See `qd.cache.info`."""

    def __init__(self, path: Any, files: Any, config: Any, distrusted: Any=...) -> None: ...

class Specialisation:
    """The origin of one specialisation of a kernel.
    
    Args:
        number: its index among those of the kernel.
        arguments: the argument types, as text.
        outcome: the outcome, see the attribute.
        layer: the layer where the search ended.
        reasons: the differences from earlier cache entries.
        key: the key of its code, as text.
    
    Attributes:
        number: its index among those of the kernel.
        arguments: the argument types, as text.
        outcome: "loaded" (neither parsed nor compiled), "found" (parsed, its code was in the cache), "compiled", or "not kept" (nothing is
            cached on disk).
        layer: the layer where the search ended: "entry", "code" or "".
        reasons: the differences from earlier cache entries, a list of texts.
        key: the key of its code, as text.
    
    Example:
        See `qd.cache.why`."""

    def __init__(self, number: Any, arguments: Any, outcome: Any, layer: Any, reasons: Any, key: Any) -> None: ...

class Why:
    """The result of `qd.cache.why`. Prints as text.
    
    Args:
        kernel: the name of the kernel.
        specialisations: a list of `qd.cache.Specialisation`.
        remarks: notes about the kernel as a whole.
    
    Attributes:
        kernel: the name of the kernel.
        specialisations: one `qd.cache.Specialisation` for each, in the order in which they were made.
        remarks: notes about the kernel as a whole.
    
    Example:
        See `qd.cache.why`."""

    def __init__(self, kernel: Any, specialisations: Any, remarks: Any) -> None: ...

def clear() -> Any:
    """Removes all kernels and cache entries; kernels loaded by this program remain usable.
    
    Returns:
        The number of removed files.
    
    Example:
        >>> removed = qd.cache.clear()
        >>> qd.cache.info().kernels
        0"""

def export(path: Any, all: Any=False) -> Any:
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
        0"""

def import_(path: Any) -> Any:
    """Adds the contents of a file made by `qd.cache.export` to the cache. Its code will be executed, so import only files that you trust.
    Entries that no program would use, such as unsigned ones when QD_CACHE_KEY is set, are skipped.
    
    Args:
        path: the path of the file.
    
    Returns:
        The number of new files.
    
    Raises:
        ValueError: the file is of another kind or damaged; nothing has been added. OSError: it cannot be read.
    
    Example:
        See `qd.cache.export`."""

def info() -> Any:
    """Returns a description of the contents of the cache.
    
    Example:
        >>> qd.cache.info().damaged
        0"""

def path() -> Any:
    """Returns the cache folder of the running program.
    
    Example:
        >>> qd.cache.path().startswith("/")
        True"""

def publish() -> Any:
    """Publishes what has been compiled so far to the folder shared by programs, as at the end of the program.
    
    Example:
        >>> qd.cache.publish()
        >>> qd.cache.info().unpublished
        0"""

def verify(remove: Any=False) -> Any:
    """Validates every file as a program would, and checks who has write permission for the folders.
    
    Args:
        remove: whether to delete files that are not used.
    
    Returns:
        A `qd.cache.Damage`.
    
    Example:
        >>> qd.cache.verify().problems
        {}"""

def why(kernel: Any) -> Any:
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
        1"""
