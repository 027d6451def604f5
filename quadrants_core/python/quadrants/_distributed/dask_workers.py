"""Workers of Dask: a plugin sets them up and sends their reports as events."""

import uuid

from distributed import WorkerPlugin
from tornado.ioloop import PeriodicCallback

from quadrants._distributed import worker as _worker, workers as _workers

_NAME = "quadrants"
_PERIOD = 200  # milliseconds between two reports


class Plugin(WorkerPlugin):
    """A plugin for workers of Dask: starts a program in each worker, with as many threads as the worker has.

    Args:
        setup: a `Setup`.
        topic: the events that carry reports; None: there are no reports.
    """

    name = _NAME

    def __init__(self, setup, topic=None):
        self._setup, self._topic = setup, topic
        self._reporter = self._callback = None

    def __reduce__(self):
        return Plugin, (self._setup, self._topic)

    def setup(self, worker):
        self._setup.begin(worker.state.nthreads)
        if self._topic is not None:
            self._worker, self._reporter = worker, _worker.Reporter()
            self._callback = PeriodicCallback(self._report, _PERIOD)
            self._callback.start()

    def teardown(self, worker):
        if self._callback is not None:
            self._callback.stop()
            self._report()

    def _report(self):
        report = self._reporter.changes()
        if report is not None:
            self._worker.log_event(self._topic, report)

    def everything(self):
        return self._reporter.everything()


def _everything(dask_worker):
    return dask_worker.plugins[_NAME].everything()


class DaskWorkers(_workers.Workers):
    def __init__(self, client, setup):
        super().__init__()
        self._client, self._topic = client, f"quadrants-{uuid.uuid4().hex}"
        client.subscribe_topic(self._topic, lambda event: self.receive(event[1]))
        client.register_plugin(Plugin(setup, self._topic))

    def collect(self):
        if self._client is not None:
            for report in self._client.run(_everything, on_error="ignore").values():
                self.receive(report)

    def close(self):
        if self._client is None:
            return
        self.collect()
        self._client.unregister_worker_plugin(_NAME)
        self._client.unsubscribe_topic(self._topic)
        self._client = None
