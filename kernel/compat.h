#pragma once
// The only file that depends on the version of xeus: names that differ between 2.4.1 and later versions are defined here and used
// everywhere.
#include <xeus/xeus.hpp>
#include <xeus/xkernel_configuration.hpp>

#include <nlohmann/json.hpp>

#if XEUS_VERSION_MAJOR >= 4
#error "this kernel is written against xeus 2.4 and 3.x"
#endif

namespace qd::kernel {
using Json = nlohmann::json;
using Configuration = xeus::xconfiguration;
} // namespace qd::kernel
