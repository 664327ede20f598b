// This file compares products of matrices by the CPU's kernels with those by the device's.
#pragma once

#include <thrust/calls_helper.hpp>

namespace tx::testing {

// Checks a kernel, multiply(shape, a, b, out).
template <class T, class F>
void check_kernel(held_operand const& a, held_operand const& b, dims const& extents, double tolerance, F multiply) {
    auto const left = a.view(), right = b.view();
    std::vector<std::byte> wanted(static_cast<std::size_t>(extents.size()) * sizeof(T)), got = wanted;
    std::byte* to = wanted.data();
    simd::run_call<op::matmul, T, std::int64_t, xsimd::default_arch>(std::vector{left, right}, &to, extents, {});
    multiply(calls::product_of(left, right, extents), simd::detail::elements<T>(left), simd::detail::elements<T>(right),
             reinterpret_cast<T*>(got.data()));
    CHECK(agree<T>(got, wanted, tolerance));
}
template <int Rows, int Columns, class T>
void check_tiles(held_operand const& a, held_operand const& b, dims const& extents, double tolerance) {
    check_kernel<T>(a, b, extents, tolerance, [&](calls::product_shape const& shape, T const* left, T const* right, T* out) {
        calls::multiply_tile<Rows, Columns, T> const tile{shape, left, right, out};
        if (extents.size() > 0) calls::for_each_index(queue(), tile.tiles(), tile);
    });
}
template <class T> void check_pieces(held_operand const& a, held_operand const& b, dims const& extents, double tolerance) {
    check_kernel<T>(a, b, extents, tolerance, [&](calls::product_shape const& shape, T const* left, T const* right, T* out) {
        if (shape.k > 0) calls::multiply_by_pieces(queue(), shape, left, right, out, 4);
        else calls::multiply_by_tiles(queue(), shape, left, right, out);
    });
}
template <class T> void check_product(held_operand const& a, held_operand const& b, dims const& extents, double tolerance) {
    CAPTURE(to_string(a.extents));
    CAPTURE(to_string(b.extents));
    check_call<op::matmul, T>({a, b}, extents, {}, tolerance);
    check_tiles<1, 1, T>(a, b, extents, tolerance);
    check_tiles<4, 4, T>(a, b, extents, tolerance);
    check_pieces<T>(a, b, extents, tolerance);
}
template <class T> void check_products(double tolerance = 0) {
    auto const some = [](dims const& d, unsigned seed) { return some_operand<T>(d, seed, 2); };
    for (std::int64_t m : {0, 1, 5, 70})
        for (std::int64_t n : {0, 1, 6})
            for (std::int64_t k : {0, 1, 9}) {
                check_product<T>(some({{m, k}, 2}, 1), some({{k, n}, 2}, 2), {{m, n}, 2}, tolerance);
                check_product<T>(permuted(some({{k, m}, 2}, 1), {1, 0}), permuted(some({{n, k}, 2}, 2), {1, 0}), {{m, n}, 2},
                                 tolerance);
            }
    check_kernel<T>(some({{2, 3000}, 2}, 1), some({{3000, 3}, 2}, 2), {{2, 3}, 2}, tolerance * 100,
                    [](calls::product_shape const& shape, T const* left, T const* right, T* out) {
                        calls::multiply_by_tiles(queue(), shape, left, right, out);
                    });
    held_operand const three = some({{3, 4, 5}, 3}, 3);
    check_product<T>(three, some({{5, 6}, 2}, 4), {{3, 4, 6}, 3}, tolerance);
    check_product<T>(three, some({{3, 5, 6}, 3}, 4), {{3, 4, 6}, 3}, tolerance);
    check_product<T>(some({{4, 5}, 2}, 4), some({{3, 5, 6}, 3}, 4), {{3, 4, 6}, 3}, tolerance);
    check_product<T>(some({{2, 1, 4, 5}, 4}, 4), some({{3, 5, 6}, 3}, 4), {{2, 3, 4, 6}, 4}, tolerance);
    check_product<T>(some({{2, 1, 4, 5}, 4}, 4), some({{1, 3, 5, 6}, 4}, 4), {{2, 3, 4, 6}, 4}, tolerance);
    check_product<T>(permuted(some({{4, 3, 5}, 3}, 4), {1, 0, 2}), permuted(some({{6, 5, 3}, 3}, 4), {2, 1, 0}), {{3, 4, 6}, 3},
                     tolerance);
    check_product<T>(reversed(three, 1, sizeof(T)), reversed(some({{3, 5, 6}, 3}, 4), 2, sizeof(T)), {{3, 4, 6}, 3}, tolerance);
    check_product<T>(spread<T>({{3, 4, 5}, 3}, T(1)), some({{5, 6}, 2}, 4), {{3, 4, 6}, 3}, tolerance);
    check_product<T>(some({{0, 4, 5}, 3}, 4), some({{5, 6}, 2}, 4), {{0, 4, 6}, 3}, tolerance);
}

} // namespace tx::testing
