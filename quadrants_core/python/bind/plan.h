#pragma once
// One specialisation of a kernel: the requirements on its arguments, and the compiled code.
#include "python/bind/arguments.h"
#include "python/bind/field.h"
#include "python/bind/graph.h"

#include "engine/fault.h"
#include "engine/program.h"

#include <memory>
#include <vector>

namespace qd::bind {

/// An object inside an argument, fetched at every launch. The objects of a launch are its arguments, followed by these.
struct Member {
    uint16_t parent = 0;     ///< index among the objects
    bool item = false;       ///< fetched by subscript instead of by attribute
    PyObject *key = nullptr; ///< the name of an attribute is interned
    bool gradient = false;   ///< the gradient of a tensor that is not an ndarray: set to zeros if there is none yet
};

/// Slots of a call whose members were in frozen dataclasses, valid as long as the same objects are passed.
struct FrozenSlots {
    std::vector<PyObject *> instances; ///< weak references, owned; one per entry of Plan::frozen
    std::vector<uint64_t> slots;
    uint64_t bytes = 0; ///< size of the arrays among the members, which are all ndarrays
};

/// The origin of a plan.
struct Provenance {
    bool keyed = false;    ///< cache entries on disk were looked up
    bool matched = false;  ///< the dependencies of one were unchanged
    bool recalled = false; ///< and its code was available
    bool kept = false;     ///< a cache entry was written
    bool cached = false;   ///< no task had to be compiled
};

/// Short-running kernels on arrays with fewer bytes in total keep the GIL, because releasing it costs more than they do.
constexpr uint64_t small_bytes = 16 << 10;

struct KernelObject;
struct Plan;

/// A call of a kernel with arguments that fit a plan.
struct Call {
    KernelObject *kernel;
    PyObject *const *args;
    Plan &plan;
    abi::Launch &launch; ///< its arguments are set
    const Arrays &arrays;
};

struct Plan : std::enable_shared_from_this<Plan> {
    uint64_t generation = 0;
    uint32_t number = 0; ///< number among all plans that its kernel ever had
    Provenance provenance;
    std::vector<uint8_t> entry_name; ///< the name of its cache entry on disk
    bool in_fast_cache = false;
    std::shared_ptr<engine::CompiledKernel> kernel; ///< null if kernels run as Python
    std::vector<BoundParam> params; ///< first one per parameter of the kernel, then the members found inside them
    std::vector<std::string> names; ///< names of the parameters: "x", "s.a"
    std::vector<Member> members;
    bool immutable = true;        ///< all members are in frozen dataclasses and are themselves immutable
    std::vector<uint16_t> frozen; ///< the arguments that contain them
    std::vector<FrozenSlots> recent;
    std::vector<frontend::ReturnType> returns;
    std::vector<std::shared_ptr<const StructShape>> return_shapes; ///< null for values that are not structs
    std::vector<std::shared_ptr<TreeMemory>> trees;                ///< trees of the fields that the code uses
    std::vector<PyObject *> kept;                                  ///< objects that the code was made from, owned
    std::unique_ptr<const PlanGraph> graph;                        ///< null: there are no levels or checkpoints
    uint32_t users = 0;                                            ///< number of PlanUse objects
    uint32_t slots = 0;
    uint64_t ret_bytes = 0;
    PyObject *(*launch)(const Call &call) = nullptr; ///< launches the kernel and reads its results; chosen once
    bool short_running = false; ///< short-running if the arrays have at most `small_bytes` in total
    Plan() = default;
    Plan(const Plan &) = delete;
    ~Plan();
};

/// Keeps a plan alive that its kernel drops meanwhile. The GIL must be held at construction and destruction, so that a plain counter can
/// replace the atomic one of `shared_from_this`.
class PlanUse {
  public:
    explicit PlanUse(Plan &plan) : plan_(plan) { plan_.users++; }
    ~PlanUse() { plan_.users--; }
    PlanUse(const PlanUse &) = delete;

