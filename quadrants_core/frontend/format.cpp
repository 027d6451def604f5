// print, assert and formatted strings: a message of literal pieces and printf-like specs over run-time values.
#include "frontend/builtins.h"
#include "ir/eval.h"

#include <cctype>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

// What an f-string or "...".format(...) with run-time values is until it is printed: pieces of text and values. It
// lives in a Val of Tag::list whose items are strings and formatted values (items[0] = value, items[1] = spec).
namespace {

Val formatted(const Val &v, PyRef spec) {
    Val out;
    out.tag = Tag::tuple;
    out.items.push_back(v);
    Val text;
    text.tag = Tag::constant;
    text.object = std::move(spec);
    out.items.push_back(text);
    return out;
}

PyRef python_string(std::string_view s) {
    return PyRef::steal(PyUnicode_FromStringAndSize(s.data(), Py_ssize_t(s.size())));
}

Val empty_text() {
    Val out;
    out.tag = Tag::list;
    out.element_dim = is_text;
    return out;
}

} // namespace

Val Walker::eval_joined(const Node *node) {
    Val out = empty_text();
    bool constant_only = true;
    for (const Node *part : items_of(node, Field::values)) {
        if (part->kind == NodeKind::Constant) {
            out.items.push_back(constant(PyRef::borrow(constant_of(part))));
            continue;
        }
        const long code = number_of(part, Field::conversion);
        if (code != -1) fail_syntax(part, std::string("conversion '") + char(code) + "' is not supported.");
        const Node *format = child(part, Field::format_spec);
        PyRef spec = python_string("");
        if (format) {
            const Val v = eval_joined(format);
            if (!v.is_constant()) fail_syntax(part, "A format spec must be known at compile time");
            spec = v.object;
        }
        const Val v = value(child(part, Field::value));
        constant_only = constant_only && v.is_constant() && kind_of(v.object.get()) == Kind::foreign;
        out.items.push_back(formatted(v, spec));
    }
    if (!constant_only) return out;
    PyRef all = python_string("");
    for (const Val &item : out.items) {
        PyRef piece = item.is_constant()
                          ? item.object
                          : PyRef::steal(PyObject_Format(item.items[0].object.get(), item.items[1].object.get()));
        if (!piece) python_failed(node);
        all = PyRef::steal(PyUnicode_Concat(all.get(), piece.get()));
    }
    return constant(all);
}

Val Walker::format_call(const Node *node, PyObject *pattern) {
    const Call call = arguments(node, false);
    const std::string words = text(pattern);
    Val out = empty_text();
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
        if (end == std::string::npos) fail_syntax(node, "Single '{' encountered in format string");
        std::string field = words.substr(i + 1, end - i - 1);
        const size_t colon = field.find(':');
        const std::string spec = colon == std::string::npos ? "" : field.substr(colon + 1);
        field.resize(colon == std::string::npos ? field.size() : colon);
        i = end;
        out.items.push_back(constant(python_string(literal)));
        literal.clear();
        const Val *v = nullptr;
        if (field.empty() || std::isdigit(static_cast<unsigned char>(field[0]))) {
            if (field.size() > 4) fail_syntax(node, "Too many positions in format string");
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
            if (!v) fail_syntax(node, "Keyword '" + field + "' not found.");
        }
        out.items.push_back(formatted(*v, python_string(spec)));
    }
    if (needed != call.args.size())
        fail_syntax(node, "Expected " + std::to_string(needed) + " positional argument(s), but received " +
                              std::to_string(call.args.size()) + " instead.");
    for (size_t k = 0; k < used.size(); ++k)
        if (!used[k]) fail_syntax(node, "Keyword '" + text(call.kwargs[k].first) + "' not used.");
    out.items.push_back(constant(python_string(literal)));
    return folded(node, pattern, call, out);
}

