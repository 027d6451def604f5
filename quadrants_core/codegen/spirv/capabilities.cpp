#include "codegen/spirv/capabilities.h"

#include "base/error.h"

namespace qd::codegen::spirv {

namespace {

constexpr const char *names[] = {
#define CAPABILITY(name, extension) #name,
#include "codegen/spirv/capabilities.def"
    "KeepsSpecialFloat32", "KeepsSpecialFloat64", "FencesInBranches"};
constexpr unsigned count = unsigned(Capability::count);
static_assert(std::size(names) == count && count <= 32);

Capability find(std::string_view name) {
    for (unsigned i = 0; i < count; ++i)
        if (name == names[i]) return Capability(i);
    fail_user(UserErrorKind::name, "there is no capability `" + std::string(name) + "`");
}

} // namespace

const char *name_of(Capability c) { return names[unsigned(c)]; }

Capabilities Capabilities::all() {
    Capabilities all;
    for (unsigned i = 0; i < count; ++i) all.add(Capability(i));
    return all;
}

Capabilities Capabilities::read(std::string_view list) {
    Capabilities found;
    while (!list.empty()) {
        const size_t end = std::min(list.find(' '), list.size());
        if (end > 0) found.add(find(list.substr(0, end)));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return found;
}

std::string Capabilities::text() const {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
        if (has(Capability(i))) text += (text.empty() ? "" : " ") + std::string(names[i]);
    return text;
}

} // namespace qd::codegen::spirv
