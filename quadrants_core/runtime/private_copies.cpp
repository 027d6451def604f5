// Criterion for copies: an update of shared memory costs about ten simple operations more than one without a lock; a byte of a copy costs a
// check, and where it was updated a merge and a clear. So a launch makes copies if their size is small compared with the expected number of
// updates, and below a memory limit.
//
// Copies are zero between launches. They hold words XORed with the neutral element, so a zero word means no update. Cache lines that stayed
// zero are skipped, so rarely updated memory costs only a check, and pages that were never touched take no memory. Blocks are merged in
// parallel, the copies of one block in order. Words without updates are not written: in a tree they may belong to another field, whose
// copies are being merged at the same time.
#include "runtime/private_copies.h"

#include "base/error.h"
#include "runtime/host_memory.h"
#include "runtime/pool.h"
#include "runtime/sparse.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace qd::runtime {
namespace {

constexpr double bytes_for_an_update = 8;
constexpr double least_updates = 1 << 12;  ///< fewer are not worth waking the pool twice
constexpr uint64_t max_bytes = 128u << 20; ///< limit for all copies
constexpr uint64_t block_bytes = 4096;     ///< merged before the next copy is read
constexpr uint64_t blocks_of_a_chunk = 16;

constexpr uint32_t max_parts = 64;
constexpr double small_bytes = 1 << 16; ///< negligible compared with the smallest range that is cut
/// Limit for copies of parts; without parts, one thread would do all the work.
constexpr double bytes_for_an_operation = 0.5;

constexpr uint64_t line_bytes = 64;
template <class T> using Line [[gnu::vector_size(line_bytes)]] = T;

/// Minimum and maximum of reals as defined in ops.def: NaN loses, -0 is less than +0.
template <class Real> Real extreme(bool greater, Real a, Real b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return (__builtin_signbit(a) != 0) == greater ? b : a;
    return (a < b) == greater ? b : a;
}

/// Merges b into a. `Word` is a number or a line of numbers; sums of integers use unsigned `Bits`, so they wrap around.
template <class Word, class Bits, abi::Merge how> void merge_into(Word &a, const Word &b) {
    switch (how) {
    case abi::Merge::add: a = Word(Bits(a) + Bits(b)); break;
    case abi::Merge::min: a = b < a ? b : a; break;
    case abi::Merge::max: a = a < b ? b : a; break;
    case abi::Merge::band: a &= b; break;
    case abi::Merge::bor: a |= b; break;
    case abi::Merge::bxor: a ^= b; break;
    }
}

template <class Word, class Bits, abi::Merge how> void merge_word(char *to, const char *from, Bits neutral) {
    Bits own;
    std::memcpy(&own, from, sizeof own);
    if (!own) return;
    own ^= neutral;
    Word a, b;
    std::memcpy(&a, to, sizeof a);
    std::memcpy(&b, &own, sizeof b);
    if constexpr (std::is_integral_v<Word>)
        merge_into<Word, Bits, how>(a, b);
    else
        a = how == abi::Merge::add ? a + b : extreme(how == abi::Merge::max, a, b);
    std::memcpy(to, &a, sizeof a);
}

/// Words without updates are not written, not even with their old value: another field's sums may be merged there at the same time.
template <class Word, class Bits> void store_done(char *to, const Line<Word> &sums, const Line<Bits> &done) {
    Word words[line_bytes / sizeof(Word)];
    Bits marks[line_bytes / sizeof(Bits)];
    std::memcpy(words, &sums, line_bytes);
    std::memcpy(marks, &done, line_bytes);
    if (std::ranges::find(marks, Bits(0)) == std::end(marks)) {
        std::memcpy(to, words, line_bytes);
        return;
    }
    for (size_t at = 0; at < std::size(words); at++)
        if (marks[at]) std::memcpy(to + at * sizeof(Word), &words[at], sizeof(Word));
}

template <class Word, class Bits, abi::Merge how> void merge_line(char *to, const char *from, Bits neutral) {
    if constexpr (!std::is_integral_v<Word> && how != abi::Merge::add) {
        for (uint64_t at = 0; at < line_bytes; at += sizeof(Word))
            merge_word<Word, Bits, how>(to + at, from + at, neutral);
    } else {
        Line<Bits> done, own;
        Line<Word> sums, amounts;
        std::memcpy(&done, from, line_bytes);
        std::memcpy(&sums, to, line_bytes);
        own = done ^ neutral;
        std::memcpy(&amounts, &own, line_bytes);
        if constexpr (std::is_integral_v<Word>)
            merge_into<Line<Word>, Line<Bits>, how>(sums, amounts);
        else
            sums += amounts;
        store_done<Word, Bits>(to, sums, done);
    }
}

/// Merges one block of a copy into its place, and clears it. `Word` is the number, `Bits` the unsigned word of its size.
template <class Word, class Bits, abi::Merge how>
void merge_block(char *to, char *from, uint64_t bytes, uint64_t neutral) {
    uint64_t at = 0;
    for (; at + line_bytes <= bytes; at += line_bytes) {
        uint64_t words[line_bytes / 8], any = 0;
        std::memcpy(words, from + at, line_bytes);
        for (const uint64_t word : words) any |= word;
        if (!any) continue;
        merge_line<Word, Bits, how>(to + at, from + at, Bits(neutral));
        std::memset(from + at, 0, line_bytes);
    }
    for (uint64_t left = at; left < bytes; left += sizeof(Word))
        merge_word<Word, Bits, how>(to + left, from + left, Bits(neutral));
    std::memset(from + at, 0, bytes - at);
}

using Merger = void (*)(char *to, char *from, uint64_t bytes, uint64_t neutral);

template <class Word, class Bits> Merger merger_for(abi::Merge how) {
    constexpr bool has_bits = std::is_integral_v<Word>;
    switch (how) {
    case abi::Merge::add: return merge_block<Word, Bits, abi::Merge::add>;
    case abi::Merge::min: return merge_block<Word, Bits, abi::Merge::min>;
    case abi::Merge::max: return merge_block<Word, Bits, abi::Merge::max>;
    case abi::Merge::band: return has_bits ? merge_block<Word, Bits, abi::Merge::band> : nullptr;
    case abi::Merge::bor: return has_bits ? merge_block<Word, Bits, abi::Merge::bor> : nullptr;
    case abi::Merge::bxor: return has_bits ? merge_block<Word, Bits, abi::Merge::bxor> : nullptr;
    }
    return nullptr;
}

/// Null for unsupported numbers.
Merger merger_for(const abi::Accumulation &what) {
    if (what.number == abi::Number::floating) {
        if (what.word_bytes == 4) return merger_for<float, uint32_t>(what.merge);
        return what.word_bytes == 8 ? merger_for<double, uint64_t>(what.merge) : nullptr;
    }
    const bool is_signed = what.number == abi::Number::signed_integer;
    if (what.word_bytes == 1)
        return is_signed ? merger_for<int8_t, uint8_t>(what.merge) : merger_for<uint8_t, uint8_t>(what.merge);
    if (what.word_bytes == 2)
        return is_signed ? merger_for<int16_t, uint16_t>(what.merge) : merger_for<uint16_t, uint16_t>(what.merge);
    if (what.word_bytes == 4)
        return is_signed ? merger_for<int32_t, uint32_t>(what.merge) : merger_for<uint32_t, uint32_t>(what.merge);
    if (what.word_bytes == 8)
        return is_signed ? merger_for<int64_t, uint64_t>(what.merge) : merger_for<uint64_t, uint64_t>(what.merge);
    return nullptr;
}

} // namespace

