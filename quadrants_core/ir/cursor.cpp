#include "ir/cursor.h"

#include "ir/eval.h"

#include <charconv>
#include <cmath>

namespace qd::ir {

namespace {

bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Position at which the comment of a line begins, outside of string literals.
size_t comment_start(std::string_view line) {
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '\\')
            ++i;
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ';' && !quoted)
            return i;
    }
    return line.size();
}

} // namespace

std::vector<Line> split_lines(std::string_view text) {
    std::vector<Line> lines;
    for (int number = 1; !text.empty(); ++number) {
        size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        line = line.substr(0, comment_start(line));
        size_t first = line.find_first_not_of(' ');
        if (first == line.npos) continue;
        line = line.substr(first, line.find_last_not_of(" \r\t") + 1 - first);
        if (!line.empty()) lines.push_back({line, number, int(first)});
    }
    return lines;
}

void Cursor::fail(const std::string &message) const {
    throw Unreadable{{line_.number, line_.indent + int(at_) + 1, message}};
}

char Cursor::peek() {
    while (at_ < line_.text.size() && line_.text[at_] == ' ') ++at_;
    return at_ < line_.text.size() ? line_.text[at_] : 0;
}

bool Cursor::accept(char c) {
    if (peek() != c || c == 0) return false;
    ++at_;
    return true;
}

bool Cursor::accept(const char *text) {
    peek();
    if (!rest().starts_with(text)) return false;
    at_ += std::string_view(text).size();
    return true;
}

bool Cursor::accept_word(std::string_view w) {
    Cursor copy = *this;
    if (copy.word() != w) return false;
    at_ = copy.at_;
    return true;
}

bool Cursor::is_word_line(std::string_view w) { return line_.text == w; }

void Cursor::expect(char c) {
    if (!accept(c)) fail(std::string("expected `") + c + "`");
}

void Cursor::expect_word(std::string_view w) {
    if (!accept_word(w)) fail("expected `" + std::string(w) + "`");
}

void Cursor::expect_end() {
    if (!at_end()) fail("expected the end of the line");
}

std::string Cursor::word() {
    peek();
    size_t begin = at_;
    while (at_ < line_.text.size() && is_word_char(line_.text[at_])) ++at_;
    return std::string(line_.text.substr(begin, at_ - begin));
}

std::string Cursor::name(const char *what) {
    size_t begin = at_;
    while (at_ < line_.text.size() && (is_word_char(line_.text[at_]) || line_.text[at_] == '.')) ++at_;
    if (begin == at_) fail(std::string("expected ") + what);
    return std::string(line_.text.substr(begin, at_ - begin));
}

std::string Cursor::string() {
    expect('"');
    std::string out;
    while (true) {
        if (at_ >= line_.text.size()) fail("the string has no end");
        char c = line_.text[at_++];
        if (c == '"') return out;
        if (c != '\\') {
            out += c;
            continue;
        }
        char kind = at_ < line_.text.size() ? line_.text[at_++] : 0;
        if (kind == 'n') {
            out += '\n';
        } else if (kind == '"' || kind == '\\') {
            out += kind;
        } else if (kind == 'x') {
            uint8_t byte = 0;
            std::string_view digits = rest().substr(0, 2);
            auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
            if (error != std::errc() || end != digits.data() + 2) fail("expected two hexadecimal digits");
            out += char(byte);
            at_ += 2;
        } else {
            fail("unknown escape");
        }
    }
}

uint64_t Cursor::number(uint64_t max) {
    peek();
    uint64_t v = 0;
    std::string_view r = rest();
    int base = 10;
    if (r.starts_with("0x")) {
        base = 16;
        r.remove_prefix(2);
    }
    auto [end, error] = std::from_chars(r.data(), r.data() + r.size(), v, base);
    if (error == std::errc::result_out_of_range || (error == std::errc() && v > max)) fail("the number is too large");
    if (error != std::errc()) fail("expected a number");
    at_ = size_t(end - line_.text.data());
    return v;
}

