#include "frontend/message.h"

#include <algorithm>

namespace qd::frontend {
namespace {

constexpr size_t tab = 4; // tab stops are at multiples of it

/// Line `number` (1-based) of a text.
std::string_view line_of(std::string_view text, long number) {
    for (long i = 1; i < number; ++i) {
        const size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// A source line and its carets, tabs expanded, one mark per character.
struct Marked {
    std::vector<std::string> characters;
    std::string carets;
};

Marked mark(std::string_view line, size_t from, size_t to) {
    Marked out;
    for (size_t i = 0; i < line.size();) {
        size_t end = i + 1;
        while (end < line.size() && is_continuation(line[end])) ++end;
        const bool inside = i >= from && i < to;
        if (line[i] == '\t') {
            do {
                out.characters.emplace_back(" ");
                out.carets += inside ? '^' : ' ';
            } while (out.characters.size() % tab);
        } else {
            out.characters.emplace_back(line.substr(i, end - i));
            out.carets += inside ? '^' : ' ';
        }
        i = end;
    }
    if (from >= line.size()) out.carets += '^';
    return out;
}

void append_line(std::string &out, std::string_view line, size_t from, size_t to) {
    Marked marked = mark(line, from, to);
    for (const std::string &character : marked.characters) out += character;
    out += '\n';
    marked.carets.erase(marked.carets.find_last_not_of(' ') + 1);
    if (!marked.carets.empty()) out += marked.carets + '\n';
}

/// The offset in `source` of a line and column (1-based, 0-based).
size_t offset_of(std::string_view source, long line, size_t column) {
    size_t at = 0;
    for (long i = 1; i < line && at != std::string_view::npos; ++i) {
        at = source.find('\n', at);
        at += at != std::string_view::npos;
    }
    return at == std::string_view::npos ? source.size() : std::min(at + column, source.size());
}

/// Extends the location of a statement with a body to its colon: only brackets and comments can precede the colon.
void reach_colon(Location &at, const Source &source) {
    constexpr std::string_view words[] = {"for ", "if ", "elif ", "while ", "with "};
    const std::string_view text = source.text;
    const std::string_view begun = text.substr(offset_of(text, long(at.line) - source.first_line + 1, at.column));
    if (std::none_of(std::begin(words), std::end(words), [&](auto word) { return begun.starts_with(word); })) return;
    uint32_t line = at.end_line, column = at.end_column;
    bool comment = false;
    for (const char c : text.substr(offset_of(text, long(line) - source.first_line + 1, column))) {
        ++column;
        if (c == '#') comment = true;
        if (c == '\n') {
            comment = false;
            ++line;
            column = 0;
        }
        if (comment || c != ':') continue;
        at.end_line = line;
        at.end_column = column;
        return;
    }
}

void append_source(std::string &out, const Level &level) {
    constexpr long max_lines = 6;
    Location at = level.at;
    reach_colon(at, *level.source);
    const long first = long(at.line) - level.source->first_line + 1;
    const long last = std::min(long(at.end_line) - level.source->first_line + 1, first + max_lines - 1);
    for (long number = first; number <= std::max(first, last); ++number) {
        const std::string_view line = line_of(level.source->text, number);
        const size_t blank = std::min(line.find_first_not_of(" \t"), line.size());
        const size_t from = number == first ? size_t(at.column) : blank;
        const size_t to =
            number == long(at.end_line) - level.source->first_line + 1 ? size_t(at.end_column) : line.size();
        append_line(out, line, from, to);
    }
}

} // namespace

std::string_view plain_name(std::string_view qualified) { return qualified.substr(qualified.rfind('.') + 1); }

std::string render_places(const std::vector<Level> &levels) {
    constexpr size_t first_shown = 4, last_shown = 4; // in a long chain of calls
    std::string out;
    for (size_t i = 0; i < levels.size(); ++i) {
        if (i == first_shown && levels.size() > first_shown + last_shown + 1) {
            const size_t skipped = levels.size() - first_shown - last_shown;
            out += "... " + std::to_string(skipped) + " more calls ...\n";
            i += skipped;
        }
        const Level &level = levels[i];
        out += "File \"" + level.at.file + "\", line " + std::to_string(level.at.line) + ", in " +
               std::string(plain_name(level.at.scope)) + ":\n";
        if (level.source) append_source(out, level);
    }
    return out;
}

std::string render(const std::vector<Level> &levels, const std::string &message, const std::string &hint) {
    std::string out = render_places(levels) + message;
    if (!hint.empty()) out += "\nHint: " + hint;
    return out;
}

} // namespace qd::frontend
