// base/: libraries opened at run time, the kinds of errors, digests.
#include "base/bytes.h"
#include "base/dynlib.h"
#include "base/error.h"
#include "base/sha256.h"

#include <gtest/gtest.h>

namespace {

using namespace qd;

void here() {}

TEST(DynamicLibrary, ReturnsTheMessageOfTheLoader) {
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

std::string hex(const Digest &digest) {
    std::string out;
    for (const uint8_t byte : digest) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", byte);
        out += two;
    }
    return out;
}

TEST(Sha256, EqualsTheExamplesOfTheStandards) { // the examples of FIPS 180-4 and of RFC 4231
    EXPECT_EQ(hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256({as_bytes("abc")})), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256({as_bytes("abcdbcdecdefdefgefghfghighijhijk"), as_bytes("ijkljklmklmnlmnomnopnopq")})),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(sha256({as_bytes(std::string(1'000'000, 'a'))})),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(hex(hmac_sha256(as_bytes("Jefe"), {as_bytes("what do ya want "), as_bytes("for nothing?")})),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(hmac_sha256(as_bytes(std::string(131, '\xaa')),
                              {as_bytes("Test Using Larger Than Block-Size Key - Hash Key First")})),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    Digest one = sha256({}), other = one;
    EXPECT_TRUE(is_equal(one, other));
    other[31] ^= 1;
    EXPECT_FALSE(is_equal(one, other));
}

} // namespace
