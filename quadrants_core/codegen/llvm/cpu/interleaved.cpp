#include "codegen/llvm/cpu/interleaved.h"

#include "analysis/memory.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace qd::codegen {

using ir::Effect;

namespace {

constexpr unsigned max_step = 16;
constexpr size_t max_open = 32; ///< groups that are searched for each gather and scatter

unsigned least_factor(unsigned n) {
    for (unsigned f = 2; f * f <= n; ++f)
        if (n % f == 0) return f;
    return n;
}

/// Returns the number of shuffles that extract the wanted components from a stream with stride `wanted.size()`.
unsigned shuffles(const std::vector<bool> &wanted) {
    const unsigned apart = unsigned(wanted.size());
    if (apart <= 1) return 0;
    const unsigned factor = least_factor(apart);
    unsigned count = 0;
    for (unsigned r = 0; r < factor; ++r) {
        std::vector<bool> rest;
        for (unsigned c = r; c < apart; c += factor) rest.push_back(wanted[c]);
        if (std::ranges::find(rest, true) != rest.end()) count += apart / factor * (factor - 1) + shuffles(rest);
    }
    return count;
}

} // namespace

class GroupFinder {
  public:
    explicit GroupFinder(Interleaved &to)
        : to_(to), fn_(to.code_.fn), shuffle_cost_(to.code_.target.shuffles_any ? 1 : 3) {}

    void block(const ir::Block &block) {
        for (Value v : block.insts) {
            if (const std::optional<Strided> strided = strided_access(v)) {
                if (!memory_) memory_.emplace(fn_);
                note(v, *strided);
            } else if (!open_.empty()) {
                pass(v);
            }
        }
        close([](const Open &) { return true; });
    }

  private:
    /// A strided access, whose lanes are at `root` + `base` + `at` + lane * `step` bytes.
    struct Strided {
        Value root, base, count; ///< count: the number of leading lanes that are active; none: all are
        int64_t at = 0, step = 0;
        Type type;
        bool reads = false;
    };
    struct Open {
        Strided first;
        std::vector<Value> members;
        std::vector<int64_t> places;
        std::vector<Strided> passed; ///< for gathers: writes after the first of them
    };

    std::optional<Strided> strided_access(Value v) const {
        const Op op = fn_[v].op;
        if (op != Op::gather && op != Op::scatter) return {};
        Strided strided;
        strided.reads = op == Op::gather;
        strided.type = strided.reads ? fn_[v].type : fn_.type(fn_.args(v)[2]);
        const int64_t size = ir::size_of(strided.type.elem);
        if (strided.type.is_bool() || size < 4 || strided.type.lanes < 4) return {};
        const Value mask = fn_.args(v).back(), offsets = fn_.args(v)[1];
        const auto number_of = [&](Value splat) -> const ir::Inst * {
            if (fn_[splat].op != Op::splat) return nullptr;
            const ir::Inst &in = fn_[fn_.args(splat)[0]];
            return in.op == Op::constant ? &in : nullptr;
        };
        const ir::Inst *all = number_of(mask);
        if (!all || !all->imm) strided.count = first_lanes(mask);
        if ((!strided.count && (!all || !all->imm)) || fn_[offsets].op != Op::mul) return {};
        Value steps = fn_.args(offsets)[0], by = fn_.args(offsets)[1];
        if (fn_[by].op == Op::iota) std::swap(steps, by);
        const ir::Inst *step = number_of(by);
        if (!step || fn_[steps].op != Op::iota) return {};
        strided.step = int64_t(step->imm);
        if (strided.step % size != 0 || strided.step < 2 * size || strided.step > int64_t(max_step) * size) return {};
        strided.root = fn_.args(v)[0];
        while (fn_[strided.root].op == Op::offset) {
            const analysis::Sum sum = analysis::as_sum(fn_, fn_.args(strided.root)[1]);
            if (sum.base && strided.base) break;
            if (sum.base) strided.base = sum.base;
            strided.at += int64_t(sum.constant);
            strided.root = fn_.args(strided.root)[0];
        }
        return strided;
    }

    /// Returns the number of active lanes if these are the leading ones.
    Value first_lanes(Value mask) const {
        const Op op = fn_[mask].op;
        if (op != Op::lt && op != Op::gt) return {};
        const Value lane = fn_.args(mask)[op == Op::gt], end = fn_.args(mask)[op == Op::lt];
        if (fn_[lane].op != Op::iota || fn_[end].op != Op::splat) return {};
        const Value count = fn_.args(end)[0];
        return fn_.type(count) == Type(Scalar::i32) ? count : Value{};
    }

