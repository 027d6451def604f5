#include "tools/companions.h"

#include "base/error.h"
#include "ir/cursor.h"

namespace qd::tools {

using namespace ir;

namespace {

void read_pair(Cursor &c, const Function &fn, autodiff::Companions &found) {
    if (c.accept('%')) {
        const uint64_t of = c.number(fn.params.size() - 1);
        c.expect('=');
        c.expect('%');
        found.arrays.resize(fn.params.size());
        found.arrays[of] = fn.params[c.number(fn.params.size() - 1)];
        if (fn.type(found.arrays[of]) != fn.type(fn.params[of]))
            c.fail("a companion has the type of what it belongs to");
        return;
    }
    if (fn.places.empty()) c.fail("the function has no places");
    const uint64_t of = c.number(fn.places.size() - 1);
    c.expect('=');
    found.places.resize(fn.places.size(), autodiff::Companions::none);
    found.places[of] = uint32_t(c.number(fn.places.size() - 1));
}

} // namespace

autodiff::Companions read_companions(std::string_view text, const Function &fn) {
    constexpr std::string_view key = "; companions: ";
    autodiff::Companions found;
    for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
        const std::string_view rest = text.substr(at + key.size(), text.find('\n', at) - at - key.size());
        Cursor c(Line{rest, 1, 0});
        try {
            c.expect('@');
            if (c.name("a function's name") != fn.name) continue;
            while (!c.at_end()) read_pair(c, fn, found);
        } catch (const Unreadable &u) {
            fail_user(UserErrorKind::syntax,
                      "companions, column " + std::to_string(u.error.column) + ": " + u.error.message);
        }
    }
    return found;
}

} // namespace qd::tools
