// tx::linalg by identities, against NumPy, and where there is no answer. tests/run/linalg.cpp runs these on the core's own loops,
// tests/bridges/blas.cpp on LAPACK.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>

namespace tx::testing {

template <class T> using open_matrix = tensor<T, shape<dyn, dyn>>;
template <std::int64_t... E> using doubles = tensor<double, shape<E...>>;

// Plain loops, so that what is compared with owes nothing to the library's kernels. Element (i, j) is f(i, j).
template <class T, class F> open_matrix<T> made(std::int64_t m, std::int64_t n, F f) {
    open_matrix<T> out = zeros<T, shape<dyn, dyn>>(m, n);
    T* to = out.mutable_data();
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) *to++ = static_cast<T>(f(i, j));
    return out;
}
// Elements between -1 and 1, `more` on the diagonal.
template <class T> open_matrix<T> random_matrix(std::int64_t m, std::int64_t n, unsigned seed, double size = 1, double more = 0) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> spread(-size, size);
    return made<T>(m, n, [&](std::int64_t i, std::int64_t j) { return spread(bits) + (i == j ? more : 0); });
}
template <class T> open_matrix<T> identity(std::int64_t n) {
    return made<T>(n, n, [](std::int64_t i, std::int64_t j) { return i == j; });
}
template <class A> auto flipped(A const& a) {
    return made<typename A::value_type>(a.extent(1), a.extent(0), [&](std::int64_t i, std::int64_t j) { return a(j, i); });
}
// Rows of a vector hold one element.
template <class A, class B> auto product(A const& a, B const& b) {
    std::int64_t const inner = a.extent(1), columns = b.rank() == 1 ? 1 : b.extent(1);
    return made<typename A::value_type>(a.extent(0), columns, [&](std::int64_t i, std::int64_t j) {
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k) sum += static_cast<double>(a(i, k)) * static_cast<double>(b.data()[k * columns + j]);
        return sum;
    });
}
template <class T> open_matrix<T> definite_matrix(std::int64_t n, unsigned seed) {
    auto const a = random_matrix<T>(n, n, seed), square = product(a, flipped(a));
    return made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return square(i, j) + static_cast<T>(i == j); });
}
template <class T> open_matrix<T> symmetric_matrix(std::int64_t n, unsigned seed) {
    auto const a = random_matrix<T>(n, n, seed);
    return made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return (a(i, j) + a(j, i)) / 2; });
}

// The largest difference; infinite where sizes differ or one is NaN.
template <class A, class B> double distance(A const& a, B const& b) {
    double worst = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < a.size() && i < b.size(); ++i) {
        double const d = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        worst = d <= worst ? worst : d < std::numeric_limits<double>::infinity() ? d : std::numeric_limits<double>::infinity();
    }
    return worst;
}
// Backward errors of these methods are below n epsilon times the matrix's norm (Golub and Van Loan, 3.3, 4.2, 8.5), which is at most n here
// (n + 1 for definite ones); what is multiplied again to compare has as many roundings.
template <class T> double bound_for(std::int64_t n) { return 8 * static_cast<double>((n + 1) * (n + 1)) * static_cast<double>(std::numeric_limits<T>::epsilon()); }

template <class A> bool has_extents(A const& a, std::initializer_list<std::int64_t> wanted) { return a.extents() == wanted; }

template <class F> std::string message_of(F f) {
    try {
        f();
    } catch (error const& e) {
        return e.what();
    }
    return "nothing thrown";
}
template <class A> bool all_nan(A const& a) {
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!std::isnan(a.data()[i])) return false;
    return true;
}

// Around where LAPACK begins.
inline constexpr std::int64_t orders[]{0, 1, 2, 3, 7, 15, 16, 17, 40, 100};

} // namespace tx::testing

using namespace tx::testing;
namespace linalg = tx::linalg;

