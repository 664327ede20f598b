// This file tests reductions. Expected values are NumPy's, for x = np.array([[1, -2, 3], [4, 5, -6]], np.float32): x.var(0,
// ddof=1), np.linalg.norm(x.ravel()), ...
#include "trace_helper.hpp"

#include <tracexpr/trace/scans.hpp>

#include <limits>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3>> const x{{1, -2, 3}, {4, 5, -6}};
tx::tensor<std::int8_t, tx::shape<2, 3>> const small{{100, 100, 100}, {-100, 1, 2}};
tx::tensor<bool, tx::shape<2, 2>> const truth{{true, false}, {false, false}};
float const missing = std::numeric_limits<float>::quiet_NaN();

template <class T> auto scalar(T value) { return tx::tensor<T, tx::shape<>>(value); }
} // namespace

TEST_CASE("reductions: every form of a call") {
    auto const all = [](auto const& a) { return tx::sum(a); };
    auto const last = [](auto const& a) { return tx::sum(a, tx::axis<-1>); };
    auto const kept = [](auto const& a) { return tx::sum(a, tx::axis<1>, tx::keepdims); };
    auto const all_kept = [](auto const& a) { return tx::sum(a, tx::keepdims); };
    auto const both = [](auto const& a) { return tx::sum<0, -1>(a); };
    auto const template_kept = [](auto const& a) { return tx::sum<1>(a, tx::keepdims); };
    static_assert(gives<floats<>, floats<2, 3>>(all) && gives<floats<>, floats<2, 3>>(both));
    static_assert(gives<floats<2>, floats<2, 3>>(last) && gives<floats<2, 1>, floats<2, 3>>(kept));
    static_assert(gives<floats<1, 1>, floats<2, 3>>(all_kept) && gives<floats<dyn, 1>, floats<dyn, 3>>(template_kept));
    static_assert(gives<tx::expr<float, tx::any_shape>, tx::expr<float, tx::any_shape>>(all));
    check(all, scalar(5.f), x);
    check(both, scalar(5.f), x);
    check(last, tx::tensor<float>{2, 3}, x);
    check(kept, tx::tensor<float>{{2}, {3}}, x);
    check(template_kept, tx::tensor<float>{{2}, {3}}, x);
    check(all_kept, tx::tensor<float>{{5}}, x);
    check([](auto const& a) { return tx::sum(a, tx::axis<>); }, x, x);
}

TEST_CASE("reductions: sums and products") {
    check([](auto const& a) { return tx::sum(a, tx::axis<0>); }, tx::tensor<float>{5, 3, -3}, x);
    check([](auto const& a) { return tx::prod(a, tx::axis<1>); }, tx::tensor<float>{-6, -120}, x);
    SUBCASE("integers are summed in 64 bits") {
        check([](auto const& a) { return tx::sum(a, tx::axis<1>); }, tx::tensor<std::int64_t>{300, -97}, small);
        check([](auto const& a) { return tx::prod(a); }, scalar(std::int64_t{-200000000}), small);
        check([](auto const& a) { return tx::sum(a); }, scalar(std::uint64_t{510}), tx::tensor<std::uint8_t, tx::shape<2>>{255, 255});
        check([](auto const& a) { return tx::sum(a); }, scalar(std::int64_t{1}), truth);
    }
    SUBCASE("float16 is summed in float32") {
        tx::tensor<tx::half, tx::shape<4>> const h{tx::half(2048.f), tx::half(1.f), tx::half(1.f), tx::half(1.f)};
        check([](auto const& a) { return tx::sum(a); }, scalar(tx::half(2052.f)), h);
        check([](auto const& a) { return tx::mean(a); }, scalar(tx::half(512.75f)), h);
    }
    SUBCASE("an empty sum is 0, an empty product 1") {
        tx::tensor<float, tx::shape<0, 2>> const none;
        check([](auto const& a) { return tx::sum(a, tx::axis<0>); }, tx::tensor<float>{0, 0}, none);
        check([](auto const& a) { return tx::prod(a, tx::axis<0>); }, tx::tensor<float>{1, 1}, none);
        check([](auto const& a) { return tx::mean(a, tx::axis<0>); }, tx::tensor<float>{missing, missing}, none);
    }
}

TEST_CASE("reductions: mean, var, std") {
    check([](auto const& a) { return tx::mean(a); }, scalar(0.8333333f), x);
    check([](auto const& a) { return tx::mean<0>(a); }, tx::tensor<float>{2.5, 1.5, -1.5}, x);
    check([](auto const& a) { return tx::mean(a, tx::axis<1>, tx::keepdims); }, tx::tensor<double>{{100}, {-97.0 / 3}}, small);
    check([](auto const& a) { return tx::var(a); }, scalar(14.472222f), x);
    check([](auto const& a) { return tx::var(a, tx::axis<0>, tx::ddof<1>); }, tx::tensor<float>{4.5, 24.5, 40.5}, x);
    check([](auto const& a) { return tx::var<0>(a, tx::keepdims); }, tx::tensor<float>{{2.25, 12.25, 20.25}}, x);
    check([](auto const& a) { return tx::std(a, tx::axis<1>); }, tx::tensor<float>{2.0548048f, 4.9665546f}, x);
    check([](auto const& a) { return tx::var(a, tx::ddof<7>); }, scalar(std::numeric_limits<float>::infinity()), x);
    using z = std::complex<double>;
    tx::tensor<z, tx::shape<2>> const c{z(1, 2), z(3, -2)};
    check([](auto const& a) { return tx::mean(a); }, scalar(z(2, 0)), c);
    check([](auto const& a) { return tx::var(a); }, scalar(5.0), c);
}

