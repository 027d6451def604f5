// Emits exp, log, log2, sin, cos and tanh of f32 under fast_math inline, of vectors and where there are no functions to call: polynomials accurate to 2 ulp, with the right
// values at 0, infinity and NaN. Subnormal numbers count as zero. sin and cos of large numbers are those of libm. The
// coefficients are from Moshier's Cephes library.
#include "codegen/llvm/arithmetic.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <numbers>

namespace qd::codegen {

namespace {

namespace intrinsics = llvm::Intrinsic;

struct InlineMath {
    llvm::IRBuilder<> &b;
    llvm::Type *real, *word; ///< float or <n x float>; i32 or <n x i32>

    InlineMath(llvm::IRBuilder<> &builder, llvm::Value *x)
        : b(builder), real(x->getType()), word(real->getWithNewType(builder.getInt32Ty())) {}

    llvm::Constant *f(double v) { return llvm::ConstantFP::get(real, v); }
    llvm::Constant *i(uint32_t v) { return llvm::ConstantInt::get(word, v); }
    llvm::Value *fma(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
        return b.CreateIntrinsic(intrinsics::fma, {x->getType()}, {x, y, z});
    }
    llvm::Value *apply(llvm::Intrinsic::ID id, llvm::Value *x) { return b.CreateUnaryIntrinsic(id, x); }
    /// Coefficients have the highest power first.
    llvm::Value *polynomial(llvm::Value *x, std::initializer_list<double> coefficients) {
        llvm::Value *sum = nullptr;
        for (double c : coefficients) sum = sum ? fma(sum, x, f(c)) : f(c);
        return sum;
    }
    llvm::Value *is_nan(llvm::Value *x) { return b.CreateFCmpUNO(x, x); }
    llvm::Value *power_of_two(llvm::Value *exponent) {
        return b.CreateBitCast(b.CreateShl(b.CreateAdd(exponent, i(127)), 23), real);
    }
    /// Converts to an integer; the result is arbitrary if there is none.
    llvm::Value *to_word(llvm::Value *x) { return b.CreateFreeze(b.CreateFPToSI(x, word)); }

    llvm::Value *exp(llvm::Value *x) {
        llvm::Value *low = b.CreateBinaryIntrinsic(intrinsics::maxnum, x, f(-104));
        llvm::Value *bounded = b.CreateBinaryIntrinsic(intrinsics::minnum, low, f(89));
        llvm::Value *n = apply(intrinsics::rint, b.CreateFMul(bounded, f(1.44269504088896341)));
        llvm::Value *r = fma(n, f(-0.693359375), bounded);
        r = fma(n, f(2.12194440e-4), r);
        llvm::Value *p = polynomial(
            r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
        llvm::Value *sum = b.CreateFAdd(fma(p, b.CreateFMul(r, r), r), f(1));
        // 2^n in two factors: n exceeds the exponents of f32 on both sides.
        llvm::Value *exponent = to_word(n), *half = b.CreateAShr(exponent, 1);
        llvm::Value *scaled = b.CreateFMul(sum, power_of_two(half));
        llvm::Value *result = b.CreateFMul(scaled, power_of_two(b.CreateSub(exponent, half)));
        return b.CreateSelect(is_nan(x), x, result);
    }

    llvm::Value *log(llvm::Value *x) {
        const uint32_t root_half = 0x3f3504f3; // the mantissa is between sqrt(1/2) and sqrt(2)
        llvm::Value *bits = b.CreateBitCast(x, word);
        llvm::Value *exponent = b.CreateAShr(b.CreateSub(bits, i(root_half)), 23);
        llvm::Value *mantissa = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(exponent, 23)), real);
        llvm::Value *e = b.CreateSIToFP(exponent, real), *m = b.CreateFSub(mantissa, f(1)),
                    *square = b.CreateFMul(m, m);
        llvm::Value *p =
            polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                           -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
        llvm::Value *y = b.CreateFMul(b.CreateFMul(p, m), square);
        y = fma(e, f(-2.12194440e-4), y);
        y = fma(square, f(-0.5), y);
        llvm::Value *result = fma(e, f(0.693359375), b.CreateFAdd(m, y));
        result = b.CreateSelect(b.CreateFCmpOEQ(x, f(INFINITY)), x, result);
        llvm::Value *none = b.CreateSelect(b.CreateFCmpOLT(x, f(0)), f(NAN), f(-INFINITY));
        result = b.CreateSelect(b.CreateFCmpOLT(x, f(1.17549435e-38)), none, result);
        return b.CreateSelect(is_nan(x), x, result);
    }

