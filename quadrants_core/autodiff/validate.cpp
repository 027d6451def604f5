#include "autodiff/validate.h"

#include "ir/builder.h"

#include <utility>

namespace qd::autodiff {

using namespace ir;

namespace {

class Validate {
  public:
    Validate(const Function &kernel, const Companions &marks) : fn_(kernel), b_(fn_), marks_(marks) {}

    Function run() {
        block(fn_.body);
        return std::move(fn_);
    }

  private:
    void block(BlockId id) {
        const std::vector<Value> old = std::move(fn_[id].insts);
        fn_[id].insts.clear();
        const BlockId outer = std::exchange(b_.block, id);
        for (Value v : old) {
            b_.span = fn_[v].span;
            const Op op = fn_[v].op;
            const BlockId inner[] = {fn_[v].blocks[0], fn_[v].blocks[1]};
            if (op == Op::store || is_atomic(op)) check(fn_.args(v)[0]);
            fn_[id].insts.push_back(v);
            if (op == Op::load || op == Op::volatile_load) mark(fn_.args(v)[0]);
            for (BlockId each : inner)
                if (each) block(each);
        }
        b_.block = outer;
    }

    /// The address of an element's mark, or none.
    Value mark_of(Value pointer) {
        if (fn_[pointer].op != Op::place || marks_.place(fn_[pointer].imm) == Companions::none) return {};
        const std::vector<Value> indices(fn_.args(pointer).begin(), fn_.args(pointer).end());
        return b_.place(marks_.place(fn_[pointer].imm), indices);
    }

    void mark(Value pointer) {
        const Value at = mark_of(pointer);
        if (!at) return;
        const Value read = b_.integer(Scalar::u8, 1);
        b_.store(at, read);
    }

    void check(Value pointer) {
        const Value at = mark_of(pointer);
        if (!at) return;
        const Value found = b_.load(at);
        const Value unread = b_.integer(Scalar::u8, 0);
        const Value fine = b_.eq(found, unread);
        const std::string number = std::to_string(fn_.places[fn_[pointer].imm].id);
        // Marks are named after their fields.
        const std::string &field = fn_.places[marks_.place(fn_[pointer].imm)].name;
        fn_.messages.push_back(
            {{{"(kernel=" + fn_.name + ") Breaks the global data access rule. Snode S" + number +
                   " is overwritten unexpectedly. It is an element of " + field + ", and was read before.",
               -1}}});
        const Value operands[] = {fine};
        b_.emit(Op::assert_, operands, {}, fn_.messages.size() - 1);
    }

    Function fn_;
    Builder b_;
    const Companions &marks_;
};

} // namespace

Function validate(const Function &kernel, const Companions &marks) { return Validate(kernel, marks).run(); }

} // namespace qd::autodiff
