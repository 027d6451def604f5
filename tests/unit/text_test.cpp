// Reader, verifier and hash on texts that are invalid, damaged or formatted differently.
#include "ir/hash.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tools/random_function.h"
#include "tools/random_numbers.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace qd;
using namespace qd::ir;

struct ErrorRow {
    const char *text;
    int line, column;
    const char *message;
};

const ErrorRow error_rows[] = {
    {"fn", 1, 3, "expected `@`"},
    {"function @f()\n    ret", 1, 9, "expected `fn` or `task`"},
    {"fn @f(%0: i33)\n    ret", 1, 14, "unknown type `i33`"},
    {"fn @f()", 1, 8, "the function has no body"},
    {"fn @f()\n    frob", 2, 9, "unknown op `frob`"},
    {"fn @f()\n    ret %1", 2, 11, "%1 is not defined above"},
    {"fn @f(%0: i32)\n    %0: i32 = neg %0\n    ret", 2, 21, "%0 is defined twice"},
    {"fn @f(%0: i32)\n    neg %0\n    ret", 2, 8, "neg has one result"},
    {"fn @f(%0: i32)\n    %1: i32 = yield\n    ret", 2, 20, "yield has no result"},
    {"fn @f()\n    %1: i8 = constant 128\n    ret", 2, 23, "the number is too large"},
    {"fn @f()\n    %1: i8 = constant -129\n    ret", 2, 27, "the number does not fit i8"},
    {"fn @f()\n    %1: u8 = constant bits 0x100\n    ret", 2, 33, "more bits than the type has"},
    {"fn @f()\n    ret\n      ret", 3, 7, "indentation does not fit the lines before"},
    {"fn @f()\n    place 9999999999 \"x\"\n    ret", 2, 21, "table index is too large"},
    {"fn @f()\n    message 0 \"x\n    ret", 2, 17, "the string has no end"},
    {"fn @f()\n    ret extra", 2, 9, "expected the end of the line"},
    {"fn @f()\n    counter 0 lines\n    ret", 2, 20,
     "expected one of line, taken, not_taken, entered, zero_trips, broken, finished, endless"},
};

TEST(Text, Errors) {
    for (const ErrorRow &row : error_rows) {
        ParseResult read = parse(row.text);
        ASSERT_TRUE(read.error) << row.text;
        EXPECT_EQ(read.error->message, row.message) << row.text;
        EXPECT_EQ(read.error->line, row.line) << row.text;
        EXPECT_EQ(read.error->column, row.column) << row.text;
    }
}

TEST(Text, DeepNestingIsAnError) {
    std::string text = "fn @f(%0: u1)\n";
    for (int depth = 1; depth < 400; ++depth) text += std::string(size_t(depth), ' ') + "if %0\n";
    text += std::string(400, ' ') + "yield\n ret\n";
    ParseResult read = parse(text);
    ASSERT_TRUE(read.error);
    EXPECT_EQ(read.error->message, "blocks are nested too deeply");
}

/// Changes a few bytes: deletes, doubles, replaces, swaps lines.
std::string damage(std::string text, tools::Numbers &rng) {
    static constexpr char bytes[] = " \n%@:;!(){}<>,.=-\"0129xabfui\\\t\xff";
    for (uint64_t i = 1 + rng.below(2); i > 0 && !text.empty(); --i) {
        size_t at = rng.below(text.size());
        switch (rng.below(4)) {
        case 0: text.erase(at, 1 + rng.below(3)); break;
        case 1: text.insert(at, text.substr(at, 1 + rng.below(30))); break;
        case 2: text[at] = bytes[rng.below(sizeof bytes - 1)]; break;
        default: text.insert(at, 1, bytes[rng.below(sizeof bytes - 1)]); break;
        }
    }
    return text;
}

TEST(Text, DamagedTextsNeverCrash) {
    tools::Numbers rng(1);
    int readable = 0, well_formed = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        std::string text = print(tools::random_function(seed, {.statements = 8}));
        for (int round = 0; round < 60; ++round) {
            ParseResult read = parse(damage(text, rng));
            if (read.error) continue;
            ++readable;
            for (const Function &fn : read.functions) {
                std::vector<Problem> problems = verify(fn);
                if (!problems.empty()) {
                    EXPECT_FALSE(explain(fn, problems).empty());
                    continue;
                }
                ++well_formed;
                std::string once = print(fn);
                ParseResult again = parse(once);
                ASSERT_FALSE(again.error) << once;
                EXPECT_EQ(print(again.functions.at(0)), once);
                EXPECT_EQ(content_hash(again.functions.at(0)), content_hash(fn)) << once;
            }
        }
    }
    EXPECT_GT(readable, 50);
    EXPECT_GT(well_formed, 30);
}

