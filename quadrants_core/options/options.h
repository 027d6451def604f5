#pragma once
// The options of a program as C++ structs, generated from options.def.
#include "ir/types.h"

#include <cstdint>
#include <string>

namespace qd {

struct OptionTypes {
    using Flag = bool;
    using Int = int64_t;
    using Word = uint64_t;
    using Real = double;
    using Text = std::string;
    using Type = ir::Scalar;
};

/// One member per row of options.def, with its default.
struct Options : OptionTypes {
#define OPTION(name, type, initial, set_by, key, doc) type name = initial;
#define NO_EFFECT(name, type, initial, doc) type name = initial;
#include "options/options.def"
};

// Expands to `text` for rows with the key `entry`, to nothing for others.
#define QD_IF_entry(text) text
#define QD_IF_none(text)

/// The options with the key `entry`, which are part of the names of cache entries. The frontend sees only these, so the IR of a kernel
/// cannot depend on other options.
struct LanguageOptions : OptionTypes {
#define OPTION(name, type, initial, set_by, key, doc) QD_IF_##key(type name = initial;)
#define NO_EFFECT(name, type, initial, doc)
#include "options/options.def"

    LanguageOptions() = default;
    explicit LanguageOptions(const Options &options) {
#define OPTION(name, type, initial, set_by, key, doc) QD_IF_##key(name = options.name;)
#define NO_EFFECT(name, type, initial, doc)
#include "options/options.def"
    }

    /// Calls `visit(value)` for each member, in the order of the table.
    template <class Visit> void each(const Visit &visit) const {
#define OPTION(name, type, initial, set_by, key, doc) QD_IF_##key(visit(name);)
#define NO_EFFECT(name, type, initial, doc)
#include "options/options.def"
    }
};

#undef QD_IF_entry
#undef QD_IF_none

} // namespace qd
