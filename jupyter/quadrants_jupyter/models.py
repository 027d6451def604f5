"""Models of the widgets, whose modules are in static/."""

import functools
import pathlib

_modules = pathlib.Path(__file__).parent / "static"


@functools.cache
def model_class(name, **traits):
    """Returns the class of the live widget `name`, with these traits ("List", "Dict", "Unicode", "Bool"), if anywidget is installed and the
    front end was built; otherwise None."""
    module = _modules / f"{name}.js"
    if not module.is_file():
        return None
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    members = {trait: getattr(traitlets, kind)().tag(sync=True) for trait, kind in traits.items()}
    return type(f"{name.capitalize()}Model", (anywidget.AnyWidget,), {"__module__": __name__, "_esm": module, **members})
