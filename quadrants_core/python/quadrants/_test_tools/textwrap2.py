"""Indentation of text."""


def dedent(indent_size, v):
    """Each line without its first `indent_size` blanks."""
    blanks = " " * indent_size
    return "\n".join(line.removeprefix(blanks) if line.strip() else line[indent_size:] for line in v.split("\n"))
