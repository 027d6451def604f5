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


def main() -> None:
    pictures = [ROOT / "out" / f"{path.stem}.png" for path in sorted((ROOT / "examples").glob("*.py"))]
    rows = -(-(len(pictures) + 2) // COLUMNS)  # the title takes the place of two
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
    for k, path in enumerate(pictures, start=2):
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        x, y = GAP + k % COLUMNS * across, GAP + k // COLUMNS * down
        sheet.paste(picture, (x, y + HEIGHT - picture.height))
        draw.text((x, y + HEIGHT + 3), path.stem, GREY, label)
    to = ROOT / "examples" / "contact_sheet.png"
    sheet.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG).save(to, optimize=True)
    print(f"{to}: {len(pictures)} pictures, {to.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
