"""Version of the package."""

version = (0, 1, 0)
version_str = "0.1.0"
