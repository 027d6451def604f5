#pragma once
// Launches in steps, for quadrants._language.stepper.
#include <pybind11/pybind11.h>

namespace qd::bind {

void define_steps(pybind11::module_ &m);

} // namespace qd::bind
