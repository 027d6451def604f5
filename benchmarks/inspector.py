"""Costs and response times of the window of qd.inspect(), compared with the targets: best and median of each.

    python benchmarks/inspector.py [--unseen]

Runs on a display of its own (Xvfb), or with windows drawn in memory. Other work on the machine increases the medians, so both are
printed; threads and processes are measured by their own CPU time.
"""

import contextlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import threading
import time

SIDE = 512
ROUNDS = 7  # repetitions of measurements that need a process of their own
TICKS = os.sysconf("SC_CLK_TCK")


def processor_time(process, thread=None):
    """Returns the CPU seconds of a process, or of one of its threads, from /proc."""
    with open(f"/proc/{process}/stat" if thread is None else f"/proc/{process}/task/{thread}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def make(qd):
    qd.init(arch=qd.cpu, log_level="warn", offline_cache=False, cpu_max_num_threads=max(1, (os.cpu_count() or 2) // 2))
    v = qd.field(qd.f32, shape=(SIDE, SIDE))

    @qd.kernel
    def change(by: qd.f32, number: qd.i32):
        for i, j in v:
            v[i, j] = by * ((i * 7 + j * 13 + number) % 4093)  # equal pictures would not be sent

    numbers = itertools.count()

    def step(by):
        change(by, next(numbers))

    step(0.1)
    return v, step


def begin(seen):
    """In a process of its own: measures the time of the call, and the time until the first frame has been drawn and read back."""
    import quadrants as qd

    v, step = make(qd)
    start, own = time.perf_counter(), time.thread_time()
    ins = qd.inspect(v, show_window=seen, keep=False)
    called, own = time.perf_counter() - start, time.thread_time() - own
    frame = drawn(ins)
    frame()
    first = time.perf_counter() - start
    ins.close()
    again = []
    for _ in range(5):
        start = time.perf_counter()
        ins = qd.inspect(v, show_window=seen, keep=False)
        again.append(time.perf_counter() - start)
        ins.close()
    print(json.dumps({"called": called, "own": own, "first": first, "again": again}))


def drawn(ins):
    """Returns a function that makes the window draw a frame, and waits for it."""
    from quadrants._windows.process import Memory

    memory, news = Memory(ins._process, 100_000), threading.Event()
    memory.reserve(4 * 1280 * 800)
    ins._publisher.do_picture = lambda message: news.set()

    def frame():
        news.clear()
        ins._process.send({"kind": "read", "memory": 100_000, "at": 0, "bytes": 4 * 1280 * 800})
        while not news.wait(0.001):  # so that the main thread may run
            pass

    return frame


def at_work(seen):
    """In a process of its own: measures pictures, a slider, and the cost of an idle window."""
    import quadrants as qd

    v, step = make(qd)
    plain = timed(lambda: step(0.1), 1.0)
    ins = qd.inspect(v, show_window=seen, keep=False)
    by = ins.param("by", 0.1, 0.0, 1.0)
    publisher, process = ins._publisher, ins._process
    frame = drawn(ins)
    frame()
    taken, own, shown, take = [], [], [], publisher.take

    def measured(*args, **keywords):
        start, before = time.perf_counter(), time.thread_time()
        take(*args, **keywords)
        taken.append(time.perf_counter() - start)
        own.append(time.thread_time() - before)

    publisher.take = measured
    note = publisher.do_shown
    publisher.do_shown = lambda message: (shown.append(time.perf_counter()), note(message))
    busy(step, by, 1.0)
    del taken[:], own[:], shown[:]
    before = processor_time(os.getpid(), publisher.native_id)
    busy(step, by, 4.0)
    publisher_share = (processor_time(os.getpid(), publisher.native_id) - before) / 4
    fps = len(shown) / 4
    watched = timed(lambda: step(by), 2.0)
    pictures, pictures_own = list(taken), list(own)
    sliders = slide(publisher, process, by, step)
    time.sleep(1.5)
    window, before = process.pid, (processor_time(process.pid), processor_time(os.getpid(), publisher.native_id))
    time.sleep(5)
    idle = (processor_time(window) - before[0]) / 5, (processor_time(os.getpid(), publisher.native_id) - before[1]) / 5
    ins.close()
    print(json.dumps({"picture": pictures, "own": pictures_own, "fps": fps, "plain": plain, "watched": watched, "publisher": publisher_share,
                      "slider": sliders, "idle window": idle[0], "idle publisher": idle[1]}))  # fmt: skip


def timed(call, seconds):
    samples, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return samples


def busy(step, by, seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        step(by)


def slide(publisher, process, by, step):
    """Returns the times from a press on the slider to the launch that has its value."""
    answers = []
    publisher.do_model = answers.append
    process.send({"kind": "test", "do": "model"})
    while not answers:
        time.sleep(0.001)
    left, top, right, bottom = answers[0]["places"]["parameter by"]
    found = []
    for k in range(40):
        known = float(by)
        at = {"type": "move", "x": left + (right - left) * (0.2 + 0.013 * k), "y": (top + bottom) / 2}
        button = {"type": "button", "key": "LMB"}
        process.send({"kind": "input", "events": [at]})
        busy(step, by, 0.1)
        start = time.perf_counter()
        process.send({"kind": "input", "events": [{**button, "down": True}]})
        while float(by) == known and time.perf_counter() < start + 2:
            step(by)
        if float(by) != known:
            found.append(time.perf_counter() - start)
        process.send({"kind": "input", "events": [{**button, "down": False}]})
        busy(step, by, 0.05)
    return found


def launches():
    """In a process of its own: measures a short launch, in the given environment."""
    import quadrants as qd

    qd.init(arch=qd.cpu, log_level="warn", offline_cache=False)
    x = qd.field(qd.f32, shape=8)

    @qd.kernel
    def small():
        for i in x:
            x[i] += 1.0

    small()
    samples = []
    for _ in range(200):
        start = time.perf_counter()
        for _ in range(200):
            small()
        samples.append((time.perf_counter() - start) / 200)
    print(json.dumps(samples))


def discs(seen):
    import numpy as np
    import quadrants as qd

    qd.init(arch=qd.cpu, log_level="warn")
    places = np.random.default_rng(1).random((100_000, 2)).astype(np.float32)
    gui = qd.GUI("discs", (800, 800), show_gui=seen)
    gui.fps_limit = 10_000

    def frame():
        gui.circles(places, radius=2, color=0x33AAFF)
        gui.show()

    frame()
    print(json.dumps(timed(frame, 3.0)))


def run(what, seen, **environment):
    env = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0", **environment}
    done = subprocess.run([sys.executable, __file__, "--do", what, *([] if seen else ["--unseen"])], stdout=subprocess.PIPE, text=True, env=env, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def line(name, samples, unit=1e3, of="ms", target=""):
    print(f"{name:<52}{min(samples) * unit:>10.3f}{statistics.median(samples) * unit:>10.3f} {of:<4}{target}", flush=True)


@contextlib.contextmanager
def display(seen):
    if not seen:
        yield
        return
    ours, theirs = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], pass_fds=[theirs], stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours) as numbers:
        os.environ["DISPLAY"] = f":{numbers.readline().strip()}"
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def main(seen):
    print(f"{'':<52}{'best':>10}{'median':>10}      target")
    with display(seen):
        begun = [run("begin", seen) for _ in range(ROUNDS)]
        line("qd.inspect() comes back, the first time", [one["called"] for one in begun], target="5")
        line("  the same, of the processor", [one["own"] for one in begun])
        line("qd.inspect() comes back, once more", [t for one in begun for t in one["again"]], target="5")
        line("first frame, drawn and read back", [one["first"] for one in begun], target="150")
        works = [run("at_work", seen) for _ in range(3)]
        line(f"a picture of {SIDE} x {SIDE}, of the program's time", [t for one in works for t in one["picture"]], target="0.3")
        line("  the same, of the processor", [t for one in works for t in one["own"]])
        line("a launch without window", [t for one in works for t in one["plain"]])
        line("a launch with window, lines counted", [t for one in works for t in one["watched"]])
        print(f"{'pictures a second, half of the cores in kernels':<52}{max(w['fps'] for w in works):>10.1f}{statistics.median(w['fps'] for w in works):>10.1f}     30")
        line("slider to launch", [t for one in works for t in one["slider"]], target="one frame")
        line("telling, at work: share of a core", [one["publisher"] for one in works], 100, "%", "1")
        line("idle window: share of a core", [one["idle window"] for one in works], 100, "%", "1")
        line("telling, idle: share of a core", [one["idle publisher"] for one in works], 100, "%", "1")
        line("100,000 discs, a frame", run("discs", seen), target="33")
        line("short launch, nothing asked for", run("launches", seen, QD_INSPECT=""), 1e6, "us")
        line("short launch, QD_INSPECT=attach, nobody attached", run("launches", seen, QD_INSPECT="attach"), 1e6, "us", "the same")


if __name__ == "__main__":
    seen = "--unseen" not in sys.argv
    if "--do" in sys.argv:
        what = sys.argv[sys.argv.index("--do") + 1]
        launches() if what == "launches" else {"begin": begin, "at_work": at_work, "discs": discs}[what](seen)
    else:
        main(seen)
