// This file tests an element that a gradient adds at many places: it is not copied for each of them.
#include <ad/derivative_checks.hpp>
#include <plan_interpreter.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using tx::dyn;
template <std::int64_t... E> using numbers = tx::tensor<double, tx::shape<E...>>;
template <std::int64_t... E> using places = tx::tensor<std::int32_t, tx::shape<E...>>;

constexpr auto rows = [](auto x, auto i) { return tx::sum(tx::take(x, i, tx::axis<0>)); };
constexpr auto one_row = [](auto x) {
    return tx::sum(tx::take(x, 2, tx::axis<0>)) - 2.0 * tx::sum(tx::take(x, tx::tensor<int, tx::shape<1>>{1}, tx::axis<1>));
};
constexpr auto along = [](auto x, auto i) { return tx::sum(tx::take_along_axis(x, i, tx::axis<1>)) * 0.5; };
constexpr auto scaled = [](auto x, auto i) { return tx::sum(x * x) * tx::sum(tx::take(x, i, tx::axis<0>)); };
constexpr auto sliced = [](auto x) { return tx::sum(tx::slice(x, tx::range<1, tx::open, 2>)) - tx::sum(tx::square(x)); };
constexpr auto traced = [](auto x) { return 3.0 * tx::trace(x); };

template <class F, class... A> using stages =
    tx::detail::stages<tx::detail::compile_time_trace<std::remove_const_t<decltype(tx::grad(F{}))>, A...>>;
template <class F, class... A> constexpr std::int64_t room = stages<F, A...>::plan().arena_bytes[0];

numbers<3, 4> matrix() { return {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}; }

} // namespace

TEST_CASE("updates: rows that are looked up, some of them several times") {
    static_assert(room<decltype(rows), numbers<3, 4>, places<5>> == 0);
    tx::function const gradient{tx::grad(rows)};
    numbers<3, 4> const counts{{1, 1, 1, 1}, {0, 0, 0, 0}, {4, 4, 4, 4}};
    places<5> const i{2, -1, 0, 2, -1};
    CHECK(tx::equal(gradient(matrix(), i), counts));
    CHECK(tx::equal(gradient(numbers<dyn, 4>(matrix()), places<dyn>(i)), counts));
    CHECK(tx::equal(gradient(numbers<dyn, dyn>(matrix()), i), counts));
    CHECK(tx::equal(gradient(matrix(), places<0>{}), tx::zeros_like(matrix())));
    CHECK(tx::equal(gradient(numbers<dyn, 4>(matrix()), places<dyn>(places<0>{})), tx::zeros_like(matrix())));
    CHECK_THROWS_WITH_AS(static_cast<void>(gradient(matrix(), places<5>{0, 1, 3, 0, 0})), doctest::Contains("index 3"),
                         tx::shape_error);
}
TEST_CASE("updates: places that the compiler knows") {
    tx::function const gradient{tx::grad(one_row)};
    numbers<3, 4> const wanted{{0, -2, 0, 0}, {0, -2, 0, 0}, {1, -1, 1, 1}};
    CHECK(tx::equal(gradient(matrix()), wanted));
    CHECK(tx::equal(gradient(numbers<dyn, dyn>(matrix())), wanted));
}
TEST_CASE("updates: elements that are looked up along an axis") {
    static_assert(room<decltype(along), numbers<3, 4>, places<3, 2>> == 0);
    tx::function const gradient{tx::grad(along)};
    places<3, 2> const i{{0, 3}, {1, 1}, {-1, 2}};
    numbers<3, 4> const halves{{.5, 0, 0, .5}, {0, 1, 0, 0}, {0, 0, .5, .5}};
    CHECK(tx::equal(gradient(matrix(), i), halves));
    CHECK(tx::equal(gradient(numbers<dyn, dyn>(matrix()), places<dyn, dyn>(i)), halves));
}
TEST_CASE("updates: an element that a run computes, added to what is not zero") {
    using vector = numbers<600>;
    static_assert(room<decltype(scaled), vector, places<500>> == (600 + 2) * 8); // a vector and two sums: the result holds the other
    auto const check = [](auto const& x, auto const& i) {
        auto const got = tx::function{tx::grad(scaled)}(x, i);
        double squares = 0, chosen = 0;
        for (std::int64_t k = 0; k < x.size(); ++k) squares += x(k) * x(k);
        for (std::int64_t k = 0; k < i.size(); ++k) chosen += x(i(k));
        for (std::int64_t k = 0; k < x.size(); ++k) {
            double want = 2 * x(k) * chosen;
            for (std::int64_t n = 0; n < i.size(); ++n) want += i(n) == k ? squares : 0;
            CHECK(got(k) == doctest::Approx(want).epsilon(1e-12));
        }
    };
    vector const x = tx::cos(tx::arange<double, 600>());
    places<500> const i = tx::cast<std::int32_t>(tx::remainder(tx::arange<double, 500>() * 7, 600.0));
    check(x, i);
    check(numbers<dyn>(x), places<dyn>(i));
    check(numbers<3>{1, 2, 3}, places<1>{2});
}
TEST_CASE("updates: slices and diagonals") {
    static_assert(room<decltype(sliced), numbers<700>> == 0);
    auto const check = [](auto const& x) {
        auto const got = tx::function{tx::grad(sliced)}(x);
        for (std::int64_t k = 0; k < x.size(); ++k) CHECK(got(k) == static_cast<double>(k % 2) - 2 * x(k));
    };
    check(numbers<5>{1, 2, 3, 4, 5});
    check(numbers<1>{1});
    check(numbers<700>(tx::arange<double, 700>()));
    check(numbers<dyn>(numbers<5>{1, 2, 3, 4, 5}));
    check(numbers<dyn>(numbers<1>{1}));

    static_assert(room<decltype(traced), numbers<40, 40>> == 0);
    tx::function const gradient{tx::grad(traced)};
    CHECK(tx::equal(gradient(numbers<3, 4>{}), tx::eye<double>(tx::shape<3, 4>{}) * 3.0));
    CHECK(tx::equal(gradient(numbers<dyn, dyn>(numbers<40, 40>{})), tx::eye<double>(40, 40) * 3.0));
}
TEST_CASE("updates: plans read no more than was written") {
    auto const problem = []<class Of>(Of, tx::testing::leaf_list const& arguments) {
        auto const views = tx::views_of(arguments);
        return tx::testing::strict_difference(tx::testing::interpret(Of::graph(), Of::plan(), views),
                                              tx::run_reference(Of::graph(), views), 0);
    };
    // Sums of these are exact.
    auto const whole = [](tx::dims const& shape) {
        return tx::testing::array_of<double>(shape, std::vector<double>(static_cast<std::size_t>(shape.size()), 3));
    };
    CHECK(problem(stages<decltype(scaled), numbers<600>, places<500>>{},
                  {whole({{600}, 1}), tx::testing::array_of<std::int32_t>({{500}, 1}, std::vector<std::int32_t>(500, 7))}) == "");
    CHECK(problem(stages<decltype(along), numbers<3, 4>, places<3, 2>>{},
                  {whole({{3, 4}, 2}), tx::testing::array_of<std::int32_t>({{3, 2}, 2}, {0, 3, 1, 1, -1, 2})}) == "");
    CHECK(problem(stages<decltype(sliced), numbers<700>>{}, {whole({{700}, 1})}) == "");
}
