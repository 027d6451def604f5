#include "tools/run_line.h"

#include "base/error.h"
#include "ir/cursor.h"
#include "ir/print.h"

#include <cstring>

namespace qd::tools {

using namespace ir;

namespace {

Array read_array(Cursor &c, const Type &type) {
    c.expect('[');
    std::vector<int64_t> extents;
    std::vector<uint64_t> values;
    Cursor look = c;
    bool has_extents = type.ndim > 1;
    if (!has_extents && look.peek() >= '0' && look.peek() <= '9') {
        look.word();
        has_extents = look.accept(':');
    }
    if (has_extents) {
        for (int axis = 0; axis < type.ndim; ++axis) {
            if (axis) c.expect('x');
            extents.push_back(int64_t(c.number(1 << 20)));
        }
        c.expect(':');
    }
    while (!c.accept(']')) values.push_back(c.constant(type.elem));
    if (!has_extents) extents.push_back(int64_t(values.size()) / (type.rows * type.cols));
    Array array = make_array(type, extents);
    size_t step = size_t(size_of(type.elem));
    if (values.size() * step != array.bytes.size()) c.fail("the extents do not fit the number of components");
    for (size_t i = 0; i < values.size(); ++i) std::memcpy(&array.bytes[i * step], &values[i], step);
    return array;
}

std::string write_array(const Array &array) {
    std::string text = "[";
    for (size_t a = 0; a < array.extents.size() && array.extents.size() > 1; ++a)
        text += (a ? "x" : "") + std::to_string(array.extents[a]);
    if (array.extents.size() > 1) text += ": ";
    size_t step = size_t(size_of(array.type.elem));
    for (size_t at = 0; at < array.bytes.size(); at += step) {
        Constant c{array.type.elem, 0};
        std::memcpy(&c.bits, &array.bytes[at], step);
        text += (at ? " " : "") + to_text(c);
    }
    return text + "]";
}

void read_arguments(Cursor &c, const Function &fn, RunLine &run) {
    c.expect('(');
    for (size_t i = 0; i < fn.params.size(); ++i) {
        if (i) c.expect(',');
        Type t = fn.type(fn.params[i]);
        if (t.is_array())
            run.inputs.arrays.push_back(read_array(c, t));
        else
            run.inputs.scalars.push_back({t.elem, c.constant(t.elem)});
    }
    c.expect(')');
}

void read_expectations(Cursor &c, const Function &fn, RunLine &run) {
    if (bool exact = c.accept("=="); exact || c.accept("~=")) {
        run.checks_values = true;
        run.tolerance = exact ? 0 : 1e-5;
        for (size_t i = 0; i < fn.returns.size(); ++i) {
            if (i) c.expect(',');
            run.expected.values.push_back({fn.returns[i].elem, c.constant(fn.returns[i].elem)});
        }
    }
    if (c.accept_word("writes")) {
        run.checks_arrays = true;
        for (const Array &a : run.inputs.arrays) {
            if (!run.expected.arrays.empty()) c.expect(',');
            run.expected.arrays.push_back(read_array(c, a.type));
        }
    }
    if (c.accept_word("errors")) run.error = c.string();
    if (c.accept_word("prints")) run.expected.printed = c.string();
    if (c.accept_word("fails")) run.expected.failed = c.string();
    if (c.accept_word("counts")) {
        run.checks_counters = true;
        while (!c.at_end()) run.expected.counters.push_back(c.number());
    }
    c.expect_end();
}

} // namespace

std::string function_of(std::string_view line) {
    size_t at = line.find('@'), end = line.find('(');
    if (at == line.npos || end == line.npos || end < at)
        fail_user(UserErrorKind::syntax, "a run line reads `@function(arguments) == values`");
    return std::string(line.substr(at + 1, end - at - 1));
}

RunLine read_run(std::string_view line, const Function &fn) {
    RunLine run;
    std::string function = function_of(line);
    try {
        std::vector<Line> lines = split_lines(line);
        Cursor c(lines.at(0));
        c.expect('@');
        run.function = c.name("a function's name");
        read_arguments(c, fn, run);
        read_expectations(c, fn, run);
    } catch (const Unreadable &u) {
        fail_user(UserErrorKind::syntax, "run line, column " + std::to_string(u.error.column) + ": " + u.error.message);
    }
    return run;
}

std::string write_call(const RunLine &run, const Function &fn) {
    std::string text = "@" + fn.name + "(";
    size_t scalar = 0, array = 0;
    for (Value p : fn.params) {
        if (scalar + array) text += ", ";
        text += fn.type(p).is_array() ? write_array(run.inputs.arrays.at(array++))
                                      : to_text(run.inputs.scalars.at(scalar++));
    }
    return text + ")";
}

std::string write_error(const RunLine &run, const Function &fn, const std::string &error) {
    return write_call(run, fn) + " errors " + quote(error);
}

std::string write_run(const RunLine &run, const Function &fn, const Outputs &got) {
    std::string text = write_call(run, fn);
    for (size_t i = 0; i < got.values.size(); ++i)
        text += (i ? ", " : run.tolerance ? " ~= " : " == ") + to_text(got.values[i]);
    for (size_t i = 0; i < got.arrays.size(); ++i) text += (i ? ", " : " writes ") + write_array(got.arrays[i]);
    if (!got.printed.empty()) text += " prints " + quote(got.printed);
    if (!got.failed.empty()) text += " fails " + quote(got.failed);
    for (size_t i = 0; i < got.counters.size(); ++i) text += (i ? " " : " counts ") + std::to_string(got.counters[i]);
    return text;
}

std::string check_run(const RunLine &run, const Outputs &got) {
    Outputs expected = run.expected;
    if (!run.checks_values) expected.values = got.values;
    if (!run.checks_arrays) expected.arrays = got.arrays;
    if (!run.checks_counters) expected.counters = got.counters;
    expected.fields = got.fields;
    return difference(expected, got, run.tolerance);
}

} // namespace qd::tools
