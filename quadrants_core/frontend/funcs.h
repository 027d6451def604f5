#pragma once
// Funcs: each is read once per walk and inlined where it is called.
#include "frontend/call.h"
#include "frontend/walk.h"

#include <unordered_map>

namespace qd::frontend {

/// A func, read once per walk.
struct FuncInfo {
    PyObject *object = nullptr; ///< the func object
    PyRef function;             ///< the Python function
    Source source;
    struct FuncParam {
        PyObject *name = nullptr;
        PyRef annotation; ///< evaluated; null if absent
        PyRef fallback;   ///< default value
    };
    std::vector<FuncParam> params;                ///< positional, keyword-only, `*args`, `**kwargs`
    size_t positional = 0;                        ///< number of them that a call may give by position
    bool has_varargs = false, has_kwargs = false; ///< `*args`, `**kwargs`
    PyRef returns;                                ///< evaluated annotation; null if absent
    std::unordered_set<PyObject *> assigned;
    std::optional<std::unordered_set<PyObject *>> receivers; ///< names whose methods are called; computed on demand
    uint32_t scope = 0, file = 0;
    int depth = 0; ///< number of its current inlinings
    bool is_real = false, is_foreign = false, needs_top_level = false;
    PyRef receiver;                               ///< methods: the class of the instance in the last call
    std::optional<std::vector<FuncInfo *>> calls; ///< computed on demand
    std::optional<bool> recursive, cut;           ///< computed on demand
    /// Parameters that the body passes to a func that modifies them. Key: the funcs that parameters stand for, and the type of the first
    /// parameter.
    std::map<std::vector<PyObject *>, std::unordered_set<PyObject *>> modified_by_callees;
};

class Funcs : public Part {
  public:
    explicit Funcs(Walk &walk) : Part(walk) {}

    /// Pushes the frame of a func's body; `call` is the span of the call.
    void enter(FuncInfo &info, SpanId call);
    /// `given`: the arguments if they are already evaluated.
    Val inline_func(const Node *node, const PyRef &callee, const Val *self, std::optional<Call> given = {});
    Val inline_method(const Node *node, const PyRef &callee, const Val &self, std::optional<Call> given = {});
    /// The func as which a Python function is inlined: itself, or the stand-in for a plain function; null if it is neither.
    PyRef func_of(const Node *node, PyObject *function);
    std::vector<Val> matched_arguments(const Node *node, FuncInfo &info, Call call, bool first_by_place = false);
    /// `known`: for each parameter the Python object that it stands for, or null.
    Val pass_argument(const Node *node, FuncInfo &info, size_t i, Val arg, bool as_place,
                      const std::vector<PyObject *> &known);
    [[noreturn]] void fail_endless(const FuncInfo &info);
    void note_inlined(const FuncInfo &info);
    /// Returns the value of a call: the body is inlined, or becomes part of a state machine if the func is recursive.
    Val evaluate_call(const Node *node, FuncInfo &info, std::vector<Val> args);
    Val inline_body(const Node *node, FuncInfo &info, std::vector<Val> args);
    std::optional<Val> inlined(FuncInfo &info, std::vector<Val> args, const std::function<std::optional<Val>()> &body);
    FuncInfo &func_info(const Node *node, PyObject *callee);
    /// The inlined funcs, each once.
    std::vector<PyRef> take_inlined() { return std::move(inlined_); }

  private:
    PyRef resolved_annotation(const Node *node, PyObject *function, PyObject *name);
    void gather_varargs(const FuncInfo &info, Call &call, std::vector<std::optional<Val>> &given);

    std::unordered_map<PyObject *, std::unique_ptr<FuncInfo>> funcs_;
    std::vector<PyRef> inlined_;
};

} // namespace qd::frontend
