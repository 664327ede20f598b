// This file tests the calls of cuSOLVER and cuBLAS that a GPU makes, on a host: lapack_cusolver/ has headers of their names,
// whose functions call LAPACK.
#define TRACEXPR_USE_CUBLAS 1
#define TRACEXPR_USE_CUSOLVER 1
#define TRACEXPR_LIBRARIES_ON_HOST
#include <tracexpr/blas/lapack.hpp>
#include <tracexpr/thrust/calls.hpp>

#include <thrust/lapack_cusolver/checks.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

template <op Code, class T> void check(held_operand const& a) { check_on_device<Code, T>({a}, decomposed_part(Code, a.extents, 0), {}, tolerance<T>); }
template <class T> void check_squares(dims const& extents) {
    held_operand const a = matrices<T>(extents, 3, spread_kind::symmetric);
    check<op::cholesky, T>(a);
    check<op::eigh, T>(a);
    check<op::lu, T>(as_operand<T>(extents, random_matrices(extents, 4)));
}
template <class T> void check_rectangles(dims const& extents) {
    check<op::qr, T>(matrices<T>(extents, 5));
    check<op::qr, T>(as_operand<T>(extents, random_matrices(extents, 6)));
    check<op::svd, T>(matrices<T>(extents, 7));
}

} // namespace

TEST_CASE("cuSOLVER: one matrix after the other, as on the CPU") {
    stand_in::calls.clear();
    for (dims const& extents : {dims{{70, 70}, 2}, dims{{64, 64}, 2}}) check_squares<float>(extents), check_squares<double>(extents);
    for (char const* name : {"Xpotrf", "Xgetrf", "Xsyevd"}) CHECK(calls_of(name) == 4);
    for (dims const& extents : {dims{{66, 66}, 2}, dims{{90, 60}, 2}, dims{{60, 90}, 2}, dims{{5000, 1}, 2}, dims{{1, 5000}, 2},
                                dims{{2, 2, 60, 70}, 4}, dims{{2, 1, 70, 60}, 4}, dims{{700, 7}, 2}, dims{{7, 700}, 2}})
        check_rectangles<float>(extents), check_rectangles<double>(extents);
    CHECK(calls_of("Xgeqrf") == 4 * 13);
    CHECK(calls_of("orgqr") == 4 * 13);
    CHECK(calls_of("Xgesvd") == 2 * 13);
    for (auto const& [name, times] : stand_in::calls) CHECK(times == 0);
}
TEST_CASE("cuSOLVER: many matrices at once, as on the CPU") {
    stand_in::calls.clear();
    for (dims const& extents : {dims{{3, 64, 64}, 3}, dims{{2, 65, 20, 20}, 4}}) check_squares<float>(extents), check_squares<double>(extents);
    for (char const* name : {"potrfBatched", "getrfBatched", "XsyevBatched"}) CHECK(calls_of(name) == 4);
    held_operand const more = matrices<double>({{17000, 17, 17}, 3}, 3, spread_kind::symmetric); // than are taken at once
    check<op::cholesky, double>(more), check<op::lu, double>(more);
    check<op::eigh, double>(matrices<double>({{17000, 3, 3}, 3}, 3, spread_kind::symmetric));
    for (char const* name : {"potrfBatched", "getrfBatched", "XsyevBatched"}) CHECK(calls_of(name) == 2);
    for (auto const& [name, times] : stand_in::calls) CHECK(times == 0);
    CHECK(calls::are_taken_at_once(512, 4));
    CHECK_FALSE(calls::are_taken_at_once(513, 400)); // large
    CHECK_FALSE(calls::are_taken_at_once(400, 3));   // few
    CHECK_FALSE(calls::are_taken_at_once(64, 1));
    CHECK(calls::most_at_once(512) == 8191);
}
TEST_CASE("cuSOLVER: no elements, and too few") {
    stand_in::calls.clear();
    for (dims const& extents : {dims{{0, 70, 70}, 3}, dims{{2, 0, 0}, 3}}) check_squares<double>(extents);
    for (dims const& extents : {dims{{0, 70, 60}, 3}, dims{{2, 0, 70}, 3}, dims{{70, 0}, 2}}) check_rectangles<double>(extents);
    check_refused<op::cholesky>(matrices<double>({{3, 20, 20}, 3}, 3, spread_kind::symmetric));
    check_refused<op::eigh>(matrices<double>({{3, 20, 20}, 3}, 3, spread_kind::symmetric));
    check_refused<op::qr>(matrices<double>({{500, 60, 60}, 3}, 3));
    check_refused<op::svd>(matrices<double>({{30, 100}, 2}, 3));
    CHECK(stand_in::calls.empty());
}
