"""Formats of counts in pages and notebooks, without the package `quadrants`: pages are made where no kernel runs."""

import re

MIME = "application/vnd.quadrants.coverage+json"  # see widgets/protocol/coverage.ts

dim = "color:var(--jp-content-font-color2,inherit)"
hatch = ("background-color:rgba(128,128,128,0.16);background:repeating-linear-gradient(135deg,transparent 0 6px,"
         "color-mix(in srgb,currentColor 16%,transparent) 6px 8px)")
said_of_branches = "padding:0 .4em;font-size:85%;border:1px dashed;border-radius:3px"


def cell_name(label):
    """Returns "Cell In[4]" for the label "cell 4", as tracebacks have it."""
    return re.sub(r"^cell (\d+)$", r"Cell In[\1]", label)


def meant(word, known):
    """Returns the end of a message about an unknown name."""
    import difflib

    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""


def digest(text):
    """Returns the 64-bit FNV-1a hash of the text in UTF-8."""
    state = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogatepass"):
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def level(count, most):
    """Returns the strength of the tint in percent; the same as in widgets/heatmap/scale.ts."""
    return 0 if count <= 0 else round(6 + 54 * min(1, count / max(most, 1)) ** 0.35)


def short(count):
    """Returns 999, 1.2k, 34k, 5.6M: four characters at most; the same as in labextension/src/marks.ts."""
    rest = count
    for unit in ("", "k", "M", "G", "T", "P"):
        if unit and rest < 9.95:
            return f"{rest:.1f}".removesuffix(".0") + unit
        if rest < 999.5:
            return f"{int(rest + 0.5)}{unit}"
        rest /= 1000
    return f"{int(rest + 0.5)}E"


def tint(count, most):
    return f"background-color:rgba(232,113,10,{level(count, most) / 100:.2f})"
