#include <tracexpr/base/element.hpp>
#include <tracexpr/base/half.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

namespace {

// What a 16-bit float with `mantissa_bits` of fraction and that exponent bias stands for: (-1)^s m 2^e, by the definition.
float decoded(std::uint16_t bits, int mantissa_bits, int bias) {
    int const exponent_mask = (1 << (15 - mantissa_bits)) - 1;
    int const exponent = (bits >> mantissa_bits) & exponent_mask;
    int const mantissa = bits & ((1 << mantissa_bits) - 1);
    float const sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == exponent_mask)
        return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits);
    return sign * std::ldexp(static_cast<float>(mantissa + (1 << mantissa_bits)), exponent - bias - mantissa_bits);
}

// The nearest of the two neighbours in the type, ties to the even one, found by search over the non-negative numbers.
template <class Small> std::uint16_t nearest_bits(float value, std::uint16_t infinity_bits) {
    std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
    double const magnitude = std::fabs(static_cast<double>(value));
    std::uint16_t low = 0;
    std::uint16_t high = infinity_bits;
    // Infinity stands where the next number would: the largest number plus one more step.
    auto const at = [infinity_bits](std::uint16_t bits) {
        if (bits < infinity_bits) return static_cast<double>(Small::from_bits(bits).value());
        double const last = Small::from_bits(static_cast<std::uint16_t>(infinity_bits - 1)).value();
        double const before = Small::from_bits(static_cast<std::uint16_t>(infinity_bits - 2)).value();
        return last + (last - before);
    };
    if (magnitude >= at(high)) return static_cast<std::uint16_t>(sign | high);
    while (high - low > 1) {
        auto const middle = static_cast<std::uint16_t>((low + high) / 2);
        (at(middle) <= magnitude ? low : high) = middle;
    }
    double const below = magnitude - at(low);
    double const above = at(high) - magnitude;
    bool const up = above < below || (above == below && (low & 1));
    return static_cast<std::uint16_t>(sign | (up ? high : low));
}

template <class Small> struct layout;
template <> struct layout<tx::half> {
    static constexpr int mantissa_bits = 10, bias = 15;
    static constexpr std::uint16_t infinity = 0x7c00;
};
template <> struct layout<tx::bfloat16> {
    static constexpr int mantissa_bits = 7, bias = 127;
    static constexpr std::uint16_t infinity = 0x7f80;
};

bool same(float a, float b) { return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)); }

} // namespace

