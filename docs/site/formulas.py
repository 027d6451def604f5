"""Formulas of the notebooks as drawings in the page: they are there without a net, in the colour of the text, and sit on its line."""

import re
from html import escape

FORMULA = re.compile(r"(`[^`]*`)|\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.S)


def drawn(tex, block=False):
    """TeX, as far as matplotlib knows it, as an element svg; its size goes with that of the text."""
    import matplotlib
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import TextToPath

    tex = " ".join(tex.split())
    shown = tex.replace(r"\frac", r"\dfrac") if block else tex
    with matplotlib.rc_context({"mathtext.fontset": "stix"}):
        font = FontProperties(size=TextToPath.FONT_SCALE)
        text = f"${shown}$"
        points, codes = TextToPath().get_text_path(font, text, ismath=True)
        width, height, below = TextToPath().get_text_width_height_descent(text, font, ismath=True)
    letter = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C", Path.CLOSEPOLY: "Z"}
    parts, before = [], None
    for (x, y), code in zip(points, codes):
        if code == Path.CLOSEPOLY:
            parts.append("Z")
        else:
            # the points of a curve after its first, which share its letter, follow without one
            follows = code == before and code in (Path.CURVE3, Path.CURVE4)
            parts.append(f"{' ' if follows else letter[code]}{x:.1f} {-y:.1f}")
        before = code
    em = TextToPath.FONT_SCALE / 1.2  # the letters of formulas run smaller than those of the page
    box = f"0 {below - height:.1f} {width:.1f} {height:.1f}"
    style = f"width:{width / em:.3f}em;height:{height / em:.3f}em;vertical-align:{-below / em:.3f}em"
    return (f'<svg class="qd-formula" role="img" aria-label="{escape(tex)}" viewBox="{box}" style="{style}">'
            f'<path fill="currentColor" d="{"".join(parts)}"/></svg>')  # fmt: skip


def with_formulas(text):
    """Markdown whose `$...$` and `$$...$$` are drawings; code stays as it is."""

    def put(match):
        code, block, inline = match.groups()
        if code:
            return code
        return f'\n\n<div class="qd-formula-block">{drawn(block, True)}</div>\n\n' if block else drawn(inline)

    return FORMULA.sub(put, text)
