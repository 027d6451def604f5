// print, assert and formatted strings: messages of literal pieces and printf-like specs for run-time values.
#include "frontend/format.h"

#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/control.h"
#include "frontend/dict.h"
#include "frontend/expr.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/suggest.h"
#include "frontend/types.h"
#include "ir/eval.h"

#include <cctype>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

static Val format_in_python(Walk &w, const Node *node, PyObject *pattern, const Call &call);
static std::string printf_spec(Walk &w, const Node *node, const std::string &spec, ir::Scalar type);
static Val assert_message(Walk &w, const Node *detail);

// An f-string or "...".format(...) with run-time values stays a list of pieces until it is printed: a sequence of Flavour::text whose items
// are strings and formatted values (items[0] = value, items[1] = spec).
namespace {

Val formatted(const Val &v, PyRef spec) { return tuple_of({v, constant(std::move(spec))}); }

PyRef python_string(std::string_view s) {
    return PyRef::steal(PyUnicode_FromStringAndSize(s.data(), Py_ssize_t(s.size())));
}

val::Sequence empty_text() { return {{}, val::Sequence::Type::list, Flavour::text}; }

bool holds(const std::string &text, char c) { return text.find(c) != std::string::npos; }

} // namespace

/// The text of a compile-time value: a number with a spec follows the rules for run-time values of its type, all else those of Python. Null
/// if it must be formatted at run time.
static PyRef constant_text(Walk &w, const Node *node, const Val &v, const std::string &spec) {
    const PyRef object = to_python(v);
    if (!object || (v.is_sequence() && !v.is(Flavour::plain))) return {};
    const bool of_python = v.is_constant() && w.objects.kind_of(v.object()) == Kind::foreign;
    if (is_typed(v) && !w.static_depth && (PyFloat_Check(v.object()) || PyBool_Check(v.object()))) return {};
    if (!of_python && !(spec.empty() && is_plain(object.get()))) return {};
    if (spec.empty() || !is_number(v)) {
        PyRef words = PyRef::steal(PyObject_Format(object.get(), python_string(spec).get()));
        if (!words) w.python_failed(node);
        return words;
    }
    const Scalar type = scalar_type(w, node, v);
    const std::string format = "%" + printf_spec(w, node, spec, type);
    if (holds("aA", format.back())) return {}; // Python gives them another meaning
    PyRef number = object;
    if (ir::is_float(type)) {
        const ir::Constant rounded = ir::from_double(type, PyFloat_AsDouble(object.get()));
        number = PyRef::steal(PyFloat_FromDouble(ir::to_double(rounded)));
    } else if (holds("xXo", format.back())) {
        number =
            PyRef::steal(PyLong_FromUnsignedLongLong(literal_bits(w, node, object.get(), type, type, "default_ip") &
                                                     (~uint64_t(0) >> (64 - ir::bits_of(type)))));
    }
    const PyRef all = PyRef::steal(PyTuple_Pack(1, number.get()));
    PyRef words = PyRef::steal(PyUnicode_Format(python_string(format).get(), all.get()));
    if (!words) w.python_failed(node);
    return words;
}

/// A single string, if all pieces of a text are known at compile time; otherwise the pieces.
static Val settled(Walk &w, const Node *node, val::Sequence pieces) {
    PyRef all = python_string("");
    for (const Val &item : pieces.items) {
        const PyRef piece = item.is_constant()
                                ? item.constant().object
                                : constant_text(w, node, item.parts()[0], text(item.parts()[1].object()));
        if (!piece) return pieces;
        all = PyRef::steal(PyUnicode_Concat(all.get(), piece.get()));
    }
    return constant(all);
}

Val eval_joined(Walk &w, const Node *node) {
    val::Sequence out = empty_text();
    for (const Node *part : items_of(node, Field::values)) {
        if (part->kind == NodeKind::Constant) {
            out.items.push_back(constant(PyRef::borrow(constant_of(part))));
            continue;
        }
        const long code = number_of(part, Field::conversion);
        if (code != -1)
            w.fail_syntax(part, std::string("conversion '") + char(code) + "' is not supported.",
                          "write the value alone, `{x}`; `{x=}` is `x={x!r}`, so write `x={x}`");
        const Node *format = child(part, Field::format_spec);
        PyRef spec = python_string("");
        if (format) {
            const Val v = eval_joined(w, format);
            if (!v.is_constant()) w.fail_syntax(part, "A format spec must be known at compile time");
            spec = v.constant().object;
        }
        const Val v = value(w, child(part, Field::value));
        if (v.is_constant()) w.dependencies.use_within(v.object());
        out.items.push_back(formatted(v, spec));
    }
    return settled(w, node, std::move(out));
}

