#pragma once
// Visits every instruction in program order: a control instruction before the contents of its blocks.
#include "ir/function.h"

namespace qd::analysis {

template <class Visit> void walk(const ir::Function &fn, ir::BlockId b, Visit &&visit) {
    for (ir::Value v : fn[b].insts) {
        visit(v);
        for (ir::BlockId child : fn[v].blocks)
            if (child) walk(fn, child, visit);
    }
}

/// Walks the outermost blocks: the bounds of a range task and the body.
template <class Visit> void walk(const ir::Function &fn, Visit &&visit) {
    if (fn.bounds) walk(fn, fn.bounds, visit);
    if (fn.body) walk(fn, fn.body, visit);
}

} // namespace qd::analysis
