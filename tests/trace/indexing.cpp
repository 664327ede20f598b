// This file tests slice and lookups. Expected values are NumPy's, for x = np.arange(24, dtype=np.float32).reshape(2, 3, 4): x[1,
// ::-1, 1:3], np.take(m, i, 1), ...
#include "trace_helper.hpp"

#include <tracexpr/trace/indexing.hpp>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3, 4>> const x = [] {
    tx::tensor<float, tx::shape<2, 3, 4>> out;
    for (int i = 0; i < 24; ++i) out.mutable_data()[i] = static_cast<float>(i);
    return out;
}();
tx::tensor<float, tx::shape<2, 3>> const m{{1, 2, 3}, {4, 5, 6}};
template <class T> auto scalar(T value) { return tx::tensor<T, tx::shape<>>(value); }
} // namespace

TEST_CASE("indexing: slice") {
    auto const mixed = [](auto const& a) { return tx::slice(a, tx::at<1>, tx::range<tx::open, tx::open, -1>, tx::range<1, 3>); };
    static_assert(gives<floats<3, 2>, floats<2, 3, 4>>(mixed) && gives<floats<3, dyn>, floats<dyn, 3, dyn>>(mixed));
    check(mixed, tx::tensor<float>{{21, 22}, {17, 18}, {13, 14}}, x);
    check([](auto const& a) { return tx::slice(a, tx::ellipsis, tx::at<-1>); }, tx::tensor<float>{{3, 7, 11}, {15, 19, 23}}, x);
    check([](auto const& a) { return tx::slice(a, tx::at<0>, tx::ellipsis, tx::range<tx::open, tx::open, 3>); }, tx::tensor<float>{{0, 3}, {4, 7}, {8, 11}}, x);
    check([](auto const& a) { return tx::slice(a, tx::at<-2>, tx::at<2>, tx::at<3>); }, scalar(11.f), x);
    check([](auto const& a) { return tx::slice(a, tx::range<>, tx::at<0>, tx::range<-2, tx::open>); }, tx::tensor<float>{{2, 3}, {14, 15}}, x);
    check([](auto const& a) { return tx::slice(a); }, x, x);
    check([](auto const& a) { return tx::slice(a, tx::range<5, 9>); }, tx::tensor<float, tx::shape<0, 3>>{}, m);
    auto const wide = [](auto const& a) { return tx::slice(a, tx::new_axis, tx::at<1>, tx::new_axis, tx::range<>, tx::new_axis); };
    static_assert(gives<floats<1, 1, 3, 1>, floats<2, 3>>(wide));
    check(wide, tx::tensor<float>{{{{4}, {5}, {6}}}}, m);
    check([](auto const& a) { return tx::slice(a, tx::ellipsis, tx::new_axis); }, tx::tensor<float>{{{1}, {2}, {3}}, {{4}, {5}, {6}}}, m);
    SUBCASE("what only the run shows is thrown") {
        auto const far = [](auto const& a) { return tx::slice(a, tx::at<7>); };
        CHECK_THROWS_AS(run<open_extents>(far, m), tx::shape_error);
        auto const many = [](auto const& a) { return tx::slice(a, tx::at<0>, tx::at<0>, tx::at<0>); };
        CHECK_THROWS_WITH_AS(run<open_rank>(many, m), "tx: slice: takes at most one index for each axis, and one ellipsis; given (?, ?)", tx::shape_error);
    }
}

TEST_CASE("indexing: take") {
    tx::tensor<std::int64_t, tx::shape<2, 2>> const places{{0, -1}, {1, 0}};
    auto const columns = [](auto const& a, auto const& i) { return tx::take(a, i, tx::axis<1>); };
    static_assert(gives<floats<2, 2, 2>, floats<2, 3>, ints<2, 2>>(columns));
    check(columns, tx::tensor<float>{{{1, 3}, {2, 1}}, {{4, 6}, {5, 4}}}, m, places);
    check([](auto const& a, auto const& i) { return tx::take(a, i); }, tx::tensor<float>{{1, 6}, {2, 1}}, m, places);
    check([](auto const& a) { return tx::take(a, 1, tx::axis<0>); }, tx::tensor<float>{4, 5, 6}, m);
    check([](auto const& a, auto const& i) { return tx::gather(a, i); }, tx::tensor<float>{{4, 5, 6}, {4, 5, 6}}, m, tx::tensor<std::uint8_t, tx::shape<2>>{1, 1});
    CHECK_THROWS_AS(run<as_given>(columns, m, tx::tensor<std::int64_t, tx::shape<1>>{3}), tx::error);
}

TEST_CASE("indexing: take_along_axis") {
    auto const last = [](auto const& a, auto const& i) { return tx::take_along_axis(a, i); };
    check(last, tx::tensor<float>{{3, 1}, {5, 5}}, m, tx::tensor<std::int32_t, tx::shape<2, 2>>{{2, 0}, {1, -2}});
    check([](auto const& a, auto const& i) { return tx::take_along_axis<0>(a, i); }, tx::tensor<float>{{4, 2, 6}}, m, tx::tensor<std::int64_t, tx::shape<1, 3>>{{1, 0, 1}});
    check_static(last, tx::tensor<float>{{3, 1}, {6, 4}}, m, tx::tensor<std::int64_t, tx::shape<1, 2>>{{2, 0}});
}
