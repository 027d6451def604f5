#pragma once
// The walk over one kernel's tree. `Walk` holds the shared state: the request, the function under construction and its builder, the
// dependencies on Python, the frames around the current node, and the functions that report errors. The state of a topic is private to a
// part, a class over the walk that is reached as `w.places`, `w.scopes`, ...; topics without state are free functions over the walk.
// General rules:
//  - Variables are locals (memory); the pass `promote` turns them into SSA values.
//  - `eval` may return a place (val::Place); `value` reads it. Operands are read in the order Python evaluates them.
//  - Python objects stay Python objects until a run-time value is needed: Python computes with them. A number that a func got for a
//    parameter without an annotation also has a type, which outside qd.static decides its arithmetic.
//  - Nothing is emitted into a block after a terminator: statement functions return Flow::stop.
#include "base/stack.h"
#include "frontend/frontend.h"
#include "frontend/dependencies.h"
#include "frontend/value.h"
#include "ir/builder.h"
#include "syntax/tree.h"

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

namespace qd::frontend {

/// The use of an expression's result. `forwarded`: an attribute is read from it, it is called as a func, or it is passed to one (see
/// dependencies.h), so it may be an object that is not a value. `updated`: it is the target of an augmented assignment.
enum class Use : uint8_t { value, forwarded, updated };

enum class Flow : uint8_t { next, stop, break_, continue_, return_ };

struct LoopContext {
    enum class What : uint8_t { static_, serial, parallel } what = What::serial;
    int branches = 0; ///< non-static ifs around the current statement, inside this loop
};

/// The variables to which the returns of a real func store.
struct RealFrame {
    PyObject *annotation = nullptr; ///< null: returns nothing
    Val result;                     ///< a variable, or a tuple of them
    ir::Value returned;             ///< u1 variable: a return was executed
    int returns = 0;                ///< number of returns walked
};

/// One kernel or func body being walked.
struct Frame {
    const Source *source = nullptr;
    PyObject *function = nullptr; ///< function in whose scope names are looked up
    const std::unordered_set<PyObject *> *assigned = nullptr;
    bool is_kernel = false;
    bool is_plain = false; ///< body of a plain Python function
    SpanId call = no_span;
    uint32_t scope = 0, file = 0;
    size_t first_binding = 0;
    std::vector<LoopContext> loops;
    int dynamic = 0;           ///< non-static ifs and loops around the current statement
    std::optional<Val> result; ///< value of `return`
    const Node *result_node = nullptr;
    bool has_return_type = false;
    int streams = 0;                 ///< `with qd.stream_parallel():` blocks around the current statement
    std::shared_ptr<RealFrame> real; ///< body of a real func
};

struct Call;
struct FuncInfo;
struct Level;
struct Parts;
class Objects;
class Scopes;
class Parameters;
class Places;
class PackedNumbers;
class Structs;
class Funcs;
class Recursion;
class Meshes;
class Loops;
class Coverage;
class Gradients;
class Graphs;

struct Walk {
    Walk(const Request &given, Parts &parts);
    Walk(const Walk &) = delete;

    SpanId span_of(const Node *node);
    std::vector<Level> levels() const;
    [[noreturn]] void fail(const Node *node, UserErrorKind kind, const std::string &message,
                           const std::string &hint = "");
    [[noreturn]] void fail_syntax(const Node *node, const std::string &message, const std::string &hint = "");
    [[noreturn]] void fail_type(const Node *node, const std::string &message, const std::string &hint = "");
    [[noreturn]] void fail_too_long(const Node *node);
    [[noreturn]] void fail_here(UserErrorKind kind, const std::string &message, const std::string &hint = "");
    [[noreturn]] void python_failed(const Node *node);
    void warn(const Node *node, const std::string &category, const std::string &message);
    /// Fails if little of the thread's stack is left.
    void check_depth() {
        if (stack_is_short()) [[unlikely]]
            fail_here(UserErrorKind::compilation, stack_message, stack_hint);
    }

    const Request &request;
    Dependencies dependencies;
    ir::Function fn;
    ir::Builder b;
    std::deque<Frame> frames;
    ir::BlockId region; ///< the kernel's body, or that of the parallel loop being walked
    int nesting = 0;    ///< blocks around the emitted code: see Nested
    int static_depth = 0, grouped_depth = 0;

    Objects &objects;
    Scopes &scopes;
    Parameters &parameters;
    Places &places;
    PackedNumbers &packed;
    Structs &structs;
    Funcs &funcs;
    Recursion &recursion;
    Meshes &meshes;
    Loops &loops;
    Coverage &coverage;
    Gradients &gradients;
    Graphs &graphs;
};

/// A topic with state of its own.
class Part {
  public:
    Part(const Part &) = delete;

  protected:
    explicit Part(Walk &walk) : w_(walk), fn_(walk.fn), b_(walk.b) {}
    Walk &w_;
    ir::Function &fn_;
    ir::Builder &b_;
};

/// Sets the builder's span to that of a node; restores it on destruction.
struct AtNode {
    Walk &w;
    SpanId old;
    AtNode(Walk &walk, const Node *node) : w(walk), old(walk.b.span) { w.b.span = w.span_of(node); }
    ~AtNode() { w.b.span = old; }
};

} // namespace qd::frontend
