"""Runs the tour notebook in the Quadrants kernel and writes the result as a notebook and as HTML."""

import argparse
import pathlib
import time

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from quadrants_jupyter.export import Highlighter, Marks


def main() -> None:
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out"), help="folder for tour.ipynb and tour.html")
    parser.add_argument("--kernel", default="quadrants", help="name of the kernel to run in")
    parser.add_argument("--notebook", type=pathlib.Path, default=here / "tour.ipynb")
    args = parser.parse_args()

    notebook = nbformat.read(args.notebook, as_version=4)
    start = time.perf_counter()
    # Without widget state, an exported page shows the static form of every widget and loads nothing from the network.
    client = NotebookClient(notebook, timeout=600, kernel_name=args.kernel, store_widget_state=False)
    client.execute(cwd=str(here))
    seconds = time.perf_counter() - start

    args.out.mkdir(parents=True, exist_ok=True)
    stem = args.notebook.stem
    nbformat.write(notebook, args.out / f"{stem}.ipynb")
    exporter = HTMLExporter(preprocessors=[Marks], filters={"highlight_code": Highlighter()})  # whatever the environment configures
    page, _ = exporter.from_notebook_node(notebook)
    (args.out / f"{stem}.html").write_text(page, encoding="utf-8")

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    print(f"ran {len(cells)} cells of {args.notebook.name} in the {args.kernel} kernel in {seconds:.1f} s")
    for cell in cells:
        for output in cell.outputs:
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            if output.output_type == "stream" or cell.source.startswith("%%qd_kernel"):
                print("   ", text.strip().replace("\n", "\n    "))
    print(f"page: {(args.out / f'{stem}.html').resolve()}")


if __name__ == "__main__":
    main()
