#pragma once
// Reports why the process dies: in the log, in the output of the running cell, and in a note next to the connection file. The process
// that a front end starts as a replacement, with the same connection file, finds the note and shows it.
#include <cstddef>
#include <string>

namespace qd::kernel::fault_report {

/// To be called first: takes the note of the previous process, and handles the signals that end this one.
void watch(const std::string &connection_file);

/// Returns the note of the previous process; empty if it ended normally. Later calls return nothing.
std::string take();

/// Sets the descriptor of the log, once descriptor 2 is a pipe.
void set_log(int descriptor);

/// Sets the number of the running cell, or 0 if there is none, and the header of its request.
void set_cell(int number, const std::string &header = {});
/// Returns that header once the process is dying, from static memory, which a kernel that overruns the heap does not reach; null before, or
/// if it was too long.
const char *header_of_dying_cell();

/// To be called before user code ends the process with this exit code; reports it if a cell runs.
void report_exit(int code);

/// Receives the report of the core (engine/fault.h): the core calls `hear`; `explain` makes it do so when the process dies.
void hear(const char *text, size_t size);
void set_explain(void (*explain)());

} // namespace qd::kernel::fault_report
