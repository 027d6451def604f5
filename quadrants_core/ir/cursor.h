#pragma once
// Reads the tokens of the text form from one line: words, numbers, strings, types, constants.
#include "ir/text.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qd::ir {

/// A non-empty line without its comment, indentation and trailing blanks.
struct Line {
    std::string_view text;
    int number = 0, indent = 0;
};
std::vector<Line> split_lines(std::string_view text);

/// Thrown to end parsing; caught in parse().
struct Unreadable {
    ParseError error;
};

class Cursor {
  public:
    explicit Cursor(const Line &line) : line_(line) {}

    [[noreturn]] void fail(const std::string &message) const;
    char peek();
    bool at_end() { return peek() == 0; }
    bool accept(char c);
    bool accept(const char *text);
    bool accept_word(std::string_view w);
    bool is_word_line(std::string_view w); ///< true if the whole line is this word
    void expect(char c);
    void expect_word(std::string_view w);
    void expect_end();
    std::string word();                 ///< letters, digits, '_'; may be empty
    std::string name(const char *what); ///< a word, '.' allowed; not empty
    std::string string();               ///< "quoted"
    uint64_t number(uint64_t max = UINT64_MAX);
    std::vector<int64_t> numbers(); ///< (1, -2, 3)
    int one_of(std::span<const char *const> choices);
    Scalar scalar();
    Type type();
    uint64_t constant(Scalar type);

  private:
    std::string_view rest() const { return line_.text.substr(at_); }
    int64_t signed_number();

    Line line_;
    size_t at_ = 0;
};

} // namespace qd::ir
