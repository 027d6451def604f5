#include "ir/types.h"

namespace qd::ir {

std::string to_string(Scalar s) {
    static const char *const names[] = {"none", "u1",  "i8",  "u8",  "i16", "u16", "i32",
                                        "u32",  "i64", "u64", "f16", "f32", "f64"};
    return names[int(s)];
}

std::string_view to_string(Space s) {
    static constexpr std::string_view names[] = {"global", "shared", "private", "constant"};
    return names[int(s)];
}

std::string to_string(const Type &t) {
    switch (t.kind) {
    case Kind::none: return "none";
    case Kind::scalar: return to_string(t.elem) + (t.lanes > 1 ? "x" + std::to_string(t.lanes) : "");
    case Kind::pointer:
        return "ptr<" + to_string(t.elem) + (t.space == Space::global ? "" : ", " + std::string(to_string(t.space))) +
               ">";
    case Kind::array: {
        std::string text = "array<" + to_string(t.elem) + ", " + std::to_string(t.ndim);
        if (t.rows != 1 || t.cols != 1) text += ", " + std::to_string(t.rows) + "x" + std::to_string(t.cols);
        return text + ">";
    }
    }
    return "none";
}

} // namespace qd::ir
