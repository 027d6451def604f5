#include "backends/cpu/elf.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <strings.h>

// Conversions of f16 on processors without instructions for them: libgcc's own, which take and give f16 in SIMD
// registers as LLVM does.
extern "C" const char __extendhfsf2[], __truncsfhf2[], __truncdfhf2[];

namespace qd::backends {

namespace {

struct External {
    std::string_view name;
    const void *address;
};

const External externals[] = {
#define FUNCTION(name) {#name, reinterpret_cast<const void *>(static_cast<decltype(&::name)>(&::name))},
#include "backends/cpu/externals.def"
    {"__extendhfsf2", __extendhfsf2},
    {"__truncsfhf2", __truncsfhf2},
    {"__truncdfhf2", __truncdfhf2},
};

} // namespace

const void *external_function(std::string_view name) {
    auto found =
        std::find_if(std::begin(externals), std::end(externals), [&](const External &e) { return e.name == name; });
    return found == std::end(externals) ? nullptr : found->address;
}

} // namespace qd::backends
