// This file tests contractions. Expected values are NumPy's, for a, b, v as below and t = np.arange(12,
// dtype=np.float32).reshape(2, 2, 3): a @ b, np.dot(a, np.stack([b, b + 1])), ...
#include "trace_helper.hpp"

#include <tracexpr/trace/contraction.hpp>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3>> const a{{1, 2, 3}, {4, 5, 6}};
tx::tensor<float, tx::shape<3, 2>> const b{{1, 0}, {2, -1}, {0, 3}};
tx::tensor<float, tx::shape<3>> const v{1, -1, 2};
tx::tensor<float, tx::shape<2, 2, 3>> const t{{{0, 1, 2}, {3, 4, 5}}, {{6, 7, 8}, {9, 10, 11}}};
auto const matmul = [](auto const& x, auto const& y) { return tx::matmul(x, y); };
auto const dot = [](auto const& x, auto const& y) { return tx::dot(x, y); };
template <class T> auto scalar(T value) { return tx::tensor<T, tx::shape<>>(value); }
} // namespace

TEST_CASE("contraction: matmul") {
    static_assert(gives<floats<2, 2>, floats<2, 3>, floats<3, 2>>(matmul) && gives<floats<dyn, 2>, floats<dyn, 3>, floats<dyn, 2>>(matmul));
    static_assert(gives<floats<5, 4, 2, 6>, floats<4, 2, 3>, floats<5, 1, 3, 6>>(matmul));
    static_assert(gives<floats<2>, floats<2, 3>, floats<3>>(matmul) && gives<floats<4, 2>, floats<3>, floats<4, 3, 2>>(matmul));
    static_assert(gives<floats<>, floats<3>, floats<3>>(matmul));
    static_assert(gives<tx::expr<float, tx::any_shape>, floats<3>, tx::expr<float, tx::any_shape>>(matmul));
    static_assert(gives<tx::expr<double, tx::shape<2, 2>>, floats<2, 3>, tx::expr<double, tx::shape<3, 2>>>(matmul));
    check(matmul, tx::tensor<float>{{5, 7}, {14, 13}}, a, b);
    check(matmul, tx::tensor<float>{5, 11}, a, v);
    check(matmul, tx::tensor<float>{-1, 7}, v, b);
    check(matmul, scalar(6.f), v, v);
    check(matmul, tx::tensor<float>{{{2, 5}, {11, 11}}, {{20, 17}, {29, 23}}}, t, b);
    SUBCASE("dtypes") {
        check(matmul, tx::tensor<std::int32_t>{{7}}, tx::tensor<std::int32_t, tx::shape<1, 2>>{{1, 2}}, tx::tensor<std::int32_t, tx::shape<2, 1>>{{3}, {2}});
        check(matmul, scalar(std::int8_t{-112}), tx::tensor<std::int8_t, tx::shape<1>>{12}, tx::tensor<std::int8_t, tx::shape<1>>{12});
        check(matmul, tx::tensor<bool>{true}, tx::tensor<bool, tx::shape<1, 2>>{{true, true}}, tx::tensor<bool, tx::shape<2>>{true, true});
        check(matmul, scalar(true), tx::tensor<bool, tx::shape<2>>{true, true}, tx::tensor<bool, tx::shape<2>>{true, true});
        using h = tx::half;
        check(matmul, tx::tensor<h>{{h(2050.f)}}, tx::tensor<h, tx::shape<1, 3>>{{h(2048.f), h(1.f), h(1.f)}}, tx::tensor<h, tx::shape<3, 1>>{{h(1.f)}, {h(1.f)}, {h(1.f)}});
    }
    SUBCASE("run-time extents are checked at the run") {
        tx::tensor<float, tx::shape<dyn>> const two(tx::tensor<float>{1, 2});
        CHECK_THROWS_AS(run<open_extents>(matmul, a, two), tx::shape_error);
    }
}

TEST_CASE("contraction: dot, vecdot, inner, outer") {
    check(dot, scalar(6.f), v, v);
    check(dot, tx::tensor<float>{{5, 7}, {14, 13}}, a, b);
    check(dot, tx::tensor<float>{2, -2, 4}, scalar(2.f), v);
    tx::tensor<float, tx::shape<2, 3, 2>> const two{{{1, 0}, {2, -1}, {0, 3}}, {{2, 1}, {3, 0}, {1, 4}}};
    check(dot, tx::tensor<float>{{{5, 7}, {11, 13}}, {{14, 13}, {29, 28}}}, a, two);
    check([](auto const& x, auto const& y) { return tx::inner(x, y); }, tx::tensor<float>{{{8, 26}, {44, 62}}, {{17, 62}, {107, 152}}}, a, t);
    check([](auto const& x, auto const& y) { return tx::outer(x, y); }, tx::tensor<float>{{1, -1, 2}, {-1, 1, -2}, {2, -2, 4}}, v, v);
    auto const along_last = [](auto const& x, auto const& y) { return tx::vecdot(x, y); };
    static_assert(gives<floats<2, 2>, floats<2, 2, 3>, floats<3>>(along_last));
    check(along_last, tx::tensor<float>{5, 11}, a, v);
    check([](auto const& x, auto const& y) { return tx::vecdot(x, y, tx::axis<-2>); }, tx::tensor<float>{17, 29, 45}, a, a);
    using z = std::complex<float>;
    check(along_last, scalar(z(5, -2)), tx::tensor<z, tx::shape<2>>{{0, 1}, 2}, tx::tensor<z, tx::shape<2>>{{2, 1}, 2});
}

TEST_CASE("contraction: tensordot and trace") {
    check([](auto const& x, auto const& y) { return tx::tensordot(x, y, tx::axis<1, 2>, tx::axis<0, 1>); }, tx::tensor<float>{70, 196}, t, a);
    check([](auto const& x, auto const& y) { return tx::tensordot(x, y, tx::axis<0, -1>, tx::axis<0, -1>); }, tx::tensor<float>{{154, 226}, {226, 352}}, t, t);
    check([](auto const& x, auto const& y) { return tx::tensordot<1>(x, y); }, tx::tensor<float>{{5, 7}, {14, 13}}, a, b);
    check([](auto const& x, auto const& y) { return tx::tensordot(x, y); }, scalar(91.f), a, a);
    check([](auto const& x, auto const& y) { return tx::tensordot<0>(x, y); }, tx::tensor<float>{{1, -1, 2}, {-1, 1, -2}, {2, -2, 4}}, v, v);
    auto const wide = [](auto const& x, auto const& y) { return tx::tensordot<1>(x, y); };
    static_assert(gives<floats<2, 2, 3, 4>, floats<2, 2, 5>, floats<5, 3, 4>>(wide));
    check([](auto const& x) { return tx::trace(x); }, scalar(6.f), a);
    check([](auto const& x) { return tx::trace<1>(x, tx::axis<1, 2>); }, tx::tensor<float>{6, 18}, t);
}
