"""Version of the package: the one place, which CMakeLists.txt and pyproject.toml read."""

version_str = "0.1.0"
version = tuple(map(int, version_str.split(".")))
