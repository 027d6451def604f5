#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace qd::syntax {
namespace {

enum Class : uint8_t { other, letter, digit, blank };

/// The class of each byte value. Bytes of non-ASCII characters count as letters; the parser asks CPython whether they form an identifier.
constexpr auto class_of = [] {
    std::array<Class, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) table[size_t(c)] = table[size_t(c - 'a' + 'A')] = letter;
    for (int c = '0'; c <= '9'; ++c) table[size_t(c)] = digit;
    for (int c = 128; c < 256; ++c) table[size_t(c)] = letter;
    table['_'] = letter;
    table[' '] = table['\t'] = table['\f'] = blank;
    return table;
}();

constexpr bool is_word(char c) { return class_of[uint8_t(c)] == letter || class_of[uint8_t(c)] == digit; }
bool is_digit(char c) { return class_of[uint8_t(c)] == digit; }

struct Keyword {
    std::string_view text;
    Kind kind;
};

/// The keywords by length, 2 to 8.
constexpr size_t longest_keyword = 8;
constexpr auto keywords_of_length = [] {
    std::array<std::array<Keyword, 10>, longest_keyword + 1> table{};
    std::array<size_t, longest_keyword + 1> used{};
#define KEYWORD(id, text) table[sizeof(text) - 1][used[sizeof(text) - 1]++] = {text, Kind::id};
#include "syntax/tokens.def"
    return table;
}();

Kind kind_of_word(std::string_view word) {
    if (word.size() < 2 || word.size() > longest_keyword) return Kind::name;
    for (const Keyword &keyword : keywords_of_length[word.size()]) {
        if (keyword.text.empty()) break;
        if (keyword.text[0] == word[0] && std::memcmp(keyword.text.data(), word.data(), word.size()) == 0)
            return keyword.kind;
    }
    return Kind::name;
}

/// The width of an indentation, once with tab stops every eight columns (`wide`) and once with tabs of one column (`narrow`). As in
/// CPython, both must give the same nesting.
struct Width {
    int wide = 0, narrow = 0;
    bool operator==(const Width &) const = default;
};

constexpr size_t max_brackets = 200, max_indents = 100;

class Lexer {
  public:
    Lexer(std::string_view text, int first_line)
        : first_(text.data()), p_(first_), end_(first_ + text.size()), line_first_(first_), line_(first_line) {
        // An offset must fit into a token, and a column into an int.
        if (text.size() > size_t(1) << 30 || first_line < 0 || first_line > 1 << 29) throw GiveUp{};
        grow();
    }

    Tokens run() {
        while (start_line()) {
            while (token()) {
            }
        }
        while (indents_.size() > 1) {
            indents_.pop_back();
            put(Kind::dedent, p_);
        }
        put(Kind::end, p_);
        return std::move(out_);
    }

  private:
    /// Returns the first position from `p` on whose byte does not satisfy `wanted`.
    template <class Wanted> const char *skip_while(const char *p, Wanted wanted) const {
        const char *end = end_;
        while (p != end && wanted(*p)) p++;
        return p;
    }
    char at(size_t offset) const { return size_t(end_ - p_) > offset ? p_[offset] : '\0'; }

    void grow();
    Token &add() {
        if (count_ == room_) grow();
        return out_.list[count_++];
    }

    void put(Kind kind, const char *begin) {
        Token &token = add();
        token.line = token.end_line = line_;
        token.column = int(begin - line_first_);
        token.end_column = int(p_ - line_first_);
        token.begin = uint32_t(begin - first_);
        token.length = uint32_t(p_ - begin);
        token.kind = kind;
    }

    void next_line() { // p_ is behind the newline
        line_++;
        line_first_ = p_;
    }

    bool start_line();
    bool enter(const Width &width);
    Width indentation();
    void skip_comment();
    bool token();
    void word();
    void number();
    void digits(bool (*valid)(char));
    void string(const char *begin);
    void backslash();
    void open(Kind kind, char closing);
    void close(Kind kind, char closing);
    void operator_token();
    Kind operator_kind();
    Kind with_equal(Kind plain, Kind assigning) {
        if (at(0) != '=') return plain;
        p_++;
        return assigning;
    }

    const char *first_, *p_, *end_, *line_first_;
    int line_;
    bool in_body_ = false; ///< the header of the function has been read
    std::vector<char> brackets_;
    std::vector<Width> indents_;
    Tokens out_;
    size_t count_ = 0, room_ = 0;
};

void Lexer::grow() {
    room_ = room_ ? room_ * 2 : 512;
    auto more = std::make_unique_for_overwrite<Token[]>(room_);
    std::copy_n(out_.list.get(), count_, more.get());
    out_.list = std::move(more);
}

