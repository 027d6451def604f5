"""The pictures of the site: a page for each example, and grids of cards (sphinx-design) that lead to examples and notebooks. The pictures of
examples are the tiles of examples/contact_sheet.png, those of notebooks the last pictures of their outputs.
"""

import ast
import base64
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import contact_sheet  # noqa: E402

EXAMPLES = ROOT / "examples"
SHEET = "![The pictures of all examples](contact_sheet.png)"  # in examples/README.md
FRONT = "path_tracer mpm_materials sparse_grid lbm wave mass_spring".split()
FIRST_CARDS = (  # of the front page: page, title, text
    ("guide/README", "Guide", "From the first kernel to threads, caches and derivatives; the tests run its code."),
    ("examples/README", "Gallery", "Programs and notebooks with their pictures, each checked against a textbook."),
    ("reference/README", "Reference", "Every public name with its types, errors and an example."),
    ("reference/errors", "Errors", "Each message with a program that causes it, and what to do."),
    ("performance", "Performance", "Measured beside NumPy, Numba, C++ and peers, with what is slower."),
    ("design/README", "Design", "How the compiler, the runtime and the notebook are built."),
)


def examples():
    """name -> (what it shows, what it is checked against), from the table of examples/README.md"""
    rows = re.findall(r"^\| \[(\w+)\]\(\w+\.py\) \| (.*) \| (.*) \|$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.M)
    return {name: (shows, checked) for name, shows, checked in rows}


def card(title, text, link, picture=None):
    lines = [f":::{{grid-item-card}} {title}", f":link: {link}", ":link-type: doc"]
    if picture:
        lines += [f":img-top: {picture}", f":img-alt: {title}"]
    return "\n".join([*lines, "", text, ":::"])


def grid(cards):
    return "\n".join(["::::{grid} 1 2 3 3", ":gutter: 2", ":class-container: qd-gallery", "", *cards, "::::"])


def example_cards(names, prefix="", pictures="../pictures"):
    known = examples()
    return [card(name, known[name][0][:1].upper() + known[name][0][1:], f"{prefix}{name}", f"{pictures}/{name}.png") for name in names]


def notebook_cards(notebooks, kept):
    """Cards of the notebooks of name -> title that have a picture."""
    return [card(name, title, f"../notebooks/{name}", f"../pictures/{kept[name]}") for name, title in notebooks.items() if name in kept]


def last_picture(notebook):
    """Returns (type, bytes) of the last picture among the outputs of a notebook, or None."""
    found = None
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            for kind in ("image/png", "image/jpeg"):
                if kind in output.get("data", {}):
                    found = kind.removeprefix("image/"), base64.b64decode(output["data"][kind])
    return found


def write_pictures(folder, ran):
    """Writes the pictures into a folder. Returns name of a notebook -> name of its picture."""
    from PIL import Image

    folder.mkdir(parents=True)
    sheet = Image.open(EXAMPLES / "contact_sheet.png").convert("RGB")
    for name, box in contact_sheet.tiles().items():
        sheet.crop(box).save(folder / f"{name}.png", optimize=True)
    kept = {}
    for name, notebook in ran.items():
        if (picture := last_picture(notebook)) is not None:
            kept[name] = f"notebook-{name}.{picture[0]}"
            (folder / kept[name]).write_bytes(picture[1])
    return kept


def example_page(name):
    """The page of an example: its description, its picture and its code."""
    shows, checked = examples()[name]
    code = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    title, _, about = ast.get_docstring(ast.parse(code)).partition("\n\n")
    body = code.split('"""', 2)[2].strip()
    return "\n\n".join([
        f"# {name}", title, f"![{name}](../pictures/{name}.png)", about,
        f"**Shows**: {shows}. **Checked against**: {checked}.", f"Run it: `python examples/{name}.py`, or [download](../files/examples/{name}.py) it.",
        f"```python\n{body}\n```",
    ]) + "\n"  # fmt: skip


def gallery_page(text, notebooks, kept):
    """examples/README.md with grids of cards instead of the sheet."""
    names = sorted(examples())
    hidden = "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"
    grids = grid(example_cards(names)) + "\n\n## Notebooks\n\n" + grid(notebook_cards(notebooks, kept)) + "\n\n## What the examples show"
    assert SHEET in text, "examples/README.md shows its contact sheet"
    return text.replace(SHEET, grids) + "\n" + hidden


def front_page():
    """The grids of the front page."""
    first = [card(title, text, page) for page, title, text in FIRST_CARDS]
    return grid(first) + "\n\n## Gallery\n\n" + grid(example_cards(FRONT, "examples/", "pictures")) + "\n\n[All examples and notebooks](examples/README.md)\n"
