"""Version of the package. This is its only definition; CMakeLists.txt and pyproject.toml read it."""

version_str = "0.1.0"


class Version(tuple):
    """Three numbers, which compare and unpack as a tuple; their text is that of the version."""

    __slots__ = ()

    def __str__(self):
        return ".".join(map(str, self))


version = Version(map(int, version_str.split(".")))
