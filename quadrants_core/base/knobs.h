#pragma once
// The environment switches of the core (knobs.def): QD_DUMP, QD_ONLY, QD_VERIFY ...
#include <string>
#include <vector>

namespace qd {

/// One member per row of knobs.def.
struct Knobs {
    using Text = std::string;
    using Flag = bool;
#define KNOB(id, type, initial, doc) type id = initial;
#include "base/knobs.def"
};
/// What the environment says now. A flag is off for `0`, `false`, `off`, `no` and the empty text, on for all else.
Knobs read_knobs();

/// A row as a person sees it.
struct KnobRow {
    std::string variable, value, initial, doc;
};
std::vector<KnobRow> list_knobs();

} // namespace qd
