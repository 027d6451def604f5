"""Loading of kernels from text."""

import contextlib as _contextlib


def import_kernel_from_file(kernel_filepath, kernel_name):
    """Executes a file as a module and returns its member `kernel_name`."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(kernel_name, str(kernel_filepath))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kernel_name)


@_contextlib.contextmanager
def load_kernel_from_string(kernel_str, kernel_name):
    """`with load_kernel_from_string(text, "k") as k:` executes `text` as a separate module and yields its member."""
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{kernel_name}.py"
        path.write_text(kernel_str, encoding="utf-8")
        yield import_kernel_from_file(path, kernel_name)
