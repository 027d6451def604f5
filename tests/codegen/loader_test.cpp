// Opening the compiler: a missing or foreign file is a clear error, and a later attempt may succeed.
#include "base/error.h"
#include "codegen/llvm/loader/loader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace qd;
namespace library = codegen::llvm_library;

namespace {

std::string words_of_failure(const std::string &directory) {
    library::set_directory(directory);
    try {
        library::open();
    } catch (const InternalError &problem) {
        return problem.what();
    }
    return "";
}

} // namespace

TEST(Door, MissingOrForeignFileIsNamed) {
    std::string missing = words_of_failure("/nonexistent/folder");
    EXPECT_NE(missing.find("/nonexistent/folder/libquadrants_llvm.so"), std::string::npos) << missing;
    EXPECT_NE(missing.find("No such file"), std::string::npos) << missing;

    std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "qd_door_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "libquadrants_llvm.so") << "not a library";
    std::string foreign = words_of_failure(folder.string());
    EXPECT_NE(foreign.find((folder / "libquadrants_llvm.so").string()), std::string::npos) << foreign;
    std::filesystem::remove_all(folder);

    EXPECT_FALSE(library::is_open());
    library::set_directory("");
    EXPECT_EQ(library::open().abi_version, qd::abi::version);
    EXPECT_TRUE(library::is_open());
}

TEST(Door, HostIsDescribed) {
    std::string cpu, features;
    library::open().host(&cpu, &features);
    EXPECT_FALSE(cpu.empty());
    EXPECT_NE(features.find("+sse2"), std::string::npos) << features;
}
