// This file tests ctc_loss, which is a loop, in a trace that the compiler makes.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

namespace {
constexpr auto loss = [](auto x, auto y, auto t, auto n) { return tx::nn::ctc_loss(x, y, t, n); };
} // namespace

TEST_CASE("nn: ctc_loss in a static function") {
    tx::tensor<float, tx::shape<1, 3, 2>> const x{{{0, 1}, {0.5f, 0}, {0, 0}}};
    tx::tensor<int, tx::shape<1, 1>> const y{{1}};
    tx::tensor<int, tx::shape<1>> const t{3}, n{1};
    tx::static_function f{loss};
    CHECK(f(x, y, t, n).item() == doctest::Approx(loss(x, y, t, n).item()).epsilon(1e-6));
}
