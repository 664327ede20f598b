// This file tests parts of joined, padded and updated tensors: where a loop stores them in the whole at once, and where it must
// not.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <tuple>

using tx::axis, tx::dyn, tx::range, tx::shape, tx::slice, tx::tensor;

namespace {

using std::int64_t;
template <class F, class... A> constexpr int64_t arena_of =
    tx::detail::stages<tx::detail::compile_time_trace<std::remove_const_t<F>, A...>>::plan().arena_bytes[0];

template <class T> tensor<T, shape<dyn, dyn>> numbered(int64_t rows, int64_t columns) {
    auto x = tx::zeros<T>(rows, columns);
    for (int64_t k = 0; k < rows * columns; ++k) x.mutable_data()[k] = static_cast<T>(k * 37 % 101);
    return x;
}
// f with known and with unknown extents, and traced at run time, is what the same ops give one by one.
template <class F, class... X> void check(F const& f, X const&... x) {
    auto const want = f(tensor<typename X::value_type, shape<dyn, dyn>>(x)...);
    CHECK(tx::equal(tx::function{f}(x...), want));
    int one = 1; // captured
    CHECK(tx::equal(tx::function{[=](auto... y) { return f((y * static_cast<typename decltype(y)::value_type>(one))...); }}(x...),
                    want));
}

constexpr auto inside = range<1, -1>;
constexpr auto diffused = [](auto x) {
    auto const sum = slice(x, inside, range<0, -2>) + slice(x, inside, range<2, tx::open>) + slice(x, range<0, -2>, inside) +
                     slice(x, range<2, tx::open>, inside);
    return tx::set(x, slice(x, inside, inside) + sum * 2, inside, inside);
};
constexpr auto diffused_thrice = [](auto x) { return diffused(diffused(diffused(x))); };
constexpr auto padded = [](auto x) { return tx::pad(x * x + 1, tx::widths<2, 3>, tx::widths<1, 4>, 7); };
constexpr auto joined = [](auto x) { return tx::concat(axis<1>, x * 2, slice(x, range<>, range<0, 65>) + 1, x - 3); };
constexpr auto stacked = [](auto x) { return tx::stack(axis<0>, x * 2, x + 1, x); };
constexpr auto sums_joined = [](auto x) {
    return tx::concat(axis<0>, tx::sum(x, axis<0>, tx::keepdims), x * 2, tx::max(x, axis<0>, tx::keepdims));
};
constexpr auto halves = [](auto x) { return tx::set(x * 2, x + 1, range<>, range<>); };
constexpr auto used_twice = [](auto x) {
    auto const part = x * 3 + 1;
    return tx::concat(axis<0>, part, part, tx::cumsum(part, axis<0>));
};
constexpr auto of_a_base_made_later = [](auto x) {
    auto const part = slice(x, inside, inside) * 3 + 1;
    auto const base = tx::cumsum(tx::flip(part, axis<0>), axis<0>);
    return tx::set(tx::pad(base, tx::widths<1>, tx::widths<1>), part, inside, inside);
};
constexpr auto small_box = [](auto x) { // of what nothing else needs: the rest stays where it is
    auto const y = x * 2 + 1;
    return tx::set(y, slice(y, range<0, 2>, range<>) + slice(y, range<2, 4>, range<>), range<4, 6>, range<>);
};
template <class X> void check_all(X const& x) {
    check(diffused, x);
    check(diffused_thrice, x);
    check(padded, x);
    check(joined, x);
    check(stacked, x);
    check(sums_joined, x);
}

} // namespace

TEST_CASE("parts: set, padded and joined where they belong") {
    for (auto const& [rows, columns] : {std::pair{100, 130}, {3, 70}, {97, 65}}) {
        auto const x = numbered<float>(rows, columns);
        check_all(x);
        check(halves, x);
        check(used_twice, x);
        check(of_a_base_made_later, x);
        auto const bytes = numbered<std::uint8_t>(rows, columns);
        check(diffused, bytes);
        check(joined, bytes);
        check(sums_joined, bytes);
    }
    check(small_box, numbered<float>(40, 70));
}

TEST_CASE("parts: in tensors of known extents, without room of their own") {
    using matrix = tensor<float, shape<100, 130>>;
    matrix const x(numbered<float>(100, 130));
    check_all(x);
    check(small_box, x);
    CHECK(arena_of<decltype(diffused), matrix> == 0);
    CHECK(arena_of<decltype(padded), matrix> <= 8); // the number
    CHECK(arena_of<decltype(joined), matrix> == 0);
    CHECK(arena_of<decltype(stacked), matrix> == 0);
    CHECK(arena_of<decltype(diffused_thrice), matrix> <=
          int64_t{2 * 64 * 813}); // each step's, while the next reads it, in whole lines of the cache
}

TEST_CASE("parts: of a tensor that a call makes later, as one of its results") {
    auto const x = numbered<float>(80, 128);
    constexpr auto f = [](auto y) {
        auto const [last, ys] = tx::scan(
            [](auto s, auto row) {
                auto const n = s * 0 + row;
                return std::pair{n, n + 1};
            },
            slice(y, tx::at<0>), y);
        return tx::set(ys, slice(y * 3 + 1, range<0, 40>, range<>), range<1, 41>, range<>);
    };
    check(f, x);
    check(f, tensor<float, shape<80, 128>>(x));
}

TEST_CASE("parts: of as many axes as there may be") {
    auto const f = [](auto y) {
        auto const z = y * 2;
        return tx::set(z, slice(z, range<0, 1>) + slice(z, range<1, 2>), range<1, 2>);
    };
    tensor<float, shape<dyn, dyn, dyn, dyn, dyn, dyn, dyn, dyn>> const x(tx::zeros<float>(2, 1, 1, 2, 1, 1, 3, 70) + 1.0f);
    CHECK(tx::equal(tx::function{f}(x), f(x)));
}

TEST_CASE("parts: on several threads, and where the call has a result to write to") {
    auto const x = numbered<double>(400, 500);
    auto const want = tx::function{diffused_thrice}(x);
    CHECK(tx::equal(tx::on(tx::cpu{3}, diffused_thrice)(x), want));
    auto y = x;
    tx::function{diffused}.into(y, x);
    CHECK(tx::equal(y, tx::function{diffused}(x)));
    tx::function{diffused}.into(y, y); // its own argument
    CHECK(tx::equal(y, tx::function{diffused}(tx::function{diffused}(x))));
}

TEST_CASE("parts: derivatives") {
    auto const x = numbered<double>(20, 70) / 100;
    auto const loss = [](auto z) {
        return tx::sum(tx::sin(diffused(z)) * 2) + tx::sum(tx::pad(z * z, tx::widths<1>, tx::widths<0>, 1));
    };
    auto const g = tx::grad(loss)(x);
    for (int64_t const k : {0, 69, 71, 140, 733, 1399}) {
        auto up = x, down = x;
        up.mutable_data()[k] += 1e-6, down.mutable_data()[k] -= 1e-6;
        double const slope = (double(tx::function{loss}(up)()) - double(tx::function{loss}(down)())) / 2e-6;
        CHECK(g.data()[k] == doctest::Approx(slope).epsilon(1e-6));
    }
}
