#include "frontend/gradients.h"

#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/format.h"
#include "frontend/message.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/types.h"

#include <algorithm>
#include <array>

namespace qd::frontend {
namespace {

constexpr uint32_t none = autodiff::Companions::none;

/// Returns `static` for `qd.static(...)`; null if the node is not a call of an attribute or name.
PyObject *called_name(const Node *node) {
    if (node->kind != NodeKind::Call) return nullptr;
    const Node *callee = child(node, Field::func);
    if (callee->kind == NodeKind::Attribute) return word_of(callee, Field::attr);
    return callee->kind == NodeKind::Name ? word_of(callee, Field::id) : nullptr;
}

bool is_hint(const Node *expression) {
    constexpr std::array hints = {"loop_config", "stop_grad",     "block_local",  "cache_read_only",
                                  "mesh_local",  "static_assert", "static_print", "no_activate"};
    if (expression->kind == NodeKind::Constant) return true;
    PyObject *name = called_name(expression);
    return name && std::find(hints.begin(), hints.end(), text(name)) != hints.end();
}

/// The category of a statement at the top level of a kernel.
enum class Counts : uint8_t { neither, loop, statement };

Counts counts_as(const Node *statement) {
    const NodeKind kind = statement->kind;
    if (kind == NodeKind::Pass || kind == NodeKind::Return) return Counts::neither;
    if (kind == NodeKind::Expr) return is_hint(child(statement, Field::value)) ? Counts::neither : Counts::statement;
    if (kind == NodeKind::For) {
        PyObject *name = called_name(child(statement, Field::iter));
        return name && text(name) == "static" ? Counts::neither : Counts::loop;
    }
    const auto holds_loop = [&](Field side) {
        const Items list = items_of(statement, side);
        return std::any_of(list.begin(), list.end(),
                           [](const Node *inner) { return counts_as(inner) == Counts::loop; });
    };
    if ((kind == NodeKind::If || kind == NodeKind::With) && holds_loop(Field::body)) return Counts::loop;
    return kind == NodeKind::If && holds_loop(Field::orelse) ? Counts::loop : Counts::statement;
}

} // namespace

/// Records an error, which is raised if anything turns out to have a gradient.
void Gradients::refuse(const Node *node, UserErrorKind kind, const std::string &message, const std::string &hint) {
    if (refused_) return;
    try {
        w_.fail(node, kind, message, hint);
    } catch (LoweringError &error) {
        std::vector<Level> levels = w_.levels();
        std::string inside; // func of the package, whose lines are not the user's
        for (; levels.size() > 1 && levels.back().source && !levels.back().source->counted; levels.pop_back())
            inside = levels.back().at.scope;
        if (!inside.empty())
            error.rendered =
                render(levels,
                       message + "\nThis is in `" + inside +
                           "`, which Quadrants itself provides for the line above: it has no reverse-mode gradient",
                       "");
        refused_ = std::make_exception_ptr(error);
    }
}

void Gradients::check_top_level(const Node *tree) {
    const Node *statement = nullptr;
    bool has_loop = false;
    for (const Node *each : items_of(tree, Field::body)) {
        const Counts counts = counts_as(each);
        has_loop |= counts == Counts::loop;
        if (counts == Counts::statement && !statement) statement = each;
    }
    if (has_loop && statement)
        refuse(statement, UserErrorKind::runtime,
               "Invalid program input for autodiff: Mixed usage of for-loops and statements without looping.\n"
               "Please split them into two kernels",
               "a kernel that is differentiated must have only loops at its top level, or no loops");
}

void Gradients::check_inner_range(const Node *node) {
    if (w_.request.mode == autodiff::Mode::reverse && !w_.request.options.ad_stack_experimental_enabled)
        refuse(node, UserErrorKind::compilation,
               "Cannot use non static range in Backwards mode: the gradient of a loop inside another loop needs the "
               "values at the start of each iteration",
               "`qd.init(ad_stack_experimental_enabled=True)` allows it; or loop over `qd.static(range(...))` or "
               "`qd.ndrange(...)`, or launch the kernel once for each step");
}

void Gradients::stop(const FieldInfo &field) {
    for (const uint32_t place : field.places) stops_.push_back({b_.block, place});
}

uint32_t Gradients::first_component(const FieldInfo &field) {
    const auto [at, is_new] = component_.try_emplace(&field, uint32_t(fn_.places.size()));
    if (is_new) {
        ir::Place first = fn_.places[field.places[0]];
        first.elem = ir::Scalar::u8;
        first.level = true;
        fn_.places.push_back(std::move(first));
    }
    return at->second;
}

uint32_t Gradients::copy_without_companion(uint32_t place) {
    const auto [at, is_new] = twins_.try_emplace(place, uint32_t(fn_.places.size()));
    if (is_new) fn_.places.push_back(ir::Place(fn_.places[place]));
    return at->second;
}

void Gradients::stop_loads(ir::BlockId block, uint32_t place) {
    std::vector<ir::Value> list;
    for (const ir::Value v : std::vector<ir::Value>(fn_[block].insts)) {
        for (const ir::BlockId inner : {fn_[v].blocks[0], fn_[v].blocks[1]})
            if (inner) stop_loads(inner, place);
        if (fn_[v].op == ir::Op::load && fn_[fn_.args(v)[0]].op == ir::Op::place && fn_[fn_.args(v)[0]].imm == place) {
            const ir::Value pointer = fn_.args(v)[0];
            const std::vector<ir::Value> indices(fn_.args(pointer).begin(), fn_.args(pointer).end());
            ir::Inst inst;
            inst.op = ir::Op::place;
            inst.type = fn_[pointer].type;
            inst.span = fn_[pointer].span;
            inst.imm = copy_without_companion(place);
            const ir::Value stopped = fn_.make(inst);
            fn_.set_args(stopped, indices);
            const ir::Value operands[] = {stopped};
            fn_.set_args(v, operands);
            list.push_back(stopped);
        }
        list.push_back(v);
    }
    fn_[block].insts = std::move(list);
}

/// The place of the gradient or dual of a place of the function, or `none`.
uint32_t Gradients::companion(uint32_t place) {
    const ir::Place &own = fn_.places[place];
    if (own.level || !ir::is_float(own.elem)) return none;
    const int other = w_.request.companion(int(own.id));
    return other < 0 ? none : w_.places.place_index(other);
}

autodiff::Companions Gradients::settle(const Node *tree) {
    autodiff::Companions out;
    for (const Stop &stop : stops_) stop_loads(stop.block, stop.place);
    const uint32_t own = uint32_t(fn_.places.size());
    out.places.assign(own, none);
    for (uint32_t i = 0; i < own; ++i) out.places[i] = companion(i);
    for (const auto &[place, stopped] : twins_) out.places[stopped] = none;
    for (const auto &[field, first] : component_) {
        if (w_.request.mode == autodiff::Mode::validate) break; // run-time indices are not validated
        std::vector<uint32_t> companions;
        for (const uint32_t place : field->places)
            if (out.places[place] != none) companions.push_back(out.places[place]);
        if (companions.size() != field->places.size()) continue;
        if (w_.places.component_stride(companions) != field->stride)
            w_.fail(tree, UserErrorKind::type,
                    "The components of the gradient of the field '" + field->name +
                        "' are not stored like those of the field, so they cannot be indexed at run time",
                    "place the gradient in the same way as the field");
        ir::Place start = fn_.places[companions[0]];
        start.elem = ir::Scalar::u8;
        start.level = true;
        out.places[first] = uint32_t(fn_.places.size());
        fn_.places.push_back(std::move(start));
    }
    out.places.resize(fn_.places.size(), none);
    if (w_.request.mode == autodiff::Mode::reverse) out.arrays = w_.parameters.add_companions(tree, names().grad);
    if (w_.request.mode == autodiff::Mode::forward) out.arrays = w_.parameters.add_companions(tree, names().dual);
    const auto is_place = [](uint32_t place) { return place != none; };
    const bool any = std::any_of(out.places.begin(), out.places.end(), is_place) ||
                     std::any_of(out.arrays.begin(), out.arrays.end(), [](ir::Value v) { return bool(v); });
    if (refused_ && any) std::rethrow_exception(refused_);
    return out;
}

/// qd.stop_grad(x)
Val handlers::stop_grad(Walk &w, const Call &call) {
    const Val &arg = call.args[0];
    const Kind kind = arg.is_constant() ? w.objects.kind_of(arg.object()) : Kind::foreign;
    if (kind != Kind::field && kind != Kind::matrix_field)
        w.fail_type(call.node, "`qd.stop_grad` takes a field, not " + type_text(w, arg));
    const FieldInfo *field = w.places.field_info(call.node, arg.object());
    if (w.request.mode != autodiff::Mode::none) w.gradients.stop(*field);
    return Val{};
}

} // namespace qd::frontend
