"""Indentation of text."""


def dedent(indent_size, v):
    """Removes the first `indent_size` spaces of each line."""
    blanks = " " * indent_size
    return "\n".join(line.removeprefix(blanks) if line.strip() else line[indent_size:] for line in v.split("\n"))
