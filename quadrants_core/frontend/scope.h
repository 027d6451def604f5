#pragma once
// Names: the values of variables in the current scopes, and lookup of names outside them.
#include "frontend/walk.h"

#include <unordered_set>

namespace qd::frontend {

struct Binding {
    PyObject *name = nullptr;
    Val value;
    bool argument = false; ///< parameter of a kernel: immutable
    bool annotated = false;
    bool maybe = false; ///< bound by `:=` in an arm that may not have run: readable where a test implies that it has
};

class Scopes : public Part {
  public:
    explicit Scopes(Walk &walk) : Part(walk) {}

    Binding *find_local(PyObject *name);
    void bind(PyObject *name, Val value);
    PyRef find_global(PyObject *name);
    void add(Binding binding) { bindings_.push_back(std::move(binding)); }
    bool in_this_scope(const Binding *binding) const { return binding && size_t(binding - bindings_.data()) >= scope_; }
    /// Binds a name that an arm of a choice bound; `maybe`: the other arm did not bind it.
    void bind_from_arm(PyObject *name, Val value, bool maybe);
    /// True if the name is bound in an arm that may not have run.
    bool may_be_unbound(PyObject *name) const;
    bool has_maybes() const { return has_maybes_; }
    /// Makes names that may be unbound readable in the current scope.
    void reveal(const std::unordered_set<PyObject *> &names);
    size_t size() const { return bindings_.size(); }
    /// The bindings of all scopes, outermost first.
    std::span<Binding> bindings() { return bindings_; }

  private:
    friend struct Scope;

    std::vector<Binding> bindings_;
    size_t scope_ = 0; ///< index of the first binding of the innermost scope
    bool has_maybes_ = false;
};

/// Drops the names that were bound during its lifetime.
struct Scope {
    Scopes &scopes;
    size_t size, outer;
    explicit Scope(Walk &walk)
        : scopes(walk.scopes), size(scopes.bindings_.size()), outer(std::exchange(scopes.scope_, size)) {}
    ~Scope() {
        scopes.bindings_.resize(size);
        scopes.scope_ = outer;
    }
};

} // namespace qd::frontend
