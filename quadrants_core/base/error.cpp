#include "base/error.h"

namespace qd {

void fail_user(UserErrorKind kind, std::string message, std::vector<Location> trace, std::string hint) {
    throw UserError(kind, std::move(message), std::move(trace), std::move(hint));
}

void fail_internal(const std::string &message, std::source_location at) {
    std::string_view file = at.file_name();
    if (size_t cut = file.rfind("quadrants_core/"); cut != file.npos) file.remove_prefix(cut);
    throw InternalError("internal error: " + message + "\n  at " + std::string(file) + ":" + std::to_string(at.line()) +
                        "\n  This is a bug in Quadrants, not in your program; please report it.");
}

void fail_device(const std::string &call, long code, const std::string &words) { throw DeviceError(call, code, words); }

} // namespace qd