    static bool comparable(const Strided &a, const Strided &b) {
        return a.root == b.root && a.base == b.base && a.step == b.step && a.type == b.type && a.count == b.count;
    }

    bool may_overlap(const Strided &a, const Strided &b) const {
        if (!comparable(a, b)) return memory_->objects_overlap(memory_->object(a.root), memory_->object(b.root));
        const int64_t size = ir::size_of(a.type.elem);
        for (int64_t lanes = 1 - a.type.lanes; lanes < a.type.lanes; ++lanes)
            if (std::abs(a.at - b.at + lanes * a.step) < size) return true;
        return false;
    }

    void note(Value v, const Strided &strided) {
        if (strided.reads)
            close([&](const Open &open) {
                return std::ranges::any_of(scatters(open),
                                           [&](const Strided &write) { return may_overlap(write, strided); });
            });
        else
            for (Open &open : open_)
                if (open.first.reads) open.passed.push_back(strided);
        const auto same = [&](const Open &open) {
            return open.first.reads == strided.reads && comparable(open.first, strided);
        };
        auto found = std::ranges::find_if(open_, same);
        if (found != open_.end() && !joins(*found, strided)) {
            close(same);
            found = open_.end();
        }
        if (!strided.reads) // groups that stay open write later than this scatter
            close([&](const Open &open) {
                return !open.first.reads && !comparable(open.first, strided) && may_overlap(open.first, strided);
            });
        if (std::ranges::none_of(open_, same) && open_.size() == max_open) close([](const Open &) { return true; });
        found = std::ranges::find_if(open_, same);
        if (found == open_.end()) found = open_.insert(open_.end(), Open{strided, {}, {}, written_later(strided)});
        found->members.push_back(v);
        found->places.push_back(strided.at);
    }

    /// Returns the writes of an open group of scatters.
    static std::vector<Strided> scatters(const Open &open) {
        std::vector<Strided> list;
        if (open.first.reads) return list;
        for (int64_t at : open.places) {
            list.push_back(open.first);
            list.back().at = at;
        }
        return list;
    }

    /// Returns writes that precede a gather in the program but may be emitted after it, with an open group of scatters.
    std::vector<Strided> written_later(const Strided &strided) const {
        std::vector<Strided> all;
        for (const Open &open : open_) {
            const std::vector<Strided> list = strided.reads ? scatters(open) : std::vector<Strided>{};
            all.insert(all.end(), list.begin(), list.end());
        }
        return all;
    }

    bool joins(const Open &open, const Strided &strided) const {
        const auto [least, most] = std::ranges::minmax(open.places);
        if (std::max(most, strided.at) - std::min(least, strided.at) >= strided.step) return false;
        if ((strided.at - least) % ir::size_of(strided.type.elem) != 0) return false;
        if (!strided.reads) return std::ranges::find(open.places, strided.at) == open.places.end();
        return std::ranges::none_of(open.passed, [&](const Strided &written) { return may_overlap(written, strided); });
    }

    /// Closes the groups that another kind of instruction may conflict with.
    void pass(Value v) {
        const Effect effect = ir::info(fn_[v].op).effect;
        if (effect == Effect::pure || effect == Effect::meta || fn_[v].op == Op::local) return;
        const Value pointer = effect == Effect::control ? Value{} : memory_->access(v).pointer;
        close([&](const Open &open) {
            if (effect == Effect::read && open.first.reads) return false;
            return !pointer || memory_->objects_overlap(memory_->object(pointer), memory_->object(open.first.root));
        });
    }

    template <class Which> void close(Which which) {
        for (Open &open : open_)
            if (which(open)) keep(open);
        std::erase_if(open_, which);
    }

