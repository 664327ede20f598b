// This file tests functions that change the shape. Expected values are NumPy's, for x = np.arange(1, 7,
// dtype=np.float32).reshape(2, 3): np.moveaxis(y, 0, -1), np.roll(x, 2), ...
#include "trace_helper.hpp"

#include <tracexpr/base/create.hpp>
#include <tracexpr/trace/rolling.hpp>
#include <tracexpr/trace/shaping.hpp>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
tx::tensor<float, tx::shape<1, 2, 1, 3>> const thin{{{{1, 2, 3}}, {{4, 5, 6}}}};
tx::tensor<float, tx::shape<2, 1, 3>> const y{{{1, 2, 3}}, {{4, 5, 6}}};
tx::tensor<float, tx::shape<3>> const v{7, 8, 9};
tx::tensor<float, tx::shape<1, 1, 1, 1, 1, 1, 2, 2>> const eight{{{{{{{{1, 2}, {3, 4}}}}}}}};
using any = tx::expr<float, tx::any_shape>;
} // namespace

TEST_CASE("shaping: reshape") {
    auto const to_columns = [](auto const& a) { return tx::reshape(a, tx::shape<3, -1>{}); };
    static_assert(gives<floats<3, 2>, floats<2, 3>>(to_columns) && gives<floats<3, dyn>, floats<dyn, 3>>(to_columns));
    static_assert(gives<floats<3, dyn>, any>(to_columns));
    check(to_columns, tx::tensor<float>{{1, 2}, {3, 4}, {5, 6}}, x);
    check([](auto const& a) { return tx::reshape<3, 1, 2>(a); }, tx::tensor<float>{{{1, 2}}, {{3, 4}}, {{5, 6}}}, x);
    check([](auto const& a) { return tx::flatten(a); }, tx::tensor<float>{1, 2, 3, 4, 5, 6}, thin);
    check([](auto const& a) { return tx::ravel(a); }, tx::tensor<float>{2}, tx::tensor<float, tx::shape<>>(2.f));
    static_assert(gives<floats<dyn>, any>([](auto const& a) { return tx::flatten(a); }));
}

TEST_CASE("shaping: orders of axes") {
    check([](auto const& a) { return tx::transpose(a); }, tx::tensor<float>{{1, 4}, {2, 5}, {3, 6}}, x);
    check([](auto const& a) { return tx::transpose(a, tx::axis<-2, -1>); }, x, x);
    check([](auto const& a) { return tx::transpose<1, 2, 0>(a); }, tx::tensor<float>{{{1, 4}, {2, 5}, {3, 6}}}, y);
    check([](auto const& a) { return tx::permute(a, tx::axis<2, 0, 1>); }, tx::tensor<float>{{{1}, {4}}, {{2}, {5}}, {{3}, {6}}}, y);
    check([](auto const& a) { return tx::matrix_transpose(a); }, tx::tensor<float>{{{1}, {2}, {3}}, {{4}, {5}, {6}}}, y);
    check([](auto const& a) { return tx::swapaxes<0, -1>(a); }, tx::tensor<float>{{{1, 4}}, {{2, 5}}, {{3, 6}}}, y);
    check([](auto const& a) { return tx::swapaxes(a, tx::axis<0>, tx::axis<1>); }, tx::tensor<float>{{{1, 2, 3}, {4, 5, 6}}}, y);
    check([](auto const& a) { return tx::moveaxis<0, -1>(a); }, tx::tensor<float>{{{1, 4}, {2, 5}, {3, 6}}}, y);
    auto const two = [](auto const& a) { return tx::moveaxis(a, tx::axis<0, 1>, tx::axis<-1, 0>); };
    static_assert(gives<floats<3, 4, 5, 2>, floats<2, 3, 4, 5>>(two));
    check(two, tx::tensor<float>{{{1, 4}, {2, 5}, {3, 6}}}, y);
}

TEST_CASE("shaping: axes of extent 1") {
    auto const both_ends = [](auto const& a) { return tx::expand_dims(a, tx::axis<-1, 0>); };
    static_assert(gives<floats<1, 2, dyn, 1>, floats<2, dyn>>(both_ends));
    check(both_ends, tx::tensor<float>{{{{1}, {2}, {3}}, {{4}, {5}, {6}}}}, x);
    check([](auto const& a) { return tx::expand_dims<1>(a); }, y, x);
    check([](auto const& a) { return tx::squeeze(a, tx::axis<0, -2>); }, x, thin);
    check([](auto const& a) { return tx::squeeze<1>(a); }, x, y);
    check_static([](auto const& a) { return tx::squeeze(a); }, x, thin);
    check([](auto const& a) { return tx::atleast_2d(a); }, tx::tensor<float>{{7, 8, 9}}, v);
    check([](auto const& a) { return tx::atleast_1d(a); }, x, x);
}

TEST_CASE("shaping: broadcasting") {
    auto const rows = [](auto const& a) { return tx::broadcast_to(a, tx::shape<2, 3>{}); };
    static_assert(gives<floats<2, 3>, floats<3>>(rows) && gives<floats<2, 3>, any>(rows));
    check(rows, tx::tensor<float>{{7, 8, 9}, {7, 8, 9}}, v);
    check([](auto const& a) { return tx::broadcast_to<2, dyn>(a); }, tx::tensor<float>{{7, 8, 9}, {7, 8, 9}}, v);
    auto const all = [](auto const&... a) { return tx::broadcast_arrays(a...); };
    std::tuple const wanted{tx::tensor<float>{{{1, 2, 3}, {1, 2, 3}}, {{4, 5, 6}, {4, 5, 6}}}, tx::tensor<float>{{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}}};
    check_all<as_given>(all, wanted, y, x);
    check_all<open_extents>(all, wanted, y, x);
    check_all<open_rank>(all, wanted, y, x);
}

