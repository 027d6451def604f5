"""nbval with meaning: what pytest_quadrants.py registers when --nbval or --nbval-lax is on.

- Outputs are compared by meaning, see nbval_meaning.py. Tolerances: --qd-rtol, --qd-atol; for one cell its tags
  `qd-rtol-1e-3`, `qd-atol-1e-6`, or comments `# QD_RTOL 1e-3`, `# QD_ATOL 1e-6`. In cells with one of these, or with the
  tag `qd-numbers` (`# QD_NUMBERS`), numbers in plain text and in streams are compared within the tolerance too.
- Animations (image/gif, image/webp) must exist, as pictures must for nbval: their content is not compared.
- update_display_data and clear_output are supported, as in every notebook program.
- Cells are numbered, so that "cell 4" is the number that the notebook shows.
- --qd-cov: coverage of the notebooks by cell and line, see nbval_coverage.py.
"""

import copy
import re

import pytest

from quadrants_jupyter import nbval_meaning as meaning

_text_forms = ("text/plain", "text/html")
_films = ("image/gif", "image/webp")
_setting = re.compile(r"qd-(numbers|rtol-(?P<rtol>.+)|atol-(?P<atol>.+))")
_comment = re.compile(r"\s*#\s*QD_(NUMBERS|RTOL|ATOL)\b[\s=:]*(\S*)\s*$")
_undo = pytest.StashKey()


def pytest_configure(config):
    from nbval.kernel import RunningKernel
    from nbval.plugin import IPyNbCell

    undo = config.stash[_undo] = []
    _replace(undo, IPyNbCell, "runtest", _with_screen)
    _replace(undo, IPyNbCell, "compare_outputs", _with_meaning)
    _replace(undo, RunningKernel, "execute_cell_input", _counted)
    if config.option.qd_cov:
        from quadrants_jupyter import nbval_coverage

        config.pluginmanager.register(nbval_coverage.Plugin(config, undo), "quadrants-notebook-coverage")


def _replace(undo, owner, name, wrap):
    before = getattr(owner, name)
    undo.append((owner, name, before))
    setattr(owner, name, wrap(before))


def pytest_unconfigure(config):
    for owner, name, before in reversed(config.stash.get(_undo, [])):
        setattr(owner, name, before)


def _counted(execute_cell_input):
    def execute(self, cell_input, allow_stdin=None):
        return self.kc.execute(cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False)

    return execute


# --- display updates -------------------------------------------------------------------------------------------------
# A stored notebook contains what is shown at the end; nbval compares with everything that was ever displayed. Messages that
# update a display of an earlier cell have no effect: that cell has already been compared.

_shows = ("stream", "display_data", "execute_result", "error")


class Screen:
    """Filters the kernel's messages to nbval during one cell."""

    def __init__(self, cell, receive):
        self.cell, self.receive = cell, receive
        self.ids = {}  # index in the outputs -> display_id
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


# --- comparison ------------------------------------------------------------------------------------------------------


def settings_of(cell, option):
    """Returns the tolerance of a cell, and True if numbers in its text are compared by it."""
    found = {}
    for tag in cell.metadata.get("tags", ()):
        if match := _setting.fullmatch(tag):
            found.update({k: v for k, v in match.groupdict().items() if v is not None}, numbers=True)
    for line in cell.source.splitlines():
        if match := _comment.match(line):
            found["numbers"] = True
            if match[1] != "NUMBERS":
                found[match[1].lower()] = match[2]
    limits = {"rtol": option.qd_rtol, "atol": option.qd_atol}
    for name in limits:
        if name in found:
            try:
                limits[name] = float(found[name])
            except ValueError:
                raise ValueError(f"qd-{name} needs a number, not {found[name]!r}") from None
    return meaning.Tolerance(**limits), found.get("numbers", False)


def _with_meaning(compare_outputs):
    def compare(self, test, ref, skip_compare=None):
        try:
            tolerance, numbers = settings_of(self.cell, self.config.option)
        except ValueError as error:
            self.comparison_traceback = [self.colors.FAIL + str(error) + self.colors.ENDC]
            return False
        test, ref = copy.deepcopy(test), copy.deepcopy(ref)
        found = _settle(test, ref, tolerance)
        if numbers:
            found += _settle_text(test, ref, tolerance, self.sanitize)
        if found:
            self.comparison_traceback = [self.colors.FAIL + line + self.colors.ENDC for line in found]
            return False
        return compare_outputs(self, test, ref, skip_compare)

    return compare


def _with_data(outputs):
    return [output for output in outputs if "data" in output]


def _settle(test, ref, tolerance):
    """Compares typed data, and leaves in both outputs what nbval compares as text."""
    found = []
    for new, stored in zip(_with_data(test), _with_data(ref)):
        typed = [kind for kind in meaning.kinds if kind in new["data"] and kind in stored["data"]]
        for kind in typed:
            found += meaning.differences(kind, stored["data"][kind], new["data"][kind], tolerance)
        if typed:
            for form in _text_forms:
                new["data"].pop(form, None)
                stored["data"].pop(form, None)
    for output in _with_data(test) + _with_data(ref):
        for kind in (*meaning.kinds, meaning.HEATMAP):
            output["data"].pop(kind, None)
        output["data"].update((kind, "") for kind in _films if kind in output["data"])
    return found


def _settle_text(test, ref, tolerance, sanitize):
    """Compares numbers in text, and makes texts with the same meaning equal."""
    found = []
    pairs = [(new["data"], stored["data"], "text/plain") for new, stored in zip(_with_data(test), _with_data(ref))]
    for new in test:
        for stored in ref:
            if new["output_type"] == stored["output_type"] == "stream" and new["name"] == stored["name"]:
                pairs.append((new, stored, "text"))
    for new, stored, key in pairs:
        if key in new and key in stored:
            differences = meaning.numbers_in_text(sanitize(stored[key]), sanitize(new[key]), tolerance)
            found += [d for d in differences if d is not meaning.OTHER_TEXT]
            if not differences:
                new[key] = stored[key]
    return found
