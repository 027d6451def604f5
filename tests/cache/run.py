"""Stress test of the cache on disk: programs killed while they write, many programs at once, files cut short, altered or owned by other
users, full disks, read-only folders, clocks set back; and thousands of edits, after which no stale entry may be used.

    .venv/bin/python tests/cache/run.py [--kills N] [--edits N] [--seconds N] [--only NAME]

Each line of the table has the number of tries and the result; the exit status is 0 if nothing went wrong. A small part runs in
tests/python/cache/test_disk_cache_stress.py. """

import argparse
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
KERNELS = 6


def program(numbers):
    """Returns a module with kernels whose results identify the edit."""
    lines = ["import quadrants as qd"]
    for i, number in enumerate(numbers):
        lines += ["@qd.kernel", f"def k{i}(x: qd.types.ndarray(qd.i32, ndim=1)):", "    for i in x:", f"        x[i] += {number}"]
    return "\n".join(lines) + "\n"


def run_program(path, cache, options):
    """Runs all kernels of a program and returns their results."""
    import quadrants as qd

    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    qd.init(arch="cpu", offline_cache=True, offline_cache_file_path=str(cache), log_level="error", **options)
    results = []
    for i in range(KERNELS):
        x = qd.ndarray(qd.i32, 3)
        namespace[f"k{i}"](x)
        results.append(int(x[1]))
    loaded = sum(namespace[f"k{i}"]._plans()[0][2]["recalled"] for i in range(KERNELS))
    qd.reset()
    return results, loaded


class Failed(Exception):
    pass


class Place:
    """A folder with a program and a cache."""

    def __init__(self, folder):
        self.folder, self.cache, self.path = folder, folder / "cache", folder / "program.py"
        self.edit(range(KERNELS))

    def edit(self, numbers):
        self.numbers = list(numbers)
        self.path.write_text(program(self.numbers))

    def start(self, *options, **keywords):
        command = [sys.executable, str(HERE), "--child", str(self.path), str(self.cache), *options]
        environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **keywords)

    def check(self, *options, **keywords):
        """Runs the program to its end and returns how many kernels it loaded. Fails on wrong results or a crash."""
        child = self.start(*options, **keywords)
        out, errors = child.communicate(timeout=120)
        if child.returncode != 0:
            raise Failed(f"exit status {child.returncode}: {errors[-400:]}")
        *results, loaded = map(int, out.split())
        if results != self.numbers:
            raise Failed(f"results {results}, not {self.numbers}")
        return loaded

    def files(self):
        return [f for f in self.cache.rglob("*") if f.is_file()]