PrivateCopies::~PrivateCopies() {
    for (size_t number = 0; number < buffers_.size(); number++) give_back(number);
}

/// Finds the accumulated memory; returns false if it is empty.
bool PrivateCopies::find(const abi::Accumulation &what, const abi::Launch &launch, Copied &out) const {
    out.what = what;
    if (what.where == abi::Where::cells) {
        auto &trees = const_cast<SparseTrees &>(static_cast<const SparseTrees &>(*launch.stream.sparse));
        out.cells = trees.in_one_block(what.slot, what.ndim, out.original);
        out.bytes = out.cells->capacity();
        return out.original;
    }
    if (what.where != abi::Where::array) {
        out.original =
            (what.where == abi::Where::tree ? launch.stream.trees[what.slot] : launch.stream.tmp) + what.begin;
        out.bytes = what.end - what.begin;
        return true;
    }
    out.bytes = what.end;
    for (uint32_t axis = 0; axis < what.ndim; axis++) {
        const uint64_t extent = launch.args()[abi::extent_slot(what.slot, axis)];
        if (__builtin_mul_overflow(out.bytes, extent, &out.bytes)) return false;
    }
    out.original = reinterpret_cast<char *>(launch.args()[what.slot]);
    return out.bytes > 0 && out.original;
}

void PrivateCopies::give_back(size_t number) {
    for (const CopyBuffer &own : buffers_[number]) {
        host_free(own.at);
        held_ -= own.bytes;
    }
    buffers_[number].clear();
}

/// Throws DeviceError if out of memory.
void PrivateCopies::make_room(size_t number, uint64_t bytes) {
    if (buffers_.size() <= number) buffers_.resize(number + 1);
    std::vector<CopyBuffer> &buffers = buffers_[number];
    if (buffers.size() < count_ || buffers[0].bytes < bytes) {
        give_back(number);
        const uint64_t wanted = bytes * count_;
        for (size_t other = 0; other < buffers_.size() && held_ + wanted > max_bytes; other++)
            if (other >= copied_.size() || !copied_[other].original) give_back(other);
        for (size_t copy = 0; copy < count_; copy++) {
            buffers.push_back({static_cast<char *>(host_alloc(bytes)), bytes, bytes});
            held_ += bytes;
        }
    }
    for (size_t copy = 0; copy < count_; copy++) {
        CopyBuffer &own = buffers[copy];
        if (own.used < bytes) std::memset(own.at + own.used, 0, bytes - own.used);
        own.used = bytes;
    }
}

