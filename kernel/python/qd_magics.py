"""Magics that IPython provides for terminals only, or not at all, with the behaviour known from other kernels."""

import importlib.util
import shlex
import subprocess
import sys
from pathlib import Path

import _qd
from IPython.core import page
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magics.code import CodeMagics, MacroToEdit
from IPython.display import clear_output
from IPython.utils import openpy


@magics_class
class KernelMagics(Magics):
    @line_magic
    def edit(self, line, last_call=("", "")):
        """Asks the front end to open a file, or the place where an object is defined, in an editor."""
        options, arguments = self.parse_options(line, "prn:")
        try:
            file, number, _ = CodeMagics._find_edit_target(self.shell, arguments, options, list(last_call))
        except MacroToEdit:
            raise UsageError("%edit cannot open a macro here") from None
        if file is not None:
            payload = {"source": "edit_magic", "filename": str(Path(file).resolve()), "line_number": number}
            self.shell.payload_manager.write_payload(payload)

    @line_magic
    def clear(self, line):
        """Clears the output of the cell."""
        clear_output()

    @line_magic
    def less(self, line):
        """Shows a file in the pager."""
        if not line:
            raise UsageError("%less: which file?")
        try:
            if line.endswith(".py"):
                text = self.shell.pycolorize(openpy.read_py_file(line, skip_encoding_cookie=False))
            else:
                text = Path(line).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"%less: {error.strerror}: {line}") from None
        page.page(text)

    more = line_magic("more")(less)

    @line_magic
    def man(self, line):
        """Shows a manual page in the pager."""
        page.page(self.shell.getoutput(f"man {line} | col -b", split=False))

    @line_magic
    def connect_info(self, line):
        """Prints what other clients need to connect to this kernel."""
        file = _qd.connection_file
        print(Path(file).read_text(encoding="utf-8"))
        print(f"\nConnect another client with:\n    $> jupyter <app> --existing {file}")

    @line_magic
    def qtconsole(self, line):
        """Opens a qtconsole on this kernel."""
        if importlib.util.find_spec("qtconsole") is None:
            raise UsageError("%qtconsole: the package qtconsole is not installed")
        code = "from qtconsole.qtconsoleapp import main; main()"
        command = [sys.executable, "-c", code, "--existing", _qd.connection_file, *shlex.split(line)]
        subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL)

    @line_magic
    def autosave(self, line):
        """JupyterLab and Notebook save by themselves; their settings say how often."""
        try:
            int(line)
        except ValueError:
            raise UsageError(f"%autosave requires an integer, got {line!r}") from None
        print("The front end saves by itself: see Settings > Document Manager > Autosave Interval.")

    @line_magic
    def subshell(self, line):
        """Lists subshells, of which this kernel has none."""
        print("Kernel does not support subshells")
