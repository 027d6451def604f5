#pragma once
// Starts Python inside the test program, once, before the first test that needs it.
#include <Python.h>

#include <gtest/gtest.h>

#ifdef __SANITIZE_ADDRESS__
/// The interpreter does not free its objects at the end.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return 1; }
#endif

namespace qd::tests {

class Interpreter : public testing::Environment {
    void SetUp() override {
        Py_InitializeEx(0);
        PyRun_SimpleString("import warnings; warnings.simplefilter('ignore')");
    }
};
[[maybe_unused]] static const auto *interpreter = testing::AddGlobalTestEnvironment(new Interpreter);

} // namespace qd::tests