TEST_CASE("shaping: flip and roll") {
    check([](auto const& a) { return tx::flip(a); }, tx::tensor<float>{{6, 5, 4}, {3, 2, 1}}, x);
    check([](auto const& a) { return tx::flip<0>(a); }, tx::tensor<float>{{4, 5, 6}, {1, 2, 3}}, x);
    check([](auto const& a) { return tx::flip(a, tx::axis<-1>); }, tx::tensor<float>{{3, 2, 1}, {6, 5, 4}}, x);
    check([](auto const& a) { return tx::rot90(a); }, tx::tensor<float>{{3, 6}, {2, 5}, {1, 4}}, x);
    check([](auto const& a) { return tx::rot90<2>(a); }, tx::tensor<float>{{6, 5, 4}, {3, 2, 1}}, x);
    check([](auto const& a) { return tx::rot90<-1>(a); }, tx::tensor<float>{{4, 1}, {5, 2}, {6, 3}}, x);
    check_static([](auto const& a) { return tx::roll<2>(a); }, tx::tensor<float>{{5, 6, 1}, {2, 3, 4}}, x);
    check([](auto const& a) { return tx::roll<-4>(a); }, tx::tensor<float>{8, 9, 7}, v);
    check([](auto const& a) { return tx::roll<1>(a, tx::axis<1>); }, tx::tensor<float>{{3, 1, 2}, {6, 4, 5}}, x);
    check([](auto const& a) { return tx::roll<1, -1>(a, tx::axis<0, 1>); }, tx::tensor<float>{{5, 6, 4}, {2, 3, 1}}, x);
}

TEST_CASE("shaping: tile and repeat") {
    auto const tiled = [](auto const& a) { return tx::tile<2, 1, 2>(a); };
    static_assert(gives<floats<2, 2, 6>, floats<2, 3>>(tiled) && gives<floats<2, dyn, 6>, floats<dyn, 3>>(tiled));
    check(tiled, tx::tensor<float>{{{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}}, {{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}}}, x);
    check([](auto const& a) { return tx::tile<2>(a); }, tx::tensor<float>{{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}}, x);
    check([](auto const& a) { return tx::repeat<2>(a, tx::axis<0>); }, tx::tensor<float>{{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {4, 5, 6}}, x);
    check([](auto const& a) { return tx::repeat<2, -1>(a); }, tx::tensor<float>{{1, 1, 2, 2, 3, 3}, {4, 4, 5, 5, 6, 6}}, x);
    check([](auto const& a) { return tx::repeat<3>(a); }, tx::tensor<float>{7, 7, 7, 8, 8, 8, 9, 9, 9}, v);
    check([](auto const& a) { return tx::repeat<0>(a); }, tx::zeros<float>(tx::shape<0>{}), v);
    SUBCASE("eight axes") {
        check([](auto const& a) { return tx::tile<2>(a); }, tx::tensor<float>{{{{{{{{1, 2, 1, 2}, {3, 4, 3, 4}}}}}}}}, eight);
        check([](auto const& a) { return tx::repeat<2, 7>(a); }, tx::tensor<float>{{{{{{{{1, 1, 2, 2}, {3, 3, 4, 4}}}}}}}}, eight);
    }
}

TEST_CASE("shaping: windows") {
    check([](auto const& a) { return tx::sliding_window_view<2>(a); }, tx::tensor<float>{{7, 8}, {8, 9}}, v);
    check([](auto const& a) { return tx::sliding_window_view<3>(a, tx::axis<-1>); }, tx::tensor<float>{{{1, 2, 3}}, {{4, 5, 6}}}, x);
    check([](auto const& a) { return tx::sliding_window_view<2, 2>(a); }, tx::tensor<float>{{{{1, 2}, {4, 5}}, {{2, 3}, {5, 6}}}}, x);
    check([](auto const& a) { return tx::sliding_window_view<2, 1>(a, tx::axis<1, 0>); }, tx::tensor<float>{{{{1}, {2}}, {{2}, {3}}}, {{{4}, {5}}, {{5}, {6}}}}, x);
    auto const of_columns = [](auto const& a) { return tx::sliding_window_view<2>(a, tx::axis<0>); };
    static_assert(gives<floats<1, 3, 2>, floats<2, 3>>(of_columns) && gives<floats<dyn, 3, 2>, floats<dyn, 3>>(of_columns));
}

TEST_CASE("shaping: diagonal") {
    check([](auto const& a) { return tx::diagonal(a); }, tx::tensor<float>{1, 5}, x);
    check([](auto const& a) { return tx::diagonal<1>(a); }, tx::tensor<float>{2, 6}, x);
    check([](auto const& a) { return tx::diagonal<-1>(a); }, tx::tensor<float>{4}, x);
    auto const outer_axes = [](auto const& a) { return tx::diagonal(a, tx::axis<0, -1>); };
    static_assert(gives<floats<1, 2>, floats<2, 1, 3>>(outer_axes));
    check(outer_axes, tx::tensor<float>{{1, 5}}, y);
}
