// This file tests derivatives of segments' sums, means and extremes.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <limits>

namespace {

using tx::shape, tx::tensor;
using rows = tensor<double, shape<4, 2>>;
using ids4 = tensor<int, shape<4>>;

rows const x{{3, -1}, {0.5, 2}, {3, -1}, {1, 7}};
ids4 const ids{1, 1, 1, 5};
constexpr auto most = [](auto const& v) { return tx::segment_max<2>(v, ids4{1, 1, 1, 5}); };
constexpr auto least = [](auto const& v) { return tx::segment_min<2>(v, ids4{1, 0, 1, 0}); };
double const inf = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("segments: derivatives") {
    tx::check_gradients([](auto const& v) { return tx::segment_sum<2>(v, ids4{1, 0, 1, 5}); }, x);
    tx::check_gradients([](auto const& v) { return tx::segment_mean<2>(v, ids4{1, 0, 1, 5}); }, x);
    tx::check_gradients(least, rows{{3, -1}, {0.5, 2}, {4, -2}, {1, 7}});
    // Equal ones share; of what is dropped the derivative is 0.
    auto const shares = tx::grad([](auto const& v) { return tx::sum(most(v) * 2, tx::axis<1>)(1); })(x);
    CHECK(tx::equal(shares, rows{{1, 0}, {0, 2}, {1, 0}, {0, 0}}));
    auto const at_inf = tx::grad([](auto const& v) { return most(v)(1, 0); })(rows{{inf, 0}, {inf, 0}, {1, 0}, {0, 0}});
    CHECK(tx::equal(at_inf, rows{{0.5, 0}, {0.5, 0}, {0, 0}, {0, 0}}));
    auto const at_least = tx::grad([](auto const& v) { return most(v)(1, 0); })(rows{{-inf, 0}, {-inf, 0}, {-inf, 0}, {0, 0}});
    CHECK(tx::allclose(at_least, rows{{1, 0}, {1, 0}, {1, 0}, {0, 0}} / 3.0));
    tx::check_gradients([](auto const& v) { return tx::vmap([](auto const& a, auto const& to) { return tx::segment_max<2>(a * a, to); })(v, tx::tensor<int, shape<4, 2>>{{0, 1}, {1, 0}, {0, 1}, {1, 0}}); }, x);
    // Large numbers, of which there are several, don't overflow.
    double const large = std::numeric_limits<double>::max();
    CHECK(most(rows{{large, 0}, {large, 0}, {large, 0}, {0, 0}})(1, 0) == large);
}
TEST_CASE("segments: tapes see what is computed at once") {
    tensor<double, shape<4>> const v{3, 1, 3, 2};
    tx::gradient_tape tape{tx::tape_options{.persistent = true}};
    tape.watch(v);
    auto const by_number = tx::segment_max<2>(v, ids4{0, 1, 0, 1});
    auto const by_key = tx::group_by(ids4{0, 1, 0, 1}).sum(v * v);
    CHECK(tx::equal(tape.gradient(tx::sum(by_number), v), tensor<double, shape<4>>{0.5, 0, 0.5, 1}));
    CHECK(tx::equal(tape.gradient(tx::sum(by_key), v), tensor<double, shape<4>>{6, 2, 6, 4}));
}
