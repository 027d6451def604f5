// The program option_rows, which prints options.def as a Python module for the package (quadrants/_lib/_option_rows.py).
#include "options/options.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace {

using Type = qd::ir::Scalar;

std::string quoted(std::string_view text) {
    std::string all = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

std::string literal(bool value) { return value ? "True" : "False"; }
std::string literal(int value) { return std::to_string(value); }
std::string literal(const char *value) { return quoted(value); }
std::string literal(Type value) { return quoted(qd::ir::to_string(value)); }
std::string literal(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + '0' : text;
}

void row(const char *name, const char *type, const std::string &initial, const char *set_by, const char *key,
         const char *acts, const char *doc) {
    std::printf("    (\"%s\", \"%s\", %s, \"%s\", \"%s\", %s, %s),\n", name, type, initial.c_str(), set_by, key, acts,
                quoted(doc).c_str());
}

} // namespace

int main() {
    std::printf("\"\"\"The table of options: (name, type, default, set by, key, acts, doc). Made by "
                "option_rows.\"\"\"\n\nROWS = (\n");
#define OPTION(name, type, initial, set_by, key, doc) row(#name, #type, literal(initial), #set_by, #key, "True", doc);
#define NO_EFFECT(name, type, initial, doc) row(#name, #type, literal(initial), "config", "none", "False", doc);
#include "options/options.def"
    std::printf(")\n");
}