Hash hash_of(const std::string &text) {
    ParseResult read = parse(text);
    EXPECT_FALSE(read.error) << text;
    return content_hash(read.functions.at(0));
}

TEST(Hash, SameForNamesAndIdsThatDiffer) {
    std::string a = "fn @f(%0: i32)\n    %1: i32 = constant 1\n    %2: i32 = add %0, %1\n    ret\n";
    std::string b = "fn @g(%x: i32)\n    %one: i32 = constant 1\n    %sum: i32 = add %x, %one\n    ret\n";
    EXPECT_EQ(hash_of(a), hash_of(b));
}

TEST(Hash, DiffersWithContent) {
    std::string base = "fn @f(%0: i32, %1: i32)\n    %2: i32 = sub %0, %1\n    ret\n";
    std::vector<std::string> others = {
        "fn @f(%0: i32, %1: i32)\n    %2: i32 = sub %1, %0\n    ret\n",
        "fn @f(%0: i32, %1: i32)\n    %2: i32 = add %0, %1\n    ret\n",
        "fn @f(%0: i64, %1: i64)\n    %2: i64 = sub %0, %1\n    ret\n",
        "fn @f(%0: i32, %1: i32) fast_math\n    %2: i32 = sub %0, %1\n    ret\n",
        "fn @f(%0: i32, %1: i32) ret 8\n    %2: i32 = sub %0, %1\n    ret\n",
        "fn @f(%0: i32, %1: i32)\n    %2: i32 = sub %0, %1\n    exit\n",
        "task serial @f(%0: i32, %1: i32)\n    %2: i32 = sub %0, %1\n    ret\n",
    };
    for (const std::string &other : others) EXPECT_NE(hash_of(base), hash_of(other)) << other;
}

TEST(Hash, DiffersWithSpacesAndTables) {
    std::set<std::string> hashes;
    for (const std::string space : {"", ", private", ", shared", ", constant"})
        hashes.insert(to_hex(hash_of("fn @f(%0: ptr<f32" + space + ">)\n    ret\n")));
    for (const std::string table : {"i32 (1, 2)", "i32 (1, 2, 0)", "i32 (1, 3)", "u32 (1, 2)"})
        hashes.insert(
            to_hex(hash_of("fn @f()\n    table 0 " + table + "\n    %0: ptr<i32, constant> = table !0\n    ret\n")));
    EXPECT_EQ(hashes.size(), 8u);
    const auto numbered = [](const std::string &n) {
        return hash_of("fn @f()\n    table " + n + " i32 (1)\n    %0: ptr<i32, constant> = table !" + n +
                       "\n    ret\n");
    };
    EXPECT_EQ(numbered("0"), numbered("3")) << "a table is what it holds";
}

TEST(Hash, DiffersWithThePlaceInAGraph) {
    std::set<std::string> hashes;
    const std::vector<std::string> places = {
        "", " level 0", " level 1", " checkpoint 0", " region 0", " region 0 section 0", " region 0 section 1"};
    for (const std::string &place : places)
        hashes.insert(to_hex(hash_of("task serial @f() tmp 32" + place + "\n    ret\n")));
    for (const std::string subgraph : {"checkpoint", "checkpoint flag 0", "checkpoint flag 1", "do_while flag 0"})
        hashes.insert(to_hex(hash_of("fn @f(%0: array<i32, 0>, %1: array<i32, 0>)\n    subgraph 0 " + subgraph +
                                     "\n    graph_begin !0\n    graph_end !0\n    ret\n")));
    const std::string body =
        "\n    bounds\n        %0: i64 = constant 0\n        yield %0, %0\n    body\n        ret\n";
    for (const std::string at : {"", " range_at 0", " range_at 8"})
        hashes.insert(to_hex(hash_of("task range @f() tmp 32" + at + body)));
    EXPECT_EQ(hashes.size(), 14u);
}

TEST(Hash, IsTheSameInEveryProcess) {
    // If this value changes, every cached task is compiled again, so the change must be intended.
    std::string text = "fn @f(%0: i32)\n    %1: i32 = neg %0\n    ret\n";
    EXPECT_EQ(to_hex(hash_of(text)), "0c4e11abd82669874cde0ac706a2ddfc");
}

} // namespace
