"""An ensemble of pendulums on a cluster of Dask: which frequency and damping explain a measured swing?

    python examples/distributed/ensemble.py

Each task simulates some members of the ensemble, all of them side by side in one kernel. The workers compile it once.
"""

import distributed
import numpy as np
import quadrants as qd

STEPS, MEMBERS, TASKS = 400, 64, 16


@qd.kernel
def misfit(parameters: qd.types.NDArray[qd.f64, 2], measured: qd.types.NDArray[qd.f64, 1], result: qd.types.NDArray[qd.f64, 1]):
    for m in range(result.shape[0]):
        frequency, damping = parameters[m, 0], parameters[m, 1]
        angle, speed, total = qd.f64(1.0), qd.f64(0.0), qd.f64(0.0)
        for step in range(measured.shape[0]):
            speed -= 0.02 * (frequency**2 * qd.sin(angle) + damping * speed)
            angle += 0.02 * speed
            total += (angle - measured[step]) ** 2
        result[m] = total


def swing(frequency, damping):
    angle, speed, angles = 1.0, 0.0, []
    for _ in range(STEPS):
        speed -= 0.02 * (frequency**2 * np.sin(angle) + damping * speed)
        angle += 0.02 * speed
        angles.append(angle)
    return np.array(angles)


def misfits(parameters, measured):
    result = np.empty(len(parameters))
    misfit(parameters, measured, result)
    return result


def main():
    measured = swing(3.1, 0.25) + np.random.default_rng(0).normal(0, 0.01, STEPS)
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        workers = qd.distributed.connect(client, arch=qd.cpu)
        center, spread = np.array([2.5, 0.5]), np.array([1.5, 0.5])
        for _ in range(5):
            members = center + spread * np.random.default_rng(1).uniform(-1, 1, (TASKS * MEMBERS, 2))
            tasks = client.map(misfits, np.split(members, TASKS), measured=measured)
            found = np.concatenate([task.result() for task in tasks])
            center, spread = members[found.argmin()], spread / 4
        workers.close()
        compiled = sum(one.compiled for one in workers.compilations())
        print(f"frequency {center[0]:.2f}, damping {center[1]:.2f}; workers that compiled: {compiled}")
        assert np.abs(center - [3.1, 0.25]).max() < 0.02 and compiled <= 1


if __name__ == "__main__":
    main()
