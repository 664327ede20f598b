// Multi-head attention with a causal mask, written as in NumPy. Rows of weights sum to 1, and the first place sees only itself.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <iostream>

constexpr std::int64_t heads = 4, width = 32, each = width / heads;

struct attention {
    tx::tensor<float, tx::shape<width, width>> query, key, value, out;

    constexpr auto operator()(auto const& x) const { // (batch, time, width)
        auto const n = tx::extent<0>(x), t = tx::extent<1>(x);
        auto const split = [&](auto y) {
            return tx::permute<0, 2, 1, 3>(tx::reshape<tx::shape<tx::dyn, tx::dyn, heads, each>>(y, n, t, heads, each));
        };
        auto const q = split(tx::matmul(x, query)), k = split(tx::matmul(x, key)), v = split(tx::matmul(x, value));
        auto const scores = tx::matmul(q, tx::matrix_transpose(k)) / std::sqrt(float(each));
        auto const place = tx::arange<float>(t);
        auto const allowed = tx::expand_dims<1>(place) >= tx::expand_dims<0>(place);
        auto const weights = tx::softmax(tx::where(allowed, scores, -1e9f), tx::axis<-1>);
        auto const mixed = tx::permute<0, 2, 1, 3>(tx::matmul(weights, v));
        return tx::matmul(tx::reshape<tx::shape<tx::dyn, tx::dyn, width>>(mixed, n, t, width), out);
    }
};

int main() {
    tx::random::seed(5);
    auto const weights = [] { return 0.2f * tx::random::normal<float>(tx::shape<width, width>{}); };
    attention const net{weights(), weights(), weights(), weights()};
    tx::function f{net};

    tx::tensor<float, tx::shape<tx::dyn, tx::dyn, width>> const x = tx::random::normal<float>(tx::shape<2, 10, width>{});
    auto const y = f(x);
    std::cout << "shape " << y.extent(0) << ' ' << y.extent(1) << ' ' << y.extent(2) << '\n';

    // The first place sees only itself: its result is x value out.
    auto const first = tx::matmul(tx::matmul(tx::slice(x, tx::range<>, tx::at<0>), net.value), net.out);
    std::cout << "first place: " << tx::allclose(tx::slice(y, tx::range<>, tx::at<0>), first, {.rtol = 1e-4, .atol = 1e-5})
              << '\n';

    // What comes later changes nothing before.
    auto const changed = f(tx::set(x, 0.0f, tx::range<>, tx::range<5, tx::open>));
    auto const head = [](auto const& a) { return tx::slice(a, tx::range<>, tx::range<0, 5>); };
    std::cout << "causal: " << tx::allclose(head(changed), head(y), {.rtol = 1e-4, .atol = 1e-5}) << '\n';
}
