// This file tests activation functions. Expected values are NumPy's and SciPy's, in float64, for x and y as below: x * ndtr(x)
// for gelu, scipy.special.softmax(y, 1), ...
#include "trace_helper.hpp"

#include <tracexpr/trace/activations.hpp>

#include <limits>

using namespace trace_test;

namespace {
tx::tensor<double, tx::shape<6>> const x{-3, -0.5, 0, 0.5, 3, 8};
tx::tensor<double, tx::shape<2, 3>> const y{{1, 2, 3}, {1000, 1000, -1000}};
double const infinity = std::numeric_limits<double>::infinity(), missing = std::numeric_limits<double>::quiet_NaN();
template <class T> auto scalar(T value) { return tx::tensor<T, tx::shape<>>(value); }
} // namespace

TEST_CASE("activations: piecewise") {
    check([](auto const& a) { return tx::relu(a); }, tx::tensor<double>{0, 0, 0, 0.5, 3, 8}, x);
    check([](auto const& a) { return tx::relu6(a); }, tx::tensor<double>{0, 0, 0, 0.5, 3, 6}, x);
    check([](auto const& a) { return tx::relu(a); }, tx::tensor<std::int32_t>{0, 5}, tx::tensor<std::int32_t, tx::shape<2>>{-5, 5});
    check([](auto const& a) { return tx::leaky_relu(a); }, tx::tensor<double>{-0.03, -0.005, 0, 0.5, 3, 8}, x);
    check([](auto const& a) { return tx::leaky_relu(a, 0.5); }, tx::tensor<double>{-1.5, 2}, tx::tensor<std::int8_t, tx::shape<2>>{-3, 2});
    check([](auto const& a) { return tx::elu(a); }, tx::tensor<double>{-0.950212931632136, -0.3934693402873666, 0, 0.5, 3, 8}, x);
    check([](auto const& a) { return tx::elu(a, 2); }, tx::tensor<double>{-1.900425863264272, -0.7869386805747332, 0, 0.5, 3, 8}, x);
    check([](auto const& a) { return tx::selu(a); },
          tx::tensor<double>{-1.6705687287671118, -0.6917581878028713, 0, 0.5253504936777402, 3.1521029620664414, 8.405607898843844}, x);
    check([](auto const& a) { return tx::clip(a, -1, 2); }, tx::tensor<double>{-1, -0.5, 0, 0.5, 2, 2}, x);
    check([](auto const& a, auto const& low) { return tx::clip(a, low, 2.5); }, tx::tensor<double>{{1, 2, 2.5}, {2.5, 2.5, 0}}, y, tx::tensor<double, tx::shape<2, 1>>{{1}, {0}});
    check([](auto const& a) { return tx::clip(a, 2, 5); }, tx::tensor<std::int16_t>{2, 5, 3}, tx::tensor<std::int16_t, tx::shape<3>>{-7, 7, 3});
    check([](auto const& a) { return tx::relu(a); }, tx::tensor<double>{missing}, tx::tensor<double, tx::shape<1>>{missing});
}

TEST_CASE("activations: smooth") {
    check([](auto const& a) { return tx::softplus(a); },
          tx::tensor<double>{0.04858735157374206, 0.4740769841801067, 0.6931471805599453, 0.9740769841801067, 3.048587351573742, 8.000335406372896}, x);
    check([](auto const& a) { return tx::softplus(a); }, tx::tensor<double>{0, 1000, infinity}, tx::tensor<double, tx::shape<3>>{-1000, 1000, infinity});
    check([](auto const& a) { return tx::softsign(a); }, tx::tensor<double>{-0.75, -1.0 / 3, 0, 1.0 / 3, 0.75, 8.0 / 9}, x);
    check([](auto const& a) { return tx::silu(a); },
          tx::tensor<double>{-0.14227761953270035, -0.1887703343990727, 0, 0.3112296656009273, 2.8577223804673, 7.997317198956269}, x);
    check([](auto const& a) { return tx::gelu(a); },
          tx::tensor<double>{-0.00404969409489028, -0.15426876936299344, 0, 0.34573123063700656, 2.99595030590511, 7.999999999999995}, x);
    check([](auto const& a) { return tx::gelu(a, tx::approximate); },
          tx::tensor<double>{-0.0036373920817729943, -0.15428599017485606, 0, 0.34571400982514394, 2.996362607918227, 8}, x);
    check([](auto const& a, auto const& b) { return tx::lerp(a, b, 0.25); }, tx::tensor<float>{1.5, 2}, tx::tensor<float, tx::shape<2>>{1, 2},
          tx::tensor<float, tx::shape<2>>{3, 2});
}

TEST_CASE("activations: softmax and its kin") {
    check([](auto const& a) { return tx::softmax(a); }, tx::tensor<double>{{0.09003057317038046, 0.24472847105479764, 0.6652409557748218}, {0.5, 0.5, 0}}, y);
    check([](auto const& a) { return tx::softmax(a, tx::axis<0>); }, tx::tensor<double>{{0, 0, 1}, {1, 1, 0}}, y);
    check([](auto const& a) { return tx::softmax<0, 1>(a); }, tx::tensor<double>{{0, 0, 0}, {0.5, 0.5, 0}}, y);
    check([](auto const& a) { return tx::log_softmax(a); },
          tx::tensor<double>{{-2.4076059644443806, -1.4076059644443804, -0.4076059644443804}, {-0.6931471805599453, -0.6931471805599453, -2000.69314718056}}, y);
    check([](auto const& a) { return tx::logsumexp(a); }, scalar(1000.6931471805599), y);
    check([](auto const& a) { return tx::logsumexp(a, tx::axis<1>, tx::keepdims); }, tx::tensor<double>{{3.40760596444438}, {1000.6931471805599}}, y);
    check([](auto const& a) { return tx::logsumexp<0>(a); }, tx::tensor<double>{1000, 1000, 3}, y);
    check([](auto const& a) { return tx::logsumexp(a); }, scalar(-infinity), tx::tensor<double, tx::shape<2>>{-infinity, -infinity});
    check([](auto const& a) { return tx::logsumexp(a); }, scalar(infinity), tx::tensor<double, tx::shape<2>>{-infinity, infinity});
    check([](auto const& a) { return tx::softmax(a); }, tx::tensor<double>{0.5, 0.5}, tx::tensor<std::int64_t, tx::shape<2>>{7, 7});
    static_assert(gives<tx::expr<tx::half, tx::shape<4>>, tx::expr<tx::half, tx::shape<4>>>([](auto const& a) { return tx::softmax(a); }));
}
