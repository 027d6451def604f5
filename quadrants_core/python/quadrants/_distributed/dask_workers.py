"""Workers of Dask: a plugin sets them up and sends their reports as events."""

import uuid

from distributed import WorkerPlugin
from tornado.ioloop import PeriodicCallback

from quadrants._distributed import worker as _worker, workers as _workers

_PERIOD = 200  # milliseconds between two reports


class Plugin(WorkerPlugin):
    """A plugin for workers of Dask: starts a program in each worker, with as many threads as the worker has.

    Args:
        setup: a `Setup`.
        topic: the events that carry reports.
    """

    def __init__(self, setup, topic):
        self._setup, self.name = setup, topic
        self._callback = None

    def __reduce__(self):
        return Plugin, (self._setup, self.name)

    def setup(self, worker):
        self._setup.begin(worker.state.nthreads)
        self._worker, self._reporter = worker, _worker.Reporter()
        self._callback = PeriodicCallback(self._report, _PERIOD)
        self._callback.start()

    def teardown(self, worker):
        if self._callback is not None:  # the setup succeeded
            self._callback.stop()
            self._report()

    def _report(self):
        report = self._reporter.changes()
        if report is not None:
            self._worker.log_event(self.name, report)

    def everything(self):
        return self._reporter.everything()


def _everything(topic, dask_worker):
    return dask_worker.plugins[topic].everything()


class DaskWorkers(_workers.Workers):
    def __init__(self, client, setup):
        super().__init__()
        self._client, self._topic = client, f"quadrants-{uuid.uuid4().hex}"
        client.subscribe_topic(self._topic, lambda event: self._receive(event[1]))
        client.register_plugin(Plugin(setup, self._topic))

    def _collect(self):
        if self._client is not None:
            for report in self._client.run(_everything, self._topic, on_error="ignore").values():
                self._receive(report)

    def _close(self):
        if self._client is not None and self._client.status == "running":
            self.collect()
            self._client.unregister_worker_plugin(self._topic)
            self._client.unsubscribe_topic(self._topic)
        self._client = None
