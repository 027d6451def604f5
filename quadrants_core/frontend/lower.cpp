// One walk: its parts, and the lowering of a kernel.
#include "frontend/control.h"
#include "frontend/coverage.h"
#include "frontend/funcs.h"
#include "frontend/gradients.h"
#include "frontend/graph.h"
#include "frontend/loops.h"
#include "frontend/mesh.h"
#include "frontend/objects.h"
#include "frontend/packed.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/recursion.h"
#include "frontend/scan.h"
#include "frontend/scope.h"

namespace qd::frontend {

/// Everything that lives while a kernel is walked.
struct Parts {
    explicit Parts(const Request &request)
        : walk(request, *this), objects(walk), scopes(walk), parameters(walk), places(walk), packed(walk),
          structs(walk), funcs(walk), recursion(walk), meshes(walk), loops(walk), coverage(walk), gradients(walk),
          graphs(walk) {}

    Walk walk;
    Objects objects;
    Scopes scopes;
    Parameters parameters;
    Places places;
    PackedNumbers packed;
    Structs structs;
    Funcs funcs;
    Recursion recursion;
    Meshes meshes;
    Loops loops;
    Coverage coverage;
    Gradients gradients;
    Graphs graphs;
};

namespace {

/// The suffix in the name of a kernel that computes derivatives.
const char *suffix(autodiff::Mode mode) {
    switch (mode) {
    case autodiff::Mode::none: return "";
    case autodiff::Mode::forward: return "_forward_grad";
    case autodiff::Mode::reverse: return "_reverse_grad";
    case autodiff::Mode::validate: return "_validate_grad";
    }
    fail_internal("a kernel without a mode");
}

/// Sets the compile flags that the options request.
void set_flag(ir::Function &fn, const LanguageOptions &options) {
    if (options.opt_level <= 0) fn.set_flag(ir::CompileFlag::plain);
    if (!options.cfg_optimization) fn.set_flag(ir::CompileFlag::as_stored);
    if (!options.advanced_optimization) fn.set_flag(ir::CompileFlag::no_algebra);
    if (!options.make_thread_local) fn.set_flag(ir::CompileFlag::shared_reductions);
    if (!options.cache_loop_invariant_global_vars) fn.set_flag(ir::CompileFlag::reload);
    if (options.flatten_if) fn.set_flag(ir::CompileFlag::flat);
    if (options.deterministic) fn.set_flag(ir::CompileFlag::ordered);
}

} // namespace

Walk::Walk(const Request &given, Parts &parts)
    : request(given), dependencies(given), b(fn), objects(parts.objects), scopes(parts.scopes),
      parameters(parts.parameters), places(parts.places), packed(parts.packed), structs(parts.structs),
      funcs(parts.funcs), recursion(parts.recursion), meshes(parts.meshes), loops(parts.loops),
      coverage(parts.coverage), gradients(parts.gradients), graphs(parts.graphs) {
    fn.name = request.source.name + suffix(request.mode);
    fn.fast_math = request.options.fast_math;
    fn.debug = request.options.debug;
    set_flag(fn, request.options);
    fn.body = fn.make_block();
    b.block = fn.body;
    region = fn.body;
    Frame frame;
    frame.source = &request.source;
    frame.is_kernel = true;
    frame.has_return_type = !request.returns.empty();
    frame.file = uint32_t(fn.files.size());
    fn.files.push_back(request.source.file);
    frame.scope = uint32_t(fn.scopes.size());
    fn.scopes.push_back(request.source.name);
    frame.function = request.function;
    frames.push_back(std::move(frame));
}

namespace {

void finish_kernel(Walk &w, const Node *tree) {
    std::vector<ir::Value> values;
    const std::optional<Val> &result = w.frames.back().result;
    if (!w.request.returns.empty() && !result)
        w.fail_syntax(tree, "Kernel has a return type but does not have a return statement",
                      "end the kernel with `return <value>`, or remove the return annotation");
    if (result) values = return_values(w, tree, *result);
    for (const ir::Value v : values) w.fn.returns.push_back(w.fn.type(v));
    w.b.ret(values);
}

} // namespace

Result lower(const Request &request) {
    Parts parts(request);
    Walk &w = parts.walk;
    const Node *tree = request.source.tree;
    w.b.span = w.span_of(tree);
    if (request.mode == autodiff::Mode::reverse) w.gradients.check_top_level(tree);
    std::unordered_set<PyObject *> assigned;
    scan_changed(request.source, assigned);
    w.frames.back().assigned = &assigned;
    w.parameters.declare_parameters();
    w.graphs.begin(tree);
    block(w, items_of(tree, Field::body));
    w.b.span = w.span_of(tree);
    finish_kernel(w, tree);
    w.graphs.finish(tree);
    w.places.settle_matrices();
    autodiff::Companions companions;
    if (request.mode != autodiff::Mode::none) companions = w.gradients.settle(tree);
    return Result{std::move(w.fn),       w.parameters.take_leaves(), w.funcs.take_inlined(),
                  w.dependencies.take(), std::move(companions),      w.graphs.take()};
}

} // namespace qd::frontend
