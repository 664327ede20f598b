// This file tests loops over unknown extents that differ from the compiler's assumption: short rows of points and colours,
// operands that are not contiguous.
#include "open_forms_checks.hpp"

TEST_CASE("open forms: distances of points of a few coordinates, and sums of what is apart") {
    constexpr auto nearest = [](auto a, auto b) {
        return tx::argmin(tx::sum(tx::square(tx::expand_dims<1>(a) - tx::expand_dims<0>(b)), axis<2>), axis<1>);
    };
    constexpr auto pulls = [](auto x, auto m) {
        auto const apart = tx::expand_dims<0>(x) - tx::expand_dims<1>(x);
        auto const weight = m * tx::sum(apart * apart, axis<2>);
        return tx::sum(tx::expand_dims<2>(weight) * apart, axis<1>);
    };
    for (std::int64_t const n : {1, 3, 40})
        for (std::int64_t const m : {1, 2, 17, 35})
            for (std::int64_t const d : {1, 2, 3, 4, 8, 9, 20}) {
                check(nearest, some<float>(1, n, d), some<float>(2, m, d));
                check(pulls, some<float>(1, n, d), some<float>(2, n));
            }
}
TEST_CASE("open forms: colours, whose masks lie apart") {
    constexpr auto blend = [](auto a, auto b, auto mask) {
        return tx::cast<std::uint8_t>(tx::cast<float>(a) * tx::expand_dims<2>(mask) +
                                      tx::cast<float>(b) * (7 - tx::expand_dims<2>(mask)));
    };
    constexpr auto sums = [](auto a, auto b, auto mask) {
        auto const both = tx::cast<float>(a) * tx::expand_dims<2>(mask) + tx::cast<float>(b);
        return std::tuple(tx::sum(both, axis<0, 2>), tx::sum(both, axis<1>), tx::sum(both, axis<0, 1>), tx::max(both, axis<0>));
    };
    for (std::int64_t const n : {1, 3, 20})
        for (std::int64_t const m : {1, 5, 40})
            for (std::int64_t const d : {1, 2, 3, 4, 31}) {
                auto const a = some<std::uint8_t>(1, n, m, d), b = some<std::uint8_t>(2, n, m, d);
                check(blend, a, b, some<float>(3, n, m)), check(sums, a, b, some<float>(3, n, m));
            }
}
TEST_CASE("open forms: slices, transposes and numbers along axes") {
    constexpr auto strided = [](auto x) {
        using tx::slice, tx::range;
        return std::tuple(
            slice(x, range<0, tx::open, 2>) * 3, slice(x, tx::ellipsis, range<tx::open, tx::open, -1>) + x,
            slice(x, tx::ellipsis, range<0, tx::open, 3>) + 1, slice(x, range<0, -1>) - slice(x, range<1, tx::open>),
            tx::sum(slice(x, tx::ellipsis, range<0, tx::open, 2>), axis<-1>), tx::sum(slice(x, range<0, tx::open, 2>), axis<0>));
    };
    constexpr auto turned = [](auto x) {
        auto const t = tx::transpose<0, 2, 1>(x);
        return std::tuple(
            t * 2, tx::sum(t, axis<2>), tx::sum(t, axis<1>), tx::sum(t - tx::max(t, axis<2>, tx::keepdims), axis<2>),
            t * tx::iota_like<float>(t, axis<2>) + tx::iota_like<float>(t, axis<0>),
            tx::sum(t * tx::iota_like<float>(t, axis<2>), axis<2>), tx::sum(t + tx::iota_like<float>(t, axis<1>), axis<0>));
    };
    for (std::int64_t const a : {1, 2, 19})
        for (std::int64_t const b : {1, 3, 18, 70})
            for (std::int64_t const c : {1, 2, 3, 8, 20})
                check(strided, some<float>(1, a, b, c)), check(turned, some<float>(1, a, b, c));
}
TEST_CASE("open forms: lookups") {
    constexpr auto rows_of = [](auto x, auto i, auto y) {
        return std::tuple(tx::take(x, i, axis<0>) * y, tx::sum(tx::take(x, i, axis<0>) * 2, axis<1>),
                          tx::sum(tx::take(x, i, axis<0>) + 1, axis<0>));
    };
    for (std::int64_t const n : {1, 9, 100})
        for (std::int64_t const m : {1, 2, 3, 8, 16, 33})
            for (std::int64_t const k : {1, 5, 40}) {
                auto i = some<std::int32_t>(3, k);
                for (std::int64_t at = 0; at < k; ++at) i.mutable_data()[at] = static_cast<std::int32_t>((at * 5) % (2 * n) - n);
                check(rows_of, some<float>(1, n, m), i, some<float>(2, k, 1));
                check(rows_of, some<float>(1, n, m), i, some<float>(2, k, m));
            }
}