Width Lexer::indentation() {
    Width width;
    const char *p = skip_while(p_, [](char c) { return c == ' '; });
    width.wide = width.narrow = int(p - p_);
    for (; p != end_; ++p) {
        if (*p == ' ') {
            width.wide++, width.narrow++;
        } else if (*p == '\t') {
            width.wide = (width.wide / 8 + 1) * 8, width.narrow++;
        } else if (*p == '\f') {
            width = {};
        } else {
            break;
        }
    }
    p_ = p;
    return width;
}

/// Advances to the first token of the next line that has one; returns false at the end of the function.
bool Lexer::start_line() {
    for (;;) {
        const Width width = indentation();
        if (p_ == end_) return false;
        if (*p_ == '#') skip_comment();
        if (p_ == end_) return false;
        // A backslash here joins the indentation of two lines.
        if (*p_ == '\r' || *p_ == '\0' || *p_ == '\\') throw GiveUp{};
        if (*p_ != '\n') return enter(width);
        p_++;
        next_line();
    }
}

bool Lexer::enter(const Width &width) {
    if (indents_.empty()) {
        indents_.push_back(width);
        return true;
    }
    if (in_body_ && width.wide <= indents_.front().wide) return false;
    const Width &now = indents_.back();
    if (width.wide == now.wide) {
        if (width.narrow != now.narrow) throw GiveUp{};
    } else if (width.wide > now.wide) {
        if (width.narrow <= now.narrow || indents_.size() >= max_indents) throw GiveUp{};
        indents_.push_back(width);
        put(Kind::indent, p_);
    } else {
        while (width.wide < indents_.back().wide) {
            indents_.pop_back();
            if (indents_.empty()) throw GiveUp{};
            put(Kind::dedent, p_);
        }
        if (width != indents_.back()) throw GiveUp{};
    }
    return true;
}

void Lexer::skip_comment() {
    p_ = skip_while(p_, [](char c) { return c != '\n' && c != '\r' && c != '\0'; });
    if (p_ != end_ && *p_ != '\n') throw GiveUp{};
}

/// Reads one token, or skips a comment or line join; returns false after the end of a logical line.
bool Lexer::token() {
    p_ = skip_while(p_, [](char c) { return class_of[uint8_t(c)] == blank; });
    if (p_ == end_) {
        if (!brackets_.empty()) throw GiveUp{true};
        put(Kind::newline, p_);
        out_.length = size_t(p_ - first_);
        return false;
    }
    const char c = *p_;
    if (class_of[uint8_t(c)] == letter) {
        word();
    } else if (class_of[uint8_t(c)] == digit || (c == '.' && is_digit(at(1)))) {
        number();
    } else if (c == '\n') {
        if (brackets_.empty()) put(Kind::newline, p_);
        p_++;
        next_line();
        if (!brackets_.empty()) return true;
        out_.length = size_t(p_ - first_);
        return false;
    } else if (c == '#') {
        skip_comment();
    } else if (c == '\\') {
        backslash();
    } else if (c == '"' || c == '\'') {
        string(p_);
    } else {
        operator_token();
    }
    return true;
}

void Lexer::backslash() {
    p_++;
    if (p_ == end_) throw GiveUp{true};
    if (*p_ != '\n') throw GiveUp{};
    p_++;
    if (p_ == end_) throw GiveUp{true};
    next_line();
}

void Lexer::word() {
    const char *begin = p_;
    p_ = skip_while(p_, is_word);
    if (p_ != end_ && (*p_ == '"' || *p_ == '\'') && p_ - begin <= 2) {
        for (const char *c = begin; c != p_; ++c)
            if (!std::strchr("rRbBuUfF", *c)) throw GiveUp{};
        string(begin);
        return;
    }
    const Kind kind = kind_of_word({begin, size_t(p_ - begin)});
    if (kind == Kind::def_ && indents_.size() == 1) in_body_ = true;
    put(kind, begin);
}

/// Reads at least one digit, with single underscores between digits.
void Lexer::digits(bool (*valid)(char)) {
    do {
        if (at(0) == '_') p_++;
        if (!valid(at(0))) throw GiveUp{};
        p_ = skip_while(p_, valid);
    } while (at(0) == '_');
}

