#include "base/knobs.h"

#include <cstdlib>
#include <string_view>

namespace qd {

namespace {

std::string variable(std::string_view id) {
    std::string name = "QD_";
    for (char c : id) name += c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    return name;
}

void read(std::string_view id, std::string &knob) {
    if (const char *text = std::getenv(variable(id).c_str())) knob = text;
}

void read(std::string_view id, bool &knob) {
    const char *text = std::getenv(variable(id).c_str());
    if (!text) return;
    std::string_view t = text;
    knob = !(t.empty() || t == "0" || t == "false" || t == "off" || t == "no");
}

std::string show(const std::string &text) { return text; }
std::string show(bool flag) { return flag ? "1" : "0"; }

} // namespace

Knobs read_knobs() {
    Knobs knobs;
#define KNOB(id, type, initial, doc) read(#id, knobs.id);
#include "base/knobs.def"
    return knobs;
}

std::vector<KnobRow> list_knobs() {
    std::vector<KnobRow> rows;
    Knobs now = read_knobs(), initial;
#define KNOB(id, type, init, doc) rows.push_back({variable(#id), show(now.id), show(initial.id), doc});
#include "base/knobs.def"
    return rows;
}

} // namespace qd
