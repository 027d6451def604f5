// Every pure op on every type it is defined for, scalar and vector, both tiers, against eval on awkward operands.
#include "op_task.h"

#include "ir/eval.h"

#include <cmath>

using namespace qd;
using ir::Constant;
using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;
using test::Launch;

namespace {

constexpr Scalar all_types[] = {Scalar::u1,  Scalar::i8,  Scalar::u8,  Scalar::i16, Scalar::u16, Scalar::i32,
                                Scalar::u32, Scalar::i64, Scalar::u64, Scalar::f16, Scalar::f32, Scalar::f64};

/// Operands in critical cases: limits of the range, signs, zeros, halves, NaN, infinities.
std::vector<Constant> operands(Scalar type) {
    std::vector<Constant> out;
    if (ir::is_float(type)) {
        for (double v : {0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         0.5,
                         -0.5,
                         1.5,
                         -1.5,
                         2.5,
                         3.7,
                         -3.7,
                         7.0,
                         -7.0,
                         100.25,
                         -127.9,
                         255.4,
                         1e4,
                         -4e4,
                         2147483647.0,
                         3e9,
                         -3e9,
                         1e19,
                         -1e19,
                         1e-3,
                         double(INFINITY),
                         double(-INFINITY),
                         double(NAN)})
            out.push_back(ir::from_double(type, v));
        return out;
    }
    int bits = ir::bits_of(type);
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1, top = uint64_t(1) << (bits - 1);
    for (uint64_t v :
         {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(3), uint64_t(7), uint64_t(10), ~uint64_t(0), ~uint64_t(1),
          ~uint64_t(6), top, top - 1, top + 1, uint64_t(33), uint64_t(63), uint64_t(0x5a5a5a5a5a5a5a5a)})
        out.push_back({type, v & mask});
    return out;
}

bool same(Constant a, Constant b) {
    if (a == b) return true;
    if (!ir::is_float(a.type)) return false;
    double x = ir::to_double(a), y = ir::to_double(b);
    return std::isnan(x) && std::isnan(y);
}

void put(std::vector<uint8_t> &memory, Constant c) {
    auto *bytes = reinterpret_cast<const uint8_t *>(&c.bits);
    memory.insert(memory.end(), bytes, bytes + ir::size_of(c.type));
}

void check(Op op, std::vector<Scalar> inputs, Scalar result) {
    std::vector<std::vector<Constant>> rows;
    std::vector<Constant> a = operands(inputs[0]);
    for (const Constant &x : a) {
        if (inputs.size() == 1) {
            rows.push_back({x});
            continue;
        }
        std::vector<Constant> second = operands(inputs[1]);
        for (size_t k = 0; k < second.size(); ++k) {
            rows.push_back({x, second[k]});
            if (inputs.size() == 3)
                rows.back().push_back(operands(inputs[2])[(k * 7 + 3) % operands(inputs[2]).size()]);
        }
    }
    while (rows.size() % 8) rows.push_back(rows.back());
    std::vector<std::vector<uint8_t>> memory(inputs.size());
    for (auto &row : rows)
        for (size_t k = 0; k < inputs.size(); ++k) put(memory[k], row[k]);
    for (int lanes : {1, 8}) {
        for (bool optimize : {false, true}) {
            if (lanes > 1 && !optimize) continue;
            ir::Function fn = test::make_task(op, inputs, result, lanes);
            auto problems = ir::verify(fn);
            ASSERT_TRUE(problems.empty()) << ir::explain(fn, problems);
            const std::vector<uint8_t> object =
                test::compile(std::move(fn), optimize ? backends::Tier::best : backends::Tier::fast);
            std::vector<uint8_t> out(rows.size() * size_t(ir::size_of(result)));
            Launch launch;
            size_t slot = 0;
            for (auto &m : memory) {
                launch.args[slot++] = reinterpret_cast<uint64_t>(m.data());
                launch.args[slot++] = rows.size();
            }
            launch.args[slot++] = reinterpret_cast<uint64_t>(out.data());
            launch.args[slot++] = rows.size();
            launch.args[slot++] = rows.size() / size_t(lanes);
            launch.run(object);
            int shown = 0;
            for (size_t k = 0; k < rows.size() && shown < 3; ++k) {
                Constant got{result, 0}, want = ir::eval(op, result, rows[k]);
                std::memcpy(&got.bits, out.data() + k * size_t(ir::size_of(result)), size_t(ir::size_of(result)));
                if (same(got, want)) continue;
                ++shown;
                std::string text;
                for (Constant c : rows[k]) text += " " + std::to_string(ir::to_double(c));
                ADD_FAILURE() << ir::info(op).name << " " << ir::to_string(inputs[0]) << " -> " << ir::to_string(result)
                              << " x" << lanes << (optimize ? "" : " fast tier") << text << ": got "
                              << std::to_string(ir::to_double(got)) << ", law " << std::to_string(ir::to_double(want));
            }
        }
    }
}

} // namespace

