// This file tests slice at places that only the run knows: numbers, integer scalars, tensors of places, ranges of them; against
// loops, in static functions, run-time traces and eagerly.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

using cube = tx::tensor<double, tx::shape<4, 3, 5>>;
using open_cube = tx::tensor<double, tx::shape<tx::dyn, tx::dyn, tx::dyn>>;
cube const given = tx::reshape<4, 3, 5>(tx::arange<double, 60>());

// Python's slice(start, stop, step).indices(n), as a list.
std::vector<std::int64_t> places(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t n) {
    auto const within = [&](std::int64_t bound, bool is_stop) {
        if (bound == tx::open) return (step > 0) == is_stop ? n : is_stop ? std::int64_t{-1} : step > 0 ? std::int64_t{0} : n - 1;
        std::int64_t const least = step > 0 ? 0 : -1, most = step > 0 ? n : n - 1, from = bound < 0 ? bound + n : bound;
        return from < least ? least : from > most ? most : from;
    };
    std::int64_t const first = step > 0 ? within(start, false) : start == tx::open ? n - 1 : within(start, false);
    std::int64_t const last = stop == tx::open ? (step > 0 ? n : -1) : within(stop, true);
    std::vector<std::int64_t> out;
    for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) out.push_back(i);
    return out;
}
template <class T> void check_rows(T const& got, std::vector<std::int64_t> const& rows) {
    REQUIRE(got.dimensions() == tx::dims{{static_cast<std::int64_t>(rows.size()), 3, 5}, 3});
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (int i = 0; i < 15; ++i) CHECK(got.data()[15 * r + static_cast<std::size_t>(i)] == static_cast<double>(15 * rows[r] + i));
}

} // namespace

