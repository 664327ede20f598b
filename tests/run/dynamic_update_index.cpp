// This file tests dynamic_update_index: x with another part at a place that only the run knows; in loops, derivatives, vmap.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>

using tx::shape;
using tx::tensor;
using place = tensor<int, shape<>>;
using five_numbers = tensor<double, shape<5>>;
using grid = tensor<double, shape<3, 4>>;
using open_grid = tensor<double, shape<tx::dyn, tx::dyn>>;
using vec_4 = tensor<double, shape<4>>;
using vec_3 = tensor<double, shape<3>>;

namespace {

grid const twelve{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
five_numbers const five{1, 2, 3, 4, 5};
constexpr auto put = [](auto x, auto u, auto i) { return tx::dynamic_update_index(x, u, i); };
constexpr auto put_column = [](auto x, auto u, auto i) { return tx::dynamic_update_index(x, u, i, tx::axis<1>); };
constexpr auto sums = [](auto x) {
    return tx::fori_loop(
        1, 5, [=](auto t, auto s) { return put(s, tx::dynamic_index(s, t - 1) + tx::dynamic_index(x, t), t); }, x);
};

// Static, traced at run time, on tensors.
template <class F, class... X> void check_all(auto const& expected, F const& f, X const&... x) {
    tx::function const known{f};
    static_assert(decltype(known)::is_static);
    CHECK(tx::equal(known(x...), expected));
    int const kept = 1;
    tx::function const traced{[f, kept](auto... a) {
        static_cast<void>(kept);
        return f(a...);
    }};
    CHECK(tx::equal(traced(x...), expected));
    CHECK(tx::equal(f(x...), expected));
}

} // namespace

TEST_CASE("dynamic_update_index: every place, also outside, along each axis") {
    grid const second{{0, 1, 2, 3}, {-1, -2, -3, -4}, {8, 9, 10, 11}};
    check_all(second, put, twelve, vec_4{-1, -2, -3, -4}, place{1});
    check_all(second, put, open_grid(twelve), vec_4{-1, -2, -3, -4}, place{-2});
    CHECK(tx::equal(put(twelve, vec_4{-1, -2, -3, -4}, 1), second));
    grid const last{{0, 1, 2, -1}, {4, 5, 6, -2}, {8, 9, 10, -3}};
    check_all(last, put_column, twelve, vec_3{-1, -2, -3}, place{9});
    CHECK(tx::equal(tx::function{put}(tensor<std::string, shape<2>>{"a", "b"}, tensor<std::string, shape<>>{"z"}, place{0}),
                    tensor<std::string, shape<2>>{"z", "b"}));
}

TEST_CASE("dynamic_update_index: a state changed in part, with derivatives, and vmap") {
    check_all(five_numbers{1, 3, 6, 10, 15}, sums, five);
    tx::function const slope{[](auto x) { return tx::grad([](auto y) { return tx::sum(sums(y)); })(x); }};
    CHECK(tx::equal(slope(five), five_numbers{5, 4, 3, 2, 1}));
    tx::function const each{[](auto x, auto u, auto i) { return tx::vmap(put)(x, u, i); }};
    CHECK(tx::equal(each(twelve, vec_3{-1, -2, -3}, tensor<int, shape<3>>{0, 2, 9}),
                    grid{{-1, 1, 2, 3}, {4, 5, -2, 7}, {8, 9, 10, -3}}));
}
