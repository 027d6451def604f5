"""python run.py [--reference] PROGRAM: runs it with the module `quadrants` of this environment under the name `taichi`, on the CPU.
With --reference it runs with Taichi itself, which that environment must have. Windows are unseen and close after a few frames
(windows.py); what is random starts from the same seeds at every run, and the clock is that of the frames."""

import importlib
import os
import pathlib
import random
import runpy
import sys
import time
import types

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.remove(str(HERE))
sys.path.insert(0, str(HERE.parents[1]))

from tests.published import windows  # noqa: E402


def on_the_cpu(init):
    return lambda *_, **options: init(**{"random_seed": 1, **options, "arch": sys.modules["taichi"].cpu})


def reference():
    import taichi as ti

    ti.GUI, ti.ui.Window = windows.classes(ti)
    ti.init = on_the_cpu(ti.init)


def ours(examples):
    import quadrants as qd

    class Module(types.ModuleType):
        def __getattr__(self, name):
            return getattr(qd, name)

    module = Module("taichi")
    module.__path__ = []
    module.GUI, window = windows.classes(qd)
    module.ui = types.ModuleType("taichi.ui")
    vars(module.ui).update({name: getattr(qd.ui, name) for name in dir(qd.ui)}, Window=window)
    module.tools = types.ModuleType("taichi.tools")
    for name in dir(qd.tools):
        setattr(module.tools, name, getattr(qd.tools, name))
    module.tools.imshow = windows.imshow(module.GUI)
    module.init = on_the_cpu(qd.init)
    sys.modules.update({"taichi": module, "taichi.tools": module.tools, "taichi.ui": module.ui})
    for name in "math types algorithms linalg lang lang.impl lang.matrix lang.kernel_impl lang.exception _lib profiler ad".split():
        try:
            sys.modules[f"taichi.{name}"] = importlib.import_module(f"quadrants.{name}")
        except ImportError:
            pass
    for name in ("quadrants._lib.core", "quadrants._lib.core.quadrants_python"):
        try:
            importlib.import_module(name).GGUI_AVAILABLE = True
        except ImportError:
            pass
    package = types.ModuleType("taichi.examples")
    package.__path__ = [str(examples)]
    sys.modules["taichi.examples"] = module.examples = package


def main():
    path = pathlib.Path(sys.argv[-1]).resolve()
    os.environ["MPLBACKEND"] = "agg"
    random.seed(1)
    time.time = time.perf_counter = windows.now
    time.time_ns = lambda: int(windows.now() * 1e9)
    numpy.random.seed(1)
    if sys.argv[1] == "--reference":
        reference()
    else:
        ours(next(p for p in path.parents if p.name == "examples"))
    windows.watch(sys.modules["taichi"].tools.VideoManager)
    if "matplotlib" in path.read_text():
        import matplotlib.pyplot

        matplotlib.pyplot.show = windows.show_plot
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except windows.Closed:
        pass
    print("ran to its end")


if __name__ == "__main__":
    main()
