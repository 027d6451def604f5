"""Kernel start and round trip of the Quadrants kernel compared with ipykernel: same client, interleaved runs, ratios.

    .venv/bin/python benchmarks/notebook_bench.py [OPTION ...]

start: process start to kernel_info_reply. first: process start to the reply of the first `1+1`.
round trip: execute_request to execute_reply; idle: to the status idle. prints: 10,000 prints to idle.
"""

import argparse
import json
import statistics
import time

from jupyter_client import KernelManager

KERNELS = {"quadrants": "quadrants", "ipykernel": "python3"}


def wait_idle(client, message_id):
    text = 0
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != message_id:
            continue
        if message["msg_type"] == "stream":
            text += len(message["content"]["text"])
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return text


def wait_reply(client, message_id):
    while True:
        reply = client.get_shell_msg(timeout=60)
        if reply["parent_header"].get("msg_id") == message_id:
            assert reply["content"].get("status", "ok") == "ok", reply["content"]
            return


def execute(client, code):
    """Returns the seconds to the reply and to idle, and the number of characters printed."""
    start = time.perf_counter()
    message_id = client.execute(code)
    wait_reply(client, message_id)
    replied = time.perf_counter() - start
    text = wait_idle(client, message_id)
    return replied, time.perf_counter() - start, text


def one_round(name, trips):
    manager = KernelManager(kernel_name=name)
    start = time.perf_counter()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        wait_reply(client, client.kernel_info())
        ready = time.perf_counter() - start
        wait_reply(client, client.execute("1+1"))  # its status may be sent before the client listens
        first = time.perf_counter() - start
        client.wait_for_ready(timeout=60)
        pairs = [execute(client, "1+1") for _ in range(trips)]
        _, prints, text = execute(client, "for i in range(10000): print(i)")
        assert text == sum(len(str(i)) + 1 for i in range(10000)), "output was lost"
    finally:
        stop = time.perf_counter()
        client.stop_channels()
        manager.shutdown_kernel()
        shutdown = time.perf_counter() - stop
    return {"start": [ready], "first": [first], "round trip": [p[0] for p in pairs], "idle": [p[1] for p in pairs],
            "10k prints": [prints], "shutdown": [shutdown]}


def measure(rounds, trips):
    times = {kernel: {} for kernel in KERNELS}
    for number in range(rounds):
        for kernel, spec in (list(KERNELS.items())[:: 1 if number % 2 else -1]):
            for what, values in one_round(spec, trips).items():
                times[kernel].setdefault(what, []).extend(values)
    return {what: {k: statistics.median(times[k][what]) for k in KERNELS} for what in times["quadrants"]}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--trips", type=int, default=100)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    table = measure(given.rounds, given.trips)
    if given.json:
        print(json.dumps(table))
        return
    print(f"{'notebook':14}{'quadrants':>12}{'ipykernel':>12}{'ratio':>8}")
    for what, row in table.items():
        print(f"{what:14}{row['quadrants'] * 1e3:>9.1f} ms{row['ipykernel'] * 1e3:>9.1f} ms"
              f"{row['quadrants'] / row['ipykernel']:>8.2f}")


if __name__ == "__main__":
    main()
