// One walk: the parts it is made of, and what it makes of a kernel.
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
#include "frontend/record.h"
#include "frontend/recursion.h"
#include "frontend/scan.h"
#include "frontend/scope.h"

namespace qd::frontend {

/// Everything that is alive while a kernel is walked.
struct Parts {
    explicit Parts(const Request &request)
        : walk(request, *this), objects(walk), scopes(walk), parameters(walk), places(walk), packed(walk),
          records(walk), funcs(walk), recursion(walk), meshes(walk), loops(walk), coverage(walk), gradients(walk),
          graphs(walk) {}

    Walk walk;
    Objects objects;
    Scopes scopes;
    Parameters parameters;
    Places places;
    PackedNumbers packed;
    Records records;
    Funcs funcs;
    Recursion recursion;
    Meshes meshes;
    Loops loops;
    Coverage coverage;
    Gradients gradients;
    Graphs graphs;
};

namespace {

/// What the name of a kernel that works out derivatives ends in.
const char *suffix(autodiff::Mode mode) {
    switch (mode) {
    case autodiff::Mode::none: return "";
    case autodiff::Mode::forward: return "_forward_grad";
    case autodiff::Mode::reverse: return "_reverse_grad";
    case autodiff::Mode::validate: return "_validate_grad";
    }
    fail_internal("a kernel without a mode");
}

/// What the options wish of the optimiser.
void wish(ir::Function &fn, const LanguageOptions &options) {
    if (options.opt_level <= 0) fn.wish(ir::Wish::plain);
    if (!options.cfg_optimization) fn.wish(ir::Wish::as_stored);
    if (!options.advanced_optimization) fn.wish(ir::Wish::no_algebra);
    if (!options.make_thread_local) fn.wish(ir::Wish::shared_sums);
    if (!options.cache_loop_invariant_global_vars) fn.wish(ir::Wish::reload);
    if (options.flatten_if) fn.wish(ir::Wish::flat);
    if (options.deterministic) fn.wish(ir::Wish::ordered);
}

} // namespace

Walk::Walk(const Request &given, Parts &parts)
    : request(given), reads(given), b(fn), objects(parts.objects), scopes(parts.scopes), parameters(parts.parameters),
      places(parts.places), packed(parts.packed), records(parts.records), funcs(parts.funcs),
      recursion(parts.recursion), meshes(parts.meshes), loops(parts.loops), coverage(parts.coverage),
      gradients(parts.gradients), graphs(parts.graphs) {
    fn.name = request.source.name + suffix(request.mode);
    fn.fast_math = request.options.fast_math;
    fn.debug = request.options.debug;
    wish(fn, request.options);
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
    return Result{std::move(w.fn), w.parameters.take_leaves(), w.funcs.take_inlined(),
                  w.reads.take(),  std::move(companions),      w.graphs.take()};
}

} // namespace qd::frontend