TEST_CASE_TEMPLATE("linalg: cholesky gives a lower triangle whose square is the matrix", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const a = definite_matrix<T>(n, 1);
        auto const l = linalg::cholesky(a);
        CHECK(distance(product(l, flipped(l)), a) <= bound_for<T>(n));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = i; j < n; ++j) CHECK((i == j ? l(i, j) > 0 : l(i, j) == 0));
        // What is not symmetric is made so.
        auto const b = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return a(i, j) + static_cast<T>(i < j) - static_cast<T>(i > j); });
        CHECK(distance(linalg::cholesky(b), l) <= bound_for<T>(n));
    }
}
TEST_CASE_TEMPLATE("linalg: what solve and inv give times the matrix is what they were given", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const a = random_matrix<T>(n, n, 2, 1, 2);
        // The error of the product: what went wrong in a, n epsilon, times the solution.
        auto const fits = [&](auto const& x, auto const& b) {
            double largest = 1;
            for (std::int64_t i = 0; i < x.size(); ++i) largest = std::max(largest, static_cast<double>(std::abs(x.data()[i])));
            return distance(product(a, x), b) <= bound_for<T>(n) * largest;
        };
        for (std::int64_t const k : {0, 1, 2, 9}) {
            auto const b = random_matrix<T>(n, k, 3);
            CHECK(fits(linalg::solve(a, b), b));
        }
        auto b = tx::zeros<T, tx::shape<tx::dyn>>(n);
        for (std::int64_t i = 0; i < n; ++i) b.mutable_data()[i] = a(i, 0) - 1;
        CHECK(fits(linalg::solve(a, b), b));
        CHECK(fits(linalg::inv(a), identity<T>(n)));
    }
}
TEST_CASE_TEMPLATE("linalg: solve_triangular reads one triangle", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        // A small triangle beside the diagonal: solutions don't grow.
        auto const a = random_matrix<T>(n, n, 5, 1.0 / static_cast<double>(n + 1), 1), b = random_matrix<T>(n, 3, 6);
        auto const low = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return i >= j ? a(i, j) : T(0); });
        auto const high = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return i <= j ? a(i, j) : T(0); });
        auto const unit = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return i > j ? a(i, j) : static_cast<T>(i == j); });
        CHECK(distance(product(high, linalg::solve_triangular(a, b)), b) <= bound_for<T>(n));
        CHECK(distance(linalg::solve_triangular(a, b, linalg::upper), linalg::solve_triangular(a, b)) == 0);
        CHECK(distance(product(low, linalg::solve_triangular(a, b, linalg::lower)), b) <= bound_for<T>(n));
        CHECK(distance(product(flipped(high), linalg::solve_triangular(a, b, linalg::transposed)), b) <= bound_for<T>(n));
        CHECK(distance(product(flipped(low), linalg::solve_triangular(a, b, linalg::transposed, linalg::lower)), b) <= bound_for<T>(n));
        CHECK(distance(product(unit, linalg::solve_triangular(a, b, linalg::lower, linalg::unit_diagonal)), b) <= bound_for<T>(n));
        CHECK(distance(product(flipped(unit), linalg::solve_triangular(a, b, linalg::lower, linalg::unit_diagonal, linalg::transposed)), b) <= bound_for<T>(n));
    }
}
TEST_CASE_TEMPLATE("linalg: det and slogdet are the product of the eigenvalues", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const s = symmetric_matrix<T>(n, 7);
        auto const [sign, logarithm] = linalg::slogdet(s);
        auto const values = linalg::eigvalsh(s);
        double want_sign = 1, want = 0, smallest = 1;
        for (std::int64_t i = 0; i < n; ++i) {
            double const w = static_cast<double>(values.data()[i]);
            want_sign *= w < 0 ? -1 : 1, want += std::log(std::abs(w)), smallest = std::min(smallest, std::abs(w));
        }
        double const bound = bound_for<T>(n) / smallest; // a small value has as large an error as the others
        CHECK(static_cast<double>(sign.item()) == want_sign);
        CHECK(std::abs(static_cast<double>(logarithm.item()) - want) <= bound);
        if (n <= 17) CHECK(static_cast<double>(linalg::det(s).item()) == doctest::Approx(want_sign * std::exp(want)).epsilon(bound));
    }
}
TEST_CASE_TEMPLATE("linalg: eigh gives values in ascending order and orthonormal vectors", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const s = symmetric_matrix<T>(n, 8);
        auto const [w, v] = linalg::eigh(s);
        auto const scaled = made<T>(n, n, [&, &values = w, &vectors = v](std::int64_t i, std::int64_t j) { return vectors(i, j) * values(j); });
        CHECK(distance(product(s, v), scaled) <= bound_for<T>(n));
        CHECK(distance(product(flipped(v), v), identity<T>(n)) <= bound_for<T>(n));
        for (std::int64_t i = 1; i < n; ++i) CHECK(w(i - 1) <= w(i));
        CHECK(distance(linalg::eigvalsh(s), w) == 0);
        for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t i = 0;
            while (std::abs(v(i, j)) < static_cast<T>(0.5) / std::sqrt(static_cast<T>(n))) ++i;
            CHECK(v(i, j) > 0);
        }
    }
}

