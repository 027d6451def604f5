"""Puts the pictures of the examples on one sheet, examples/contact_sheet.png.

Run the examples first, from the root of the repository: for e in examples/*.py; do python $e; done
"""

import pathlib

import matplotlib
from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).resolve().parents[1]
FONTS = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"
PAPER, INK, GREY = "#fbfaf7", "#1d2530", "#5b626d"
WIDTH, HEIGHT, GAP, COLUMNS = 440, 202, 20, 3


def main() -> None:
    pictures = [ROOT / "out" / f"{path.stem}.png" for path in sorted((ROOT / "examples").glob("*.py"))]
    rows = -(-(len(pictures) + 2) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP) + GAP), PAPER)
    draw = ImageDraw.Draw(sheet)
    lines = (("Quadrants", 46, INK, 44), (f"{len(pictures)} programs from published descriptions,", 21, GREY, 112),
             ("each checked against a number of a textbook", 21, GREY, 142))  # fmt: skip
    for text, size, colour, y in lines:
        font = "DejaVuSans-Bold.ttf" if colour == INK else "DejaVuSans.ttf"
        draw.text((2 * GAP, GAP + y), text, colour, ImageFont.truetype(FONTS / font, size))
    for k, path in enumerate(pictures, start=2):
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        x = GAP + k % COLUMNS * (WIDTH + GAP) + (WIDTH - picture.width) // 2
        y = GAP + k // COLUMNS * (HEIGHT + GAP) + (HEIGHT - picture.height) // 2
        sheet.paste(picture, (x, y))
        label = ImageFont.truetype(FONTS / "DejaVuSansMono.ttf", 11)
        draw.text((GAP + k % COLUMNS * (WIDTH + GAP), GAP * (1 + k // COLUMNS) + (k // COLUMNS + 1) * HEIGHT + 2), path.stem, GREY, label)
    to = ROOT / "examples" / "contact_sheet.png"
    sheet.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG).save(to, optimize=True)
    print(f"{to}: {len(pictures)} pictures, {to.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
