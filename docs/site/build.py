"""Builds the site: `make docs` writes out/site. Pages are docs/**/*.md, examples/README.md and the notebooks, which are run in the
Quadrants kernel and have the counts of their lines beside the code; myst-nb, the usual extension for notebooks, cannot show these. Links to
other files of the repository lead to copies of them.

A warning, such as a link that leads nowhere, ends the build.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

import gallery
from formulas import with_formulas

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)]*)?\)")
OBJECT = re.compile(r"^#{2,3} `?([\w.]+)`?[^\n]*\n\n(?=:{3,4}\{py:)", re.M)  # the heading of an object of the reference
NOTEBOOKS = {
    "tour": "A tour: water on a mountain range",
    "performance": "From a first kernel to SIMD",
    "fire": "Fire on a mountain, on a sparse grid",
    "particles": "Two discs collide: the material point method",
    "photograph": "A photograph: blur, edges, noise",
    "debugging": "Finding what is wrong",
    "gradients": "Gradients",
    "checkpoints": "Checkpoints",
}
WIDGET_ALONE = {"application/vnd.jupyter.widget-view+json", "text/plain"}
DESIGN = (
    "README glossary python-package options syntax-tree parser frontend code-generation spirv trees meshes derivatives cache-entries launches lanes device-passes faults scaling forks counting "
    "gutter jupyter-kernel inspector tests files-to-touch"
).split()


def pages():
    """(file of the repository, page of the site)"""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        relative = path.relative_to(ROOT / "docs")
        if relative.parts[0] != "site":
            yield path, relative
    yield ROOT / "examples" / "README.md", Path("examples") / "README.md"
    for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY"):
        yield ROOT / f"{name}.md", Path(f"{name.lower()}.md")


def objects():
    """(page of the reference, anchor of a heading in it) -> the object below the heading"""
    found = {}
    for path in (ROOT / "docs/reference").glob("*.md"):
        for name in OBJECT.findall(path.read_text(encoding="utf-8")):
            found.setdefault((path, "#" + name.lower().replace(".", "")), name)
    return found


def with_links(text, path, page, source, known, named={}):
    """Links as the site has them: to objects of the reference, to pages, or to copies of other files."""

    def moved(match):
        shown, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        to = (path.parent / target).resolve()
        if (to, anchor) in named:
            return f"{shown}(#{named[to, anchor]})"
        if to in known:
            return f"{shown}({os.path.relpath(known[to], page.parent)}{anchor})"
        if not to.is_file():
            sys.exit(f"{path.relative_to(ROOT)}: {target} leads nowhere")
        copy = Path("files") / to.relative_to(ROOT)
        (source / copy).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(to, source / copy)
        return f"{shown}({os.path.relpath(copy, page.parent)})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def with_description(text):
    """The page with a description for search engines and link previews: its first paragraph as plain text, at most 200 characters."""
    paragraphs = re.split(r"\n\s*\n", re.sub(r"^(```|:::).*?^\1$", "", text, flags=re.M | re.S))
    for paragraph in paragraphs:
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        plain = re.sub(r"<[^>]*>|[*`]", "", plain).strip()
        if re.match(r"[A-Za-z*]", paragraph.strip()) and len(plain) > 20:
            if len(plain) > 200:
                plain = plain[:200].rpartition(" ")[0] + " ..."
            quoted = json.dumps(plain, ensure_ascii=False)
            return f"---\nmyst:\n  html_meta:\n    description: {quoted}\n    \"property=og:description\": {quoted}\n---\n\n{text}"
    return text


def run(name, folder):
    """A notebook, run."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="quadrants", store_widget_state=False).execute(cwd=str(ROOT / "notebooks"))
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return notebook


def notebook_page(name, title, notebook):
    """Text as Markdown, which the search finds; code with its counts and what it gave as HTML."""
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import CoalesceStreamsPreprocessor
    from nbformat.v4 import new_notebook
    from quadrants_jupyter.export import Highlighter, Marks

    notebook, _ = Marks().preprocess(notebook, {})
    exporter = HTMLExporter(template_name="basic", filters={"highlight_code": Highlighter()})
    exporter.register_preprocessor(CoalesceStreamsPreprocessor(enabled=True), enabled=True)
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(with_formulas(cell.source))
            continue
        # a widget lives in a notebook that runs; what stands for it in others is its name in Python
        cell.outputs = [output for output in cell.outputs if set(output.get("data", ())) != WIDGET_ALONE]
        body, _ = exporter.from_notebook_node(new_notebook(cells=[cell], metadata=notebook.metadata))
        # the blank lines would end the block of HTML in Markdown
        parts.append("```{raw} html\n" + f'<div class="qd-cell">{body}</div>'.replace("```", "&#96;&#96;&#96;") + "\n```")
    text = "\n\n".join(parts)
    if not text.startswith("# "):
        text = f"# {title}\n\n" + text
    return text