// Numbers are NumPy 2.4.6's: numpy.linalg.det(a), slogdet(a), inv(a), solve(a, b), cholesky(a @ a.T), and eigh((a + a.T) / 2) with the sign of
// each vector such that its first element of at least 0.5 / sqrt(5) is positive.
TEST_CASE("linalg: what NumPy gives") {
    doubles<5, 5> const a{{0.2, 1.7, -0.4, 0.9, 0.1}, {1.1, -0.6, 0.8, 0.3, -1.2}, {-0.7, 0.5, 1.9, -1.4, 0.6}, {0.4, -1.3, 0.2, 2.1, 0.8}, {1.5, 0.7, -0.9, 0.1, -0.5}};
    CHECK(linalg::det(a).item() == doctest::Approx(-20.65843).epsilon(1e-14));
    auto const [sign, logarithm] = linalg::slogdet(a);
    CHECK(sign.item() == -1);
    CHECK(logarithm.item() == doctest::Approx(3.0281234685483684).epsilon(1e-14));
    CHECK(distance(linalg::inv(a), doubles<5, 5>{{-0.21733016497381463, -0.017411778145773923, 0.3038614260619031, 0.2610314530194211, 0.780606270660452},
                                                 {0.45627378266402635, 0.006931794913747083, 0.11533790321917008, -0.1205996777102616, 0.020064448266397777},
                                                 {0.15992502818462004, 0.3244147788578319, 0.3490439496128215, 0.12397360302791646, -0.1293999592418205},
                                                 {0.3933454768828028, 0.20012169366210308, -0.17576843932476957, 0.17749170677539386, -0.3285583657615802},
                                                 {-0.22240315454756257, -0.5864530847697527, 0.4096245455245147, 0.4266006661687262, 0.5371172930372736}}) < 1e-14);
    CHECK(distance(linalg::solve(a, doubles<5>{1, -2, 0.5, 3, -1.5}),
                   doubles<5>{-0.41839094258372994, 0.10818343891573565, 0.2516381932218469, 0.9305305388647636, 1.6294413467044684}) < 1e-14);
    CHECK(distance(linalg::cholesky(product(a, flipped(a))), doubles<5, 5>{{1.9773719933285188, 0, 0, 0, 0},
                                                                                     {-0.49055008530144834, 1.870657802434946, 0, 0, 0},
                                                                                     {-0.632152171780217, -0.5346260018740444, 2.4463357639199343, 0, 0},
                                                                                     {-0.12137321698180158, 0.5294716953400194, -1.1460638594570498, 2.3089967293349867, 0},
                                                                                     {0.9558140837316882, 0.8600582523499007, -0.7300594516332886, -0.8038387408588299,
                                                                                      0.9887242869882283}}) < 1e-14);
    auto const [w, v] = linalg::eigh(a);
    CHECK(distance(w, doubles<5>{-2.163202312436261, -0.5060568881345092, 1.216489924580387, 1.5080226124384128, 3.0447466635519707}) < 1e-14);
    CHECK(distance(v, doubles<5, 5>{{0.5980265348418132, -0.010509116200240642, 0.6237473165716928, 0.41955419886403583, 0.2777901751087558},
                                    {-0.6948667009779042, 0.3790139438136255, 0.4728879718674403, 0.3707428772610811, -0.11151404974352047},
                                    {0.1625922963021229, -0.10956852022725672, -0.35581326947708214, 0.6906327218945496, -0.5983158407321065},
                                    {-0.11318500007436477, 0.20477938221227823, -0.4955620868961942, 0.42696267850898245, 0.7192882937810462},
                                    {-0.34681036956605943, -0.8957109650258274, 0.12300970054361696, 0.16508575887911486, 0.1871890501109273}}) < 1e-14);
}

