#pragma once
// One specialisation of a kernel: what its arguments must be, and the compiled code.
#include "python/bind/arguments.h"
#include "python/bind/field.h"
#include "python/bind/graph.h"

#include "engine/fault.h"
#include "engine/program.h"

#include <memory>
#include <vector>

namespace qd::bind {

/// An object inside of an argument, fetched at every launch. The objects of a launch are its arguments, then these.
struct Member {
    uint16_t parent = 0;     ///< among the objects
    bool item = false;       ///< by subscript instead of by attribute
    PyObject *key = nullptr; ///< an attribute's name is interned
    bool gradient = false;   ///< of a tensor that is no ndarray: zeros, if it has none yet
};

/// Slots of a call whose members lay in frozen dataclasses: good for as long as these very objects are passed.
struct FrozenSlots {
    std::vector<PyObject *> instances; ///< weak references, owned; one per entry of Plan::frozen
    std::vector<uint64_t> slots;
    uint64_t bytes = 0; ///< of the arrays among the members, all of them ndarrays
};

/// How a plan came about.
struct Provenance {
    bool keyed = false;    ///< records on disk were looked for
    bool matched = false;  ///< one was found true
    bool recalled = false; ///< and its code was there
    bool kept = false;     ///< one was written
    bool cached = false;   ///< no task had to be compiled
};

/// Brief kernels on arrays of fewer bytes in all keep the GIL: giving it up and taking it back costs more than they do.
constexpr uint64_t small_bytes = 16 << 10;

struct Plan : std::enable_shared_from_this<Plan> {
    uint64_t generation = 0;
    uint32_t number = 0; ///< among all plans that its kernel ever had
    Provenance provenance;
    std::vector<uint8_t> record; ///< the name of what the disk has of it
    bool fast_record = false;
    std::shared_ptr<engine::CompiledKernel> kernel; ///< null where kernels run as Python
    std::vector<BoundParam> params; ///< first one per parameter of the kernel, then those found inside of them
    std::vector<std::string> names; ///< of the parameters: "x", "s.a"
    std::vector<Member> members;
    bool steady = true;           ///< members lie in frozen dataclasses and cannot change themselves
    std::vector<uint16_t> frozen; ///< the arguments that hold them
    std::vector<FrozenSlots> recent;
    std::vector<frontend::ReturnType> returns;
    std::vector<std::shared_ptr<const StructShape>> return_shapes; ///< of those that are structs
    std::vector<std::shared_ptr<TreeMemory>> trees;                ///< fields that the code reads and writes
    std::vector<PyObject *> kept;                                  ///< objects that the code was made from, owned
    std::unique_ptr<const PlanGraph> graph;                        ///< null: there are no levels or checkpoints
    uint32_t users = 0;                                            ///< see PlanUse
    uint32_t slots = 0;
    uint64_t ret_bytes = 0;
    bool speaks = false; ///< has prints or assertions
    bool brief = false;  ///< there is little work, if the arrays are `small_bytes` together
    Plan() = default;
    Plan(const Plan &) = delete;
    ~Plan();
};

/// With the GIL held where it begins and ends: a plan that its kernel drops meanwhile stays. What `shared_from_this` does too, at
/// the price of two plain additions.
class PlanUse {
  public:
    explicit PlanUse(Plan &plan) : plan_(plan) { plan_.users++; }
    ~PlanUse() { plan_.users--; }
    PlanUse(const PlanUse &) = delete;

  private:
    Plan &plan_;
};

/// The end of plans that are on no list any more, but for those in use, which end with later ones. May run code of Python.
void bury(std::vector<std::shared_ptr<Plan>> dead);

/// What qd.kernel keeps of a function.
struct KernelObject {
    PyObject_HEAD;
    vectorcallfunc vectorcall;
    PyObject *dict, *weakrefs;
    PyObject *info;        ///< quadrants._language.kernel.KernelInfo: source, annotations, names
    PyObject *gradient;    ///< the kernel that works out its gradients, once it was asked for
    PyObject *annotations; ///< the tuples that `params` was read from
    std::vector<ParamSpec> *params;
    PyObject *return_types; ///< the tuples that `returns` was read from
    std::vector<frontend::ReturnType> *returns;
    bool returns_tuple;
    autodiff::Mode mode; ///< the kernel itself, or what works out its derivatives
    std::vector<std::shared_ptr<Plan>> *plans;
    Plan *last;                           ///< the plan used by the last call
    uint32_t made;                        ///< number of plans so far
    bool made_by_last;                    ///< the last call had to make its plan
    bool graph;                           ///< the decorator says graph=True
    uint64_t newest_launch, newest_ticks; ///< of the newest that ran without the GIL: see running.h
};

/// Its plans as they are now. Who walks through them may run code of Python, such as `__eq__` of an argument: other threads
/// then change the list.
inline std::vector<std::shared_ptr<Plan>> plans_of(const KernelObject *kernel) { return *kernel->plans; }

/// Compiles `kernel` for these arguments and adds the plan; null with an error set.
std::shared_ptr<Plan> specialise(KernelObject *kernel, PyObject *const *args);

/// Fills in where a fault was, as far as it can be told, for a kernel that was launched with these arguments.
void place_fault(KernelObject *kernel, PyObject *const *args, engine::KernelFault &fault);

/// Compiles before any call: for the arguments that the older definition `before` was compiled for or, if there are
/// none, for the only ones that the annotations allow. The number of plans made; -1 with an error set.
int specialise_ahead(KernelObject *kernel, const KernelObject *before);

/// [(number, record)] of the plans of the running program: what the disk has for each, as Record::describe gives it.
/// Null with an error set.
PyObject *describe_records(const KernelObject *kernel);

/// [(number, parameters, provenance)] of the plans of the running program, for people who look into a kernel: see
/// quadrants.lang._primal.
PyObject *describe_plans(const KernelObject *kernel);

// Methods of kernels, described where they are (describe.cpp).
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

/// Of one plan: the parameters alone, a tuple of tuples; null with an error set.
PyObject *describe_params(const Plan &plan);

/// "ir", "given", "llvm" or "asm".
inline engine::Form form_named(std::string_view name) {
    return name == "given"  ? engine::Form::given
           : name == "llvm" ? engine::Form::intermediate
           : name == "asm"  ? engine::Form::machine
                            : engine::Form::ir;
}

/// IR or code of every specialisation of `kernel`; false with an error set.
bool show_code(KernelObject *kernel, engine::Form form, std::string *out);

} // namespace qd::bind