TEST_CASE("reductions: extremes and truth") {
    check([](auto const& a) { return tx::max(a, tx::axis<0>); }, tx::tensor<float>{4, 5, 3}, x);
    check([](auto const& a) { return tx::min(a, tx::axis<1>, tx::keepdims); }, tx::tensor<float>{{-2}, {-6}}, x);
    check([](auto const& a) { return tx::max(a); }, scalar(missing), tx::tensor<float, tx::shape<3>>{1, missing, 3});
    check([](auto const& a) { return tx::max(a); }, scalar(true), truth);
    check([](auto const& a) { return tx::any(a, tx::axis<1>); }, tx::tensor<bool>{true, false}, truth);
    check([](auto const& a) { return tx::all(a, tx::axis<1>, tx::keepdims); }, tx::tensor<bool>{{true}, {true}}, x);
    check([](auto const& a) { return tx::all<0>(a); }, tx::tensor<bool>{false, false}, truth);
    check_static([](auto const& a) { return tx::any(a); }, scalar(false), tx::tensor<float, tx::shape<0>>{});
    check_static([](auto const& a) { return tx::all<0>(a); }, tx::tensor<bool>{true, true}, tx::tensor<float, tx::shape<0, 2>>{});
    check([](auto const& a) { return tx::count_nonzero(a, tx::axis<0>); }, tx::tensor<std::int64_t>{1, 0}, truth);
}

TEST_CASE("reductions: places of extremes") {
    auto const largest = [](auto const& a) { return tx::argmax(a); };
    static_assert(gives<ints<>, floats<2, 3>>(largest));
    check(largest, scalar(std::int64_t{4}), x);
    check([](auto const& a) { return tx::argmax(a, tx::axis<0>); }, tx::tensor<std::int64_t>{1, 1, 0}, x);
    check([](auto const& a) { return tx::argmin<-1>(a, tx::keepdims); }, tx::tensor<std::int64_t>{{1}, {2}}, x);
    check([](auto const& a) { return tx::argmin(a, tx::keepdims); }, tx::tensor<std::int64_t>{{5}}, x);
    check(largest, scalar(std::int64_t{1}), tx::tensor<float, tx::shape<4>>{1, missing, 3, missing});
}

TEST_CASE("reductions: norms") {
    check([](auto const& a) { return tx::norm(a); }, scalar(9.539392f), x);
    check([](auto const& a) { return tx::norm(a, tx::order<1>, tx::axis<0>); }, tx::tensor<float>{5, 7, 9}, x);
    check([](auto const& a) { return tx::norm<1>(a, tx::order_inf, tx::keepdims); }, tx::tensor<float>{{3}, {6}}, x);
    check([](auto const& a) { return tx::norm(a, tx::order_p(3.5)); }, scalar(7.1879554f), x);
    check([](auto const& a) { return tx::norm(a, tx::order<3>, tx::axis<0>); }, tx::tensor<float>{4.0207257f, 5.1044688f, 6.2402515f}, x);
    check([](auto const& a) { return tx::norm(a, tx::order<0>); }, scalar(1.f), tx::tensor<float, tx::shape<2>>{0, 3});
    check([](auto const& a) { return tx::norm(a); }, scalar(5.0), tx::tensor<std::int32_t, tx::shape<2>>{3, -4});
    check([](auto const& a) { return tx::norm(a); }, scalar(5.0), tx::tensor<std::complex<double>, tx::shape<1>>{{3, 4}});
}

TEST_CASE("reductions: scans") {
    check([](auto const& a) { return tx::cumsum(a); }, tx::tensor<float>{1, -1, 2, 6, 11, 5}, x);
    check([](auto const& a) { return tx::cumsum(a, tx::axis<1>); }, tx::tensor<float>{{1, -1, 2}, {4, 9, 3}}, x);
    check([](auto const& a) { return tx::cumprod<0>(a); }, tx::tensor<float>{{1, -2, 3}, {4, -10, -18}}, x);
    check([](auto const& a) { return tx::cummax(a, tx::axis<-1>); }, tx::tensor<float>{{1, 1, 3}, {4, 5, 5}}, x);
    check([](auto const& a) { return tx::cummin<1>(a); }, tx::tensor<float>{{1, -2, -2}, {4, 4, -6}}, x);
    check([](auto const& a) { return tx::cumsum<1>(a); }, tx::tensor<std::int64_t>{{100, 200, 300}, {-100, -99, -97}}, small);
}

TEST_CASE("reductions: what only the run-time rank shows is thrown") {
    tx::trace_scope scope;
    tx::expr<float, tx::any_shape> const a(scope, scope.recorded.append_parameter(tx::dtype::float32, tx::dims{{2, 3}, 2}));
    CHECK_THROWS_WITH_AS(tx::sum<2>(a), "tx: sum: axes must lie within the rank; given (2, 3), axis 2", tx::shape_error);
    CHECK_THROWS_WITH_AS((tx::sum<0, -3>(a)), "tx: sum: axes must lie within the rank; given (2, 3), axes -3, 0", tx::shape_error);
    CHECK_THROWS_WITH_AS((tx::sum<1, -1>(a)), "tx: sum: axes must differ; given (2, 3), axes 1, 1", tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::cumsum<2>(a), "tx: cumsum: the axis must lie within the rank; given (2, 3), axis 2", tx::shape_error);
    tx::expr<float, tx::any_shape> const open(scope, scope.recorded.append_parameter(tx::dtype::float32, tx::dims_of<tx::any_shape>));
    CHECK_THROWS_WITH_AS(tx::sum<1>(open), "tx: sum: the operand's rank must be known while it is traced", tx::shape_error);
}