TEST_CASE("linalg: batches") {
    std::int64_t const n = 20;
    auto const first = definite_matrix<double>(n, 9), second = definite_matrix<double>(n, 10), b = random_matrix<double>(n, 2, 11);
    auto const both = tx::stack(tx::axis<0>, first, second);
    auto const same = [](auto const& batch, auto const& one, auto const& other) { return distance(batch, tx::stack(tx::axis<0>, one, other)) == 0; };
    CHECK(same(linalg::cholesky(both), linalg::cholesky(first), linalg::cholesky(second)));
    CHECK(same(linalg::inv(both), linalg::inv(first), linalg::inv(second)));
    CHECK(linalg::det(both)(1) == doctest::Approx(linalg::det(second).item()).epsilon(1e-14)); // multiplied in another order
    CHECK(same(linalg::eigh(both).second, linalg::eigh(first).second, linalg::eigh(second).second));
    CHECK(same(linalg::eigvalsh(both), linalg::eigvalsh(first), linalg::eigvalsh(second)));
    CHECK(same(linalg::solve(both, b), linalg::solve(first, b), linalg::solve(second, b)));
    CHECK(same(linalg::solve(first, tx::stack(tx::axis<0>, b, b + 1.0)), linalg::solve(first, b), linalg::solve(first, b + 1.0)));
    CHECK(same(linalg::solve_triangular(both, b), linalg::solve_triangular(first, b), linalg::solve_triangular(second, b)));
    // (2, 1, n, n) and (3, n, 2) -> (2, 3, n, 2)
    auto const crossed = linalg::solve(tx::expand_dims<1>(both), tx::stack(tx::axis<0>, b, b + 1.0, b * 2.0));
    CHECK(has_extents(crossed, {2, 3, n, 2}));
    CHECK(distance(tx::slice(crossed, tx::at<1>, tx::at<2>), linalg::solve(second, b * 2.0)) == 0);
    auto const none = tx::slice(both, tx::range<0, 0>);
    CHECK(has_extents(linalg::cholesky(none), {0, n, n}));
    CHECK(has_extents(linalg::det(none), {0}));
    CHECK(has_extents(linalg::eigh(none).first, {0, n}));
    CHECK(has_extents(linalg::solve(none, b), {0, n, 2}));
}
TEST_CASE("linalg: matrices of no and of one element") {
    doubles<0, 0> const none{};
    CHECK(linalg::det(none).item() == 1);
    CHECK(linalg::slogdet(none).first.item() == 1);
    CHECK(linalg::slogdet(none).second.item() == 0);
    CHECK(linalg::cholesky(none).size() == 0);
    CHECK(linalg::eigh(none).first.size() == 0);
    CHECK(has_extents(linalg::solve(none, tx::zeros<double>(tx::shape<0, 3>{})), {0, 3}));
    doubles<1, 1> const four{{4}};
    CHECK(linalg::det(four).item() == 4);
    CHECK(linalg::cholesky(four).item() == 2);
    CHECK(linalg::inv(four).item() == 0.25);
    CHECK(linalg::eigh(four).first.item() == 4);
    CHECK(linalg::eigh(four).second.item() == 1);
    CHECK(linalg::det(tx::tensor<int, tx::shape<2, 2>>{{1, 2}, {3, 5}}).item() == doctest::Approx(-1.0)); // integers become double
}

