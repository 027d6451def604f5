#pragma once
// What printer, reader and verifier share of the text form.
#include "ir/eval.h"
#include "ir/text.h"

#include <functional>

namespace qd::ir {

inline constexpr const char *level_names[] = {"dense", "pointer", "bitmasked", "dynamic"};
inline constexpr const char *packing_names[] = {"integer", "fixed", "floating", "shared"};
inline constexpr const char *counter_names[] = {"line",       "taken",  "not_taken", "entered",
                                                "zero_trips", "broken", "finished",  "endless"};
inline constexpr const char *subgraph_names[] = {"do_while", "checkpoint", "region", "section"};
/// Deepest nesting of blocks that reader, printer and verifier follow.
inline constexpr int max_nesting = 200;

std::string quote(std::string_view s);
/// True if a name needs no quotes.
bool is_plain_name(std::string_view s);
/// A constant's value: decimal if that reads back exactly, else `bits 0x...`.
std::string to_text(Constant c);

/// Called after each instruction's line (and with no value after the header) to add lines of its own.
using PrintHook = std::function<void(Value v, int depth, std::string &out)>;
std::string print_with(const Function &fn, const PrintOptions &options, const PrintHook &hook);

} // namespace qd::ir