int64_t Cursor::signed_number() {
    peek();
    int64_t v = 0;
    std::string_view r = rest();
    auto [end, error] = std::from_chars(r.data(), r.data() + r.size(), v);
    if (error == std::errc::result_out_of_range) fail("the number is too large");
    if (error != std::errc()) fail("expected a number");
    at_ = size_t(end - line_.text.data());
    return v;
}

std::vector<int64_t> Cursor::numbers() {
    std::vector<int64_t> list;
    expect('(');
    while (!accept(')')) {
        if (!list.empty()) expect(',');
        int64_t v = signed_number();
        if (v != int32_t(v)) fail("the number is too large");
        list.push_back(v);
    }
    return list;
}

int Cursor::one_of(std::span<const char *const> choices) {
    std::string w = word(), all;
    for (size_t i = 0; i < choices.size(); ++i) {
        if (w == choices[i]) return int(i);
        all += (i ? ", " : "") + std::string(choices[i]);
    }
    fail("expected one of " + all);
}

Scalar Cursor::scalar() {
    Type t = type();
    if (!t.is_scalar() || t.lanes != 1) fail("expected a scalar type");
    return t.elem;
}

namespace {

Scalar scalar_named(std::string_view w) {
    for (int s = int(Scalar::u1); s <= int(Scalar::f64); ++s)
        if (to_string(Scalar(s)) == w) return Scalar(s);
    return Scalar::none;
}

} // namespace

Type Cursor::type() {
    std::string w = word();
    if (w == "ptr") {
        expect('<');
        Scalar s = scalar();
        Space space = Space::global;
        if (accept(',')) {
            const std::string named = word();
            while (to_string(space) != named) {
                if (space == Space::constant) fail("expected a space: shared, private or constant");
                space = Space(int(space) + 1);
            }
        }
        expect('>');
        return Type::pointer(s, space);
    }
    if (w == "array") {
        expect('<');
        Scalar s = scalar();
        expect(',');
        int ndim = int(number(UINT8_MAX)), rows = 1, cols = 1;
        if (accept(',')) {
            rows = int(number(UINT8_MAX));
            expect('x');
            cols = int(number(UINT8_MAX));
        }
        expect('>');
        return Type::array(s, ndim, rows, cols);
    }
    size_t cut = w.find('x');
    Scalar s = scalar_named(std::string_view(w).substr(0, cut));
    int lanes = 1;
    if (cut != w.npos) {
        auto [end, error] = std::from_chars(w.data() + cut + 1, w.data() + w.size(), lanes);
        if (error != std::errc() || end != w.data() + w.size() || lanes < 2 || lanes > 128) fail("bad number of lanes");
    }
    if (s == Scalar::none) fail(w.empty() ? "expected a type" : "unknown type `" + w + "`");
    return Type(s, lanes);
}

namespace {

template <class T> bool read_float(std::string_view text, T &v, size_t &used) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    used = size_t(end - text.data());
    return error == std::errc();
}

} // namespace

uint64_t Cursor::constant(Scalar type) {
    if (accept_word("bits")) {
        uint64_t bits = number();
        int width = type == Scalar::u1 ? 8 : bits_of(type);
        if (width < 64 && bits >> width) fail("more bits than the type has");
        return bits;
    }
    if (is_int(type)) {
        int width = bits_of(type) - (is_signed(type) ? 1 : 0);
        if (peek() != '-') return number(width == 64 ? UINT64_MAX : (uint64_t(1) << width) - 1);
        int64_t v = signed_number();
        Constant c = from_int(type, v);
        if (to_int(c) != v || !is_signed(type)) fail("the number does not fit " + to_string(type));
        return c.bits;
    }
    peek();
    size_t used = 0;
    float narrow = 0;
    double wide = 0;
    bool ok = type == Scalar::f64 ? read_float(rest(), wide, used) : read_float(rest(), narrow, used);
    if (!ok) fail("expected a number");
    at_ += used;
    return from_double(type, type == Scalar::f64 ? wide : double(narrow)).bits;
}

} // namespace qd::ir
