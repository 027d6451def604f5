#pragma once
// Binds the arguments of a call to the parameters of the frontend and of the plan. An argument may be an object with members (a
// dataclass, a data_oriented object, an array with a gradient): only the members that the kernel uses become parameters of the plan.
#include "python/bind/plan.h"

namespace qd::bind {

class Binder {
  public:
    Binder(KernelObject *kernel, Plan &plan) : kernel_(kernel), plan_(plan) {}
    Binder(const Binder &) = delete;
    ~Binder();

    frontend::Param argument(size_t i, PyObject *arg);
    /// Binds parameter i before any call, as an older plan or the annotation alone has bound it.
    frontend::Param like(size_t i, const BoundParam &from);
    /// Binds attribute or item `key` of the object that an earlier result numbered `node`.
    frontend::Param member(int node, PyObject *key, bool item);

  private:
    /// The origin of a value.
    struct Origin {
        int object = -1; ///< index among the plan's objects; -1: not fetched at launches
        int argument = 0;
        std::string name; ///< for messages: "s", "s.a"
    };
    /// An object with members.
    struct Node {
        Origin from;
        PyObject *object = nullptr;
        PyObject *cls = nullptr; ///< the dataclass of the annotation; null: members are what the object holds
        int parent = -1;         ///< the node that holds it, under `key`
        PyObject *key = nullptr;
        bool item = false;
        bool runtime_number = false; ///< numbers are read at every launch (template_primitives=False)
        bool foreign = false;        ///< a tensor of another library, used only for its gradient
        ParamSpec spec;              ///< the element type of such a tensor
    };

    frontend::Param bind(const ParamSpec &spec, PyObject *value, const Origin &from);
    // bind_scalar, ...: one for each form
#define PARAMETER(kind, name, passes) FORM(kind, name)
#define FORM(form, name) frontend::Param bind_##form(const ParamSpec &spec, PyObject *value, const Origin &from);
#include "frontend/parameters.def"
    frontend::Param typed_member(int node, PyObject *key, PyObject *value);
    frontend::Param live_member(int node, PyObject *key, bool item, PyObject *value);
    BoundParam::Gradient gradient_of(const ParamSpec &spec, bool of_host, bool has_one) const;
    frontend::Param foreign_gradient(int node, PyObject *key);
    frontend::Param constant_param(PyObject *value);
    frontend::Param add(const BoundParam &bound, const Origin &from);
    int add_node(Node node);
    int object_of(int node);
    void add_member(int owner, bool item, PyObject *key);
    void clear_immutable_unless_frozen(const Node &owner);
    Origin fetched(int node, PyObject *key, bool item);
    PyObject *keep(PyObject *owned);

    KernelObject *kernel_;
    Plan &plan_;
    std::vector<Node> nodes_;
    std::vector<PyObject *> alive_; ///< objects that nodes and parameters point to, owned
};

} // namespace qd::bind