void Lexer::number() {
    const char *begin = p_;
    const char base = char(at(1) | 0x20);
    if (at(0) == '0' && (base == 'x' || base == 'o' || base == 'b')) {
        p_ += 2;
        digits(base == 'x'   ? [](char c) { return is_digit(c) || (char(c | 0x20) >= 'a' && char(c | 0x20) <= 'f'); }
               : base == 'o' ? [](char c) { return c >= '0' && c <= '7'; }
                             : [](char c) { return c == '0' || c == '1'; });
    } else {
        if (at(0) != '.') digits(is_digit);
        const char *whole_end = p_;
        if (at(0) == '.') {
            p_++;
            if (is_digit(at(0))) digits(is_digit);
        }
        if (char(at(0) | 0x20) == 'e') {
            const bool sign = at(1) == '+' || at(1) == '-';
            p_ += sign ? 2 : 1;
            digits(is_digit);
        }
        if (char(at(0) | 0x20) == 'j') p_++;
        if (p_ == whole_end && *begin == '0')
            for (const char *c = begin; c != p_; ++c)
                if (*c != '0' && *c != '_') throw GiveUp{};
    }
    if (is_word(at(0))) throw GiveUp{}; // `1if x`
    put(Kind::number, begin);
}

/// Reads a string from the quote at p_; its prefix begins at `begin`.
void Lexer::string(const char *begin) {
    const char quote = *p_;
    const size_t quotes = at(1) == quote && at(2) == quote ? 3 : 1;
    const int line = line_, column = int(begin - line_first_);
    for (p_ += quotes;; ++p_) {
        if (p_ == end_) throw GiveUp{true};
        if (*p_ == quote && (quotes == 1 || (at(1) == quote && at(2) == quote))) break;
        if (*p_ == '\\') {
            p_++;
            if (p_ == end_) throw GiveUp{true};
        } else if (*p_ == '\n' && quotes == 1) {
            throw GiveUp{};
        }
        if (*p_ == '\r' || *p_ == '\0') throw GiveUp{};
        if (*p_ == '\n') {
            line_++;
            line_first_ = p_ + 1;
        }
    }
    p_ += quotes;
    put(Kind::string, begin);
    Token &token = out_.list[count_ - 1];
    token.line = line;
    token.column = column;
}

void Lexer::open(Kind kind, char closing) {
    if (brackets_.size() >= max_brackets) throw GiveUp{};
    brackets_.push_back(closing);
    p_++;
    put(kind, p_ - 1);
}

void Lexer::close(Kind kind, char closing) {
    if (brackets_.empty() || brackets_.back() != closing) throw GiveUp{};
    brackets_.pop_back();
    p_++;
    put(kind, p_ - 1);
}

void Lexer::operator_token() {
    switch (*p_) {
    case '(': return open(Kind::lpar, ')');
    case '[': return open(Kind::lsqb, ']');
    case '{': return open(Kind::lbrace, '}');
    case ')': return close(Kind::rpar, ')');
    case ']': return close(Kind::rsqb, ']');
    case '}': return close(Kind::rbrace, '}');
    }
    const char *begin = p_;
    const Kind kind = operator_kind();
    put(kind, begin);
}

Kind Lexer::operator_kind() {
    const char c = *p_++;
    const auto next = [&](char wanted) {
        if (at(0) != wanted) return false;
        p_++;
        return true;
    };
    switch (c) {
    case ',': return Kind::comma;
    case ';': return Kind::semi;
    case '~': return Kind::tilde;
    case ':': return with_equal(Kind::colon, Kind::colon_equal);
    case '=': return with_equal(Kind::equal, Kind::equal2);
    case '+': return with_equal(Kind::plus, Kind::plus_eq);
    case '-': return next('>') ? Kind::arrow : with_equal(Kind::minus, Kind::minus_eq);
    case '%': return with_equal(Kind::percent, Kind::percent_eq);
    case '@': return with_equal(Kind::at, Kind::at_eq);
    case '|': return with_equal(Kind::bar, Kind::bar_eq);
    case '^': return with_equal(Kind::caret, Kind::caret_eq);
    case '&': return with_equal(Kind::amper, Kind::amper_eq);
    case '*': return next('*') ? with_equal(Kind::star2, Kind::star2_eq) : with_equal(Kind::star, Kind::star_eq);
    case '/': return next('/') ? with_equal(Kind::slash2, Kind::slash2_eq) : with_equal(Kind::slash, Kind::slash_eq);
    case '<': return next('<') ? with_equal(Kind::lshift, Kind::lshift_eq) : with_equal(Kind::less, Kind::less_equal);
    case '>':
        return next('>') ? with_equal(Kind::rshift, Kind::rshift_eq) : with_equal(Kind::greater, Kind::greater_equal);
    case '!':
        if (next('=')) return Kind::bang_equal;
        break;
    case '.':
        if (at(0) != '.' || at(1) != '.') return Kind::dot;
        p_ += 2;
        return Kind::ellipsis;
    }
    throw GiveUp{};
}

} // namespace

Tokens lex_function(std::string_view text, int first_line) { return Lexer(text, first_line).run(); }

} // namespace qd::syntax
