"""Discovery of programs that a window can attach to: each has a Unix socket, named after its process id, in a folder owned by the user."""

import contextlib
import errno
import fcntl
import json
import os
import socket
import stat
import struct
import time

from quadrants._windows import messages

VERSION = 1  # version of the protocol before a window takes over
ANSWER = 10.0  # seconds within which a program answers
_LOCKED = 2.0  # seconds for which another process may hold the folder
_LONGEST = 4096  # maximum length of a line in bytes
FALLBACK = "/tmp/quadrants-{}"


class Refused(Exception):
    """The text states the reason."""


def folders():
    """Returns the folders that may contain sockets; a program uses the first suitable one."""
    uid = os.geteuid()
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    runtime = [folder for folder in (given, f"/run/user/{uid}") if os.path.isabs(folder) and _is_own(folder)]
    return list(dict.fromkeys([*(os.path.join(folder, "quadrants") for folder in runtime), FALLBACK.format(uid)]))


def _is_own(folder):
    try:
        return os.stat(folder).st_uid == os.geteuid()
    except OSError:
        return False


@contextlib.contextmanager
def _opened(folder, make=False):
    """Yields a descriptor of a folder that only the user can access."""
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EACCES):
            raise Refused(f"{folder} is not a folder of this user") from None
        raise
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid():
            raise Refused(f"{folder} belongs to another user")
        if found.st_mode & 0o077:
            raise Refused(f"{folder} is open to other users; chmod 700 closes it")
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _held(descriptor):
    """Locks the folder, so that only one process changes it at a time. A process that was stopped while holding the lock is not waited for
    indefinitely."""
    until = time.monotonic() + _LOCKED
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if time.monotonic() > until:
                break
            time.sleep(0.01)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _at(descriptor, name):
    """Returns a short address, regardless of the length of the folder's path."""
    return f"/proc/self/fd/{descriptor}/{name}"


def _is_stale(descriptor, name):
    """Returns whether no process listens on a socket any more."""
    try:
        if not stat.S_ISSOCK(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
            return False
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)
            probe.connect(_at(descriptor, name))
    except ConnectionRefusedError:
        return True
    except OSError:
        pass
    return False


def _clean(descriptor, names):
    """Removes stale sockets; the folder must be locked."""
    for name in names:
        if _is_stale(descriptor, name):
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=descriptor)


def _numbers(descriptor):
    return sorted((name for name in os.listdir(descriptor) if name.isdecimal()), key=int)


def listen():
    """Returns (socket, path) for this process. Sockets left behind by other processes are removed."""
    why = []
    for folder in folders():
        try:
            return _listen_in(folder)
        except (Refused, OSError) as error:
            why.append(str(error))
    raise Refused("; ".join(why))


def _listen_in(folder):
    name = str(os.getpid())
    with _opened(folder, make=True) as descriptor, _held(descriptor):
        _clean(descriptor, [other for other in _numbers(descriptor) if other == name or not os.path.exists(f"/proc/{other}")])
        made = socket.socket(socket.AF_UNIX)
        try:
            made.bind(_at(descriptor, name))
            made.listen(8)
        except OSError as error:
            made.close()
            raise Refused(f"{os.path.join(folder, name)}: {error.strerror}") from None
        return made, os.path.join(folder, name)


def peer(connection):
    """Returns (process, user) of the peer of a connection."""
    process, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return process, user


def is_own(connection):
    return peer(connection)[1] == os.geteuid()


def say(connection, message):
    connection.sendall(json.dumps(message).encode() + b"\n")


def hear(connection):
    """Reads exactly one message without the bytes after it; None if none arrives or it is not valid."""
    until = time.monotonic() + (connection.gettimeout() or ANSWER)
    line = b""
    try:
        while not line.endswith(b"\n"):
            seen = connection.recv(_LONGEST, socket.MSG_PEEK)
            if not seen or len(line) > _LONGEST or time.monotonic() > until:
                return None
            line += connection.recv(seen.find(b"\n") + 1 or len(seen))
        message = json.loads(line)
        return message if messages.is_message(message, messages.MEETING) else None
    except (OSError, ValueError, RecursionError):
        return None


def connect(process):
    """Connects to the program with this process id; raises Refused."""
    for folder in folders():
        with contextlib.suppress(Refused, OSError), _opened(folder) as descriptor:
            connection = _connected(descriptor, str(process))
            if connection is not None:
                return connection
    raise Refused(_why_not(process))


def _connected(descriptor, name):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(ANSWER)
    try:
        connection.connect(_at(descriptor, name))
        if is_own(connection):
            return connection
    except ConnectionRefusedError:
        with _held(descriptor):
            _clean(descriptor, [name])
    except OSError:
        pass
    connection.close()
    return None


def _why_not(process):
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            facts = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return f"there is no process {process}"
    named = f"process {process} ({facts.get('Name', '?')})"
    if int(facts["Uid"].split()[1]) != os.geteuid():
        return f"{named} belongs to another user"
    return f"{named} cannot be attached to: start it with QD_INSPECT=attach"


def attach(process):
    """Returns a connection to a program that is ready to talk to a window; raises Refused."""
    connection = connect(process)
    try:
        say(connection, {"kind": "attach", "version": VERSION})
        answer = hear(connection)
    except OSError:
        answer = None
    if answer is None or answer.get("kind") != "attached":
        connection.close()
        raise Refused(answer["why"] if answer and answer["kind"] == "refused" else f"process {process} does not answer")
    return connection


def programs():
    """Yields the self-description of each program that can be attached to."""
    for folder in folders():
        with contextlib.suppress(Refused, OSError), _opened(folder) as descriptor:
            for name in _numbers(descriptor):
                connection = _connected(descriptor, name)
                if connection is not None:
                    with connection, contextlib.suppress(OSError):
                        say(connection, {"kind": "ask", "version": VERSION})
                        yield {"program": "does not answer", "attached": False, **(hear(connection) or {}), "process": int(name)}
