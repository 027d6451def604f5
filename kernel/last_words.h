#pragma once
// A process that dies says why: in the log, in the cell that runs, and in a note beside the connection file. The process that
// a front end starts in its place, with the same connection file, finds the note and passes it on.
#include <cstddef>
#include <string>

namespace qd::kernel::last_words {

/// Before anything can die: takes the note of the process before, and handles the signals that end this one.
void watch(const std::string &connection_file);

/// Returns the note of the process before; empty if it ended in order. The next call returns nothing.
std::string take();

/// Once descriptor 2 is a pipe: where the log is.
void set_log(int descriptor);

/// Number of the cell that runs, 0: none; and the header of its request.
void set_cell(int number, const std::string &header = {});
/// Once the process is dying: that header, from where no kernel gets that runs over the heap. Null before, or if it was too long.
const char *header_of_dying_cell();

/// Receives the core's own text (engine/fault.h): the core calls `hear`, and is asked by `explain` when the process dies.
void hear(const char *text, size_t size);
void set_explain(void (*explain)());

} // namespace qd::kernel::last_words
