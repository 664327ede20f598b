// This file tests functions whose work depends on extents that only a run knows: they must give the same numbers as with known
// extents.
#include "operand_messages.hpp"

#include <tracexpr/conv.hpp>
#include <tracexpr/distributions.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/image.hpp>

namespace {

using tx::testing::check_all_forms;
using tx::testing::matrix;
using tx::testing::vec;
// f, of operands of open extents in all forms, as scipy has it.
template <class Want, class F, class... A> void check_open(Want const& want, F const& f, A const&... a) {
    CHECK(tx::allclose(f(a...), want));
    CHECK(tx::allclose(tx::function{f}(a...), want));
    CHECK(tx::allclose(tx::slice(tx::vmap(f)(tx::stack(tx::axis<0>, a, a)...), tx::at<1>), want));
    CHECK(tx::allclose(f(tx::tensor<double>(a)...), want));
}

matrix const a{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}}, k{{1, 2}, {3, 5}};
matrix const large{{1, 2, 3, 4, 5}, {5, 6, 7, 8, 1}, {9, 1, 2, 3, 2}, {1, 1, 2, 1, 3}};

} // namespace

TEST_CASE("open extents: convolve2d and correlate2d") {
    auto const full = [](auto x, auto y) { return tx::convolve2d(x, y); };
    check_open(matrix{{1, 4, 7, 10, 8}, {8, 27, 38, 49, 36}, {24, 62, 55, 66, 46}, {27, 48, 11, 19, 15}}, full, a, k);
    check_open(
        matrix{{1, 4, 7, 10}, {8, 27, 38, 49}, {24, 62, 55, 66}},
        [](auto x, auto y) { return tx::convolve2d(x, y, tx::mode::same); }, a, k);
    check_open(
        matrix{{50, 61, 72, 28}, {49, 33, 44, 17}, {11, 5, 8, 3}},
        [](auto x, auto y) { return tx::correlate2d(x, y, tx::mode::same); }, a, k);
    auto const valid = [](auto x, auto y) { return tx::correlate2d(x, y, tx::mode::valid); };
    check_open(matrix{{50, 61, 72}, {49, 33, 44}}, valid, a, k);
    check_open(matrix{{124, 176}, {199, 299}}, valid, a, large);
    check_all_forms("tx: correlate2d: one of a and v must be at least as large as the other on both axes; given (3, 4), (1, 5)",
                    valid, a, matrix(1, 5));
    auto const loss = [](auto x, auto y) { return tx::sum(tx::square(tx::correlate2d(x, y))); };
    tx::tensor<double, tx::shape<2, 2>> const known(k);
    auto const [of_a, of_k] = tx::grad<0, 1>(loss)(a, k);
    auto const [wanted_of_a, wanted_of_k] = tx::grad<0, 1>(loss)(a, known);
    CHECK(tx::allclose(of_a, wanted_of_a));
    CHECK(tx::allclose(of_k, wanted_of_k));
}
TEST_CASE("open extents: fftconvolve") {
    auto const full = [](auto x, auto y) { return tx::fft::fftconvolve(x, y); };
    check_open(vec{1, 2, 5, 5, 8, 3}, full, vec{1, 2, 3}, vec{1, 0, 2, 1});
    check_open(vec{6}, full, vec{3}, vec{2});
    check_open(
        vec{2, 5, 8, 11, 8}, [](auto x, auto y) { return tx::fft::fftconvolve(x, y, tx::mode::same); }, vec{1, 2, 3, 4, 5},
        vec{1, 0, 2});
    check_open(
        vec{5, 8, 11}, [](auto x, auto y) { return tx::fft::fftconvolve(x, y, tx::mode::valid); }, vec{1, 2, 3, 4, 5},
        vec{1, 0, 2});
    tx::tensor<double, tx::shape<5>> const known{1, 2, 3, 4, 5};
    auto const same = tx::fft::fftconvolve(known, vec{1, 0, 2}, tx::mode::same);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(same)>, tx::tensor<double, tx::shape<5>>>);
    CHECK(tx::allclose(same, vec{2, 5, 8, 11, 8}));
    auto const slope = tx::grad([&](auto x) { return tx::sum(tx::fft::fftconvolve(x, vec{1, 0, 2})); })(vec{1, 2});
    CHECK(tx::allclose(slope, vec{3, 3}));
}
TEST_CASE("open extents: center_crop") {
    using images = tx::tensor<double, tx::shape<tx::dyn, tx::dyn, tx::dyn, 1>>;
    images const x = tx::reshape<1, 3, 5, 1>(tx::arange<double>(15));
    auto const crop = [](auto i) { return tx::center_crop<2, 2>(i); };
    static_assert(std::is_same_v<decltype(crop(x)), tx::tensor<double, tx::shape<tx::dyn, 2, 2, 1>>>);
    check_open(tx::tensor<double>{{{{1}, {2}}, {{6}, {7}}}}, crop, x);
    check_all_forms(
        "tx: center_crop: the part must not be larger than x; given (1, 3, 5, 1)",
        [](auto i) { return tx::center_crop<4, 4>(i); }, x);
    CHECK(tx::sum(tx::grad([&](auto i) { return tx::sum(crop(i) * 3); })(x)).item() == 12);
}
TEST_CASE("open extents: draws whose shape is a type, with a key and without") {
    namespace r = tx::random;
    using open = tx::shape<tx::dyn>;
    r::key const key{7u};
    CHECK(tx::equal(r::stateless_bernoulli<open>(key, 7, 0.5), r::stateless_bernoulli(key, open{}, 7, 0.5)));
    r::seed(3);
    auto const wanted = r::normal<float>(open{}, 7);
    auto const counts = r::poisson<int>(open{}, 4, 2.0);
    auto const coins = r::bernoulli(tx::shape<3>{}, 0.5);
    auto const whole = r::randint<int>(open{}, 5, 0, 10);
    r::seed(3);
    CHECK(tx::equal(r::normal<float, open>(7), wanted));
    CHECK(tx::equal(r::poisson<int, open>(4, 2.0), counts));
    CHECK(tx::equal(r::bernoulli<tx::shape<3>>(0.5), coins));
    CHECK(tx::equal(r::randint<int, open>(5, 0, 10), whole));
    CHECK(r::uniform<double, tx::shape<2, 3>>().size() == 6);
    CHECK(r::beta<double, open>(4, 2.0, 1.0).size() == 4);
}
