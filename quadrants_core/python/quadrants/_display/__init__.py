"""The representation of values in notebooks."""