/// The same, but returns false if out of memory, or if too much would be held.
bool PrivateCopies::has_room(size_t number, uint64_t bytes) {
    try {
        make_room(number, bytes);
    } catch (const DeviceError &) {
        give_back(number);
        return false;
    }
    if (held_ <= max_bytes) return true;
    give_back(number);
    return false;
}

uint64_t PrivateCopies::Copied::used_bytes() const { return cells ? cells->used() : bytes; }

bool PrivateCopies::pays(const Copied &found, int64_t indices) const {
    const double updates = double(indices) * double(found.what.updates);
    const double all = double(found.used_bytes()) * double(count_);
    return (always_ || (updates >= least_updates && all <= bytes_for_an_update * updates)) &&
           double(found.bytes) * double(count_) <= double(max_bytes);
}

bool PrivateCopies::begin(std::span<const abi::Accumulation> what, const abi::Launch &launch, int64_t indices) {
    copied_.assign(what.size(), {});
    count_ = threads_;
    bool any = false;
    for (size_t number = 0; number < what.size(); number++) {
        Copied found;
        if (!merger_for(what[number]) || !find(what[number], launch, found)) continue;
        if (!pays(found, indices) || !has_room(number, found.bytes)) continue;
        copied_[number] = found;
        any = true;
    }
    return any;
}

bool PrivateCopies::are_all() const {
    return std::ranges::all_of(copied_, [](const Copied &one) { return one.original; });
}

uint32_t PrivateCopies::begin_parts(std::span<const abi::Accumulation> what, const abi::Launch &launch, int64_t indices,
                                    double work, uint32_t chunks) {
    copied_.assign(what.size(), {});
    std::vector<Copied> sums(what.size());
    double bytes = 1;
    for (size_t number = 0; number < what.size(); number++) {
        if (!what[number].depends_on_order()) continue;
        if (!merger_for(what[number])) return 0;
        if (!find(what[number], launch, sums[number])) {
            if (sums[number].bytes) return 0; // the size overflows
            sums[number] = {};
        }
        bytes += double(sums[number].bytes);
    }
    const double fit = std::clamp(bytes_for_an_operation * work, small_bytes, double(max_bytes)) / bytes;
    count_ = size_t(std::min({double(max_parts), double(chunks), fit}));
    if (count_ < 2) return 0;
    for (size_t number = 0; number < what.size(); number++)
        if (sums[number].original) {
            copied_[number] = sums[number];
            try {
                make_room(number, sums[number].bytes);
            } catch (...) {
                give_back(number);
                copied_.clear();
                throw;
            }
        }
    // Accumulations that give the same result in any order get copies if these pay.
    for (size_t number = 0; number < what.size(); number++) {
        Copied found;
        if (what[number].depends_on_order() || !merger_for(what[number]) || !find(what[number], launch, found))
            continue;
        if (pays(found, indices) && has_room(number, found.bytes)) copied_[number] = found;
    }
    return uint32_t(count_);
}

void PrivateCopies::offsets_of(size_t copy, int64_t *copy_offset) const {
    for (size_t number = 0; number < copied_.size(); number++)
        copy_offset[number] =
            copied_[number].original ? buffers_[number][copy].at - copied_[number].original : ptrdiff_t(0);
}

uint64_t PrivateCopies::bytes() const {
    uint64_t sum = 0;
    for (const Copied &one : copied_)
        if (one.original) sum += one.used_bytes() * count_;
    return sum;
}

/// The merge job. A chunk covers some blocks of one accumulation.
struct PrivateCopies::Merging {
    PrivateCopies *copies;
    std::array<uint32_t, abi::max_accumulations> first_chunk{}; ///< by accumulation

    static void run(const void *self, uint32_t, uint32_t chunk) {
        const Merging &job = *static_cast<const Merging *>(self);
        size_t number = job.copies->copied_.size() - 1;
        while (job.first_chunk[number] > chunk || !job.copies->copied_[number].original) number--;
        const Copied &copied = job.copies->copied_[number];
        const Merger merger = merger_for(copied.what);
        const uint64_t begin = uint64_t(chunk - job.first_chunk[number]) * blocks_of_a_chunk * block_bytes;
        const uint64_t end = std::min(begin + blocks_of_a_chunk * block_bytes, copied.bytes);
        for (uint64_t at = begin; at < end; at += block_bytes) {
            const uint64_t bytes = std::min(block_bytes, end - at);
            for (size_t copy = 0; copy < job.copies->count_; copy++) {
                char *own = job.copies->buffers_[number][copy].at + at;
                merger(copied.original + at, own, bytes, copied.what.neutral);
            }
        }
    }
};

void PrivateCopies::merge(Pool &pool) {
    Merging job{this, {}};
    uint32_t chunks = 0;
    for (size_t number = 0; number < copied_.size(); number++) {
        copied_[number].bytes = copied_[number].used_bytes();
        job.first_chunk[number] = chunks;
        constexpr uint64_t chunk_bytes = blocks_of_a_chunk * block_bytes;
        if (copied_[number].original) chunks += uint32_t((copied_[number].bytes + chunk_bytes - 1) / chunk_bytes);
    }
    pool.run(Merging::run, &job, chunks);
}

} // namespace qd::runtime