    void keep(const Open &open) {
        const int64_t size = ir::size_of(open.first.type.elem);
        const int64_t least = std::ranges::min(open.places);
        Interleaved::Group group;
        group.members = open.members;
        group.apart = unsigned(open.first.step / size);
        group.reads = open.first.reads;
        group.count = open.first.count;
        std::vector<bool> wanted(group.apart);
        for (int64_t at : open.places) {
            group.parts.push_back(unsigned((at - least) / size));
            wanted[group.parts.back()] = true;
        }
        const unsigned lanes = unsigned(open.first.type.lanes), last = std::ranges::max(group.parts);
        const bool is_full = std::ranges::find(wanted, false) == wanted.end();
        if (group.members.size() < 2 || (!group.reads && !is_full) || group.apart - 1 - last >= lanes) return;
        // Estimated cycles times 8, a fit for processors of several vendors.
        const unsigned now = unsigned(group.members.size()) * lanes * (group.reads ? 6 : 8);
        const unsigned accesses = group.apart * (group.count ? 2 : 1);
        const unsigned then = 8 * (accesses + shuffles(wanted) * shuffle_cost_);
        constexpr unsigned never_gathered = 4; // a single gather also becomes loads and shuffles
        if (then >= now && !(group.reads && !group.count && group.apart <= never_gathered)) return;
        for (Value v : group.members) to_.group_of_[v.id] = to_.groups_.size();
        to_.groups_.push_back(std::move(group));
    }

    Interleaved &to_;
    const ir::Function &fn_;
    const unsigned shuffle_cost_;
    std::optional<analysis::Memory> memory_;
    std::vector<Open> open_;
};

Interleaved::Interleaved(TaskCode &code) : code_(code) {
    const auto is_gather_or_scatter = [](const ir::Inst &in) { return in.op == Op::gather || in.op == Op::scatter; };
    if (code.target.plain || std::ranges::count_if(code.fn.insts, is_gather_or_scatter) < 2) return;
    GroupFinder finder(*this);
    for (const ir::Block &block : code.fn.blocks) finder.block(block);
}

bool Interleaved::access(Value v) {
    const auto found = group_of_.find(v.id);
    if (found == group_of_.end()) return false;
    const Group &group = groups_[found->second];
    lanes_ = unsigned((group.reads ? code_.fn[v].type : code_.arg_type(v, 2)).lanes);
    if (group.reads && v == group.members.front()) load(group);
    if (!group.reads && v == group.members.back()) store(group);
    return true;
}

/// Returns the address of an element of the stream, which begins with the component at the lowest address.
llvm::Value *Interleaved::address(const Group &group, size_t member, unsigned element) {
    const Value v = group.members[member];
    const Type type = group.reads ? code_.fn[v].type : code_.arg_type(v, 2);
    const int64_t elements = int64_t(element) - int64_t(group.parts[member]);
    return code_.b.CreateConstGEP1_64(code_.b.getInt8Ty(), code_.arg(v, 0),
                                      uint64_t(elements * ir::size_of(type.elem)));
}

/// Returns the mask of the k-th vector of the stream: the elements of the first `count` lanes, except the last `beyond`.
llvm::Value *Interleaved::mask(const Group &group, unsigned k, unsigned beyond) {
    llvm::IRBuilder<> &b = code_.b;
    llvm::Value *all = b.CreateMul(code_.get(group.count), b.getInt32(group.apart));
    llvm::Value *left = b.CreateSub(all, b.getInt32(k * lanes_ + beyond));
    std::vector<llvm::Constant *> numbers;
    for (unsigned i = 0; i < lanes_; ++i) numbers.push_back(b.getInt32(i));
    return b.CreateICmpSLT(llvm::ConstantVector::get(numbers), b.CreateVectorSplat(lanes_, left));
}

void Interleaved::load(const Group &group) {
    const Type type = code_.fn[group.members[0]].type;
    const unsigned beyond =
        group.apart - 1 - std::ranges::max(group.parts); // elements behind the last one that is accessed
    const llvm::Align align(uint64_t(ir::size_of(type.elem)));
    llvm::Type *memory = code_.memory_type(type);
    Vectors stream;
    for (unsigned k = 0; k < group.apart; ++k) {
        const unsigned early = k + 1 == group.apart && !group.count ? beyond : 0;
        llvm::Value *at = address(group, 0, k * lanes_ - early);
        llvm::Instruction *part = nullptr;
        if (group.count)
            part = code_.b.CreateMaskedLoad(memory, at, align, mask(group, k, beyond),
                                            llvm::Constant::getNullValue(memory));
        else
            part = code_.b.CreateAlignedLoad(memory, at, align);
        code_.alias_scopes.note(part, code_.alias_scope_of(group.members[0]));
        stream.push_back(part);
        if (!early) continue;
        std::vector<int> elements(lanes_, llvm::PoisonMaskElem);
        for (unsigned i = 0; i + early < lanes_; ++i) elements[i] = int(i + early);
        stream.back() = code_.b.CreateShuffleVector(part, elements);
    }
    std::vector<bool> wanted(group.apart);
    for (unsigned part : group.parts) wanted[part] = true;
    const Vectors parts = apart(stream, wanted);
    for (size_t i = 0; i < group.members.size(); ++i) code_.set(group.members[i], parts[group.parts[i]]);
}