TEST_CASE_TEMPLATE("half: every bit pattern decodes by the definition and encodes back", Small, tx::half, tx::bfloat16) {
    int wrong = 0;
    for (int i = 0; i < 0x10000; ++i) {
        auto const bits = static_cast<std::uint16_t>(i);
        float const value = Small::from_bits(bits).value();
        wrong += !same(value, decoded(bits, layout<Small>::mantissa_bits, layout<Small>::bias));
        if (std::isnan(value)) wrong += !std::isnan(Small{value}.value());
        else wrong += Small{value}.bits != bits;
    }
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("half: the middle between neighbours goes to the even one, anything beside it to the nearer", Small, tx::half,
                   tx::bfloat16) {
    int wrong = 0;
    for (int i = 0; i + 1 < layout<Small>::infinity; ++i) {
        auto const bits = static_cast<std::uint16_t>(i);
        float const low = Small::from_bits(bits).value();
        float const high = Small::from_bits(static_cast<std::uint16_t>(i + 1)).value();
        float const middle = low + (high - low) / 2;
        for (float const sign : {1.0f, -1.0f})
            for (float const value : {middle, std::nextafter(middle, low), std::nextafter(middle, high)})
                wrong += Small{sign * value}.bits != nearest_bits<Small>(sign * value, layout<Small>::infinity);
        double const below = std::nextafter(double{middle}, double{low}), above = std::nextafter(double{middle}, double{high}); // the middle as floats
        wrong += Small{below}.bits != bits || Small{-below}.bits != (bits | 0x8000) || Small{above}.bits != bits + 1 || Small{-above}.bits != ((bits + 1) | 0x8000);
    }
    CHECK(wrong == 0);
}

TEST_CASE("half: integers that no float holds are rounded once") {
    static_assert(tx::bfloat16{(1 << 25) + (1 << 17) + 1}.value() == 0x1.02p25f && tx::bfloat16{(1 << 25) + (1 << 17)}.value() == 0x1p25f);
    static_assert(tx::bfloat16{-(1 << 25) - (1 << 17) - 1}.value() == -0x1.02p25f);
    constexpr std::int64_t middle = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
    static_assert(tx::bfloat16{middle}.value() == 0x1p62f && tx::bfloat16{middle + 1}.value() == 0x1.02p62f && tx::bfloat16{middle - 1}.value() == 0x1p62f);
    static_assert(tx::bfloat16{-middle - 1}.value() == -0x1.02p62f && tx::bfloat16{-middle + 1}.value() == -0x1p62f);
    static_assert(tx::bfloat16{std::uint64_t{1} << 63 | 1u}.value() == 0x1p63f && tx::bfloat16{~std::uint64_t{0}}.value() == 0x1p64f);
    CHECK(tx::half{65519}.value() == 65504.0f);
}

TEST_CASE_TEMPLATE("half: random floats round to nearest", Small, tx::half, tx::bfloat16) {
    std::mt19937 random{20};
    int wrong = 0;
    for (int i = 0; i < 200'000; ++i) {
        float const value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnan(value)) wrong += !std::isnan(Small{value}.value());
        else wrong += Small{value}.bits != nearest_bits<Small>(value, layout<Small>::infinity);
    }
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("half: overflow, infinities, signed zero", Small, tx::half, tx::bfloat16) {
    using limits = std::numeric_limits<Small>;
    CHECK(Small{std::numeric_limits<float>::infinity()}.bits == limits::infinity().bits);
    CHECK(Small{-std::numeric_limits<float>::infinity()}.bits == (limits::infinity().bits | 0x8000));
    CHECK(Small{std::numeric_limits<float>::max()}.bits == limits::infinity().bits);
    CHECK(Small{-0.0f}.bits == 0x8000);
    CHECK(Small{0.0f} == Small{-0.0f});
    CHECK(std::isnan(limits::quiet_NaN().value()));
    CHECK(limits::quiet_NaN() != limits::quiet_NaN());
    CHECK(Small{1} + limits::epsilon() != Small{1});
    CHECK(Small{1.0f + limits::epsilon().value() / 2} == Small{1});
    CHECK(limits::min().value() == std::ldexp(1.0f, limits::min_exponent - 1));
    CHECK(limits::max().value() == std::ldexp(2.0f - limits::epsilon().value(), limits::max_exponent - 1));
    CHECK(limits::lowest() == -limits::max());
    CHECK(limits::denorm_min().value() > 0.0f);
}

TEST_CASE("half: arithmetic and conversions in a constant") {
    static_assert(tx::half{1.5f} * tx::half{2} == tx::half{3});
    static_assert(tx::half{65504.0f}.bits == 0x7bff && tx::half{65520.0f}.bits == 0x7c00);
    static_assert(tx::half{0x1p-24f}.bits == 1 && tx::half{0x1p-25f}.bits == 0);
    static_assert(tx::bfloat16{3.140625f}.bits == 0x4049);
    static_assert(static_cast<int>(tx::half{7.75f}) == 7);
    static_assert(tx::half{1} < tx::half{2} && -tx::half{1} < tx::half{1});
    CHECK(tx::half{1.5f} / tx::half{2} == tx::half{0.75f});
}

TEST_CASE_TEMPLATE("half: prints as a float", Small, tx::half, tx::bfloat16) {
    std::ostringstream out;
    out << Small{1.5f} << ' ' << -Small{2};
    CHECK(out.str() == "1.5 -2");
}
