// This file tests matrices that cuSOLVER is given, or not given, because of their values; as in calls_cusolver.cpp.
#define TRACEXPR_USE_CUBLAS 1
#define TRACEXPR_USE_CUSOLVER 1
#define TRACEXPR_LIBRARIES_ON_HOST
#include <tracexpr/blas/lapack.hpp>
#include <tracexpr/thrust/calls.hpp>

#include <thrust/lapack_cusolver/checks.hpp>

using namespace tx;
using namespace tx::testing;

namespace {

template <class T> bool all_nan(std::vector<T> const& of, std::size_t first, std::size_t count) {
    return std::all_of(of.begin() + static_cast<std::ptrdiff_t>(first), of.begin() + static_cast<std::ptrdiff_t>(first + count),
                       [](T x) { return std::isnan(x); });
}
template <class T> bool none_nan(std::vector<T> const& of) {
    return std::none_of(of.begin(), of.end(), [](T x) { return std::isnan(x); });
}
// The largest difference of q^T q from the unit matrix, q (rows, columns), and of q r from a.
template <class T> double off_orthonormal(std::int64_t rows, std::int64_t columns, std::vector<T> const& q) {
    double worst = 0;
    for (std::int64_t i = 0; i < columns; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = i == j ? -1 : 0;
            for (std::int64_t k = 0; k < rows; ++k)
                sum += static_cast<double>(q[static_cast<std::size_t>(k * columns + i)]) * static_cast<double>(q[static_cast<std::size_t>(k * columns + j)]);
            worst = std::max(worst, std::abs(sum));
        }
    return worst;
}
template <class T> double off_product(std::int64_t m, std::int64_t k, std::int64_t n, std::vector<T> const& q, std::vector<T> const& r, held_operand a) {
    double worst = 0;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = -static_cast<double>(number_at<T>(a, i * n + j));
            for (std::int64_t l = 0; l < k; ++l)
                sum += static_cast<double>(q[static_cast<std::size_t>(i * k + l)]) * static_cast<double>(r[static_cast<std::size_t>(l * n + j)]);
            worst = std::max(worst, std::abs(sum));
        }
    return worst;
}
template <class T> std::vector<T> transposed(std::size_t rows, std::vector<T> const& from) {
    std::vector<T> out(from.size());
    std::size_t const columns = from.size() / rows;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) out[j * rows + i] = from[i * columns + j];
    return out;
}

// A matrix whose elements are not finite is NaN, the others are as they are alone.
template <op Code, class T> void check_not_finite(dims const& shape, T wrong) {
    held_operand a = matrices<T>(shape, 3, Code == op::eigh ? spread_kind::symmetric : spread_kind::rectangular);
    auto const whole = device_result<Code, T>(a);
    std::int64_t const each = shape[1] * shape[2];
    number_at<T>(a, each + 17) = wrong;
    auto const got = device_result<Code, T>(a);
    CHECK(got.is_done);
    for (std::size_t k = 0; k < got.count; ++k) {
        std::size_t const size = got.part[k].size() / 3;
        CHECK(all_nan(got.part[k], size, size));
        CHECK(std::equal(got.part[k].begin(), got.part[k].begin() + static_cast<std::ptrdiff_t>(size), whole.part[k].begin()));
        CHECK(std::equal(got.part[k].end() - static_cast<std::ptrdiff_t>(size), got.part[k].end(), whole.part[k].end() - static_cast<std::ptrdiff_t>(size)));
    }
}
// Of matrices that differ by a power of two vectors are the same, to the bit; so are numbers, times that.
template <op Code, class T> void check_sizes(dims const& shape, std::vector<int> const& powers) {
    std::int64_t const each = shape[1] * shape[2];
    held_operand a = matrices<T>({{1, shape[1], shape[2]}, 3}, 3, Code == op::eigh ? spread_kind::symmetric : spread_kind::rectangular);
    auto const one = device_result<Code, T>(a);
    held_operand const all = made_operand<T>(shape, [&](std::int64_t i) {
        return std::ldexp(number_at<T>(a, i % each), powers[static_cast<std::size_t>(i / each)]);
    });
    auto const got = device_result<Code, T>(all);
    CHECK(got.is_done);
    for (std::size_t k = 0; k < got.count; ++k)
        for (std::size_t matrix = 0, size = one.part[k].size(); matrix < powers.size(); ++matrix)
            for (std::size_t i = 0; i < size; ++i)
                REQUIRE(got.part[k][matrix * size + i] == (k == 1 ? std::ldexp(one.part[k][i], powers[matrix]) : one.part[k][i]));
}