void Interleaved::store(const Group &group) {
    const size_t last = group.members.size() - 1;
    Vectors parts(group.apart);
    for (size_t i = 0; i <= last; ++i) parts[group.parts[i]] = code_.arg(group.members[i], 2);
    const llvm::Align align(uint64_t(ir::size_of(code_.arg_type(group.members[0], 2).elem)));
    const Vectors stream = together(parts);
    for (unsigned k = 0; k < group.apart; ++k) {
        llvm::Value *at = address(group, last, k * lanes_);
        llvm::Instruction *part = nullptr;
        if (group.count)
            part = code_.b.CreateMaskedStore(stream[k], at, align, mask(group, k, 0));
        else
            part = code_.b.CreateAlignedStore(stream[k], at, align);
        code_.alias_scopes.note(part, code_.alias_scope_of(group.members[last]));
    }
}

/// Merges elements of `from` into `so_far`; -1 keeps the element of `so_far`.
llvm::Value *Interleaved::pick(llvm::Value *so_far, llvm::Value *from, const std::vector<int> &elements) {
    if (std::ranges::all_of(elements, [](int e) { return e < 0; })) return so_far;
    if (!so_far) return code_.b.CreateShuffleVector(from, elements);
    std::vector<int> both(elements);
    for (unsigned i = 0; i < lanes_; ++i) both[i] = elements[i] < 0 ? int(i) : elements[i] + int(lanes_);
    return code_.b.CreateShuffleVector(so_far, from, both);
}

/// Deinterleaves a stream into as many components as it has vectors: takes every `factor`-th element, and recurses.
Interleaved::Vectors Interleaved::apart(const Vectors &stream, const std::vector<bool> &wanted) {
    const unsigned count = unsigned(stream.size());
    if (count == 1) return stream;
    const unsigned factor = least_factor(count);
    Vectors parts(count);
    for (unsigned r = 0; r < factor; ++r) {
        std::vector<bool> rest;
        for (unsigned c = r; c < count; c += factor) rest.push_back(wanted[c]);
        if (std::ranges::find(rest, true) == rest.end()) continue;
        Vectors thinner;
        for (unsigned begin = 0; begin < count; begin += factor) {
            llvm::Value *found = nullptr;
            for (unsigned k = 0; k < factor; ++k) {
                std::vector<int> elements(lanes_, -1);
                for (unsigned i = 0; i < lanes_; ++i)
                    if (const unsigned element = i * factor + r; element / lanes_ == k)
                        elements[i] = int(element % lanes_);
                found = pick(found, stream[begin + k], elements);
            }
            thinner.push_back(found);
        }
        const Vectors of_rest = apart(thinner, rest);
        for (unsigned c = 0; c < of_rest.size(); ++c) parts[c * factor + r] = of_rest[c];
    }
    return parts;
}

/// Interleaves components into a stream: the inverse of `apart`.
Interleaved::Vectors Interleaved::together(const Vectors &parts) {
    const unsigned count = unsigned(parts.size());
    if (count == 1) return parts;
    const unsigned factor = least_factor(count);
    std::vector<Vectors> thinner;
    for (unsigned r = 0; r < factor; ++r) {
        Vectors rest;
        for (unsigned c = r; c < count; c += factor) rest.push_back(parts[c]);
        thinner.push_back(together(rest));
    }
    Vectors stream;
    for (unsigned k = 0; k < count; ++k) {
        llvm::Value *made = nullptr;
        for (unsigned r = 0; r < factor; ++r) {
            std::vector<int> elements(lanes_, -1);
            for (unsigned i = 0; i < lanes_; ++i)
                if (const unsigned element = k % factor * lanes_ + i; element % factor == r)
                    elements[i] = int(element / factor);
            made = pick(made, thinner[r][k / factor], elements);
        }
        stream.push_back(made);
    }
    return stream;
}

} // namespace qd::codegen
