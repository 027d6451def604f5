#include "runtime/externals.h"

#include "base/error.h"
#include "base/fork.h"
#include "runtime/section_checks.h"

#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qd::runtime {
namespace {

using Table = std::unordered_map<uint64_t, void *>;

/// Tasks read without a lock: a table never changes, and a longer one replaces it. Programs add few functions, so all tables are kept.
struct Tables {
    ForkLockedMutex adding;
    std::vector<std::unique_ptr<const Table>> all;
    std::atomic<const Table *> current{nullptr};
};

Tables &all_tables = *new Tables; // never destroyed: threads may still run while the process ends
Tables &tables() { return all_tables; }

template <size_t> using Address = void *;

template <size_t... I> void call(void *function, uint64_t *slots, std::index_sequence<I...>) {
    reinterpret_cast<void (*)(Address<I>...)>(function)(static_cast<void *>(slots + I)...);
}

using Caller = void (*)(void *, uint64_t *);

template <size_t... N> constexpr std::array<Caller, sizeof...(N)> make_callers(std::index_sequence<N...>) {
    return {[](void *function, uint64_t *slots) { call(function, slots, std::make_index_sequence<N>()); }...};
}

constexpr auto callers = make_callers(std::make_index_sequence<max_external_arguments + 1>());

} // namespace

void add_external(uint64_t id, void *address) {
    Tables &t = tables();
    const std::lock_guard guard(t.adding);
    auto longer = std::make_unique<Table>(t.current ? *t.current.load() : Table());
    (*longer)[id] = address;
    t.current = longer.get();
    t.all.push_back(std::move(longer));
}

void *external(uint64_t id) {
    if (void *own = section_check(id)) return own;
    const Table *table = tables().current.load(std::memory_order_acquire);
    const auto found = table ? table->find(id) : Table::const_iterator();
    QD_CHECK(table && found != table->end(), "a kernel calls an external function that is not loaded");
    return found->second;
}

void call_external(void *function, uint64_t *slots, size_t count) { callers[count](function, slots); }

} // namespace qd::runtime
