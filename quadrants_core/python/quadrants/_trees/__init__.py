"""Trees of levels, which fields are placed in."""
