// base/: knobs from the environment, libraries opened at run time.
#include "base/dynlib.h"
#include "base/error.h"
#include "base/knobs.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using namespace qd;

TEST(Knobs, ReadTheEnvironment) {
    unsetenv("QD_DUMP");
    unsetenv("QD_VERIFY");
    EXPECT_EQ(read_knobs().dump, "");
    EXPECT_FALSE(read_knobs().verify);
    setenv("QD_DUMP", "fold,dce", 1);
    setenv("QD_VERIFY", "1", 1);
    EXPECT_EQ(read_knobs().dump, "fold,dce");
    EXPECT_TRUE(read_knobs().verify);
    for (const char *off : {"0", "off", "false", "no", ""}) {
        setenv("QD_VERIFY", off, 1);
        EXPECT_FALSE(read_knobs().verify) << off;
    }
    unsetenv("QD_DUMP");
    unsetenv("QD_VERIFY");
}

TEST(Knobs, AreListedWithWhatTheyDo) {
    std::vector<KnobRow> rows = list_knobs();
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].variable, "QD_DUMP");
    for (const KnobRow &row : rows) EXPECT_FALSE(row.doc.empty()) << row.variable;
}

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
    EXPECT_NE(file_of_address(reinterpret_cast<const void *>(&read_knobs)).find("unit_base_test"), std::string::npos);
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