/// Of nothing but compile-time values the text is Python's own.
Val Walker::folded(const Node *node, PyObject *pattern, const Call &call, const Val &text) {
    const auto is_plain = [&](const Val &v) { return v.is_constant() && kind_of(v.object.get()) == Kind::foreign; };
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size()))), kwargs = PyRef::steal(PyDict_New());
    for (size_t i = 0; i < call.args.size(); ++i) {
        if (!is_plain(call.args[i])) return text;
        reads_.use_within(call.args[i].object.get());
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), Py_NewRef(call.args[i].object.get()));
    }
    for (const auto &[name, v] : call.kwargs) {
        if (!is_plain(v) || PyDict_SetItem(kwargs.get(), name, v.object.get()) < 0) return text;
        reads_.use_within(v.object.get());
    }
    PyRef format = PyRef::steal(PyObject_GetAttrString(pattern, "format"));
    PyRef result = PyRef::steal(format ? PyObject_Call(format.get(), args.get(), kwargs.get()) : nullptr);
    if (!result) python_failed(node);
    return constant(result);
}

// Messages

namespace {

void add_text(ir::Message &message, const std::string &text) {
    if (!text.empty()) message.pieces.push_back({text, -1});
}

} // namespace

/// A Python spec such as ".2f" as a printf spec that suits the type; empty = default.
std::string Walker::printf_spec(const Node *node, const std::string &spec, Scalar type) {
    if (spec.empty()) return "";
    const std::string mismatch = "'" + spec + "' doesn't match '" + ir::to_string(type) + "'.";
    std::string flags, conversion;
    size_t i = 0;
    if (spec[0] == '<') flags += '-'; // Python's own signs of alignment
    if (spec[0] == '<' || spec[0] == '>') ++i;
    while (i < spec.size() && (std::strchr("-+ #0.", spec[i]) || std::isdigit(static_cast<unsigned char>(spec[i]))))
        flags += spec[i++];
    while (i < spec.size() && std::strchr("hljzt", spec[i])) // length modifiers follow from the type
        ++i;
    conversion = spec.substr(i);
    if (conversion.empty()) {
        if (ir::is_float(type)) return flags + "f";
        return flags + (ir::is_signed(type) ? "d" : "u");
    }
    if (conversion.size() != 1) fail_type(node, mismatch);
    const char c = conversion[0];
    const bool real = std::strchr("fFeEgGaA", c) != nullptr, with_sign = c == 'd' || c == 'i';
    const bool bits = std::strchr("xXo", c) != nullptr, without_sign = c == 'u' || bits;
    if (!real && !with_sign && !without_sign) fail_type(node, mismatch);
    if (real != ir::is_float(type)) fail_type(node, mismatch);
    if (with_sign && !ir::is_signed(type) && type != Scalar::u1) fail_type(node, mismatch);
    if (c == 'u' && (ir::is_signed(type) || type == Scalar::u1)) fail_type(node, mismatch);
    return flags + c;
}