Val format_call(Walk &w, const Node *node, PyObject *pattern) {
    const Call call = arguments(w, node, false);
    const std::string words = text(pattern);
    val::Sequence out = empty_text();
    std::string literal;
    size_t next = 0;
    std::vector<bool> used(call.kwargs.size());
    std::vector<bool> used_positions(call.args.size());
    size_t needed = 0;
    for (size_t i = 0; i < words.size(); ++i) {
        const char c = words[i];
        if ((c == '{' || c == '}') && i + 1 < words.size() && words[i + 1] == c) {
            literal += c;
            ++i;
            continue;
        }
        if (c != '{') {
            literal += c;
            continue;
        }
        const size_t end = words.find('}', i);
        if (end == std::string::npos) w.fail_syntax(node, "Single '{' encountered in format string");
        std::string field = words.substr(i + 1, end - i - 1);
        const size_t colon = field.find(':');
        const std::string spec = colon == std::string::npos ? "" : field.substr(colon + 1);
        field.resize(colon == std::string::npos ? field.size() : colon);
        if (holds(field, '!')) return format_in_python(w, node, pattern, call);
        i = end;
        out.items.push_back(constant(python_string(literal)));
        literal.clear();
        const Val *v = nullptr;
        if (field.empty() || std::isdigit(static_cast<unsigned char>(field[0]))) {
            if (field.size() > 4) w.fail_syntax(node, "Too many positions in format string");
            const size_t position = field.empty() ? next++ : size_t(std::stoul(field));
            needed = std::max(needed, position + 1);
            v = position < call.args.size() ? &call.args[position] : nullptr;
            if (v)
                used_positions[position] = true;
            else
                continue;
        } else {
            for (size_t k = 0; k < call.kwargs.size(); ++k) {
                if (text(call.kwargs[k].first) == field) {
                    v = &call.kwargs[k].second;
                    used[k] = true;
                }
            }
            if (!v) w.fail_syntax(node, "Keyword '" + field + "' not found.");
        }
        out.items.push_back(formatted(*v, python_string(spec)));
    }
    if (needed != call.args.size())
        w.fail_syntax(node, "Expected " + std::to_string(needed) + " positional argument(s), but received " +
                                std::to_string(call.args.size()) + " instead.");
    for (size_t k = 0; k < used.size(); ++k)
        if (!used[k]) w.fail_syntax(node, "Keyword '" + text(call.kwargs[k].first) + "' not used.");
    out.items.push_back(constant(python_string(literal)));
    for (const Val &v : call.args)
        if (v.is_constant()) w.dependencies.use_within(v.object());
    for (const auto &[name, v] : call.kwargs)
        if (v.is_constant()) w.dependencies.use_within(v.object());
    return settled(w, node, std::move(out));
}

/// Evaluates pattern.format(...) in Python for features that the language lacks, such as `!r`; only for compile-time values.
static Val format_in_python(Walk &w, const Node *node, PyObject *pattern, const Call &call) {
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size()))), kwargs = PyRef::steal(PyDict_New());
    const auto known = [&](const Val &v) {
        if (!v.is_constant() || w.objects.kind_of(v.object()) != Kind::foreign)
            w.fail_syntax(node, "a conversion such as '!r' is supported for compile-time values alone");
        w.dependencies.use_within(v.object());
        return v.object();
    };
    for (size_t i = 0; i < call.args.size(); ++i)
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), Py_NewRef(known(call.args[i])));
    for (const auto &[name, v] : call.kwargs) PyDict_SetItem(kwargs.get(), name, known(v));
    PyRef format = PyRef::steal(PyObject_GetAttrString(pattern, "format"));
    PyRef result = PyRef::steal(format ? PyObject_Call(format.get(), args.get(), kwargs.get()) : nullptr);
    if (!result) w.python_failed(node);
    return constant(result);
}

// Messages

namespace {

void add_text(ir::Message &message, const std::string &text) {
    if (!text.empty()) message.pieces.push_back({text, -1});
}

} // namespace

