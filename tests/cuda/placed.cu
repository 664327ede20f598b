// Functions placed on a GPU compile: what the compiler traces, with gradients.
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

namespace {

using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
struct model {
    matrix w1, w2;
    tx::tensor<float, tx::shape<tx::dyn>> b1;
};
struct loss {
    constexpr auto operator()(model const& m, auto const& x, auto const& y) const { return tx::mean(tx::square(tx::matmul(tx::relu(tx::matmul(x, m.w1) + m.b1), m.w2) - y)); }
};
struct descend {
    constexpr auto operator()(auto const& p, auto const& g) const { return p - 0.1f * g; }
};
struct training_step {
    constexpr auto operator()(model const& m, auto const& x, auto const& y) const {
        auto const [value, slopes] = tx::value_and_grad(loss{})(m, x, y);
        return std::pair(value, tx::tree_map(descend{}, m, slopes));
    }
};
struct attention {
    constexpr auto operator()(auto const& q, auto const& k, auto const& v) const { return tx::matmul(tx::softmax(tx::matmul(q, tx::transpose(k)) * 0.125f), v); }
};
// How far a target is, and in which direction, of where it is.
struct sighted {
    constexpr auto operator()(auto const& p) const {
        auto const x = tx::slice(p, tx::at<0>), y = tx::slice(p, tx::at<1>);
        return tx::stack(tx::axis<0>, tx::sqrt(x * x + y * y), y / x);
    }
};
// A kernel of the user's, which a placed function has at work on its tensors, in the order of the library's.
using wide = tx::tensor<float, tx::shape<1024>>;
__global__ void reverse(float const* from, float* to) { to[threadIdx.x] = from[1023 - threadIdx.x]; }
struct reversed {
    wide operator()(wide const& x) const {
        wide out = x;
        float* const to = tx::mutable_device_data(out);
        reverse<<<1, 1024, 0, tx::stream_of(tx::thrust_device{})>>>(tx::device_data(x), to);
        return out;
    }
};
struct palindrome {
    constexpr auto operator()(auto const& x) const { return tx::opaque<tx::spec<float, tx::shape<1024>>>(tx::on_device(reversed{}), x * 0.5f) + x * 0.5f; }
};

} // namespace

float train(model m, matrix const& x, matrix const& y) {
    auto const step = tx::on(tx::thrust_device{}, training_step{});
    matrix const there = tx::to(tx::thrust_device{}, x), wanted = tx::to(tx::thrust_device{}, y);
    m = tx::to(tx::thrust_device{}, m);
    float last = 0;
    for (int i = 0; i < 10; ++i) {
        auto const [value, next] = step(m, there, wanted);
        m = next, last = value.item();
    }
    return last;
}
tx::tensor<float, tx::shape<tx::dyn, 2, 2>> slopes(tx::tensor<float, tx::shape<tx::dyn, 2>> const& p) { return tx::on(tx::thrust_device{}, tx::vmap(tx::jacfwd(sighted{})))(p); }
matrix attend(matrix const& q, matrix const& k, matrix const& v) { return tx::on(tx::thrust_device{}, attention{})(q, k, v); }
wide mirror(wide const& x) { return tx::on(tx::thrust_device{}, palindrome{})(x); }