void Walker::format_value(const Node *node, ir::Message &message, std::vector<ir::Value> &values, const Val &given,
                          const std::string &spec) {
    const Val v = load(given);
    if (v.tag == Tag::none) {
        add_text(message, "None");
        return;
    }
    if (v.is_constant() && (kind_of(v.object.get()) == Kind::matrix || kind_of(v.object.get()) == Kind::struct_)) {
        format_value(node, message, values, typed(node, v), spec);
        return;
    }
    if (is_number(v) && !spec.empty()) {
        format_value(node, message, values, typed(node, v), spec);
        return;
    }
    if (v.is_constant()) {
        reads_.use_within(v.object.get());
        PyRef object = PyBool_Check(v.object.get()) ? PyRef::steal(PyNumber_Long(v.object.get())) : v.object;
        PyRef spec_text = python_string(PyFloat_Check(object.get()) ? "f" : spec);
        const bool plain = PyUnicode_GetLength(spec_text.get()) == 0;
        PyRef words = PyRef::steal(plain ? PyObject_Str(object.get()) : PyObject_Format(object.get(), spec_text.get()));
        if (!words) python_failed(node);
        add_text(message, text(words.get()));
        return;
    }
    if (v.tag == Tag::scalar) {
        message.pieces.push_back({printf_spec(node, spec, v.elem), int(values.size())});
        values.push_back(v.v);
        return;
    }
    if (v.tag == Tag::matrix) {
        const Val rows = v.ndim == 2 ? sequence_items(node, v) : Val{};
        add_text(message, "[");
        for (int k = 0; k < v.n; ++k) {
            add_text(message, k ? ", " : "");
            format_value(node, message, values, v.ndim == 2 ? rows.items[size_t(k)] : component(v, k), spec);
        }
        add_text(message, "]");
        return;
    }
    if (v.tag == Tag::record) {
        add_text(message, "{");
        for (size_t k = 0; k < v.items.size(); ++k) {
            add_text(message, (k ? ", " : "") + repr(v.record->names[k].get()) + ": ");
            format_value(node, message, values, v.items[k], spec);
        }
        add_text(message, "}");
        return;
    }
    if (v.is_sequence() && v.element_dim == is_text) {
        for (const Val &item : v.items) {
            if (item.is_constant())
                add_text(message, text(item.object.get()));
            else
                format_value(node, message, values, item.items[0], text(item.items[1].object.get()));
        }
        return;
    }
    if (v.is_sequence()) {
        const bool round = v.tag == Tag::tuple && v.element_dim != is_vector;
        add_text(message, round ? "(" : "[");
        for (size_t k = 0; k < v.items.size(); ++k) {
            add_text(message, k ? ", " : "");
            format_value(node, message, values, v.items[k], spec);
        }
        add_text(message, round ? (v.items.size() == 1 ? ",)" : ")") : "]");
        return;
    }
    if (v.tag == Tag::dict) {
        add_text(message, "{");
        for (size_t k = 0; k < v.items.size(); ++k) {
            add_text(message, (k ? ", " : "") + repr(v.extra->keys[k].get()) + ": ");
            format_value(node, message, values, v.items[k], spec);
        }
        add_text(message, "}");
        return;
    }
    fail_type(node, "'" + type_text(v) + "' cannot be printed");
}

Val Walker::print(const Call &call) {
    std::string separator = " ", end = "\n";
    for (const auto &[key, v] : call.kwargs) {
        const std::string name = text(key);
        if (name == "flush" || name == "file") continue;
        if (v.is_constant() && v.object.get() == Py_None) continue;
        if (!v.is_constant() || !PyUnicode_Check(v.object.get()))
            fail_type(call.node, "`" + name + "` of print must be a string known at compile time");
        if (name == "sep")
            separator = text(v.object.get());
        else if (name == "end")
            end = text(v.object.get());
        else
            fail_type(call.node, "'" + name + "' is an invalid keyword argument for print()");
    }
    ir::Message message;
    std::vector<ir::Value> values;
    for (size_t i = 0; i < call.args.size(); ++i) {
        add_text(message, i ? separator : "");
        format_value(call.node, message, values, call.args[i], "");
    }
    add_text(message, end);
    emit_message(ir::Op::print, std::move(message), values);
    return Val{};
}

void Walker::emit_message(ir::Op op, ir::Message message, std::span<const ir::Value> values) {
    // Neighbouring literals are one piece.
    ir::Message merged;
    for (ir::Message::Piece &piece : message.pieces) {
        if (piece.value < 0 && !merged.pieces.empty() && merged.pieces.back().value < 0)
            merged.pieces.back().text += piece.text;
        else
            merged.pieces.push_back(std::move(piece));
    }
    fn_.messages.push_back(std::move(merged));
    b_.emit(op, values, {}, fn_.messages.size() - 1);
}

void Walker::emit_assert(ir::Value condition, ir::Message message, std::span<const ir::Value> values) {
    std::vector<ir::Value> operands = {condition};
    operands.insert(operands.end(), values.begin(), values.end());
    emit_message(ir::Op::assert_, std::move(message), operands);
}

