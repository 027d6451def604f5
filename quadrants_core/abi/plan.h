#pragma once
// The relations of a kernel's tasks in a graph. Plain data, as abi.h.
#include <cstdint>
#include <vector>

namespace qd::abi {

/// The position of a task, by number; -1: none. Sections are numbered from 0 in each region.
struct GraphPosition {
    int32_t level = -1; ///< innermost do_while
    int32_t checkpoint = -1, region = -1, section = -1;
};

/// A number that no parameter has.
inline constexpr uint32_t no_flag = UINT32_MAX;

/// The tasks of a level run again while the first element of its flag is not 0.
struct DoWhile {
    uint32_t flag = no_flag; ///< number of the parameter
    int32_t parent = -1;     ///< the enclosing level
};
/// A launch yields after the tasks of a checkpoint if the first element of its flag is not 0: it skips the checkpoints after it, and no
/// level continues.
struct Checkpoint {
    uint32_t flag = no_flag; ///< no_flag: it never yields
    int32_t level = -1;      ///< the innermost enclosing do_while
};
struct Graph {
    std::vector<DoWhile> levels;
    std::vector<Checkpoint> checkpoints;
};

/// The input and output of a graph launch.
struct GraphWords {
    static constexpr int32_t from_the_start = -1;
    /// Steps that end before this checkpoint are skipped until a level repeats.
    int32_t resume_point = from_the_start;
    int32_t yielded = -1; ///< the checkpoint that yielded
};

} // namespace qd::abi
