#include "backends/cpu/elf.h"

#include "ir/eval.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <strings.h>

namespace qd::backends {

namespace {

// Conversions of f16 on processors without instructions for it, as libgcc names them.
float extend_half(uint16_t bits) { return ir::f16_to_f32(bits); }
uint16_t truncate_half(float v) { return ir::f32_to_f16(v); }

struct External {
    std::string_view name;
    const void *address;
};

const External externals[] = {
#define FUNCTION(name) {#name, reinterpret_cast<const void *>(static_cast<decltype(&::name)>(&::name))},
#include "backends/cpu/externals.def"
    {"__extendhfsf2", reinterpret_cast<const void *>(&extend_half)},
    {"__truncsfhf2", reinterpret_cast<const void *>(&truncate_half)},
};

} // namespace

const void *external_function(std::string_view name) {
    auto found =
        std::find_if(std::begin(externals), std::end(externals), [&](const External &e) { return e.name == name; });
    return found == std::end(externals) ? nullptr : found->address;
}

} // namespace qd::backends
