#include "frontend/value.h"

#include "base/error.h"

namespace qd::frontend {

void fail_alternative(Tag wanted, Tag found) {
    static constexpr const char *names[] = {
#define VALUE(name, Alternative) #name,
#include "frontend/values.def"
    };
    const auto name = [](Tag tag) { return size_t(tag) < std::size(names) ? names[size_t(tag)] : "lost"; };
    fail_internal(std::string("a value that is ") + name(found) + " was taken for " + name(wanted));
}

Val::Val(const Val &other) = default;
Val::Val(Val &&other) noexcept = default;
Val &Val::operator=(const Val &other) = default;
Val &Val::operator=(Val &&other) noexcept = default;
Val::~Val() = default;

int Val::node() const {
    switch (tag()) {
    case Tag::constant: return constant().node;
    case Tag::array: return array().node;
    case Tag::bundle: return bundle().node;
    case Tag::none:
    case Tag::scalar:
    case Tag::matrix:
    case Tag::sequence:
    case Tag::dict:
    case Tag::structure:
    case Tag::loop:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break;
    }
    return -1;
}

std::span<const Val> Val::parts() const & {
    switch (tag()) {
    case Tag::sequence: return sequence().items;
    case Tag::dict: return dict().values;
    case Tag::structure: return structure().members;
    case Tag::none:
    case Tag::constant:
    case Tag::scalar:
    case Tag::matrix:
    case Tag::array:
    case Tag::bundle:
    case Tag::loop:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break;
    }
    return {};
}

std::span<Val> Val::parts() & {
    const std::span<const Val> parts = std::as_const(*this).parts();
    return {const_cast<Val *>(parts.data()), parts.size()};
}

} // namespace qd::frontend
