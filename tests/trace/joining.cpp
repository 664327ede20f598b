// This file tests joins and pads. Expected values are NumPy's, for x and v as below: np.pad(v, (4, 1), "reflect"), np.stack([v,
// v], -1), ...
#include "trace_helper.hpp"

#include <tracexpr/trace/joining.hpp>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
tx::tensor<float, tx::shape<1, 3>> const row{{7, 8, 9}};
tx::tensor<float, tx::shape<3>> const v{7, 8, 9};
tx::tensor<float, tx::shape<4>> const w{1, 2, 3, 4};

template <class Fn, class... W, class T> void check_parts(Fn fn, std::tuple<W...> const& wanted, T const& given) {
    check_all<as_given>(fn, wanted, given);
    check_all<open_extents>(fn, wanted, given);
    check_all<open_rank>(fn, wanted, given);
}
} // namespace

TEST_CASE("joining: concat and stack") {
    auto const rows = [](auto const& a, auto const& b) { return tx::concat(tx::axis<0>, a, b); };
    static_assert(gives<floats<3, 3>, floats<2, 3>, floats<1, 3>>(rows) && gives<floats<dyn, 3>, floats<dyn, 3>, floats<1, dyn>>(rows));
    check(rows, tx::tensor<float>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, x, row);
    check([](auto const& a) { return tx::concat(std::tuple(a, a * 2), tx::axis<-1>); }, tx::tensor<float>{{7, 8, 9, 14, 16, 18}}, row);
    check([](auto const& a) { return tx::concat(tx::axis<0>, std::array{a, a, a, a, a}); }, tx::tensor<float>{7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9}, v);
    check([](auto const& a, auto const& b) { return tx::concat(std::tuple(a, b)); }, tx::tensor<double>{7, 8, 9, 1}, v, tx::tensor<double, tx::shape<1>>{1});
    check([](auto const& a) { return tx::stack(tx::axis<-1>, a, a + 1); }, tx::tensor<float>{{7, 8}, {8, 9}, {9, 10}}, v);
    check([](auto const& a) { return tx::stack(std::array{a, a}); }, tx::tensor<float>{{7, 8, 9}, {7, 8, 9}}, v);
    CHECK_THROWS_AS(run<open_rank>(rows, x, v), tx::shape_error);
}

TEST_CASE("joining: split and unstack") {
    auto const halves = [](auto const& a) { return tx::split<2>(a, tx::axis<0>); };
    static_assert(std::is_same_v<decltype(halves(std::declval<floats<4>>())), std::array<floats<2>, 2>>);
    check_parts(halves, std::tuple(tx::tensor<float>{1, 2}, tx::tensor<float>{3, 4}), w);
    check_parts([](auto const& a) { return tx::split<3, -1>(a); }, std::tuple(tx::tensor<float>{{1}, {4}}, tx::tensor<float>{{2}, {5}}, tx::tensor<float>{{3}, {6}}), x);
    check_parts([](auto const& a) { return tx::split_at<1, 3>(a); }, std::tuple(tx::tensor<float>{1}, tx::tensor<float>{2, 3}, tx::tensor<float>{4}), w);
    check_all<as_given>([](auto const& a) { return tx::unstack(a); }, std::tuple(tx::tensor<float>{1, 2, 3}, tx::tensor<float>{4, 5, 6}), x);
    check_all<as_given>([](auto const& a) { return tx::unstack<1>(a); }, std::tuple(tx::tensor<float>{1, 4}, tx::tensor<float>{2, 5}, tx::tensor<float>{3, 6}), x);
    auto const running = [](auto const& a) { // the parts are of one type: a loop goes over them
        auto state = tx::slice(a, tx::at<0>);
        for (auto const& part : tx::unstack(a)) state = 2 * state + part;
        return state;
    };
    check_static(running, tx::tensor<float>{10, 17, 24}, x);
    static_assert(std::tuple_size_v<decltype(tx::unstack(std::declval<floats<0, 2>>()))> == 0);
    auto const thirds = [](auto const& a) { return tx::split<3>(a); };
    CHECK_THROWS_AS(run<open_extents>(thirds, w), tx::shape_error);
}

TEST_CASE("joining: pad") {
    check([](auto const& a) { return tx::pad(a, tx::widths<1>); }, tx::tensor<float>{{0, 0, 0, 0, 0}, {0, 7, 8, 9, 0}, {0, 0, 0, 0, 0}}, row);
    auto const uneven = [](auto const& a) { return tx::pad(a, tx::widths<0, 1, 2, 0>, -1); };
    static_assert(gives<floats<3, 5>, floats<2, 3>>(uneven) && gives<floats<dyn, 5>, floats<dyn, 3>>(uneven));
    check(uneven, tx::tensor<float>{{-1, -1, 1, 2, 3}, {-1, -1, 4, 5, 6}, {-1, -1, -1, -1, -1}}, x);
    check([](auto const& a, auto const& value) { return tx::pad(a, tx::widths<0, 2>, value); }, tx::tensor<float>{7, 8, 9, 3, 3}, v, tx::tensor<double, tx::shape<>>(3.0));
    check([](auto const& a) { return tx::pad(a, tx::widths<1>, true); }, tx::tensor<bool>{true, false, true}, tx::tensor<bool, tx::shape<1>>{false});
    check([](auto const& a) { return tx::pad(a, tx::widths<2, 1>, tx::edge); }, tx::tensor<float>{7, 7, 7, 8, 9, 9}, v);
    check([](auto const& a) { return tx::pad(a, tx::widths<1, 0, 0, 2>, tx::edge); }, tx::tensor<float>{{7, 8, 9, 9, 9}, {7, 8, 9, 9, 9}}, row);
    auto const widened = [](auto const& a) { return tx::pad(a, tx::widths<0, 0, 1, 2>, tx::edge); };
    static_assert(gives<floats<2, 6>, floats<2, 3>>(widened) && gives<floats<dyn, dyn>, floats<dyn, dyn>>(widened));
    CHECK_THROWS_AS(run<open_extents>(widened, tx::tensor<float, tx::shape<2, 0>>{}), tx::shape_error);
    check([](auto const& a) { return tx::pad(a, tx::widths<1, 2>, tx::reflect); }, tx::tensor<float>{8, 7, 8, 9, 8, 7}, v);
    check([](auto const& a) { return tx::pad(a, tx::widths<4, 1>, tx::reflect); }, tx::tensor<float>{7, 8, 9, 8, 7, 8, 9, 8}, v);
    check([](auto const& a) { return tx::pad(a, tx::widths<1>, tx::reflect); }, tx::tensor<float>{{8, 7, 8, 9, 8}, {8, 7, 8, 9, 8}, {8, 7, 8, 9, 8}}, row);
}
