"""A process that executes pickled functions, in a folder from which it cannot import the tests."""

import os
import struct
import subprocess
import sys

import cloudpickle

PROGRAM = """
import cloudpickle, os, pickle, struct, sys, traceback
import quadrants as qd

replies = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
qd.init(arch=sys.argv[1], offline_cache=False)
while size := sys.stdin.buffer.read(8):
    try:
        reply = True, pickle.loads(sys.stdin.buffer.read(*struct.unpack("q", size)))()
    except Exception as error:
        traceback.print_exc()
        reply = False, error
    reply = cloudpickle.dumps(reply)
    replies.write(struct.pack("q", len(reply)) + reply)
    replies.flush()
"""


class Worker:
    def __init__(self, arch, folder, **environment):
        command = [sys.executable, "-c", PROGRAM, arch]
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment})

    def run(self, function):
        """Returns the result of a function that is executed there; raises what it raises."""
        return self.load(cloudpickle.dumps(function))

    def load(self, pickled):
        self.process.stdin.write(struct.pack("q", len(pickled)) + pickled)
        self.process.stdin.flush()
        size = self.process.stdout.read(8)
        assert size, "the worker has ended"
        succeeded, result = cloudpickle.loads(self.process.stdout.read(*struct.unpack("q", size)))
        if not succeeded:
            raise result
        return result

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait() == 0