TEST_CASE("linalg: matrices without an answer") {
    auto const singular = doubles<2, 2>{{1, 2}, {2, 4}};
    auto const two = doubles<2, 2, 2>{{{1, 0}, {0, 1}}, {{1, 2}, {2, 1}}};
    CHECK(message_of([&] { linalg::cholesky(singular); }) == "tx: cholesky: a must be positive definite; matrix 0 of (2, 2) is not");
    CHECK(message_of([&] { linalg::cholesky(two); }) == "tx: cholesky: a must be positive definite; matrix 1 of (2, 2, 2) is not");
    CHECK(message_of([&] { linalg::cholesky(random_matrix<double>(30, 30, 12)); }) == "tx: cholesky: a must be positive definite; matrix 0 of (30, 30) is not");
    CHECK(message_of([&] { linalg::solve(singular, doubles<2>{1, 2}); }) == "tx: solve, inv: a must be invertible; matrix 0 of (2, 2) is singular");
    CHECK(message_of([&] { linalg::inv(singular); }) == "tx: solve, inv: a must be invertible; matrix 0 of (2, 2) is singular");
    CHECK(message_of([&] { linalg::inv(tx::zeros<float>(tx::shape<3, 20, 20>{})); }) == "tx: solve, inv: a must be invertible; matrix 0 of (3, 20, 20) is singular");
    CHECK(message_of([&] { linalg::solve_triangular(doubles<2, 2>{{1, 2}, {2, 0}}, doubles<2>{1, 2}); }) ==
          "tx: solve_triangular: the diagonal of a must have no 0; matrix 0 of (2, 2) has one");
    CHECK(distance(linalg::solve_triangular(doubles<2, 2>{{1, 2}, {2, 0}}, doubles<2>{1, 2}, linalg::unit_diagonal), doubles<2>{-3, 2}) == 0);
    CHECK(linalg::det(singular).item() == 0);
    CHECK(linalg::slogdet(singular).first.item() == 0);
    CHECK(linalg::slogdet(singular).second.item() == -std::numeric_limits<double>::infinity());
    CHECK(linalg::det(tx::zeros<double>(tx::shape<20, 20>{})).item() == 0);
    CHECK(linalg::eigvalsh(tx::zeros<double>(tx::shape<20, 20>{})).data()[19] == 0);
}
TEST_CASE("linalg: shapes that don't fit and that only the run tells") {
    auto const wide = tx::zeros<double, tx::shape<tx::dyn, tx::dyn>>(2, 3), a = identity<double>(2);
    CHECK(message_of([&] { linalg::cholesky(wide); }) == "tx: cholesky: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([&] { linalg::det(wide); }) == "tx: lu: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([&] { linalg::eigh(tx::tensor<double>{1, 2}); }) == "tx: eigh: takes a matrix, or several in the last two axes; given (2,)");
    CHECK(message_of([&] { linalg::solve_triangular(a, identity<double>(3)); }) ==
          "tx: solve_triangular: the right side must have as many rows as the matrix, and leading extents that broadcast; given (2, 2), (3, 3)");
    CHECK(message_of([&] { linalg::solve(tx::tensor<double>(a), tx::tensor<double>{1, 2, 3}); }) ==
          "tx: solve: the right side must have as many rows as the matrix, and leading extents that broadcast; given (2, 2), (3,)");
}
TEST_CASE("linalg: NaN and infinity spread") {
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (std::int64_t const n : {2, 20})
        for (double const wrong : {nan, infinity}) {
            CAPTURE(n);
            auto a = identity<double>(n);
            a.mutable_data()[0] = wrong;
            CHECK(all_nan(linalg::eigh(a).first));
            CHECK(all_nan(linalg::eigh(a).second));
            CHECK(!std::isfinite(linalg::cholesky(a).data()[0]));
            CHECK(!std::isfinite(linalg::det(a).item()));
            auto const x = linalg::solve(a, tx::ones<double, tx::shape<tx::dyn>>(n));
            CHECK((std::isnan(wrong) ? all_nan(x) : x.data()[0] == 0 && x.data()[1] == 1));
        }
}
TEST_CASE("linalg: sizes near the ends of the range") {
    auto const diagonal = [](double size) { return random_matrix<float>(20, 20, 13, 0, size); };
    CHECK(linalg::eigvalsh(diagonal(1e30))(3) == doctest::Approx(1e30));
    CHECK(linalg::eigvalsh(diagonal(1e-30))(3) == doctest::Approx(1e-30));
    CHECK(linalg::cholesky(diagonal(1e30))(3, 3) == doctest::Approx(1e15));
    CHECK(linalg::slogdet(diagonal(1e30)).second.item() == doctest::Approx(20 * std::log(1e30)));
    CHECK(linalg::det(diagonal(1e30)).item() == std::numeric_limits<float>::infinity());
}