/// Converts a Python spec such as ".2f" to a printf spec that suits the type; empty = default.
static std::string printf_spec(Walk &w, const Node *node, const std::string &spec, Scalar type) {
    if (spec.empty()) return "";
    const std::string mismatch = "'" + spec + "' doesn't match '" + ir::to_string(type) + "'.";
    std::string flags, conversion;
    size_t i = 0;
    if (spec[0] == '<') flags += '-'; // Python's own alignment characters
    if (spec[0] == '<' || spec[0] == '>') ++i;
    size_t digits = 0;
    for (; i < spec.size() && (holds("-+ #0.", spec[i]) || std::isdigit(static_cast<unsigned char>(spec[i]))); ++i) {
        flags += spec[i];
        digits = std::isdigit(static_cast<unsigned char>(spec[i])) ? digits + 1 : 0;
        if (digits > 4) w.fail_type(node, "The width or precision of '" + spec + "' is too large");
    }
    while (i < spec.size() && std::strchr("hljzt", spec[i])) // length modifiers are ignored: the type decides
        ++i;
    conversion = spec.substr(i);
    if (conversion.empty()) {
        if (ir::is_float(type)) return flags + "f";
        return flags + (ir::is_signed(type) ? "d" : "u");
    }
    const char *known = "formats are those of C: of `-+ #0`, `<` or `>`, a width, `.` and a precision, and one of "
                        "`d i u x X o` for integers, `f F e E g G a A` for reals";
    if (conversion.size() != 1) w.fail_type(node, mismatch, known);
    const char c = conversion[0];
    const bool real = std::strchr("fFeEgGaA", c) != nullptr, with_sign = c == 'd' || c == 'i';
    const bool bits = std::strchr("xXo", c) != nullptr, without_sign = c == 'u' || bits;
    if (!real && !with_sign && !without_sign) w.fail_type(node, mismatch, known);
    if (real != ir::is_float(type)) w.fail_type(node, mismatch);
    if (with_sign && !ir::is_signed(type) && type != Scalar::u1) w.fail_type(node, mismatch);
    if (c == 'u' && (ir::is_signed(type) || type == Scalar::u1)) w.fail_type(node, mismatch);
    return flags + c;
}

static void format_value(Walk &w, const Node *node, ir::Message &message, std::vector<ir::Value> &values,
                         const Val &given, const std::string &spec);

static void format_constant(Walk &w, const Node *node, ir::Message &message, std::vector<ir::Value> &values,
                            const Val &v, const std::string &spec) {
    const Kind kind = w.objects.kind_of(v.object());
    if (kind == Kind::matrix || kind == Kind::struct_) {
        format_value(w, node, message, values, typed(w, node, v), spec);
        return;
    }
    if (is_number(v) && !spec.empty()) {
        if (const PyRef words = constant_text(w, node, v, spec))
            add_text(message, text(words.get()));
        else
            format_value(w, node, message, values, typed(w, node, v), spec);
        return;
    }
    w.dependencies.use_within(v.object());
    PyRef object = PyBool_Check(v.object()) ? PyRef::steal(PyNumber_Long(v.object())) : v.constant().object;
    PyRef spec_text = python_string(PyFloat_Check(object.get()) ? "f" : spec);
    const bool plain = PyUnicode_GetLength(spec_text.get()) == 0;
    PyRef words = PyRef::steal(plain ? PyObject_Str(object.get()) : PyObject_Format(object.get(), spec_text.get()));
    if (!words) w.python_failed(node);
    add_text(message, text(words.get()));
}

static void format_sequence(Walk &w, const Node *node, ir::Message &message, std::vector<ir::Value> &values,
                            const val::Sequence &sequence, const std::string &spec) {
    const std::vector<Val> &items = sequence.items;
    if (sequence.flavour == Flavour::text) {
        for (const Val &item : items) {
            if (item.is_constant()) {
                add_text(message, text(item.object()));
                continue;
            }
            const std::vector<Val> &pair = item.sequence().items;
            const std::string own = text(pair[1].object());
            if (const PyRef words = constant_text(w, node, pair[0], own))
                add_text(message, text(words.get()));
            else
                format_value(w, node, message, values, pair[0], own);
        }
        return;
    }
    const bool round = sequence.type == val::Sequence::Type::tuple && sequence.flavour != Flavour::vector;
    add_text(message, round ? "(" : "[");
    for (size_t k = 0; k < items.size(); ++k) {
        add_text(message, k ? ", " : "");
        format_value(w, node, message, values, items[k], spec);
    }
    add_text(message, round ? (items.size() == 1 ? ",)" : ")") : "]");
}

