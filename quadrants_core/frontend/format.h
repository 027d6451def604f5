#pragma once
// Strings, messages and assertions.
#include "frontend/walk.h"

namespace qd::frontend {

Val eval_joined(Walk &w, const Node *node);
Val format_call(Walk &w, const Node *node, PyObject *pattern);
Flow assert_(Walk &w, const Node *node);
bool is_string(const Val &v);
Val joined(const Val &a, const Val &b);
Val percent_format(Walk &w, const Node *node, const std::string &pattern, const Val &args);
std::string source_text(Walk &w, const Node *node);
std::string short_source(Walk &w, const Node *node);
void emit_message(Walk &w, ir::Op op, ir::Message message, std::span<const ir::Value> values);
void emit_assert(Walk &w, ir::Value condition, ir::Message message, std::span<const ir::Value> values);

} // namespace qd::frontend