TEST_CASE("slice: ranges of numbers that the run knows") {
    constexpr std::int64_t bounds[]{tx::open, -9, -4, -2, 0, 1, 3, 4, 7};
    open_cube const open = given;
    for (std::int64_t const start : bounds)
        for (std::int64_t const stop : bounds)
            for (std::int64_t const step : {1, 2, -1, -3}) {
                CAPTURE(start);
                CAPTURE(stop);
                CAPTURE(step);
                auto const rows = places(start, stop, step, 4);
                auto const from_open = [&](auto const& x) {
                    if (start == tx::open && stop == tx::open) return tx::slice(x, tx::range(tx::open, tx::open, step));
                    if (start == tx::open) return tx::slice(x, tx::range(tx::open, stop, step));
                    if (stop == tx::open) return tx::slice(x, tx::range(start, tx::open, step));
                    return tx::slice(x, tx::range(start, stop, step));
                };
                check_rows(from_open(given), rows);
                check_rows(from_open(open), rows);
            }
    CHECK_THROWS_WITH_AS(tx::range(0, 2, 0), doctest::Contains("the step must not be 0"), tx::shape_error);
}
TEST_CASE("slice: ranges in functions, of numbers and of what follows from extents") {
    tx::static_function const inner{[](auto x) { return tx::slice(x, tx::range(1, tx::extent<0>(x) - 1), tx::range(0, -1)); }};
    auto const check = [](auto const& got) {
        CHECK(tx::equal(got, tx::slice(given, tx::range<1, 3>, tx::range<0, 2>)));
    };
    check(inner(given));
    check(inner(open_cube(given)));
    tx::function const at_run_time{[](auto x) { return tx::slice(x, tx::range(1, tx::extent<0>(x) - 1), tx::range(0, -1)); },
                                   tx::options{.jit = tx::jit::never}};
    check(at_run_time(given));
    check(at_run_time(open_cube(given)));
    tx::static_function const reversed{[](auto x) { return tx::slice(x, tx::range(tx::extent<0>(x) - 2, tx::open, -1)); }};
    check_rows(reversed(open_cube(given)), {2, 1, 0});
    check_rows(reversed(open_cube(tx::slice(given, tx::range<0, 1>))), {0}); // from -1, the last one
    tx::function const elements{[](auto x, auto n) { return tx::slice(x, tx::range(0, n)); }, tx::options{.jit = tx::jit::never}};
    CHECK_THROWS_WITH_AS(elements(given, 2), doctest::Contains("it can't depend on elements or arguments"), tx::trace_error);
}
TEST_CASE("slice: places, beside what the compiler knows") {
    auto const f = [](auto const& x, auto const& i, auto const& j) {
        return std::tuple(tx::slice(x, i), tx::slice(x, tx::at<1>, j, tx::range<1, 4>), tx::slice(x, tx::ellipsis, tx::new_axis, j),
                          tx::slice(x, tx::range<tx::open, tx::open, -1>, tx::range<>, i), x(i, j, -2));
    };
    auto const check = [&](auto const& g, auto const& x, auto const& place, auto const& other) {
        auto const [row, part, last, turned, one] = g(x, place, other);
        auto const number = [](auto const& n) {
            if constexpr (requires { n.item(); }) return static_cast<std::int64_t>(n.item());
            else return static_cast<std::int64_t>(n);
        };
        std::int64_t const i = number(place), j = number(other);
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 5; ++c) CHECK(row(b, c) == given(i, b, c));
        REQUIRE(part.dimensions() == tx::dims{{3}, 1});
        for (int c = 0; c < 3; ++c) CHECK(part(c) == given(1, j, c + 1));
        REQUIRE(last.dimensions() == tx::dims{{4, 3, 1}, 3});
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 3; ++b) {
                CHECK(last(a, b, 0) == given(a, b, j));
                CHECK(turned(a, b) == given(3 - a, b, i));
            }
        if constexpr (requires { one.item(); }) CHECK(one.item() == given(i, j, -2));
        else CHECK(one == given(i, j, -2));
    };
    using scalar = tx::tensor<std::int32_t, tx::shape<>>;
    check(f, given, 3, -1);
    check(f, open_cube(given), std::uint8_t{1}, std::int64_t{0});
    tx::function const automatic{f};
    static_assert(decltype(automatic)::is_static);
    tx::function const at_run_time{f, tx::options{.jit = tx::jit::never}};
    for (int i = -4; i < 4; ++i)
        for (int j : {-3, 2}) {
            check(automatic, given, i, j);
            check(automatic, open_cube(given), scalar(i), scalar(j));
            check(at_run_time, given, i, scalar(j));
        }
    CHECK_THROWS_WITH_AS(automatic(given, 4, 0), doctest::Contains("index 4 is out of bounds for axis 0 with size 4"), tx::shape_error);
    CHECK_THROWS_AS(automatic(open_cube(given), 0, -4), tx::shape_error);
}
TEST_CASE("slice: a number that the trace knows is no lookup") {

    auto const g = tx::graph_of<tx::spec<float, tx::shape<4, 3>>>([](auto x) {
        auto sum = x[0];
        for (int i = 1; i < 4; ++i) sum += x[i];
        return sum;
    });
    CHECK(g.to_text().find("take") == std::string::npos);
}
TEST_CASE("slice: a tensor of places") {
    tx::tensor<std::int32_t, tx::shape<2, 2>> const four{{2, 0}, {-1, 2}};
    auto const f = [](auto const& x, auto const& i) { return tx::slice(x, tx::at<1>, tx::range<1, 3>, i); };
    auto const check = [&](auto const& got) {
        REQUIRE(got.dimensions() == tx::dims{{2, 2, 2}, 3});
        for (int b = 0; b < 2; ++b)
            for (int k = 0; k < 4; ++k) CHECK(got(b, k / 2, k % 2) == given(1, b + 1, four(k / 2, k % 2)));
    };
    check(f(given, four));
    check(tx::static_function{f}(open_cube(given), four));
    check(tx::function{f, tx::options{.jit = tx::jit::never}}(given, four));
}
TEST_CASE("slice: gradients at places that the run knows") {
    auto const loss = [](auto x, auto i) { return tx::sum(tx::square(tx::slice(x, i, tx::range(0, 2)))) + tx::sum(x[-1] * x(i, 1, 2)); };
    tx::check_gradients([&](auto x) { return loss(x, 2); }, given);
    auto const d = tx::grad(loss)(given, 2);
    auto expected = given * 0;
    for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 5; ++c) {
            if (b < 2) expected(2, b, c) += 2 * given(2, b, c);
            expected(3, b, c) += given(2, 1, 2);
            expected(2, 1, 2) += given(3, b, c);
        }
    CHECK(tx::equal(d, expected));
}
TEST_CASE("roll: by a shift that the run knows") {
    auto const f = [](auto const& x, auto const& s) { return tx::roll(x, s, tx::axis<1>); };
    tx::function const g{f};
    static_assert(decltype(g)::is_static);
    for (int s = -7; s < 8; ++s) {
        CAPTURE(s);
        auto const check = [&](auto const& got) {
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 3; ++b)
                    for (int c = 0; c < 5; ++c) CHECK(got(a, ((b + s) % 3 + 3) % 3, c) == given(a, b, c));
        };
        check(f(given, s));
        check(g(given, s));
        check(g(open_cube(given), tx::tensor<std::int64_t, tx::shape<>>(s)));
    }
    CHECK(tx::roll(tx::tensor<float, tx::shape<2, 0>>{}, 3, tx::axis<1>).size() == 0);
}
