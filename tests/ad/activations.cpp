// This file tests derivatives of activation functions, and of all functions in narrow dtypes.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

struct activations {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(relu(x), relu6(x * 3.0), leaky_relu(x), elu(x), selu(x), softplus(x), softsign(x), silu(x), gelu(x), gelu(x, tx::approximate), sigmoid(x), tanh(x), softmax(x), log_softmax(x));
    }
};
template <class T> using points = tx::tensor<T, tx::shape<4>>;

// Both modes in dtype T give what float64 does, to some of T's epsilons.
template <class T> void check_narrow(double tolerance) {
    auto const derivatives = []<class U>(U) {
        tx::dtype const type = tx::dtype_of<U>;
        leaf_list const x{spread({{4}, 1}, -1.5, 1.5, 1, type)}, d{spread({{4}, 1}, -1, 1, 2, type)};
        std::vector<double> out = numbers_in(traced_program<pushforward_of<activations>, points<U>, points<U>>()({x[0], d[0]}));
        using R = result_of_trace<activations, points<U>>;
        leaf_list seeded = x;
        for (tx::host_array const& y : traced_program<activations, points<U>>()(x)) seeded.push_back(y);
        for (double g : numbers_in(traced_program<pullback_of<activations>, points<U>, R>()(seeded))) out.push_back(g);
        return out;
    };
    std::vector<double> const got = derivatives(T{}), want = derivatives(double{});
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(got[i] - want[i]) <= tolerance * (1 + std::abs(want[i])));
    }
}

} // namespace

TEST_CASE("derivatives: activations") { check_derivatives<activations, points<double>>({array_of<double>({{4}, 1}, {0.7, -1.45, 1.3, -0.4})}); }
TEST_CASE("derivatives: narrow dtypes") {
    check_narrow<float>(1e-5);
    check_narrow<tx::half>(0.03);
    check_narrow<tx::bfloat16>(0.2);
}
