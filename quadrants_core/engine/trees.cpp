// Field trees of a program: their memory, and the host's access to their cells.
#include "engine/program_impl.h"
#include "engine/remote_launch.h"
#include "engine/tree_data.h"
#include "layout/layout.h"

#include <algorithm>
#include <cstring>

namespace qd::engine {

uint32_t Program::add_tree(uint64_t bytes, std::span<const ir::Place> levels) {
    const bool is_sparse = std::any_of(levels.begin(), levels.end(), ir::is_sparse);
    if (is_sparse && !impl_->runs_on_host)
        fail_user(UserErrorKind::runtime,
                  "arch " + std::string(impl_->lowering.backend().name) + " does not support sparse fields");
    const runtime::Buffer memory = alloc(bytes);
    char *root = reinterpret_cast<char *>(memory.address);
    const BetweenLaunches guard(impl_->main);
    settle_launches(*impl_);
    auto &trees = impl_->trees;
    auto free_slot = std::find(trees.begin(), trees.end(), nullptr);
    if (free_slot == trees.end()) free_slot = trees.insert(trees.end(), nullptr);
    *free_slot = root;
    const uint32_t slot = uint32_t(free_slot - trees.begin());
    impl_->tree_bytes.resize(trees.size());
    impl_->tree_bytes[slot] = bytes;
    impl_->tree_memory.resize(trees.size());
    impl_->tree_memory[slot] = memory;
    if (is_sparse) {
        const runtime::HostAccess access(*impl_->device);
        if (!impl_->sparse)
            impl_->sparse = std::make_unique<runtime::SparseTrees>(
                runtime::BlockSource{
                    [this](uint64_t n) { return reinterpret_cast<void *>(impl_->take_memory(n).address); },
                    [this](void *p) { free(reinterpret_cast<uint64_t>(p)); }},
                impl_->lowering.caps().threads);
        impl_->sparse->add(slot, describe_tree(levels), root);
    }
    impl_->update_launch_start();
    return slot;
}

void Program::remove_tree(uint32_t slot) {
    runtime::Buffer memory;
    {
        if (impl_->main.launching.is_abandoned()) return; // this program does nothing any more
        const BetweenLaunches guard(impl_->main);
        settle_launches(*impl_);
        QD_CHECK(slot < impl_->trees.size(), "no such field tree");
        impl_->trees[slot] = nullptr;
        memory = std::exchange(impl_->tree_memory[slot], {});
        if (impl_->sparse) impl_->sparse->remove(slot);
    }
    free(memory.address);
}

runtime::Buffer Program::tree_memory(uint32_t slot) const {
    return slot < impl_->tree_memory.size() ? impl_->tree_memory[slot] : runtime::Buffer{};
}

namespace {

/// The host address of an element; the caller has host access.
char *element(Program::Impl &p, const ir::Place &place, const int32_t *indices, bool make) {
    return layout::address(place, indices, p.trees[place.tree],
                           [&](const ir::PlaceLevel &level, char *container, uint64_t cell) {
                               runtime::SparseTrees &sparse = *p.sparse;
                               return make ? sparse.make(place.tree, level.node, container, int64_t(cell))
                                           : sparse.find(place.tree, level.node, container, int64_t(cell));
                           });
}

} // namespace

void Program::read_element(const ir::Place &place, const int32_t *indices, void *to) {
    impl_->wait_for_launches();
    const runtime::HostAccess access(*impl_->device);
    std::memcpy(to, element(*impl_, place, indices, false), size_t(ir::size_of(place.elem)));
}

void Program::write_element(const ir::Place &place, const int32_t *indices, const void *from) {
    impl_->wait_for_launches();
    const runtime::HostAccess access(*impl_->device);
    std::memcpy(element(*impl_, place, indices, true), from, size_t(ir::size_of(place.elem)));
}

void Program::each_element(const ir::Place &place, const std::function<void(const int32_t *, char *)> &visit) {
    std::vector<int32_t> indices(place.shape.size());
    const auto descend = [&](auto &self, size_t depth, char *cell) -> void {
        if (depth == place.levels.size()) return visit(indices.data(), cell + place.byte_offset);
        const ir::PlaceLevel &level = place.levels[depth];
        const std::vector<int32_t> before = indices;
        impl_->sparse->each_cell(place.tree, level.node, cell + level.start, [&](uint64_t number, char *inner) {
            for (const ir::PlaceAxis &axis : level.axes)
                indices[axis.axis] = before[axis.axis] + int32_t(number / axis.stride % axis.extent * axis.divide);
            self(self, depth + 1, inner);
        });
        indices = before;
    };
    for (size_t axis = 0; axis < indices.size(); ++axis) indices[axis] = place.index_offset[axis];
    const BetweenLaunches guard(impl_->main);
    finish_launches(*impl_);
    const runtime::HostAccess access(*impl_->device);
    descend(descend, 0, impl_->trees[place.tree]);
}

void Program::remove_cells(const ir::Place &level) {
    const BetweenLaunches guard(impl_->main);
    finish_launches(*impl_);
    const runtime::HostAccess access(*impl_->device);
    if (impl_->sparse && impl_->sparse->holds(level.tree))
        impl_->sparse->clear(level.tree, level.levels.empty() ? 0 : level.levels.back().node);
}

uint64_t Program::cells_allocated(const ir::Place &level) const {
    if (!impl_->sparse || !impl_->sparse->holds(level.tree) || level.levels.empty()) return 0;
    return impl_->sparse->allocated(level.tree, level.levels.back().node);
}

} // namespace qd::engine
