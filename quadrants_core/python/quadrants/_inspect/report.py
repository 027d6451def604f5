"""The contents of the window as a self-contained HTML page."""

import base64
import html
import linecache
import os
import struct
import zlib

from quadrants._live.coverage import coverage_of
from quadrants._windows import process as _process

_STYLE = """<style>
:root { color-scheme: light dark; }
body { font: 14px sans-serif; margin: 1.5em; background: Canvas; color: CanvasText; }
pre { font: 13px monospace; line-height: 1.35; overflow-x: auto; }
pre span { display: inline-block; min-width: 100%; box-sizing: border-box; }
table { border-collapse: collapse; } td, th { padding: .2em .8em; text-align: right; } td:first-child { text-align: left; }
figure { display: inline-block; margin: 0 1em 1em 0; } img { image-rendering: pixelated; width: 320px; }
i { opacity: .7; }
</style>"""
_VIRIDIS = ((68, 1, 84), (71, 45, 123), (59, 82, 139), (44, 114, 142), (33, 145, 140), (40, 174, 128), (94, 201, 98), (173, 220, 48), (253, 231, 37))


def save(path, publisher):
    """Writes the page for the state of a Publisher and returns its path. "": in the current directory, named after the program."""
    path = path or os.path.abspath(_name_of_file(publisher.program) + "-inspect.html")
    with open(path, "w", encoding="utf-8") as out:
        out.write(_process.written(page(publisher)))
    return path


def _name_of_file(title):
    """Converts a title to a valid file name."""
    name = "".join(c if c.isprintable() and c != "/" else "_" for c in title.removesuffix(".py").lstrip("."))[:100]
    return name.encode()[:200].decode(errors="ignore").strip() or "program"  # file names are limited to 255 bytes


def page(publisher):
    title = html.escape(publisher.program)
    publisher.files.take()
    publisher.tasks.take()
    parts = [f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title>{_STYLE}<h1>{title}</h1>"]
    parts += _pictures(publisher)
    parts += _parameters(publisher)
    history = publisher.files.history
    for listing, coverage in coverage_of(publisher.files.everything(), history).items():
        parts.append(f"<h2>{html.escape(os.path.basename(listing.known_as))}</h2><pre>{_listing(listing, coverage, history.scale()['total'])}</pre>")
    parts += _times(publisher.tasks.rows())
    return "\n".join(parts) + "</html>\n"


def _level(count, most):
    """Returns the strength of the tint in percent, as in the window."""
    return 0 if count <= 0 else round(6 + 54 * min(1, count / max(most, 1)) ** 0.35)


def _remarks(line):
    words = {"taken": "never true", "not_taken": "never false", "entered": "never entered", "exhausted": "only left by break"}
    return [said for outcome, said in words.items() if line["count"] and line["outcomes"].get(outcome) == 0]


def _listing(listing, coverage, most):
    lines = {line["number"]: line for line in coverage["lines"]}
    kept = {line["number"]: line["bytes"] for line in coverage["kept"]}
    rows = []
    for number, text in enumerate(linecache.getlines(listing.known_as), 1):
        line = lines.get(number)
        count = "" if line is None else f"{line['count']:,}" if line["count"] else "never" if line["launched"] else "not yet"
        said = [*(_remarks(line) if line else ()), *([f"keeps {kept[number]:,} B per thread"] if number in kept else ())]
        tint = f" style='background:rgba(232,113,10,{_level(line['count'], most) / 100:.2f})'" if line and line["count"] else ""
        remark = f"  <i>{html.escape(', '.join(said))}</i>" if said else ""
        rows.append(f"<span{tint}>{number:>4} {count:>15} | {html.escape(text.rstrip())}{remark}</span>")
    return "\n".join(rows)


def _times(rows):
    if not rows:
        return
    yield "<h2>Tasks</h2><table><tr><th>task<th>runs<th>mean ms<th>longest ms<th>total ms"
    for row in sorted(rows, key=lambda row: -row["total"]):
        times = (row["total"] / max(row["runs"], 1), row["longest"], row["total"])
        yield f"<tr><td>{html.escape(row['task'])}<td>{row['runs']:,}" + "".join(f"<td>{t / 1e3:.3f}" for t in times)
    yield "</table>"


def _parameters(publisher):
    for parameter in list(publisher.parameters.values()):
        yield f"<p>{html.escape(parameter.name)} = {parameter.value:g}, of {parameter.lowest:g} to {parameter.highest:g}</p>"


def _pictures(publisher):
    for pictures in list(publisher.looked_at.values()):
        picture, number = pictures.last, pictures.number
        if picture is None or number == 0:
            continue
        low, high, data = _png(pictures.slots[(number - 1) % len(pictures.slots)], picture["width"], picture["height"])
        caption = f"{html.escape(pictures.view.name)}: {low:g} to {high:g}"
        yield f"<figure><img alt='{caption}' src='data:image/png;base64,{base64.b64encode(data).decode()}'><figcaption>{caption}</figcaption></figure>"


def _png(samples, width, height):
    """Returns (minimum, maximum, PNG); the second axis points upwards, and non-finite values are magenta."""
    import numpy as np

    samples = np.frombuffer(samples, np.float32, width * height).reshape(width, height)
    finite = np.isfinite(samples)
    low, high = (float(samples[finite].min()), float(samples[finite].max())) if finite.any() else (0.0, 0.0)
    share = (np.where(finite, samples, low) - low) / (high - low or 1.0) * (len(_VIRIDIS) - 1)
    anchors = np.arange(len(_VIRIDIS))
    colours = np.stack([np.interp(share, anchors, [c[k] for c in _VIRIDIS]) for k in range(3)], -1).astype(np.uint8)
    colours[~finite] = 255, 0, 255
    rows = colours.transpose(1, 0, 2)[::-1]
    height, width = rows.shape[:2]
    raw = np.concatenate([np.zeros((height, 1), np.uint8), rows.reshape(height, -1)], 1).tobytes()

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return low, high, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 6)) + chunk(b"IEND", b"")
