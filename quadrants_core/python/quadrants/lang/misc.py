"""Functions under the name that programs import them by."""

from quadrants._ops import loop_unique