    /// Beyond this, the steps of `sine` lose digits.
    static constexpr double large = 0x1p48;

    /// Returns sin(x + quarters * pi/2), |x| <= large. The argument is reduced in f64: adding 1.5 * 2^52 rounds to an integer
    /// in the low bits.
    llvm::Value *sine(llvm::Value *x, uint32_t quarters) {
        llvm::Type *wide = real->getWithNewType(b.getDoubleTy());
        auto d = [&](double v) { return llvm::ConstantFP::get(wide, v); };
        llvm::Value *long_x = b.CreateFPExt(x, wide);
        llvm::Constant *shift = d(0x1.8p52 + quarters);
        llvm::Value *shifted = fma(long_x, d(0.63661977236758134308), shift), *n = b.CreateFSub(shifted, shift);
        llvm::Value *r = fma(n, d(-1.5707963267948966192), long_x);
        r = b.CreateFPTrunc(fma(n, d(-6.1232339957367658e-17), r), real);
        llvm::Type *long_word = wide->getWithNewType(b.getInt64Ty());
        llvm::Value *quarter = b.CreateTrunc(b.CreateBitCast(shifted, long_word), word);
        llvm::Value *z = b.CreateFMul(r, r);
        llvm::Value *odd = polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
        odd = fma(b.CreateFMul(odd, z), r, r);
        llvm::Value *even = polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
        even = fma(b.CreateFMul(even, z), z, fma(z, f(-0.5), f(1)));
        llvm::Value *is_even = b.CreateICmpNE(b.CreateAnd(quarter, i(1)), i(0));
        llvm::Value *value = b.CreateSelect(is_even, even, odd);
        llvm::Value *sign = b.CreateShl(b.CreateAnd(quarter, i(2)), 30);
        return b.CreateBitCast(b.CreateXor(b.CreateBitCast(value, word), sign), real);
    }

    llvm::Value *tanh(llvm::Value *x) {
        llvm::Value *size = apply(intrinsics::fabs, x), *z = b.CreateFMul(x, x);
        llvm::Value *p = polynomial(
            z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
        llvm::Value *small = fma(b.CreateFMul(p, z), x, x);
        llvm::Value *grown = b.CreateFAdd(exp(b.CreateFAdd(size, size)), f(1));
        llvm::Value *large = b.CreateFSub(f(1), b.CreateFDiv(f(2), grown));
        large = b.CreateBinaryIntrinsic(intrinsics::copysign, large, x);
        return b.CreateSelect(b.CreateFCmpOLT(size, f(0.625)), small, large);
    }
};

} // namespace

llvm::Value *Arithmetic::inline_math(RealOp op, llvm::Value *x) {
    if (!fn_.fast_math || !x->getType()->getScalarType()->isFloatTy()) return nullptr;
    if (!x->getType()->isVectorTy() && target_.has_functions) return nullptr;
    llvm::IRBuilder<>::FastMathFlagGuard guard(b_);
    b_.clearFastMathFlags(); // the order of the steps makes them accurate
    InlineMath math(b_, x);
    if (op == RealOp::exp) return math.exp(x);
    if (op == RealOp::log) return math.log(x);
    if (op == RealOp::log2) return b_.CreateFMul(math.log(x), math.f(std::numbers::log2e));
    if (op == RealOp::sin || op == RealOp::cos) {
        llvm::Value *large = b_.CreateFCmpOGT(math.apply(intrinsics::fabs, x), math.f(InlineMath::large));
        const bool is_sine = op == RealOp::sin;
        return unless_rare(large, math.sine(x, is_sine ? 0 : 1), is_sine ? "qd_sin" : "qd_cos", {x});
    }
    return op == RealOp::tanh ? math.tanh(x) : nullptr;
}

} // namespace qd::codegen