def toctree(title, names):
    caption = f":caption: {title}\n" if title else ""
    return f"```{{toctree}}\n:hidden:\n{caption}\n" + "\n".join(names) + "\n```\n"


def index(source):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lead = readme.split("\n## ")[0]
    guide = re.findall(r"^\d+\. \[.*?\]\(([\w./-]+)\.md\)", (source / "guide/README.md").read_text(encoding="utf-8"), re.M)
    reference = [name.removesuffix(".md") for name in re.findall(r"\]\(([\w-]+\.md)\)", (source / "reference/README.md").read_text(encoding="utf-8"))]
    reference = [name for name in dict.fromkeys(reference) if not name.startswith("errors-")]
    recipes = sorted(path.stem for path in (source / "design").glob("add-*.md"))
    trees = [
        toctree("Guide", ["guide/README", *(os.path.normpath(f"guide/{name}") for name in guide)]),
        toctree("Gallery", ["examples/README", *(f"notebooks/{name}" for name in NOTEBOOKS)]),
        toctree("Reference", ["reference/README", *(f"reference/{name}" for name in reference), "Index <genindex>"]),
        toctree("Design", [f"design/{name}" for name in [*DESIGN, *recipes]]),
        toctree("Facts", ["conformance", "performance", "kernel-coverage"]),
        toctree("Project", ["changelog", "contributing", "security"]),
    ]
    lead = with_links(lead, ROOT / "README.md", Path("index.md"), source, {})
    start = "\n\n**[Install](guide/install.md)** · **[Start in five minutes](guide/start.md)** · [Coming from Taichi](guide/from-taichi.md) · [Every name](reference/README.md) · "
    return lead + start + "[FAQ](guide/README.md#faq-where-is-the-answer-to)\n\n" + gallery.front_page() + "\n" + "\n".join(trees)


def prepare(source, ran):
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    listed = list(pages())
    known, named = {path.resolve(): page for path, page in listed}, objects()
    for name in NOTEBOOKS:
        known[(ROOT / "notebooks" / f"{name}.ipynb").resolve()] = Path("notebooks") / f"{name}.md"
    for name in gallery.examples():
        known[ROOT / "examples" / f"{name}.py"] = Path("examples") / f"{name}.md"
    pictures = gallery.write_pictures(source / "pictures", ran)
    for path, page in listed:
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        text = OBJECT.sub("", path.read_text(encoding="utf-8"))
        if page.parent.name == "examples":
            text = gallery.gallery_page(text, NOTEBOOKS, pictures)
        text = with_links(text, path, page, source, known, named)
        if page.name == "errors.md":
            text += "\n" + toctree("", sorted(path.stem for path in (ROOT / "docs/reference").glob("errors-*.md")))
        (source / page).write_text(with_description(text), encoding="utf-8")
    for name in gallery.examples():
        (source / "files/examples").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "examples" / f"{name}.py", source / "files/examples" / f"{name}.py")
        (source / "examples" / f"{name}.md").write_text(with_description(gallery.example_page(name)), encoding="utf-8")
    (source / "notebooks").mkdir()
    (source / "files/notebooks").mkdir(parents=True, exist_ok=True)
    for name, title in NOTEBOOKS.items():
        path, page = ROOT / "notebooks" / f"{name}.ipynb", Path("notebooks") / f"{name}.md"
        text = with_links(notebook_page(name, title, ran[name]), path, page, source, known, named)
        shutil.copyfile(path, source / "files" / "notebooks" / path.name)
        text += f"\n\n---\n\nThis is [notebooks/{path.name}](../files/notebooks/{path.name}), run in the Quadrants kernel.\n"
        (source / page).write_text(with_description(text), encoding="utf-8")
    (source / "index.md").write_text(with_description(index(source)), encoding="utf-8")
    shutil.copytree(SITE / "_static", source / "_static")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "site")
    parser.add_argument("--as-kept", action="store_true", help="take the notebooks as they are, without running them")
    options = parser.parse_args()
    import nbformat

    work = options.out.parent / (options.out.name + "-source")
    kept = {name: ROOT / "notebooks" / f"{name}.ipynb" for name in NOTEBOOKS}
    if options.as_kept:
        ran = {name: nbformat.read(path, as_version=4) for name, path in kept.items()}
    else:
        ran = {name: run(name, options.out.parent / "notebooks") for name in NOTEBOOKS}
    prepare(work, ran)
    shutil.rmtree(options.out, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2", "-c", SITE, "-b", "html", work, options.out]
    done = subprocess.run(command)
    if done.returncode == 0:
        print(f"site: {escape(str(options.out / 'index.html'))}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
