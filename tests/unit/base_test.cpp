// base/: libraries opened at run time, the kinds of errors.
#include "base/dynlib.h"
#include "base/error.h"

#include <gtest/gtest.h>

namespace {

using namespace qd;

void here() {}

TEST(DynamicLibrary, GivesTheLoadersWords) {
    DynamicLibrary missing("/nowhere/libmissing.so");
    EXPECT_FALSE(missing);
    EXPECT_NE(missing.error().find("libmissing.so"), std::string::npos) << missing.error();
    EXPECT_EQ(missing.symbol("anything"), nullptr);
    DynamicLibrary maths("libm.so.6");
    ASSERT_TRUE(maths) << maths.error();
    auto *cosine = maths.function<double(double)>("cos");
    ASSERT_TRUE(cosine);
    EXPECT_EQ(cosine(0), 1);
    EXPECT_EQ(maths.symbol("no_such_symbol"), nullptr);
}

TEST(DynamicLibrary, KnowsTheFileOfAnAddress) {
    EXPECT_NE(file_of_address(reinterpret_cast<const void *>(&here)).find("unit_base_test"), std::string::npos);
    EXPECT_EQ(file_of_address(nullptr), "");
}

TEST(Errors, AreThreeKinds) {
    try {
        fail_user(UserErrorKind::type, "cannot add", {{"cell", "step", 7, 3, 7, 9}}, "cast one");
        FAIL();
    } catch (const UserError &e) {
        EXPECT_STREQ(e.what(), "cannot add");
        EXPECT_EQ(e.trace.at(0).line, 7u);
        EXPECT_EQ(e.hint, "cast one");
    }
    try {
        QD_CHECK(1 == 2, "numbers");
        FAIL();
    } catch (const InternalError &e) {
        EXPECT_NE(std::string(e.what()).find("1 == 2; numbers"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("report"), std::string::npos) << e.what();
    }
    EXPECT_THROW(fail_device("mmap", 12, "no memory"), DeviceError);
}

} // namespace
