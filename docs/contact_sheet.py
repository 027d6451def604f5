"""Puts the pictures of the examples on one sheet, examples/contact_sheet.png.

Run the examples first, from the root of the repository: for e in examples/*.py; do python $e; done
"""

import pathlib

import matplotlib
from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).resolve().parents[1]
FONTS = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"
PAPER, INK, GREY = "#fbfaf7", "#1d2530", "#5b626d"
WIDTH, HEIGHT, GAP, LABEL, COLUMNS = 440, 202, 20, 22, 3


def tiles() -> dict[str, tuple[int, int, int, int]]:
    """Returns the name of each example -> the box of its picture on the sheet: left, top, right, bottom."""
    found = {}
    for k, path in enumerate(sorted((ROOT / "examples").glob("*.py")), start=2):  # the title takes the place of two
        x, y = GAP + k % COLUMNS * (WIDTH + GAP), GAP + k // COLUMNS * (HEIGHT + LABEL + GAP)
        found[path.stem] = x, y, x + WIDTH, y + HEIGHT
    return found


def main() -> None:
    pictures = [ROOT / "out" / f"{name}.png" for name in tiles()]
    rows = -(-(len(pictures) + 2) // COLUMNS)
    across, down = WIDTH + GAP, HEIGHT + LABEL + GAP
    sheet = Image.new("RGB", (COLUMNS * across + GAP, rows * down + GAP), PAPER)
    draw = ImageDraw.Draw(sheet)
    lines = (
        ("Quadrants", 46, "DejaVuSans-Bold.ttf", INK, 44),
        (f"{len(pictures)} programs from published descriptions,", 21, "DejaVuSans.ttf", GREY, 112),
        ("each checked against a number of a textbook", 21, "DejaVuSans.ttf", GREY, 142),
    )
    for text, size, font, colour, y in lines:
        draw.text((2 * GAP, GAP + y), text, colour, ImageFont.truetype(FONTS / font, size))
    label = ImageFont.truetype(FONTS / "DejaVuSansMono.ttf", 12)
    for path, (x, _, _, bottom) in zip(pictures, tiles().values()):
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        sheet.paste(picture, (x, bottom - picture.height))
        draw.text((x, bottom + 3), path.stem, GREY, label)
    to = ROOT / "examples" / "contact_sheet.png"
    sheet.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG).save(to, optimize=True)
    print(f"{to}: {len(pictures)} pictures, {to.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