Flow Walker::assert_(const Node *node) {
    constexpr size_t most_values = 32;
    const Node *source = child(node, Field::test), *detail = child(node, Field::msg);
    if (!request_.options.debug) {
        if (detail && !may_be_text(detail->kind)) assert_message(detail);
        return Flow::next;
    }
    Val test = value(source);
    if (test.is_sequence()) test = integer(long(test.items.size()));
    if (test.is_constant() && kind_of(test.object.get()) == Kind::foreign)
        test = integer(truth(node, test.object.get()));
    const ir::Value holds = condition(node, test, "assert");
    ir::Message message;
    if (!detail) {
        add_text(message, source_text(source));
        emit_assert(holds, std::move(message), {});
        return Flow::next;
    }
    const auto told = [&] {
        std::vector<ir::Value> values;
        format_value(detail, message, values, assert_message(detail), "");
        if (values.size() > most_values) fail_syntax(detail, "An assertion message takes at most 32 values");
        emit_assert(holds, std::move(message), values);
        return Flow::next;
    };
    if (detail->kind == NodeKind::Constant) return told();
    const ir::Value branch = b_.if_(holds); // as in Python, the message is computed where the condition does not hold
    body_in(fn_[branch].blocks[0], [] { return Flow::next; });
    body_in(fn_[branch].blocks[1], told);
    return Flow::next;
}

/// Whether a node may give a string without being looked at.
bool Walker::may_be_text(NodeKind kind) {
    return kind == NodeKind::Constant || kind == NodeKind::JoinedStr || kind == NodeKind::BinOp ||
           kind == NodeKind::Call;
}

Val Walker::assert_message(const Node *detail) {
    const Val v = value(detail);
    if (detail->kind == NodeKind::Constant && is_number(v)) return wrap(PyRef::steal(PyObject_Str(v.object.get())));
    if (!is_string(v)) fail_syntax(detail, "assert info must be constant or formatted string, not " + type_text(v));
    return v;
}

bool Walker::is_string(const Val &v) {
    return v.is_sequence() ? v.element_dim == is_text : v.is_constant() && PyUnicode_Check(v.object.get());
}

/// Two strings, at least one of which holds run-time values.
Val Walker::joined(const Val &a, const Val &b) {
    Val out = empty_text();
    for (const Val *part : {&a, &b}) {
        if (part->is_constant())
            out.items.push_back(*part);
        else
            out.items.insert(out.items.end(), part->items.begin(), part->items.end());
    }
    return out;
}

/// "x = %f" % value
Val Walker::percent_format(const Node *node, const std::string &pattern, const Val &args) {
    const std::vector<Val> items = args.tag == Tag::tuple ? args.items : std::vector<Val>{args};
    Val out = empty_text();
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
            fail_syntax(node, "not enough arguments for format string");
        std::string spec = pattern.substr(i + 1, end - i);
        const Val &v = items[next++];
        const bool real = v.tag == Tag::scalar && ir::is_float(v.elem);
        const char c = spec.back();
        if (c == 's' || c == 'r' || (c == 'd' && real)) spec.clear();
        out.items.push_back(constant(python_string(literal)));
        out.items.push_back(formatted(v, python_string(spec)));
        literal.clear();
        i = end;
    }
    if (next != items.size()) fail_syntax(node, "not all arguments converted during string formatting");
    out.items.push_back(constant(python_string(literal)));
    return out;
}

namespace {

/// What stands from one place of a text to another.
std::string text_between(const std::string &text, const Extent &at) {
    size_t line = 0, first = 0, last = 0;
    for (int number = 1; number <= at.end_line && line != std::string::npos; ++number) {
        if (number == at.line) first = line + size_t(at.column);
        if (number == at.end_line) last = line + size_t(at.end_column);
        line = text.find('\n', line);
        line += line != std::string::npos;
    }
    return first < last && last <= text.size() ? text.substr(first, last - first) : "";
}

} // namespace

/// The source of an expression, as `ast.unparse` writes it.
std::string Walker::source_text(const Node *node) {
    PyRef ast = PyRef::steal(PyImport_ImportModule("ast"));
    const std::string source = "(" + text_between(frames_.back().source->text, node->at) + "\n)";
    PyRef tree = PyRef::steal(ast ? PyObject_CallMethod(ast.get(), "parse", "s", source.c_str()) : nullptr);
    PyRef words = PyRef::steal(tree ? PyObject_CallMethod(ast.get(), "unparse", "O", tree.get()) : nullptr);
    if (!words) {
        PyErr_Clear();
        return "assertion failed";
    }
    return text(words.get());
}

} // namespace qd::frontend
