#pragma once
// Funcs: each is read once per walk, and inlined where it is called.
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
        PyRef annotation; ///< evaluated; none if absent
        PyRef fallback;   ///< default value
    };
    std::vector<FuncParam> params;                 ///< those by position, those by keyword alone, `*args`, `**kwargs`
    size_t positional = 0;                         ///< how many of them a call may give by position
    bool has_rest = false, has_named_rest = false; ///< `*args`, `**kwargs`
    PyRef returns;                                 ///< evaluated annotation; none if absent
    std::unordered_set<PyObject *> assigned;
    std::optional<std::unordered_set<PyObject *>> receivers; ///< names whose methods are called; made when asked for
    uint32_t scope = 0, file = 0;
    int depth = 0; ///< how many times it is being inlined now
    bool is_real = false, is_foreign = false, needs_top_level = false;
    PyRef receiver;                               ///< a method: the class of the instance that it was called for last
    std::optional<std::vector<FuncInfo *>> calls; ///< made when asked for
    std::optional<bool> recursive, cut;           ///< made when asked for
    /// Parameters that are handed to a func which changes them. By the funcs that parameters are, and the type of the first.
    std::map<std::vector<PyObject *>, std::unordered_set<PyObject *>> handed;
};

class Funcs : public Part {
  public:
    explicit Funcs(Walk &walk) : Part(walk) {}

    /// The frame of a func's body; `call`: where it is called.
    void enter(FuncInfo &info, SpanId call);
    /// `given`: the arguments, if they were evaluated already.
    Val inline_func(const Node *node, const PyRef &callee, const Val *self, std::optional<Call> given = {});
    Val inline_method(const Node *node, const PyRef &callee, const Val &self, std::optional<Call> given = {});
    /// The func that a function of Python is inlined as: itself, or one that stands for a plain function; empty if it is neither.
    PyRef func_of(const Node *node, PyObject *function);
    std::vector<Val> matched_arguments(const Node *node, FuncInfo &info, Call call, bool first_by_place = false);
    /// `known`: by parameter the object of Python's that it is, or null.
    Val pass_argument(const Node *node, FuncInfo &info, size_t i, Val arg, bool as_place,
                      const std::vector<PyObject *> &known);
    [[noreturn]] void fail_endless(const FuncInfo &info);
    void note_inlined(const FuncInfo &info);
    /// Returns the value of a call: the body inlined, or part of a state machine if the func calls itself.
    Val carry_out(const Node *node, FuncInfo &info, std::vector<Val> args);
    Val inline_body(const Node *node, FuncInfo &info, std::vector<Val> args);
    std::optional<Val> inlined(FuncInfo &info, std::vector<Val> args, const std::function<std::optional<Val>()> &body);
    FuncInfo &func_info(const Node *node, PyObject *callee);
    /// The funcs that were inlined, each once.
    std::vector<PyRef> take_inlined() { return std::move(inlined_); }

  private:
    PyRef resolved_annotation(const Node *node, PyObject *function, PyObject *name);
    void gather_rest(const FuncInfo &info, Call &call, std::vector<std::optional<Val>> &given);

    std::unordered_map<PyObject *, std::unique_ptr<FuncInfo>> funcs_;
    std::vector<PyRef> inlined_;
};

} // namespace qd::frontend
