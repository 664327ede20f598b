// This file tests decompositions in placed functions, of the sizes for which a GPU has different means: threads, libraries that
// take one matrix or many, the host. On a GPU this tests those libraries; on Thrust's host systems it tests the way to the CPU's
// kernels.
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <spread_matrices.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

using namespace tx;
using namespace tx::testing;

namespace {

template <class T> using batch = tensor<T, shape<dyn, dyn, dyn>>;
constexpr thrust_device there{};

template <class T> batch<T> made(dims const& extents, std::vector<double> const& elements) {
    auto out = batch<T>::uninitialized(extents);
    std::transform(elements.begin(), elements.end(), out.mutable_data(), [](double x) { return static_cast<T>(x); });
    return out;
}
template <class T> batch<T> spread(dims const& extents, spread_kind kind = spread_kind::rectangular) {
    return made<T>(extents, spread_matrices(extents, 3, kind));
}

constexpr auto of_symmetric = [](auto const& a, auto const& b) {
    auto const [values, vectors] = linalg::eigh(a);
    return std::tuple(linalg::cholesky(a), values, vectors, linalg::solve(a, b));
};
constexpr auto of_any = [](auto const& a) {
    auto const [q, r] = linalg::qr(a);
    auto const [u, s, vh] = linalg::svd(a);
    return std::tuple(q, r, u, s, vh);
};

// The largest difference; infinite where only one is NaN.
template <tensor_type A> double distance(A const& a, A const& b) {
    double worst = a.dimensions() == b.dimensions() ? 0 : std::numeric_limits<double>::infinity();
    auto have = b.begin();
    for (auto const x : a) {
        double const difference = std::abs(static_cast<double>(x) - static_cast<double>(*have++));
        if (difference <= worst || (std::isnan(x) && std::isnan(have[-1]))) continue;
        worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
    return worst;
}
// Of each result, on the device and on the CPU.
template <class T, class F, class... A> void check(F const& f, batch<T> const& a, A const&... more) {
    CAPTURE(sizeof(T));
    CAPTURE(to_string(a.dimensions()));
    auto const wanted = function{f}(a, more...), got = on(there, f)(to(there, a), to(there, more)...);
    auto const compare = [](auto const& x, auto const& y) { CHECK(distance(x, y) < (sizeof(T) == 4 ? 3e-4 : 1e-12)); };
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (compare(std::get<K>(wanted), std::get<K>(got)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(wanted)>>{});
}

template <class T> void check_symmetric() {
    for (dims const& extents : {dims{{1, 100, 100}, 3}, dims{{5, 70, 70}, 3}, dims{{2, 10, 10}, 3}, dims{{300, 20, 20}, 3}, dims{{300, 5, 5}, 3}, dims{{0, 70, 70}, 3}}) {
        dims const right{{extents[0], extents[1], 3}, 3};
        check<T>(of_symmetric, spread<T>(extents, spread_kind::symmetric), made<T>(right, random_matrices(right, 4)));
    }
}
template <class T> void check_any() {
    for (dims const& extents : {dims{{1, 100, 100}, 3}, dims{{3, 90, 60}, 3}, dims{{3, 60, 90}, 3}, dims{{1, 5000, 2}, 3}, dims{{1, 2, 5000}, 3}, dims{{2, 7, 10}, 3}, dims{{1, 0, 70}, 3}}) {
        std::vector<double> elements = spread_matrices(extents, 3);
        check<T>(of_any, made<T>(extents, elements));
        for (double& x : elements) x = std::ldexp(x, sizeof(T) == 4 ? -70 : -600);
        check<T>(of_any, made<T>(extents, elements));
    }
}

} // namespace

TEST_CASE("device: matrices of any size are taken apart as on the CPU") {
    check_symmetric<float>(), check_symmetric<double>();
    check_any<float>(), check_any<double>();
}
TEST_CASE("device: a matrix with a NaN has no singular values") {
    batch<float> a = spread<float>({{2, 80, 70}, 3});
    a.mutable_data()[80 * 70 + 3] = std::numeric_limits<float>::quiet_NaN();
    auto const found = on(there, of_any)(to(there, a));
    auto const& s = std::get<3>(found);
    CHECK(std::all_of(s.begin(), s.begin() + 70, [](float x) { return x > 0; }));
    CHECK(std::all_of(s.begin() + 70, s.end(), [](float x) { return std::isnan(x); }));
}

TEST_CASE("device: matrices without factors are refused as on the CPU") {
    for (dims const& extents : {dims{{1, 80, 80}, 3}, dims{{4, 80, 80}, 3}, dims{{200, 9, 9}, 3}, dims{{2, 9, 9}, 3}}) {
        batch<double> a = spread<double>(extents, spread_kind::symmetric);
        a.mutable_data()[(extents[0] - 1) * extents[1] * extents[1] + extents[1] + 1] = -1;
        std::string complaint;
        try {
            static_cast<void>(on(there, of_symmetric)(to(there, a), to(there, a)));
        } catch (error const& e) {
            complaint = e.what();
        }
        CHECK(complaint == "tx: cholesky: a must be positive definite; matrix " + std::to_string(extents[0] - 1) + " of " + to_string(extents) + " is not");
    }
}