def in_child(work):
    """Runs work() in a forked process and returns its exit status."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
    return os.waitpid(pid, 0)[1]


def kills(place, count, rng):
    """Kills programs (kill -9) at any moment while they write; after every tenth, one runs to its end."""
    import quadrants  # once, not in every process

    clock = time.monotonic
    sources = place.folder / "killed.py"
    ended = 0
    for round in range(count):
        numbers = [rng.randrange(1000) for _ in range(KERNELS)]
        sources.write_text(program(numbers))
        pid = os.fork()
        if pid == 0:
            with open(os.devnull, "w") as quiet:
                os.dup2(quiet.fileno(), 2)
            results, _ = run_program(sources, place.cache, {})
            os._exit(0 if results == numbers else 3)
        begun, wait = clock(), rng.uniform(0, 0.12)
        while clock() - begun < wait:
            time.sleep(0.001)
        os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        if os.WIFEXITED(status):
            ended += 1
            if os.WEXITSTATUS(status) != 0:
                raise Failed(f"round {round}: wrong results or a crash before the kill: {os.WEXITSTATUS(status)}")
        elif os.WTERMSIG(status) != signal.SIGKILL:
            raise Failed(f"round {round}: died of signal {os.WTERMSIG(status)}")
        if round % 10 == 9 and in_child(lambda: expect(run_program(sources, place.cache, {})[0], numbers)):
            raise Failed(f"round {round}: wrong after a kill")
    temporary = len([f for f in place.files() if f.name.endswith(".tmp")])
    place.check()
    return f"{count} killed, {ended} of them just after their end; {temporary} unfinished files left, none used"


def expect(found, wanted):
    if found != wanted:
        raise Failed(f"{found}, not {wanted}")


def at_once(place, seconds, rng):
    """Runs 8 processes on one cache, with edits."""
    until, runs = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        place.edit(rng.randrange(50) for _ in range(KERNELS))
        children = [place.start() for _ in range(8)]
        for child in children:
            out, errors = child.communicate(timeout=300)
            if child.returncode != 0 or list(map(int, out.split()[:-1])) != place.numbers or "Traceback" in errors:
                raise Failed(f"{child.returncode}: {out} {errors[-400:]}")
            runs += 1
    if place.check() != KERNELS:
        raise Failed("the last program did not find all kernels")
    return f"{runs} programs, 8 at a time, all right"


def altered(place, count, rng):
    """Cuts files short, flips bits, empties files, swaps files."""
    import quadrants  # once, not in every process

    place.check()
    recompiled = 0
    for round in range(count):
        files = place.files()
        victim = rng.choice(files)
        content = victim.read_bytes()
        how = rng.choice(["cut", "flip", "empty", "exchange", "longer"])
        if how == "cut":
            victim.write_bytes(content[: rng.randrange(len(content))])
        elif how == "flip":
            at = rng.randrange(len(content))
            victim.write_bytes(content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :])
        elif how == "exchange":
            victim.write_bytes(rng.choice(files).read_bytes())
        else:
            victim.write_bytes(b"" if how == "empty" else content + b"x")

        def run():
            results, found = run_program(place.path, place.cache, {})
            expect(results, place.numbers)
            os._exit(10 + found)

        status = in_child(run)
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) < 10:
            raise Failed(f"{how} of {victim.name}: status {status}")
        recompiled += os.WEXITSTATUS(status) - 10 < KERNELS
    return f"{count} files altered: results right, {recompiled} times something was compiled anew"


def other_users(place, rng):
    """Files and folders of another user, or that others may write."""
    if os.getuid() != 0:
        return "left out: only the superuser can give files away"
    place.check()
    tried = 0
    for give in (lambda p: os.chown(p, 65534, 65534), lambda p: os.chmod(p, 0o777)):
        for victim in [place.cache, *(p for p in place.cache.iterdir()), *place.files()]:
            shutil.copytree(place.cache, place.folder / "copy")
            give(victim)
            place.check()
            tried += 1
            shutil.rmtree(place.cache)
            shutil.move(place.folder / "copy", place.cache)
    return f"{tried} files and folders: not used, results right"


def full_disk(place, rng):
    """Leaves no space for a file: on a small file system if one can be mounted, otherwise by a limit on the size of files."""
    mounted = place.folder / "small"
    mounted.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(mounted)], capture_output=True)
    if done.returncode == 0:
        try:
            small = Place(mounted)
            for _ in range(10):
                small.edit(rng.randrange(1000) for _ in range(KERNELS))
                small.check()
            return "10 programs on a file system of 64 KiB"
        finally:
            subprocess.run(["umount", str(mounted)], check=True)
    for size in (0, 1, 100, 700, 1500, 4000):
        place.edit(rng.randrange(1000) for _ in range(KERNELS))

        def limit(size=size):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        place.check("--quiet", preexec_fn=limit)
        place.check()
    return "6 limits on the size of files (no file system can be mounted here)"


def read_only(place, rng):
    """A cache that this user may read but not write."""
    place.check()
    for path in [place.cache, *place.cache.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if place.check() != KERNELS:
            raise Failed("a cache to read only is not read")
        before = sorted(place.files())
        drop = None if os.getuid() else (lambda: os.setuid(65534))
        numbers = place.numbers
        for path in (place.folder, place.folder.parent):
            path.chmod(0o755)
        if place.check(preexec_fn=drop) != KERNELS:
            raise Failed("a cache of root is not read by another user")
        place.edit([n + 1 for n in numbers])
        place.check(preexec_fn=drop)
        if drop and sorted(place.files()) != before:
            raise Failed("something was written")
    finally:
        for path in [place.cache, *place.cache.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    return "read by its owner and by another user, who compiles what is missing"


def clock_set_back(place, rng):
    """All cache entries date from next year, or from 1971."""
    for shift in (365 * 86400, -50 * 365 * 86400):
        place.edit(rng.randrange(1000) for _ in range(KERNELS))
        place.check()
        for file in place.files():
            os.utime(file, (time.time() + shift,) * 2)
        if place.check() != KERNELS:
            raise Failed("what dates from another time is not found")
        for policy in ("lru", "fifo", "version"):
            place.check(f"offline_cache_cleaning_policy={policy}", "offline_cache_max_size_of_files=1")
        place.check()
    return "files of next year and of 1971 are used and cleaned up"


EDITS = {
    "captured value": lambda rng: ("VALUE", rng.randrange(5)),
    "callee": lambda rng: ("CALLEE", rng.choice(["x + 1", "x - 1", "1 - x", "x * 2", "x + y"])),
    "default": lambda rng: ("DEFAULT", rng.randrange(3)),
    "body": lambda rng: ("BODY", rng.choice(["+", "-", "*"])),
    "dtype": lambda rng: ("DTYPE", rng.choice(["qd.i32", "qd.i64", "qd.f32", "qd.f64"])),
    "layout": lambda rng: ("LAYOUT", rng.choice(["qd.root.dense(qd.i, 6)", "qd.root.dense(qd.i, 3).dense(qd.i, 2)", "qd.root.pointer(qd.i, 3).dense(qd.i, 2)"])),
    "option": lambda rng: ("OPTIONS", rng.choice(["", "debug=True", "fast_math=False", "default_fp=qd.f64", "default_ip=qd.i64"])),
    "template": lambda rng: ("TEMPLATE", rng.randrange(4)),
    "object": lambda rng: ("MEMBER", rng.randrange(3)),
}  # fmt: skip
EDITED = """
import quadrants as qd, types
VALUE_ = VALUE
obj = types.SimpleNamespace(member=MEMBER)
@qd.func
def callee(x, y=DEFAULT): return CALLEE
@qd.kernel
def k(t: qd.template()):
    for i in field:
        field[i] = callee(field[i]) BODY (VALUE_ + obj.member + t + i // 2 * 1.5)
qd.init(arch="cpu", offline_cache=CACHED, offline_cache_file_path=PATH, log_level="error", OPTIONS)
field = qd.field(DTYPE)
LAYOUT.place(field)
for i in range(6): field[i] = i * i
k(TEMPLATE)
results = [field[i] for i in range(6)] + [field.dtype]
loaded = k._plans()[0][2]["recalled"]
qd.reset()
"""


def edited(choices, path, cached):
    text = EDITED
    for name, value in {**choices, "CACHED": cached, "PATH": repr(str(path))}.items():
        text = text.replace(name + "_", "\0").replace(name, str(value)).replace("\0", name + "_")
    source = path.with_suffix(".py")
    source.write_text(text)
    import linecache

    linecache.checkcache(str(source))
    import warnings

    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, str(source), "exec"), namespace)
    return list(map(str, namespace["results"])), namespace["loaded"]


def edits(place, count, rng):
    """Random edits of a kernel's dependencies: warm and cold runs give the same results."""
    choices = dict(make(rng) for make in EDITS.values())
    warm = 0
    for round in range(count):
        name, make = rng.choice(list(EDITS.items()))
        key, value = make(rng)
        choices[key] = value
        found, loaded = edited(choices, place.cache, True)
        wanted, _ = edited(choices, place.cache, False)
        warm += loaded
        if found != wanted:
            raise Failed(f"round {round}, {name}: {found} from the cache, {wanted} without it; {choices}")
    return f"{count} edits: warm as cold every time; {warm} of them were loaded"


MANY = "import quadrants as qd\n" + "".join(
    f"@qd.kernel\ndef k{i}(x: qd.types.ndarray(qd.f32, ndim=1)):\n    for i in x:\n        x[i] = x[i] * {i + 1} + {i}\n" for i in range(50)
)


def start(place, count):
    """Measures a process from start to end, with 50 cached kernels and all checks on."""
    path = place.folder / "many.py"
    calls = "".join(f"k{i}(x)\n" for i in range(50))
    init = f"qd.init(arch=qd.cpu, offline_cache_file_path={str(place.cache)!r}, log_level='error')\n"
    path.write_text(MANY + init + "x = qd.ndarray(qd.f32, 8)\n" + calls)
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    times = []
    for _ in range(count + 2):
        begun = time.perf_counter()
        subprocess.run([sys.executable, str(path)], check=True, env=environment)
        times.append(1e3 * (time.perf_counter() - begun))
    times = sorted(times[2:])
    bare = path.with_name("bare.py")
    bare.write_text("")
    begun = time.perf_counter()
    for _ in range(5):
        subprocess.run([sys.executable, str(bare)], check=True, env=environment)
    python = 200 * (time.perf_counter() - begun)
    return f"50 kernels: {times[len(times) // 2]:.0f} ms (least {times[0]:.0f}) of {count} runs; Python alone {python:.0f} ms"


def parts(kills_, edits_, seconds, starts, alterations):
    return {
        "kill -9": lambda place, rng: kills(place, kills_, rng),
        "8 at once": lambda place, rng: at_once(place, seconds, rng),
        "altered files": lambda place, rng: altered(place, alterations, rng),
        "other users": other_users,
        "full disk": full_disk,
        "read only": read_only,
        "clock set back": clock_set_back,
        "edits": lambda place, rng: edits(place, edits_, rng),
        "start": lambda place, rng: start(place, starts),
    }


def run_all(chosen, seed=1, only=""):
    """Returns a list of (name, result, True if it went well)."""
    table = []
    for name, part in chosen.items():
        if only and only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="qd-cache-") as folder:
            begun = time.monotonic()
            try:
                told, good = part(Place(pathlib.Path(folder)), random.Random(seed)), True
            except Failed as error:
                told, good = f"FAILED: {error}", False
            table.append((name, told, good))
            print(f"{name:16} {time.monotonic() - begun:7.1f} s  {told}", flush=True)
    return table


def main():
    if sys.argv[1:2] == ["--child"]:
        path, cache, *options = sys.argv[2:]
        pairs = (option.split("=") for option in options if "=" in option)
        results, loaded = run_program(pathlib.Path(path), cache, {k: int(v) if v.isdigit() else v for k, v in pairs})
        print(*results, loaded)
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--starts", type=int, default=21)
    parser.add_argument("--alterations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    table = run_all(parts(given.kills, given.edits, given.seconds, given.starts, given.alterations), given.seed, given.only)
    return 0 if all(good for _, _, good in table) else 1


if __name__ == "__main__":
    sys.exit(main())
