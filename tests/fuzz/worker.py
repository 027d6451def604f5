"""Runs many programs in a process of their own: a crash or a hang is attributed to the program announced last.

`run_batch` starts `python -m tests.fuzz.worker` and passes it programs on its standard input, one JSON text on each line; the worker
answers each with a line of JSON. A worker that dies, or that uses too many seconds of processor time on one program, is a fault of that
program. """

import gc
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from tests.fuzz.run import ARCHS

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60  # of processor time for one program
BYTES = 8 << 30  # of address space: who asks for more gets a MemoryError, which is a fault
UNSURE = 20  # for one that may have no end


class Worker:
    def __init__(self):
        environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tests.fuzz.worker"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def ask(self, text, valid, archs=ARCHS):
        """Returns (kind, text) of the fault, or None."""
        unsure = False
        try:
            self.process.stdin.write(json.dumps([text, valid, archs]) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            while answer == "unsure\n":
                unsure, answer = True, self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            found = json.loads(answer)
            return tuple(found) if found else None
        _, errors = self.process.communicate()
        if unsure and self.process.returncode == -signal.SIGXCPU:
            return None
        return f"the process ended with {self.process.returncode}", errors[-2000:]

    def memory(self):
        """Returns the memory of the process in MiB."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize() / 2**20

    def alive(self):
        return self.process.poll() is None

    def close(self):
        if self.alive():
            self.process.stdin.close()
            self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()


def faults(programs, report=lambda worker: None):
    """Yields (text, kind, detail) of those of `programs`, (text, valid) or (text, valid, archs), that show a fault; `report` is
    called after each program."""
    worker = Worker()
    for text, *how in programs:
        if not worker.alive():
            worker.close()
            worker = Worker()
        found = worker.ask(text, *how)
        report(worker)
        if found:
            yield text, *found
    worker.close()


def main():
    from tests.fuzz import run

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of programs goes to stderr

    def answer(words):
        answers.write(words + "\n")
        answers.flush()

    def unsure():
        answer("unsure")
        _limit(UNSURE)

    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    gc.collect()
    gc.freeze()
    gc.disable()  # syntax trees are many small objects without cycles
    for number, line in enumerate(sys.stdin):
        text, valid, archs = json.loads(line)
        os.environ["QD_VERIFY"] = str(int("interp" in archs))  # the few programs that run on all archs
        _limit(SECONDS)
        answer(json.dumps(run.fault(text, valid, unsure, archs)))
        if number % 50 == 0:
            gc.collect()


def _limit(seconds):
    used = resource.getrusage(resource.RUSAGE_SELF)
    now = int(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (now + seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    main()
