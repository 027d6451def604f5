#pragma once
// Reading and writing places: variables, array elements, field members, and parts of them.
#include "frontend/walk.h"

#include <map>
#include <unordered_map>

namespace qd::frontend {

class Places : public Part {
  public:
    explicit Places(Walk &walk) : Part(walk) {}

    Val load(Val v);
    Val read_place(const Node *node, const Val &place);
    ir::Value part_pointer(const Ref &ref, int k);
    ir::Value part_pointer(const Node *node, const Ref &ref, ir::Value k);
    void check_indexable(const Node *node, const Ref &ref);
    ir::Value load_part(const Ref &ref, int k);
    void store(const Node *node, const Ref &ref, const Val &value);
    Val scalar_ref(ir::Value pointer, bool local);
    Val element_ref(const Ref &whole, ir::Value pointer);
    Val new_variable(const Node *node, const Val &value);
    std::shared_ptr<Ref> make_matrix_variable(ir::Scalar elem, int n, int m, int ndim);
    void settle_matrices();
    bool storable(const Val &v);
    uint32_t place_index(int place);
    /// Bytes from each of the places to the next; 0 if they are not evenly spaced.
    long component_stride(const std::vector<uint32_t> &places) const;
    const FieldInfo *field_info(const Node *node, PyObject *object);
    Val indexed_value(const Node *node, const Val &v);
    /// Stores the value from which an index was converted, which a message about its bounds names.
    void note_index(ir::Value index, ir::Value from) { wide_indices_[index] = from; }
    ir::Value wide_index(ir::Value index) const;
    ir::Value scalar_pointer(const Ref &ref) { return ref.pointer ? ref.pointer : part_pointer(ref, 0); }

  private:
    ir::Value indexed_pointer(const Ref &ref, ir::Value component);
    void store_part(const Ref &ref, int k, ir::Value value);

    std::deque<MatrixVar> matrices_;
    std::unordered_map<PyObject *, std::unique_ptr<FieldInfo>> fields_;
    std::unordered_map<int, uint32_t> places_;             ///< place of the program -> place of the function
    std::map<ir::Value, ir::Value> wide_indices_;          ///< index limited to i32 -> the index of a wider type
    std::map<std::pair<uintptr_t, uint32_t>, Val> tables_; ///< tables of indexed_value, by contents and region
};

Val component(const Val &matrix, int k);
Val field_ref(const FieldInfo *info, std::vector<ir::Value> indices);
bool is_place(const Val &v); ///< true if it can be stored to

} // namespace qd::frontend
