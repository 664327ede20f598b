// This file tests maxima and minima over ranks where elements are NaN, zeros of both signs, infinite, or the largest and least of
// their dtype; and sums and products at the ends of a dtype's range.
#include "collectives.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace collectives;

namespace {
tx::mpi::communicator world() { return tx::mpi::world(); }

// The reduction of one element a rank: `special` on one of them, `other` on the rest. More elements than a vector has.
template <class T> elements<T> reduced(rank_reduction by, std::int64_t special_rank, T special, T other) {
    elements<T> operand(37);
    for (std::int64_t k = 0; k < operand.size(); ++k) operand[k] = world().rank() == special_rank ? special : other;
    collective_form form;
    form.what = collective_kind::all_reduce, form.by = by;
    return run(world(), form, operand, operand.size());
}
template <class T> bool all_are(elements<T> const& all, T expected) {
    bool fits = true;
    for (std::int64_t k = 0; k < all.size(); ++k) fits = fits && same_bits(all[k], expected);
    return fits;
}
template <class T> bool all_are_nan(elements<T> const& all) {
    bool fits = true;
    for (std::int64_t k = 0; k < all.size(); ++k) fits = fits && std::isnan(static_cast<float>(all[k]));
    return fits;
}
} // namespace

TEST_CASE_TEMPLATE("mpi: a NaN on any rank is the maximum and the minimum", T, tx::half, tx::bfloat16, float, double) {
    using limits = std::numeric_limits<T>;
    for (std::int64_t rank = 0; rank < world().size(); ++rank)
        for (rank_reduction const by : {rank_reduction::max, rank_reduction::min, rank_reduction::sum, rank_reduction::product})
            for (T const other : {T(1), limits::infinity(), -limits::infinity(), T(0), limits::quiet_NaN()})
                for (T const nan : {limits::quiet_NaN(), -limits::quiet_NaN()})
                    CHECK(all_are_nan(reduced<T>(by, rank, nan, other)));
}

TEST_CASE_TEMPLATE("mpi: +0 is more than -0 on any rank", T, tx::half, tx::bfloat16, float, double) {
    T const plus(0), minus = -plus;
    bool const alone = world().size() == 1;
    for (std::int64_t rank = 0; rank < world().size(); ++rank) {
        CHECK(all_are(reduced<T>(rank_reduction::max, rank, plus, minus), plus));
        CHECK(all_are(reduced<T>(rank_reduction::max, rank, minus, plus), alone ? minus : plus));
        CHECK(all_are(reduced<T>(rank_reduction::min, rank, minus, plus), minus));
        CHECK(all_are(reduced<T>(rank_reduction::min, rank, plus, minus), alone ? plus : minus));
    }
}

TEST_CASE_TEMPLATE("mpi: the ends of a dtype", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, tx::half, tx::bfloat16, float, double) {
    using limits = std::numeric_limits<T>;
    bool const alone = world().size() == 1;
    T const one(1);
    for (std::int64_t rank = 0; rank < world().size(); ++rank) {
        CHECK(all_are(reduced<T>(rank_reduction::max, rank, limits::max(), one), limits::max()));
        CHECK(all_are(reduced<T>(rank_reduction::max, rank, limits::lowest(), one), alone ? limits::lowest() : one));
        CHECK(all_are(reduced<T>(rank_reduction::min, rank, limits::lowest(), one), limits::lowest()));
        CHECK(all_are(reduced<T>(rank_reduction::min, rank, limits::max(), one), alone ? limits::max() : one));
        if constexpr (limits::has_infinity) {
            CHECK(all_are(reduced<T>(rank_reduction::sum, rank, limits::infinity(), one), limits::infinity()));
            CHECK(all_are(reduced<T>(rank_reduction::min, rank, -limits::infinity(), limits::lowest()), -limits::infinity()));
            CHECK(all_are(reduced<T>(rank_reduction::max, rank, limits::infinity(), limits::max()), limits::infinity()));
            if (!alone) CHECK(all_are_nan(reduced<T>(rank_reduction::sum, rank, limits::infinity(), -limits::infinity())));
            if (!alone) CHECK(all_are(reduced<T>(rank_reduction::sum, rank, limits::max(), limits::max()), limits::infinity()));
        }
    }
}

// The conversions are those of base/half.hpp, for all numbers of 16 bits and those between them.
TEST_CASE_TEMPLATE("mpi: halves become floats and back", T, tx::half, tx::bfloat16) {
    for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
        auto const word = static_cast<std::uint16_t>(bits);
        float const number = T::from_bits(word).value(), next = T::from_bits(static_cast<std::uint16_t>(word + 1)).value();
        bool fits = same_bits(tx::mpi::detail::decoded<T>(word), number);
        for (float const x : {number, (number + next) / 2, std::nextafter((number + next) / 2, number),
                              std::nextafter((number + next) / 2, next), number * 1.5f})
            fits = fits && (tx::mpi::detail::encoded<T>(x) == T(x).bits || std::isnan(x));
        if (!fits) {
            CAPTURE(bits);
            CHECK(fits);
        }
    }
}

TEST_CASE("mpi: the greatest of dual numbers has its own tangent") {
    using number = tx::dual<double>;
    number const greater{2, 5}, less{1, 7};
    for (std::int64_t rank = 0; rank < world().size(); ++rank) {
        CHECK(all_are(reduced<number>(rank_reduction::max, rank, greater, less), greater));
        if (world().size() > 1) CHECK(all_are(reduced<number>(rank_reduction::min, rank, greater, less), less));
        double const nan = std::numeric_limits<double>::quiet_NaN();
        CHECK(std::isnan(reduced<number>(rank_reduction::max, rank, number(nan), less)[0].value));
        CHECK(std::isnan(reduced<number>(rank_reduction::min, rank, number(nan), less)[0].value));
    }
}

TEST_CASE("mpi: all ranks have the same bits of what is rounded") {
    collective_form form;
    form.what = collective_kind::all_reduce, form.by = rank_reduction::product;
    elements<std::complex<double>> operand(37);
    for (std::int64_t k = 0; k < operand.size(); ++k)
        operand[k] = {1 + 0.1 * static_cast<double>(k + world().rank()), 0.3 * static_cast<double>(world().rank() + 1)};
    auto const product = run(world(), form, operand, operand.size());
    form.what = collective_kind::broadcast;
    CHECK(same_bits(run(world(), form, product, product.size()), product));
}
