#pragma once
// What a kernel's tasks are to each other where they form a graph. Plain data, as abi.h.
#include <cstdint>
#include <vector>

namespace qd::abi {

/// Where a task stands, by number; -1: none. The sections of each region count from 0.
struct GraphPosition {
    int32_t level = -1; ///< innermost do_while
    int32_t checkpoint = -1, region = -1, section = -1;
};

/// A number that no parameter has.
inline constexpr uint32_t no_flag = UINT32_MAX;

/// The tasks of a level run again while the first element of its flag is not 0.
struct DoWhile {
    uint32_t flag = no_flag; ///< number of the parameter
    int32_t parent = -1;     ///< the level around it
};
/// A launch yields after the tasks of a checkpoint if the first element of its flag is not 0: it leaves out the
/// checkpoints after it, and no level goes on.
struct Checkpoint {
    uint32_t flag = no_flag; ///< no_flag: it never does
    int32_t level = -1;      ///< the innermost do_while around it
};
struct Graph {
    std::vector<DoWhile> levels;
    std::vector<Checkpoint> checkpoints;
};

/// What a launch of a graph begins with and ends with.
struct GraphWords {
    static constexpr int32_t from_the_start = -1;
    /// What ends before this checkpoint is left out, until a level goes on.
    int32_t resume_point = from_the_start;
    int32_t yielded = -1; ///< the checkpoint that yielded
};

} // namespace qd::abi
