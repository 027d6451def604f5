"""The HTML that a notebook shows for a check of gradients: a verdict in words, a colour, and the responsible lines."""

from html import escape

# Words duplicate the colours. Literal values come first, since JupyterLab removes var() from untrusted notebooks.
_MARKS = {"agrees": ("✓", "#2e7d32", "gradients agree"), "wrong": ("✗", "#c62828", "gradients are wrong"),
          "cannot say": ("?", "#6b7280", "cannot say whether gradients are right")}  # fmt: skip

_font = "font-family:sans-serif;font-family:var(--jp-ui-font-family,sans-serif);font-size:12px;line-height:1.5"
_code = "font-family:monospace;font-family:var(--jp-code-font-family,monospace);white-space:pre-wrap"


def html(name, verdict, compared, reason, places):
    """Returns one line of HTML, followed by what is wrong."""
    sign, colour, words = _MARKS[verdict]
    pill = (f'<span style="display:inline-block;border:1px solid {colour};border-left:5px solid {colour};border-radius:3px;'
            f'padding:0 .5em;color:inherit"><b aria-hidden="true">{sign}</b> <b>{escape(name)}</b>: {words}</span>')  # fmt: skip
    beside = f' <span style="opacity:.8">{escape(compared)}</span>' if compared and verdict == "agrees" else ""
    below = f'<div style="margin:.2em 0 0 .9em">{escape(reason)}</div>' if reason else ""
    for place, text in places:
        below += (f'<div style="margin:.1em 0 0 .9em"><span style="opacity:.8">{escape(place)}:</span> '
                  f'<span style="{_code}">{escape(text)}</span></div>')  # fmt: skip
    return f'<div style="{_font};margin:.2em 0">{pill}{beside}{below}</div>'