static void format_dict(Walk &w, const Node *node, ir::Message &message, std::vector<ir::Value> &values, const Val &v,
                        const std::string &spec) {
    const std::vector<Val> &items = v.dict().values;
    add_text(message, "{");
    for (size_t k = 0; k < items.size(); ++k) {
        const Val key = key_of(w, v, k);
        add_text(message, k ? ", " : "");
        if (key.is_constant())
            add_text(message, repr(key.object()));
        else
            format_value(w, node, message, values, key, "");
        add_text(message, ": ");
        format_value(w, node, message, values, items[k], spec);
    }
    add_text(message, "}");
}

static void format_value(Walk &w, const Node *node, ir::Message &message, std::vector<ir::Value> &values,
                         const Val &given, const std::string &spec) {
    const Val v = w.places.load(given);
    switch (v.tag()) {
    case Tag::none: add_text(message, "None"); return;
    case Tag::constant: format_constant(w, node, message, values, v, spec); return;
    case Tag::sequence: format_sequence(w, node, message, values, v.sequence(), spec); return;
    case Tag::dict: format_dict(w, node, message, values, v, spec); return;
    case Tag::scalar:
        message.pieces.push_back({printf_spec(w, node, spec, v.scalar().elem), int(values.size())});
        values.push_back(v.scalar().v);
        return;
    case Tag::matrix: {
        const val::Matrix &m = v.matrix();
        const Val rows = m.ndim == 2 ? sequence_items(w, node, v) : Val{};
        add_text(message, "[");
        for (int k = 0; k < m.n; ++k) {
            add_text(message, k ? ", " : "");
            format_value(w, node, message, values, m.ndim == 2 ? rows.sequence().items[size_t(k)] : component(v, k),
                         spec);
        }
        add_text(message, "]");
        return;
    }
    case Tag::structure: {
        const auto &[type, members] = v.structure();
        add_text(message, "{");
        for (size_t k = 0; k < members.size(); ++k) {
            add_text(message, (k ? ", " : "") + repr(type->names[k].get()) + ": ");
            format_value(w, node, message, values, members[k], spec);
        }
        add_text(message, "}");
        return;
    }
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
    w.fail_type(node, "'" + type_text(w, v) + "' cannot be printed");
}

Val handlers::print(Walk &w, const Call &call) {
    std::string separator = " ", end = "\n";
    for (const auto &[key, v] : call.kwargs) {
        const std::string name = text(key);
        if (name == "flush" || name == "file") continue;
        if (name != "sep" && name != "end")
            w.fail_type(call.node, "'" + name + "' is an invalid keyword argument for print()");
        if (v.is_constant() && v.object() == Py_None) continue;
        if (!v.is_constant() || !PyUnicode_Check(v.object()))
            w.fail_type(call.node, "`" + name + "` of print must be a string known at compile time");
        (name == "sep" ? separator : end) = text(v.object());
    }
    ir::Message message;
    std::vector<ir::Value> values;
    for (size_t i = 0; i < call.args.size(); ++i) {
        add_text(message, i ? separator : "");
        format_value(w, call.node, message, values, call.args[i], "");
    }
    add_text(message, end);
    emit_message(w, ir::Op::print, std::move(message), values);
    return Val{};
}

void emit_message(Walk &w, ir::Op op, ir::Message message, std::span<const ir::Value> values) {
    // Merges neighbouring literals into one piece.
    ir::Message merged;
    merged.limited = message.limited;
    for (ir::Message::Piece &piece : message.pieces) {
        if (piece.value < 0 && !merged.pieces.empty() && merged.pieces.back().value < 0)
            merged.pieces.back().text += piece.text;
        else
            merged.pieces.push_back(std::move(piece));
    }
    w.fn.messages.push_back(std::move(merged));
    w.b.emit(op, values, {}, w.fn.messages.size() - 1);
}

void emit_assert(Walk &w, ir::Value condition, ir::Message message, std::span<const ir::Value> values) {
    std::vector<ir::Value> operands = {condition};
    operands.insert(operands.end(), values.begin(), values.end());
    emit_message(w, ir::Op::assert_, std::move(message), operands);
}

Flow assert_(Walk &w, const Node *node) {
    constexpr size_t max_values = 32;
    const Node *source = child(node, Field::test), *detail = child(node, Field::msg);
    if (!w.request.options.debug) { // nothing is checked, but the expressions keep their side effects
        value(w, source);
        if (detail) assert_message(w, detail);
        return Flow::next;
    }
    Val test = value(w, source);
    if (test.is_sequence()) test = integer(long(test.sequence().items.size()));
    if (test.is_constant() && w.objects.kind_of(test.object()) == Kind::foreign)
        test = integer(truth(w, node, test.object()));
    const ir::Value holds = condition(w, node, test, "assert");
    ir::Message message;
    if (!detail) add_text(message, source_text(w, source));
    const std::vector<const Node *> shown = detail ? std::vector<const Node *>() : values_to_show(w, node);
    const auto extent = [&] {
        std::vector<ir::Value> values;
        if (detail) {
            format_value(w, detail, message, values, assert_message(w, detail), "");
            if (values.size() > max_values) w.fail_syntax(detail, "An assertion message takes at most 32 values");
        }
        const char *before = "\nwith ";
        for (const Node *one : shown) {
            const Val v = value(w, one);
            const size_t parts = v.is_matrix() ? v.matrix().comps.size() : 1;
            if ((!v.is_scalar() && !v.is_matrix()) || values.size() + parts > max_values) continue;
            add_text(message, std::exchange(before, ", ") + source_text(w, one) + " = ");
            format_value(w, one, message, values, v, "");
        }
        emit_assert(w, holds, std::move(message), values);
        return Flow::next;
    };
    if (detail ? detail->kind == NodeKind::Constant : shown.empty()) return extent();
    const ir::Value branch = w.b.if_(holds); // as in Python, the message is computed only if the condition is false
    body_in(w, w.fn[branch].blocks[0], [] { return Flow::next; });
    body_in(w, w.fn[branch].blocks[1], extent);
    return Flow::next;
}

static Val assert_message(Walk &w, const Node *detail) {
    const Val v = value(w, detail);
    if (detail->kind == NodeKind::Constant && is_number(v)) return wrap(w, PyRef::steal(PyObject_Str(v.object())));
    if (!is_string(v))
        w.fail_syntax(detail, "assert info must be constant or formatted string, not " + type_text(w, v));
    return v;
}

bool is_string(const Val &v) {
    return v.is_sequence() ? v.is(Flavour::text) : v.is_constant() && PyUnicode_Check(v.object());
}

/// Joins two strings, at least one of which holds run-time values.
Val joined(const Val &a, const Val &b) {
    val::Sequence out = empty_text();
    for (const Val *part : {&a, &b}) {
        if (part->is_constant())
            out.items.push_back(*part);
        else
            out.items.insert(out.items.end(), part->sequence().items.begin(), part->sequence().items.end());
    }
    return out;
}

/// "x = %f" % value
Val percent_format(Walk &w, const Node *node, const std::string &pattern, const Val &args) {
    const std::vector<Val> items = args.is_tuple() ? args.sequence().items : std::vector<Val>{args};
    val::Sequence out = empty_text();
    std::string literal;
    size_t next = 0;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            literal += pattern[i];
            continue;
        }
        if (i + 1 < pattern.size() && pattern[i + 1] == '%') {
            literal += '%';
            ++i;
            continue;
        }
        const size_t end = pattern.find_first_of("diufFeEgGxXosr", i + 1);
        if (end == std::string::npos || next >= items.size())
            w.fail_syntax(node, "not enough arguments for format string");
        std::string spec = pattern.substr(i + 1, end - i);
        const Val &v = items[next++];
        const bool real = v.is_scalar() && ir::is_float(v.scalar().elem);
        const char c = spec.back();
        if (c == 's' || c == 'r' || (c == 'd' && real)) spec.clear();
        out.items.push_back(constant(python_string(literal)));
        out.items.push_back(formatted(v, python_string(spec)));
        literal.clear();
        i = end;
    }
    if (next != items.size()) w.fail_syntax(node, "not all arguments converted during string formatting");
    out.items.push_back(constant(python_string(literal)));
    return out;
}

} // namespace qd::frontend