  private:
    Plan &plan_;
};

/// Destroys plans that are no longer on any list, except those in use, which a later call destroys. May run Python code.
void bury(std::vector<std::shared_ptr<Plan>> dead);

/// The object that qd.kernel makes of a function.
struct KernelObject {
    PyObject_HEAD;
    vectorcallfunc vectorcall;
    PyObject *dict, *weakrefs;
    PyObject *info;        ///< quadrants._language.kernel.KernelInfo: source, annotations, names
    PyObject *gradient;    ///< the kernel that computes its gradients, once it has been requested
    PyObject *annotations; ///< the tuples from which `params` was read
    std::vector<ParamSpec> *params;
    PyObject *return_types; ///< the tuples from which `returns` was read
    std::vector<frontend::ReturnType> *returns;
    bool returns_tuple;
    autodiff::Mode mode; ///< the kernel itself, or a derivative of it
    std::vector<std::shared_ptr<Plan>> *plans;
    Plan *last;                           ///< the plan used by the last call
    uint32_t made;                        ///< number of plans so far
    bool made_by_last;                    ///< the last call had to make its plan
    uint64_t newest_launch, newest_ticks; ///< number and duration of the last launch without the GIL: see running.h
};

/// Returns a copy of its plans. Iterating over them may run Python code, such as `__eq__` of an argument, and other threads may change the
/// list meanwhile.
inline std::vector<std::shared_ptr<Plan>> plans_of(const KernelObject *kernel) { return *kernel->plans; }

/// Compiles `kernel` for these arguments and adds the plan; null with an error set.
std::shared_ptr<Plan> specialise(KernelObject *kernel, PyObject *const *args);

/// Fills in the location of a fault, as far as it can be determined, for a kernel that was launched with these arguments.
void locate_fault(KernelObject *kernel, PyObject *const *args, engine::KernelFault &fault);

/// Compiles before any call: for the arguments that the older definition `before` was compiled for or, if there are none, for the only
/// ones that the annotations allow. Returns the number of plans made; -1 with an error set.
int specialise_ahead(KernelObject *kernel, const KernelObject *before);

/// Returns [(number, description of its cache entries on disk)] for the plans of the running program, as describe_cache_file makes it; null
/// with an error set.
PyObject *describe_cache_files(const KernelObject *kernel);

/// Returns [(number, parameters, provenance)] for the plans of the running program, for users who inspect a kernel: see
/// quadrants.lang._primal.
PyObject *describe_plans(const KernelObject *kernel);

// Methods of kernels, documented at their definition (describe.cpp).
PyObject *passed(PyObject *kernel, PyObject *);
PyObject *last_plan(PyObject *kernel, PyObject *);
PyObject *newest_launch(PyObject *kernel, PyObject *); // running.h
PyObject *find_plan(PyObject *kernel, PyObject *tuple);
PyObject *make_plan(PyObject *kernel, PyObject *tuple);
PyObject *fetched_members(PyObject *kernel, PyObject *tuple);
PyObject *used_trees(PyObject *kernel, PyObject *);
PyObject *forget_frozen(PyObject *kernel, PyObject *);

/// True if it is a tuple of as many objects as the kernel has parameters; else false with an error set.
bool are_arguments(const KernelObject *kernel, PyObject *tuple);
/// True for kernels of this type.
bool is_kernel(PyObject *o);

/// Returns the parameters of a plan, a tuple of tuples; null with an error set.
PyObject *describe_params(const Plan &plan);

/// Returns the form named "ir", "given", "llvm" or "asm".
inline engine::Form form_named(std::string_view name) {
    return name == "given"  ? engine::Form::given
           : name == "llvm" ? engine::Form::intermediate
           : name == "asm"  ? engine::Form::machine
                            : engine::Form::ir;
}

/// Appends the IR or code of every specialisation of `kernel` to `out`; returns false with an error set.
bool show_code(KernelObject *kernel, engine::Form form, std::string *out);

} // namespace qd::bind
