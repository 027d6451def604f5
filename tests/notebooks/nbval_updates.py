"""pytest plugin: lets nbval understand update_display_data and clear_output, as every notebook program does.

A stored notebook holds what is shown at the end; nbval compares with everything that was ever displayed. Messages that
update a display of an earlier cell stay without effect: that cell was compared before.
"""

from nbval.plugin import IPyNbCell

_shows = ("stream", "display_data", "execute_result", "error")


class Screen:
    """Stands between nbval and the kernel's messages for the time of one cell."""

    def __init__(self, cell, receive):
        self.cell, self.receive = cell, receive
        self.ids = {}  # place in the outputs -> display_id
        self.clear_at_next = False

    def __call__(self, *args, **kwargs):
        while True:
            message = self.receive(*args, **kwargs)
            if not self.consumes(message):
                return message

    def consumes(self, message):
        kind, content = message["msg_type"], message["content"]
        outputs = getattr(self.cell, "test_outputs", [])
        if kind == "clear_output":
            if content.get("wait"):
                self.clear_at_next = True
            else:
                self.clear(outputs)
            return True
        if kind == "update_display_data":
            for place, key in self.ids.items():
                if key == content.get("transient", {}).get("display_id") and place < len(outputs):
                    outputs[place].update(data=content["data"], metadata=content["metadata"])
            return True
        if kind in _shows and self.clear_at_next:
            self.clear(outputs)
        if kind == "display_data":
            self.ids[len(outputs)] = content.get("transient", {}).get("display_id")
        return False

    def clear(self, outputs):
        outputs.clear()
        self.ids.clear()
        self.clear_at_next = False


def _with_screen(runtest):
    def run(self):
        receive = self.parent.get_kernel_message
        self.parent.get_kernel_message = Screen(self, receive)
        try:
            return runtest(self)
        finally:
            self.parent.get_kernel_message = receive

    return run


IPyNbCell.runtest = _with_screen(IPyNbCell.runtest)
