// Number and string literals. Simple forms are converted here; the others are left to CPython.
#include "syntax/from_python.h"
#include "syntax/grammar.h"

#include <charconv>
#include <cstring>

namespace qd::syntax {
namespace {

/// Converts digits with an optional base prefix.
PyObject *integer(const std::string &text) {
    if (text.size() <= 18 && (text.size() == 1 || text[0] != '0')) {
        long long value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return PyLong_FromLongLong(value);
    }
    // Base 0 accepts the prefixes, but not leading zeros.
    const bool zeros = text.find_first_not_of('0') == std::string::npos;
    return zeros ? PyLong_FromLong(0) : PyLong_FromString(text.c_str(), nullptr, 0);
}

/// False with an error set.
bool real(const std::string &text, double &value) {
    const char *end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (stopped == end && error == std::errc()) return true;
    value = PyOS_string_to_double(text.c_str(), nullptr, nullptr); // reports overflow and underflow as CPython does
    return !PyErr_Occurred();
}

/// Converts a literal without its underscores, whose form the lexer has checked.
PyObject *number(std::string &text) {
    const bool prefixed = text.size() > 1 && text[0] == '0' && std::strchr("xXoObB", text[1]);
    if (prefixed) return integer(text);
    double value = 0;
    if ((text.back() | 0x20) == 'j') {
        text.pop_back();
        return real(text, value) ? PyComplex_FromDoubles(0.0, value) : nullptr;
    }
    for (char c : text)
        if (c < '0' || c > '9') return real(text, value) ? PyFloat_FromDouble(value) : nullptr;
    return integer(text);
}

/// The parts of a string token.
struct Quoted {
    bool raw = false, bytes = false, formatted = false, valid = true;
    std::string_view inside;
};

Quoted split_quoted(std::string_view token) {
    Quoted q;
    size_t prefix = 0;
    bool unicode = false;
    for (; token[prefix] != '"' && token[prefix] != '\''; ++prefix) {
        const char c = char(token[prefix] | 0x20);
        bool &flag = c == 'r' ? q.raw : c == 'b' ? q.bytes : c == 'f' ? q.formatted : unicode;
        if (flag) q.valid = false;
        flag = true;
    }
    if (q.bytes + q.formatted + unicode > 1 || (unicode && q.raw)) q.valid = false;
    token.remove_prefix(prefix);
    const size_t quotes = token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
    q.inside = token.substr(quotes, token.size() - 2 * quotes);
    return q;
}

void add_utf8(std::string &out, uint32_t code) {
    if (code < 0x80) {
        out += char(code);
    } else if (code < 0x800) {
        out += {char(0xC0 | code >> 6), char(0x80 | (code & 0x3F))};
    } else if (code < 0x10000) {
        out += {char(0xE0 | code >> 12), char(0x80 | (code >> 6 & 0x3F)), char(0x80 | (code & 0x3F))};
    } else {
        out += {char(0xF0 | code >> 18), char(0x80 | (code >> 12 & 0x3F)), char(0x80 | (code >> 6 & 0x3F)),
                char(0x80 | (code & 0x3F))};
    }
}

/// Reads up to `most` digits of base 8 or 16 at the front of `text`; returns the number of digits.
size_t take_digits(std::string_view &text, size_t most, int bits, uint32_t &code) {
    size_t n = 0;
    code = 0;
    for (; n < most && n < text.size(); ++n) {
        const char c = text[n], letter = char(c | 0x20);
        const int value = c >= '0' && c <= '9' ? c - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 99;
        if (value >= 1 << bits) break;
        code = code << bits | uint32_t(value);
    }
    text.remove_prefix(n);
    return n;
}

/// Decodes the escapes `\x`, `\u` and `\U`, which give a character code.
bool numeric_escape(std::string_view &text, char kind, bool bytes, std::string &out) {
    const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
    uint32_t code = 0;
    if (take_digits(text, digits, 4, code) != digits || code > 0x10FFFF) return false;
    if (bytes)
        out += char(code);
    else
        add_utf8(out, code);
    return true;
}

/// Appends the decoded `text`; false if it has an escape that only CPython can decode.
bool unescape(std::string_view text, bool bytes, std::string &out) {
    while (!text.empty()) {
        const size_t plain = std::min(text.find('\\'), text.size());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.size() < 2) return text.empty();
        const char c = text[1];
        text.remove_prefix(2);
        static constexpr std::string_view from = "\\'\"abfnrtv", to = "\\'\"\a\b\f\n\r\t\v";
        if (c == '\n') continue;
        if (const size_t i = from.find(c); i != from.npos) {
            out += to[i];
        } else if (c >= '0' && c <= '7') {
            std::string_view digits(text.data() - 1, text.size() + 1);
            uint32_t code = 0;
            take_digits(digits, 3, 3, code);
            text = digits;
            if (bytes)
                out += char(code);
            else
                add_utf8(out, code);
        } else if (c == 'x' || (!bytes && (c == 'u' || c == 'U'))) {
            if (!numeric_escape(text, c, bytes, out)) return false;
        } else if (c == 'N' && !bytes) {
            return false; // a named character
        } else {
            out += {'\\', c}; // not an escape; Python issued its warning when the function was defined
        }
    }
    return true;
}

} // namespace

const Node *ExpressionRules::number_literal() {
    const Token *first = next_;
    std::string text(text_of(*first));
    if (text.find('_') != std::string::npos) std::erase(text, '_');
    PyObject *value = tree_.keep(number(text));
    if (!value) cannot();
    step();
    return make(NodeKind::Constant, first, value);
}

/// Adjacent string literals form one constant.
const Node *ExpressionRules::string_literals() {
    const Token *first = next_;
    std::string joined;
    bool formatted_one = false, bytes = false;
    for (; kind() == Kind::string; step()) {
        const Quoted q = split_quoted(text_of(*next_));
        if (!q.valid) cannot();
        if (next_ != first && q.bytes != bytes) cannot();
        bytes = q.bytes;
        formatted_one |= q.formatted;
        if (bytes)
            for (char c : q.inside)
                if (uint8_t(c) >= 0x80) cannot();
        if (formatted_one) continue;
        if (q.raw)
            joined += q.inside;
        else if (!unescape(q.inside, bytes, joined))
            cannot();
    }
    if (formatted_one) return formatted(first);
    PyObject *value = bytes ? PyBytes_FromStringAndSize(joined.data(), Py_ssize_t(joined.size()))
                            : PyUnicode_DecodeUTF8(joined.data(), Py_ssize_t(joined.size()), "surrogatepass");
    if (!tree_.keep(value)) cannot();
    return make(NodeKind::Constant, first, value);
}

/// f-strings: CPython parses them at their column, in brackets that open on the line before. The source ranges inside come from CPython.
const Node *ExpressionRules::formatted(const Token *first) {
    const Token &last = next_[-1];
    std::string source = "(\n" + std::string(size_t(first->column), ' ');
    source += text_.substr(first->begin, last.begin + last.length - first->begin);
    source += "\n)";
    PyCompilerFlags flags{PyCF_ONLY_AST | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE, PY_MINOR_VERSION};
    PyObject *module = Py_CompileStringExFlags(source.c_str(), "<f-string>", Py_eval_input, &flags, -1);
    PyObject *body = module ? PyObject_GetAttrString(module, "body") : nullptr;
    const Node *node = body ? from_python(tree_, body, 2 - first->line) : nullptr;
    Py_XDECREF(body);
    Py_XDECREF(module);
    if (!node) cannot();
    return node;
}

} // namespace qd::syntax
