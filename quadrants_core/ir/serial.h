#pragma once
// A function as bytes, whole: spans, files and scopes included, which the text form leaves out.
#include "base/bytes.h"
#include "ir/function.h"

namespace qd::ir {

void write(Writer &out, const Function &fn);
/// What `write` wrote; if the bytes run out, `in.ok` is false and the function is not to be used.
Function read(Reader &in);

void write(Writer &out, const Place &place);

} // namespace qd::ir
