#pragma once
// The field trees of a program: one root buffer each, and the host's access to their cells. Trees change only between launches, with the
// lock of the launches held.
#include "engine/device_memory.h"
#include "ir/function.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace qd::engine {

class Trees {
  public:
    /// `arch`, a literal, is for messages.
    Trees(runtime::Device &device, DeviceMemory &memory, Queues &queues, std::string_view arch)
        : device_(device), memory_(memory), queues_(queues), arch_(arch) {}
    ~Trees();
    Trees(const Trees &) = delete;

    /// Returns the slot of a new tree, which goes into ir::Place::tree and is not reused while in use. A tree with levels that are not
    /// dense comes with a place for each of its levels.
    uint32_t add(uint64_t bytes, std::span<const ir::Place> levels = {});
    void remove(uint32_t slot);
    runtime::Buffer memory(uint32_t slot) const;
    /// The addresses of the root cell: begin and end.
    std::pair<uint64_t, uint64_t> bytes(uint32_t slot) const;

    /// Read and write the bytes of one element of a tree with levels that are not dense. Writing creates a missing cell; reading one
    /// gives zeros.
    void read_element(const ir::Place &place, const int32_t *indices, void *to);
    void write_element(const ir::Place &place, const int32_t *indices, const void *from);
    /// Calls `visit(indices, element)` for each element whose cell exists. `visit` must not remove cells; the address is valid only during
    /// the call.
    void each_element(const ir::Place &place, const std::function<void(const int32_t *, char *)> &visit);
    /// Removes all cells of the place's last level and of the levels below it, or of the whole tree if the place has no levels.
    void remove_cells(const ir::Place &level);
    /// The number of cells of a pointer level, or chunks of a dynamic level, that ever got memory.
    uint64_t cells_allocated(const ir::Place &level) const;

  private:
    void update_launches(); ///< after `roots_` or `sparse_` changed
    char *element(const ir::Place &place, const int32_t *indices, bool make);

    runtime::Device &device_;
    DeviceMemory &memory_;
    Queues &queues_;
    const std::string_view arch_;
    std::vector<char *> roots_; ///< by slot, as passed to tasks; null: free
    struct Root {
        runtime::Buffer memory;
        uint64_t bytes = 0;
    };
    std::vector<Root> trees_;                      ///< by slot
    runtime::Buffer table_;                        ///< `roots_` for a device that cannot read the host's memory
    std::unique_ptr<runtime::SparseTrees> sparse_; ///< null: all trees are dense
};

} // namespace qd::engine
