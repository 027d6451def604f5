// The wire format: packed messages are unpacked, altered messages are refused, garbage does no harm.
#include "wire.h"

#include <gtest/gtest.h>

#include <random>

using namespace qd::kernel::wire;

namespace {
const Parts parts{R"({"msg_type":"execute_request","msg_id":"1"})", "{}", "{}", R"({"code":"1+1"})"};

Frames packed(const Signer &signer) { return pack({"client"}, parts, {{'a', '\0', 'b'}, {}}, signer); }

std::optional<Message> read(Frames frames, const Signer &signer) {
    std::string why;
    Seen seen;
    std::optional<Message> m = unpack(std::move(frames), signer, seen, why);
    EXPECT_EQ(m.has_value(), why.empty());
    return m;
}
} // namespace

TEST(Wire, RoundTrip) {
    Signer signer("hmac-sha256", "key");
    std::optional<Message> m = read(packed(signer), signer);
    ASSERT_TRUE(m);
    EXPECT_EQ(m->identities, Frames{"client"});
    EXPECT_EQ(m->type(), "execute_request");
    EXPECT_EQ(m->content["code"], "1+1");
    ASSERT_EQ(m->buffers.size(), 2u);
    EXPECT_EQ(m->buffers[0], (Buffer{'a', '\0', 'b'}));
    EXPECT_TRUE(m->buffers[1].empty());
}

/// Computed with Python: hmac.new(b"key", header + parent + metadata + content, hashlib.sha256).hexdigest()
TEST(Wire, SignatureIsThatOfHmac) {
    Signer signer("hmac-sha256", "key");
    EXPECT_EQ(signer.sign("{}", "{}", "{}", "{}"), "ca767b02c5bc061ed184a9a029e7f93a7f2f7ed4e8fe74120fc1212f0b008fa3");
}

TEST(Wire, EveryChangedBitIsRefused) {
    Signer signer("hmac-sha256", "key");
    const Frames good = packed(signer);
    for (size_t frame = 2; frame <= 6; frame++)
        for (size_t byte = 0; byte < good[frame].size(); byte++) {
            Frames bad = good;
            bad[frame][byte] ^= 1;
            EXPECT_FALSE(read(bad, signer)) << frame << ' ' << byte;
        }
    EXPECT_FALSE(read(good, Signer("hmac-sha256", "other key")));
    EXPECT_FALSE(read(good, Signer("hmac-sha512", "key")));
}

TEST(Wire, RepeatedMessagesAreRefused) {
    Signer signer("hmac-sha256", "key"), none("hmac-sha256", "");
    Seen seen;
    std::string why;
    EXPECT_TRUE(unpack(packed(signer), signer, seen, why));
    EXPECT_FALSE(unpack(packed(signer), signer, seen, why));
    EXPECT_EQ(why, "it came before");
    EXPECT_TRUE(unpack(packed(none), none, seen, why));
    EXPECT_TRUE(unpack(packed(none), none, seen, why)); // without signatures a repeated message cannot be recognised
}

TEST(Wire, OldMessagesAreForgotten) {
    Seen seen;
    for (int i = 0; i < 200000; i++) ASSERT_TRUE(seen.add(std::to_string(i)));
    EXPECT_FALSE(seen.add("199999"));
    EXPECT_FALSE(seen.add(std::to_string(200000 - 65536)));
    EXPECT_TRUE(seen.add("0"));
}

TEST(Wire, EmptyKeyMeansUnsigned) {
    Signer none("hmac-sha256", "");
    EXPECT_EQ(packed(none)[2], "");
    EXPECT_TRUE(read(packed(none), none));
    EXPECT_FALSE(read(packed(Signer("hmac-sha256", "key")), none));
}

TEST(Wire, UnknownSchemeIsAnError) {
    EXPECT_THROW(Signer("hmac-nonsense", "key"), std::invalid_argument);
    EXPECT_THROW(Signer("rot13", "key"), std::invalid_argument);
}

TEST(Wire, MalformedMessages) {
    Signer none("hmac-sha256", "");
    const std::string d = "<IDS|MSG>", deep(100000, '[');
    EXPECT_FALSE(read({}, none));
    EXPECT_FALSE(read({""}, none));
    EXPECT_FALSE(read({d}, none));
    EXPECT_FALSE(read({d, "", "{}", "{}", "{}"}, none));
    EXPECT_FALSE(read({d, "", "{}", "{}", "{}", "{}"}, none)) << "a header without msg_type";
    EXPECT_FALSE(read({d, "", R"({"msg_type":5})", "{}", "{}", "{}"}, none));
    EXPECT_FALSE(read({d, "", R"({"msg_type":"x"})", "[]", "{}", "{}"}, none));
    EXPECT_FALSE(read({d, "", R"({"msg_type":"x"})", "{}", "{}", "{\"a\":" + deep}, none));
    EXPECT_FALSE(read({d, "", R"({"msg_type":"x"})", "{}", "{}", "{\"a\":\"\xff\"}"}, none));
    EXPECT_TRUE(read({d, "", R"({"msg_type":"x"})", "{}", "{}", "{\"a\":\"" + deep + "\"}"}, none));
}