TEST(Ops, ArithmeticAndComparison) {
    for (int k = 0; k < ir::op_count; ++k) {
        Op op = Op(k);
        const ir::OpInfo &info = ir::info(op);
        if (!ir::can_eval(op) || op == Op::cast || op == Op::bitcast || op == Op::select) continue;
        for (Scalar s : all_types) {
            if ((info.traits & ir::float_only) && !ir::is_float(s)) continue;
            if ((info.traits & ir::int_only) && !ir::is_int(s)) continue;
            std::vector<Scalar> inputs(size_t(info.operands), s);
            check(op, inputs, info.result == ir::Result::boolean ? Scalar::u1 : s);
        }
    }
}

TEST(Ops, Casts) {
    for (Scalar from : all_types)
        for (Scalar to : all_types) {
            check(Op::cast, {from}, to);
            if (ir::bits_of(from) == ir::bits_of(to)) check(Op::bitcast, {from}, to);
        }
}

TEST(Ops, Select) {
    for (Scalar s : all_types) check(Op::select, {Scalar::u1, s, s}, s);
}

namespace {

Constant element(const std::vector<uint8_t> &memory, Scalar type, size_t at) {
    Constant c{type, 0};
    std::memcpy(&c.bits, memory.data() + at * size_t(ir::size_of(type)), size_t(ir::size_of(type)));
    return c;
}

void check_atomic(Op op, Scalar s, bool optimize) {
    std::vector<Scalar> inputs(size_t(ir::info(op).operands), s);
    std::vector<Constant> values = operands(s);
    std::vector<std::vector<uint8_t>> memory(inputs.size());
    std::vector<std::vector<Constant>> rows;
    for (Constant x : values)
        for (Constant y : values) rows.push_back({x, y, values[(rows.size() * 5 + 1) % values.size()]});
    for (auto &row : rows)
        for (size_t k = 0; k < inputs.size(); ++k) put(memory[k], row[k]);
    ir::Function fn = test::make_task(op, inputs, s, 1);
    const std::vector<uint8_t> object =
        test::compile(std::move(fn), optimize ? backends::Tier::best : backends::Tier::fast);
    std::vector<uint8_t> out(memory[0].size());
    Launch launch;
    size_t slot = 0;
    for (auto &m : memory) {
        launch.args[slot] = reinterpret_cast<uint64_t>(m.data());
        slot += 2;
    }
    launch.args[slot] = reinterpret_cast<uint64_t>(out.data());
    launch.args[slot + 2] = rows.size();
    launch.run(object);
    for (size_t k = 0; k < rows.size(); ++k) {
        Constant x = rows[k][0], y = rows[k][1], old = element(out, s, k), now = element(memory[0], s, k);
        Constant want = op == Op::atomic_xchg  ? y
                        : op == Op::atomic_cas ? x == y ? rows[k][2] : x
                                               : ir::eval(ir::plain_op(op), s, std::array{x, y});
        bool zeros =
            ir::is_float(s) && ir::to_double(now) == 0 && ir::to_double(want) == 0; // min of -0 and +0 may be either
        ASSERT_TRUE(same(old, x)) << ir::info(op).name << " " << ir::to_string(s) << " gave " << ir::to_double(old);
        ASSERT_TRUE(same(now, want) || zeros) << ir::info(op).name << " " << ir::to_string(s) << " " << ir::to_double(x)
                                              << " " << ir::to_double(y) << " left " << ir::to_double(now);
    }
}

} // namespace

TEST(Ops, Atomics) {
    for (int k = 0; k < ir::op_count; ++k) {
        if (!ir::is_atomic(Op(k))) continue;
        for (Scalar s : all_types)
            if (ir::is_int(s) || !(ir::info(Op(k)).traits & ir::int_only))
                for (bool optimize : {false, true}) check_atomic(Op(k), s, optimize);
    }
}
