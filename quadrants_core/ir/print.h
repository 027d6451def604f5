#pragma once
// Shared by the printer, the reader and the verifier of the text form.
#include "ir/eval.h"
#include "ir/text.h"

#include <functional>

namespace qd::ir {

inline constexpr const char *level_names[] = {"dense", "pointer", "bitmasked", "dynamic"};
inline constexpr const char *packing_names[] = {"integer", "fixed", "floating", "shared"};
inline constexpr const char *counter_names[] = {"line",       "taken",  "not_taken", "entered",
                                                "zero_trips", "broken", "finished",  "endless"};
inline constexpr const char *subgraph_names[] = {"do_while", "checkpoint", "region", "section"};
/// Maximum nesting of blocks that reader, printer and verifier accept.
inline constexpr int max_nesting = 200;

std::string quote(std::string_view s);
/// True if a name needs no quotes.
bool is_plain_name(std::string_view s);
/// A constant's value: decimal if that reads back exactly, else `bits 0x...`.
std::string to_text(Constant c);

/// Called after the header (with no value) and after each instruction's line; may append lines.
using PrintHook = std::function<void(Value v, int depth, std::string &out)>;
std::string print_with(const Function &fn, const PrintOptions &options, const PrintHook &hook);

} // namespace qd::ir
