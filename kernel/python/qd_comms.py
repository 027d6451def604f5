"""Comms: messages between widgets and the front end, and the kernel object that libraries expect besides."""

import sys
import types

import _qd
import comm
import qd_debug
import qd_loop
import qd_output
from comm.base_comm import BaseComm, CommManager
from IPython.core.interactiveshell import InteractiveShell
from qd_output import publish


class Comm(BaseComm):
    # No attribute `kernel`: ipywidgets takes None there for "closed" and sends nothing.
    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        content = {"comm_id": self.comm_id, "data": data or {}}
        content.update((k, v) for k, v in keys.items() if v is not None)
        publish(msg_type, content, metadata, buffers)

    def handle_msg(self, msg):
        call_back(super().handle_msg, msg)

    def handle_close(self, msg):
        call_back(super().handle_close, msg)


class Comms(CommManager):
    def register_target(self, target_name, f):
        if isinstance(f, str):
            module, _, name = f.rpartition(".")
            f = getattr(__import__(module, fromlist=[name]), name)

        def opened(comm, msg):
            if not call_back(f, comm, msg):
                comm.close()

        super().register_target(target_name, opened)


def call_back(handle, *args):
    """Calls user code for a message from the front end, with events, Stop and visible errors. Returns False after an error."""
    shell = InteractiveShell.instance()
    shell.events.trigger("pre_execute")
    before = qd_debug.begin()
    try:
        _qd.allow_interrupts(True)
        handle(*args)
        return True
    except BaseException:
        shell.showtraceback()
        return False
    finally:
        qd_debug.give_back(before)
        _qd.allow_interrupts(False)
        shell.events.trigger("post_execute")


def install():
    manager = Comms()
    comm.create_comm = lambda *args, **kwargs: Comm(*args, **kwargs)
    comm.get_comm_manager = lambda: manager
    for name in ("ipykernel.comm", "ipykernel.comm.comm", "ipykernel.comm.manager"):
        module = types.ModuleType(name)
        module.Comm, module.CommManager, module.BaseComm = Comm, Comms, BaseComm
        sys.modules[name] = module
    return manager


class Kernel:
    """The object that libraries expect as `get_ipython().kernel`."""

    def __init__(self, manager, shell):
        self.comm_manager = manager
        self.shell = shell

    def get_parent(self, channel=None):
        return self.shell.get_parent()

    def set_parent(self, ident, parent, channel=None):
        self.shell.set_parent(parent)

    @property
    def _parent_header(self):
        return self.get_parent()


def receive(shell, kind, message, buffers):
    message["buffers"] = [memoryview(b) for b in buffers]
    before = qd_output.current()
    token = qd_output.begin()
    qd_loop.enter()
    try:
        getattr(shell.kernel.comm_manager, kind)(None, None, message)
    except BaseException as error:  # raised by a hook, or by the message itself
        _qd.allow_interrupts(False)
        shell.showtraceback((type(error), error, error.__traceback__))
    finally:
        qd_loop.leave()
        _qd.flush()
        qd_output.end(token, before)


def known(shell, target):
    return {key: {"target_name": c.target_name} for key, c in shell.kernel.comm_manager.comms.items()
            if target is None or c.target_name == target}
