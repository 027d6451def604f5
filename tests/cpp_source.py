"""The declarations of C++ sources, found by their braces and semicolons, for tests that measure them."""

import re

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
ATTRIBUTE = re.compile(r"\balignas\([^)]*\)|\b__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|\[\[.*?\]\]", re.DOTALL)
LABEL = re.compile(r"\s*(?:public|private|protected)\s*$")
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union|enum)\b[^()=]*$", re.DOTALL)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b[^()]*$|extern\s*\"\"$")
FUNCTION = re.compile(r"\)\s*(?:const|noexcept|override|final|mutable|&|\s|->[^{]*|:[^:][^{]*)*$|\boperator\b")
_mark = re.compile(r"[;:{}]")
_after_type = re.compile(r"[^;{}]*;")
_more_initialisers = re.compile(r"\s*[,{]")


def plain(text):
    """Returns the source without comments, contents of literals, directives and attributes; its lines keep their numbers."""
    lines = lambda m: "\n" * m.group().count("\n")
    text = COMMENT.sub(lambda m: " " + lines(m) if m.group().startswith("/") else '""' + lines(m), text)
    return ATTRIBUTE.sub(lines, DIRECTIVE.sub(lines, text))


def block_end(text, start):
    """Returns the position after the brace that closes the one before `start`."""
    depth = 1
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if not depth:
            return i + 1
    return len(text)


def declarations(text):
    """Yields (head, begin, opening, end) of each declaration in the plain text of a scope: the text before its block or semicolon, with braces
    of initialisers emptied, and the positions of its first character, of its block (None without one) and of its end. The variables that are
    declared after the block of a type are before `end`."""
    at = begin = 0
    head = ""
    while mark := _mark.search(text, at):
        head, at, opening = head + text[at : mark.start()], mark.end(), None
        if mark.group() == "{":
            opening, at = mark.start(), block_end(text, mark.end())
            if TYPE.match(head.strip()):
                tail = _after_type.match(text, at)
                at = tail.end() if tail else at
            elif not NAMESPACE.match(head.strip()) and (not FUNCTION.search(head) or _more_initialisers.match(text, at)):
                head += "()" if FUNCTION.search(head) else "{}"  # an initialiser: of a member before the function's body, or of a variable
                continue
        elif mark.group() == ":" and not LABEL.match(head):
            head += ":"
            continue
        if mark.group() in ";{" and head.strip():
            yield head.strip(), begin + len(text[begin:at]) - len(text[begin:at].lstrip()), opening, at
        head, begin = "", at
