"""Percentages for coverage reports."""

import math

LOW = 80  # percent: files below it are marked


def percentage(part, whole):
    return 100.0 if whole == 0 else 100.0 * part / whole


def shown(part):
    """Formats a percentage, rounded down so that no threshold appears to be reached when it is not."""
    return f"{math.floor(part * 10 + 1e-9) / 10:.1f}%"
