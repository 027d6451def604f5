"""No class of the core has more than 60 members.

A member is what a reader finds declared in the class: data and functions, one for each declarator. Types made inside, friends,
`using` and what a table (`#include "x.def"`) expands to are none.
"""

import re
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "quadrants_core"
MOST = 60

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
CLASS = re.compile(r"(?<!enum )\b(?:class|struct)\s+(?:__attribute__\(\(.*?\)\)\s+|alignas\([^)]*\)\s+)?([\w:]+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{")
NO_MEMBER = re.compile(r"(?:friend|using|typedef|static_assert|template\s*<[^;{]*>\s*friend)\b")
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union|enum)\b[^()=]*$", re.DOTALL)
LABEL = re.compile(r"^\s*(?:public|private|protected)\s*:")


def plain(text):
    """The source without comments, the insides of literals, and directives."""
    return DIRECTIVE.sub("", COMMENT.sub(lambda m: " " if m.group().startswith("/") else '""', text))


def block_end(text, start):
    """Behind the brace that closes the one before `start`."""
    depth = 1
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if not depth:
            return i + 1
    return len(text)


def declarators(declaration):
    """How many members a declaration without a body makes."""
    flat = declaration
    for pair in (r"\([^()]*\)", r"\{[^{}]*\}", r"\[[^\[\]]*\]", r"<[^<>]*>"):
        while (shorter := re.sub(pair, "", flat)) != flat:
            flat = shorter
    return 1 + flat.count(",")


def members(body):
    """The number of members of a class with this body."""
    count, i, item = 0, 0, ""
    while i < len(body):
        if LABEL.match(item + body[i]):
            item, i = "", i + 1
        elif body[i] == ";":
            text = item.strip()
            if text and not NO_MEMBER.match(text) and not TYPE.match(text):
                count += declarators(text)
            item, i = "", i + 1
        elif body[i] == "{":
            end = block_end(body, i + 1)
            head = item.strip()
            if NO_MEMBER.match(head) or TYPE.match(head):
                item = ""  # a type of its own; a name after it would be a member
                tail = re.match(r"\s*(\w[^;]*)?;", body[end:])
                count += declarators(tail.group(1)) if tail and tail.group(1) else 0
                end += tail.end() if tail else 0
            elif re.search(r"\)\s*(?:const|noexcept|override|final|mutable|&|\s|->[^{]*|:[^:][^{]*)*$", head) or "operator" in head:
                rest = re.match(r"\s*[,{]", body[end:])  # a member initialiser with braces comes before the function's body
                if rest:
                    item += "()"
                else:
                    count, item = count + 1, ""
                    end += len(re.match(r"\s*;?", body[end:]).group())
            else:
                item += "{}"  # of a variable
            i = end
        else:
            item, i = item + body[i], i + 1
    return count


def classes(text):
    """(name, number of members) of every class that the source defines."""
    text = plain(text)
    for found in CLASS.finditer(text):
        yield found.group(1), members(text[found.end() : block_end(text, found.end()) - 1])


def sizes():
    found = {}
    for path in sorted(p for p in CORE.rglob("*") if p.suffix in (".h", ".cpp")):
        for name, count in classes(path.read_text(encoding="utf-8")):
            place = f"{path.relative_to(CORE)}: {name}"
            found[place] = max(count, found.get(place, 0))
    return found


def test_classes_are_small():
    found = sizes()
    assert len(found) > 300
    too_large = {name: count for name, count in found.items() if count > MOST}
    assert not too_large, f"split what grew: {too_large}"


def test_members_are_counted():
    text = """
    struct A : B<int, long> { // struct C {
        int a = 0, b[2] = {1, 2};
        std::map<int, long> c; /* int x; */
        explicit A(int n) : a(n), b{1, 2} { if (n) { a = 1; } }
        A() = default;
        template <class T> void each(const T &visit) const { visit(a, b); }
        bool operator==(const A &) const = default;
        auto last() const -> decltype(c) { return c; }
        using D = int;
        friend class E;
        enum class F { x, y };
        struct G { int inside; } g;
      private:
        static constexpr const char *text = "int no; {";
    #define ROW(x) int x;
    #include "rows.def"
    };
    """
    assert dict(classes(text)) == {"A": 10, "G": 1}
    assert members(plain("int a; A(int n) : a(n), b{1, 2} { if (n) { a = 1; } } int b;")) == 3
