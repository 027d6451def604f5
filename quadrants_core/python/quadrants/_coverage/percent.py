"""Parts of lines that ran, as reports show them."""

import math

LOW = 80  # percent: files below it get a mark


def percentage(part, whole):
    return 100.0 if whole == 0 else 100.0 * part / whole


def shown(part):
    """Rounded down, so that no threshold seems to be reached that is not."""
    return f"{math.floor(part * 10 + 1e-9) / 10:.1f}%"
