"""Whole programs, each checked against a number from a textbook: `python -m quadrants.examples` lists and runs them."""