namespace {
std::string refusal(size_t part, const std::string &json) {
    Frames frames{"<IDS|MSG>", "", R"({"msg_type":"x"})", "{}", "{}", "{}"};
    frames[2 + part] = part == 0 ? R"({"msg_type":"x","a":)" + json + "}" : json;
    std::string why;
    Seen seen;
    const std::optional<Message> m = unpack(frames, Signer("hmac-sha256", ""), seen, why);
    EXPECT_EQ(m.has_value(), why.empty());
    if (m) // an accepted message can be written and destroyed
        for (const Json *value : {&m->header, &m->parent, &m->metadata, &m->content})
            EXPECT_FALSE(text(*value).empty());
    return why;
}

std::string nested(int depth, const std::string &inside) {
    return std::string(size_t(depth), '[') + inside + std::string(size_t(depth), ']');
}
} // namespace

TEST(Wire, NestingIsBoundedInEachPart) {
    const std::string names[] = {"the header", "the parent header", "the metadata", "the content"};
    // Brackets that would mislead a count: in strings, behind escapes, and more closing than opening ones.
    const std::string closing(200000, ']'),
        decoys[] = {"1", "\"" + closing + "\"", R"("\\\"]]]]")", R"("\\")", R"("[{[{")"};
    for (size_t part = 0; part < 4; part++)
        for (const std::string &decoy : decoys) {
            const auto around = [&](int depth) { return "{\"s\":" + decoy + ",\"d\":" + nested(depth, decoy) + "}"; };
            const int outer = part == 0 ? 2 : 1;
            EXPECT_EQ(refusal(part, around(256 - outer)), "") << part << decoy.substr(0, 20);
            for (int depth : {257 - outer, 5000, 200000})
                EXPECT_EQ(refusal(part, around(depth)), names[part] + " is nested deeper than 256 levels")
                    << decoy.substr(0, 20);
        }
    EXPECT_EQ(refusal(1, "{"), "the parent header is not JSON");
    EXPECT_EQ(refusal(2, "7"), "the metadata is not a JSON object");
    EXPECT_EQ(refusal(3, closing + nested(5000, "")),
              "the content is not JSON"); // the error comes before the first level
}

TEST(Wire, RandomNestingIsRefusedOrReadWhole) {
    std::mt19937 random(11);
    const std::string scalars[] = {"1",        "-0.5e3", "1e999",       "123456789012345678901234567890",
                                   "null",     "true",   "\"]}\"",      R"("[{\"\\")",
                                   "\"\xff\"", "NaN",    "\"\\ud800\"", "\"\\",
                                   "",         "\x01"};
    int refused = 0, read = 0;
    for (int round = 0; round < 3000; round++) {
        std::string text, closing;
        for (int levels = int(random() % 400); levels > 0; levels--) {
            const bool object = random() % 2;
            text += object ? "{\"" + std::string(random() % 3, ']') + "\":" : "[";
            if (!object && random() % 4 == 0) text += scalars[random() % 7] + ",";
            closing += object ? '}' : ']';
        }
        text += scalars[random() % (random() % 4 ? 8 : std::size(scalars))];
        text.append(closing.rbegin(), closing.rend());
        if (random() % 8 == 0) text.resize(random() % (text.size() + 1));
        (refusal(random() % 4, "{\"a\":" + text + "}").empty() ? read : refused)++;
    }
    EXPECT_GT(read, 200);
    EXPECT_GT(refused, 300);
}

TEST(Wire, RandomDamageDoesNoHarm) {
    Signer none("hmac-sha256", "");
    std::mt19937 random(7);
    for (int round = 0; round < 20000; round++) {
        Frames f = packed(none);
        for (int n = 0; n < 4; n++) {
            std::string &frame = f[random() % f.size()];
            switch (random() % 4) {
            case 0: frame.assign(random() % 40, char(random())); break;
            case 1:
                if (!frame.empty()) frame[random() % frame.size()] = char(random());
                break;
            case 2: frame.resize(frame.size() / 2); break;
            case 3: f.erase(f.begin() + long(random() % f.size())); break;
            }
            if (f.empty()) break;
        }
        std::string why;
        Seen seen;
        unpack(f, none, seen, why);
    }
}

TEST(Wire, TextReplacesBadBytes) { EXPECT_EQ(text({{"a", "x\xff"}}), "{\"a\":\"x\xEF\xBF\xBD\"}"); }
