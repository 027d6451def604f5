#include "engine/trees.h"

#include "engine/remote_launch.h"
#include "engine/tree_data.h"
#include "layout/layout.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qd::engine {

Trees::~Trees() { device_.free(table_); }

void Trees::update_launches() {
    char *const *roots = roots_.data();
    if (!queues_.host_visible && !roots_.empty()) {
        const uint64_t bytes = roots_.size() * sizeof(char *);
        const runtime::Buffer table = device_.alloc(bytes);
        memory_.transfer([&](runtime::Stream &stream) { stream.upload(table.address, roots_.data(), bytes); });
        device_.free(std::exchange(table_, table));
        roots = reinterpret_cast<char *const *>(table.address);
    }
    queues_.use_trees(roots, sparse_.get());
}

uint32_t Trees::add(uint64_t bytes, std::span<const ir::Place> levels) {
    const bool is_sparse = std::any_of(levels.begin(), levels.end(), ir::is_sparse);
    if (is_sparse && !queues_.runs_on_host)
        fail_user(UserErrorKind::runtime, "arch " + std::string(arch_) + " does not support sparse fields");
    const runtime::Buffer memory = memory_.allocate(bytes);
    char *root = reinterpret_cast<char *>(memory.address);
    const BetweenLaunches guard(queues_.main);
    settle_launches(queues_);
    auto free_slot = std::find(roots_.begin(), roots_.end(), nullptr);
    if (free_slot == roots_.end()) free_slot = roots_.insert(roots_.end(), nullptr);
    *free_slot = root;
    const uint32_t slot = uint32_t(free_slot - roots_.begin());
    trees_.resize(roots_.size());
    trees_[slot] = {memory, bytes};
    if (is_sparse) {
        const runtime::HostAccess access(device_);
        if (!sparse_)
            sparse_ = std::make_unique<runtime::SparseTrees>(
                runtime::BlockSource{[this](uint64_t n) { return reinterpret_cast<void *>(memory_.take(n).address); },
                                     [this](void *p) { memory_.free(reinterpret_cast<uint64_t>(p)); }},
                queues_.threads);
        sparse_->add(slot, describe_tree(levels), root);
    }
    update_launches();
    return slot;
}

void Trees::remove(uint32_t slot) {
    runtime::Buffer memory;
    {
        if (queues_.main.launching.is_abandoned()) return; // this program does nothing any more
        const BetweenLaunches guard(queues_.main);
        settle_launches(queues_);
        QD_CHECK(slot < roots_.size(), "no such field tree");
        roots_[slot] = nullptr;
        memory = std::exchange(trees_[slot].memory, {});
        if (sparse_) sparse_->remove(slot);
    }
    memory_.free(memory.address);
}

runtime::Buffer Trees::memory(uint32_t slot) const {
    return slot < trees_.size() ? trees_[slot].memory : runtime::Buffer{};
}

std::pair<uint64_t, uint64_t> Trees::bytes(uint32_t slot) const {
    const uint64_t begin = reinterpret_cast<uint64_t>(roots_[slot]);
    return {begin, begin + trees_[slot].bytes};
}

/// The caller has host access.
char *Trees::element(const ir::Place &place, const int32_t *indices, bool make) {
    return layout::address(place, indices, roots_[place.tree],
                           [&](const ir::PlaceLevel &level, char *container, uint64_t cell) {
                               return make ? sparse_->make(place.tree, level.node, container, int64_t(cell))
                                           : sparse_->find(place.tree, level.node, container, int64_t(cell));
                           });
}

void Trees::read_element(const ir::Place &place, const int32_t *indices, void *to) {
    queues_.wait();
    const runtime::HostAccess access(device_);
    std::memcpy(to, element(place, indices, false), size_t(ir::size_of(place.elem)));
}

void Trees::write_element(const ir::Place &place, const int32_t *indices, const void *from) {
    queues_.wait();
    const runtime::HostAccess access(device_);
    std::memcpy(element(place, indices, true), from, size_t(ir::size_of(place.elem)));
}

void Trees::each_element(const ir::Place &place, const std::function<void(const int32_t *, char *)> &visit) {
    std::vector<int32_t> indices(place.shape.size());
    const auto descend = [&](auto &self, size_t depth, char *cell) -> void {
        if (depth == place.levels.size()) return visit(indices.data(), cell + place.byte_offset);
        const ir::PlaceLevel &level = place.levels[depth];
        const std::vector<int32_t> before = indices;
        sparse_->each_cell(place.tree, level.node, cell + level.start, [&](uint64_t number, char *inner) {
            for (const ir::PlaceAxis &axis : level.axes)
                indices[axis.axis] = before[axis.axis] + int32_t(number / axis.stride % axis.extent * axis.divide);
            self(self, depth + 1, inner);
        });
        indices = before;
    };
    for (size_t axis = 0; axis < indices.size(); ++axis) indices[axis] = place.index_offset[axis];
    const BetweenLaunches guard(queues_.main);
    finish_launches(queues_);
    const runtime::HostAccess access(device_);
    descend(descend, 0, roots_[place.tree]);
}

void Trees::remove_cells(const ir::Place &level) {
    const BetweenLaunches guard(queues_.main);
    finish_launches(queues_);
    const runtime::HostAccess access(device_);
    if (sparse_ && sparse_->holds(level.tree))
        sparse_->clear(level.tree, level.levels.empty() ? 0 : level.levels.back().node);
}

uint64_t Trees::cells_allocated(const ir::Place &level) const {
    if (!sparse_ || !sparse_->holds(level.tree) || level.levels.empty()) return 0;
    return sparse_->allocated(level.tree, level.levels.back().node);
}

} // namespace qd::engine