template <class T> void check_all_edges() {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    for (T const wrong : {nan, infinity, -infinity}) {
        check_not_finite<op::svd, T>({{3, 64, 70}, 3}, wrong);
        check_not_finite<op::svd, T>({{3, 70, 64}, 3}, wrong);
        check_not_finite<op::eigh, T>({{3, 66, 66}, 3}, wrong);
    }
    int const far = sizeof(T) == 4 ? 120 : 1000, near = -far / 2;
    check_sizes<op::svd, T>({{3, 80, 60}, 3}, {0, far, near});
    check_sizes<op::svd, T>({{3, 60, 80}, 3}, {0, far, near});
    check_sizes<op::eigh, T>({{3, 64, 64}, 3}, {0, far, near});
    check_sizes<op::qr, T>({{3, 64, 64}, 3}, {0, far, near});

    for (auto [m, n] : {std::pair<std::int64_t, std::int64_t>{70, 70}, {90, 60}, {60, 90}}) { // of half the rank, and zeros
        held_operand const half = matrices<T>({{m, n}, 2}, 8, spread_kind::half_rank), zeros = made_operand<T>({{m, n}, 2}, [](std::int64_t) { return 0; });
        std::int64_t const k = std::min(m, n);
        for (held_operand const* a : {&half, &zeros}) {
            auto const qr = device_result<op::qr, T>(*a);
            CHECK(qr.is_done);
            CHECK(off_orthonormal(m, k, qr.part[0]) < tolerance<T>);
            CHECK(off_product(m, k, n, qr.part[0], qr.part[1], *a) < tolerance<T>);
            auto svd = device_result<op::svd, T>(*a);
            CHECK(svd.is_done);
            CHECK(off_orthonormal(m, k, svd.part[0]) < tolerance<T>);
            CHECK(off_orthonormal(n, k, transposed(static_cast<std::size_t>(k), svd.part[2])) < tolerance<T>);
            for (std::size_t i = 0; i < svd.part[0].size(); ++i) svd.part[0][i] *= svd.part[1][i % static_cast<std::size_t>(k)];
            CHECK(off_product(m, k, n, svd.part[0], svd.part[2], *a) < tolerance<T>);
            for (std::int64_t i = (k + 1) / 2; i < k; ++i) CHECK(svd.part[1][static_cast<std::size_t>(i)] < tolerance<T>);
        }
    }
    held_operand a = as_operand<T>({{3, 70, 64}, 3}, random_matrices({{3, 70, 64}, 3}, 9)); // q and r of a NaN have one, those of the others have none
    number_at<T>(a, 70 * 64 + 3) = nan;
    auto const qr = device_result<op::qr, T>(a);
    CHECK(qr.is_done);
    for (auto const& part : qr.part) {
        auto const third = static_cast<std::ptrdiff_t>(part.size() / 3);
        CHECK(none_nan(std::vector<T>(part.begin(), part.begin() + third)));
        CHECK(!none_nan(std::vector<T>(part.begin() + third, part.end() - third)));
        CHECK(none_nan(std::vector<T>(part.end() - third, part.end())));
    }
}

} // namespace

TEST_CASE("cuSOLVER: NaN and infinity, sizes near the ends of what a type has, and matrices of less than their rank") {
    check_all_edges<float>(), check_all_edges<double>();
}
TEST_CASE("cuSOLVER: what it has no answer for is left to the host, which says what is wrong") {
    for (std::int64_t const n : {64, 70}) {
        dims const extents = n == 64 ? dims{{3, n, n}, 3} : dims{{1, n, n}, 3};
        held_operand a = matrices<double>(extents, 3, spread_kind::symmetric);
        std::int64_t const last = (extents[0] - 1) * n * n;
        number_at<double>(a, last + 5 * n + 5) = -1;
        check_refused<op::cholesky>(a);
        compared_call<op::lu, double> room({a}, extents, {});
        CHECK(error_of([&] { calls::run_on_copies<op::cholesky, double, std::int64_t>(queue(), std::vector{a.view()}, room.got_at, extents, {}, nullptr); }) ==
              "tx: cholesky: a must be positive definite; matrix " + std::to_string(extents[0] - 1) + " of " + to_string(extents) + " is not");
        for (std::int64_t i = 0; i < n; ++i) number_at<double>(a, last + i * n + 9) = 0; // singular
        check_refused<op::lu>(a);
        held_operand const b = matrices<double>(extents, 3, spread_kind::symmetric);
        stand_in::fails = 0;
        check_refused<op::cholesky>(b), check_refused<op::lu>(b), check_refused<op::eigh>(b), check_refused<op::svd>(b);
        stand_in::fails = -1;
    }
}
TEST_CASE("cuSOLVER: rows that can not have been swapped, as of a NaN, are no places") {
    std::vector<std::int64_t> const swaps{2, 2, 3, 3, 1, 0, 3, 2, 4};
    std::vector<std::int64_t> places(9);
    std::vector<float> signs(9);
    std::vector<int> failed(3);
    calls::for_each_index(queue(), 3, calls::follow_swaps<float, std::int64_t>{3, swaps.data(), places.data(), signs.data(), failed.data()});
    CHECK(failed == std::vector{0, 1, 1});
    CHECK(std::vector<std::int64_t>(places.begin(), places.begin() + 3) == std::vector<std::int64_t>{1, 0, 2});
    CHECK(std::vector<float>(signs.begin(), signs.begin() + 3) == std::vector<float>{-1, 1, 1});
}
