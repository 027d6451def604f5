"""Archives of cache files, for a warm start on another machine."""

import errno
import os
import re
import secrets
import zipfile

FORMAT = "quadrants-cache-1"
NAMES = {
    "kernel_compilation_manager": re.compile(r"T[0-9a-f]{64}\.qdc"),
    "records": re.compile(r"[0-9a-f]{32}\.qdr"),
    "python_side_cache": re.compile(r"[0-9a-f]{64}\.cache\.txt"),
}
LARGEST = 256 << 20


def write(path, root, files):
    """Writes an archive of these files from the folder `root`, atomically; returns the number of files."""
    path = os.fspath(path)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder", folder)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "an archive is a file, and this is a folder", path)
    if not os.access(folder or ".", os.W_OK):
        raise PermissionError(errno.EACCES, "an archive cannot be written there", path)
    temporary = f"{path}.{secrets.token_hex(4)}.tmp"
    count = 0
    try:
        with zipfile.ZipFile(temporary, "x", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = FORMAT.encode()
            for file in files:
                if file["problem"] or file["folder"] not in NAMES:
                    continue
                with open(os.path.join(root, file["folder"], file["name"]), "rb") as content:
                    archive.writestr(f"{file['folder']}/{file['name']}", content.read())
                count += 1
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return count


def read(path, root):
    """Extracts an archive into the folder `root`, each file by renaming; returns the names of the new files. A damaged archive is rejected
    before any file is extracted."""
    path = os.fspath(path)
    with open(path, "rb") as file:  # raises OSError if it cannot be read
        for _ in _contents(path, file):
            pass
        return [(folder, name) for folder, name, content in _contents(path, file) if _put(os.path.join(root, folder), name, content)]


def _contents(path, file):
    """Yields (folder, name, bytes) of each file in the archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.comment != FORMAT.encode():
                raise _NoArchive(f"{path}: this is not an archive of qd.cache.export")
            for entry in archive.infolist():
                folder, _, name = entry.filename.partition("/")
                if folder not in NAMES or not NAMES[folder].fullmatch(name) or entry.file_size > LARGEST:
                    raise _NoArchive(f"{path}: {entry.filename!r} is not a file of a cache")
                yield folder, name, archive.read(entry)
    except _NoArchive as error:
        raise ValueError(*error.args) from None
    except Exception as error:  # zipfile raises exceptions of various classes
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{path}: this is not an archive of qd.cache.export") from None
        raise ValueError(f"{path}: the archive is damaged, and nothing of it was added ({error})") from None


class _NoArchive(Exception):
    pass


def _put(folder, name, content):
    """Returns False if the file exists already."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    place = os.path.join(folder, name)
    if os.path.exists(place):
        return False
    temporary = os.path.join(folder, f".{name[:16]}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise
    return True
