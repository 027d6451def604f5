#pragma once
// Formats a compile-time user error: one block per nesting level with the source and carets, then the cause, then a hint.
#include "frontend/frontend.h"

#include <string_view>

namespace qd::frontend {

/// One level: its location and the source around it (may be null).
struct Level {
    Location at;
    const Source *source = nullptr;
};
/// Returns `foo` for `Class.foo` or `outer.<locals>.foo`.
std::string_view plain_name(std::string_view qualified);
/// Renders only the levels, outermost first.
std::string render_places(const std::vector<Level> &levels);
std::string render(const std::vector<Level> &levels, const std::string &message, const std::string &hint);

} // namespace qd::frontend
