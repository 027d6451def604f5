"""Native libraries of the package."""
