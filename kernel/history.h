#pragma once
// Answers history requests from IPython's own history, so that sessions and outputs are those that %history shows.
#include <xeus/xhistory_manager.hpp>

#include <memory>

namespace qd::kernel {
std::unique_ptr<xeus::xhistory_manager> make_history_manager();
}
