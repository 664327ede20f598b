// This file tests matrices of unknown extents: short rows, extents of 1, broadcasting.
#include "open_forms_checks.hpp"

namespace {

constexpr std::int64_t rows[]{1, 2, 5, 17, 40, 600}, columns[]{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33};

constexpr auto affine = [](auto x, auto y) { return std::tuple(x * 2 + y, y - x); };
constexpr auto along = [](auto x, auto y) {
    return std::tuple(tx::sum(x * y, axis<1>), tx::max(x, axis<1>, tx::keepdims), tx::min(x, axis<1>),
                      tx::argmin(x * 2, axis<1>));
};
constexpr auto down = [](auto x, auto y) { return std::tuple(tx::sum(x * y, axis<0>), tx::max(x, axis<0>), tx::sum(x)); };
constexpr auto centred = [](auto x, auto y) {
    auto const apart = x - tx::max(x, axis<1>, tx::keepdims);
    return std::tuple(apart * tx::sum(apart, axis<1>, tx::keepdims) + y, tx::sum(apart, axis<1>));
};
template <class T> void check_matrices() {
    for (std::int64_t const n : rows)
        for (std::int64_t const m : columns) {
            auto const x = some<T>(1, n, m);
            auto const check_with = [&](auto const& y) {
                check(affine, x, y), check(along, x, y), check(down, x, y), check(centred, x, y);
            };
            check_with(some<T>(2, n, m));
            check_with(some<T>(3, n, 1));
            check_with(some<T>(4, 1, m));
            check_with(some<T>(5, m));
        }
}

} // namespace

TEST_CASE("open forms: matrices of any extents, with what is broadcast along one of them") {
    check_matrices<float>();
    check_matrices<std::int8_t>();
}
TEST_CASE("open forms: doubles") { check_matrices<double>(); }
