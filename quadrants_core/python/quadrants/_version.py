"""Version of the package. This is its only definition; CMakeLists.txt and pyproject.toml read it."""

version_str = "0.1.0"
version = tuple(map(int, version_str.split(".")))
