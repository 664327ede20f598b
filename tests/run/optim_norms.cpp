// This file tests norms of gradients whose squares leave the range of the dtype, or that are NaN or infinite.
#include <run/small_functions_checks.hpp>

using namespace tx::testing;
using tx::shape;
using tx::tensor;
namespace optim = tx::optim;
using cd = std::complex<double>;

TEST_CASE("optim: a norm is right where its squares leave the range of the dtype") {
    auto const clip = [](auto const& g) { return optim::clip_by_global_norm(g, 1.0); };
    tensor<float, shape<3>> const huge{3e30f, 4e30f, 0}, tiny{3e-30f, 4e-30f, 0}, mixed{3e30f, 1, 1e-30f};
    tensor<float> const unit{0.6f, 0.8f, 0};
    check_each(clip, tensor<float, shape<3>>(unit), 1e-6, huge);
    check_each([](auto const& g) { return optim::global_norm(g); }, tensor<float>(5e30f), 1e-6, huge);
    check_values(optim::global_norm(tiny), tensor<float>(5e-30f), 1e-36);
    CHECK(std::abs(optim::global_norm(tiny).item() / 5e-30f - 1) < 1e-6f);
    check_values(clip(tiny), tiny, 0);
    check_values(optim::global_norm(mixed), tensor<float>(3e30f), 1e-6);
    tensor<double, shape<2>> const of_double{3e300, 4e300};
    check_values(clip(of_double), tensor<double>{0.6, 0.8}, 1e-15);
    CHECK(std::abs(optim::global_norm(tensor<double, shape<2>>{3e-300, 4e-300}).item() / 5e-300 - 1) < 1e-15);
    check_values(clip(tensor<cd, shape<1>>{{3e300, 4e300}}), tensor<cd, shape<1>>{{0.6, 0.8}}, 1e-15);
    check_values(clip(tensor<double, shape<2>>{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()}),
                 tensor<double>{std::sqrt(0.5), std::sqrt(0.5)}, 1e-15); // the norm itself is out of the range
    auto const [a, b] = clip(std::tuple(tensor<float, shape<1>>{3e30f}, tensor<double, shape<1>>{4e300}));
    check_values(a, tensor<float>{0}, 0); // 7.5e-271
    check_values(b, tensor<double>{1}, 1e-15);
    check_values(clip(tensor<float, shape<0>>{}), tensor<float, shape<0>>{}, 0);
    check_values(tx::grad([](auto const& x) { return optim::global_norm(x); })(of_double), tensor<double>{0.6, 0.8}, 1e-15);
    check_values(tx::grad([](auto const& x) { return optim::global_norm(x); })(tensor<double, shape<2>>{0, 0}),
                 tensor<double>{0, 0}, 0);
    check_values(tx::vmap(clip)(tensor<float, shape<2, 2>>{{3e30f, 4e30f}, {0.5f, 0}}),
                 tensor<float, shape<2, 2>>{{0.6f, 0.8f}, {0.5f, 0}}, 1e-6);
}
TEST_CASE("optim: gradients that are not finite are cut to NaN, all of them") {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (double const odd : {inf, -inf, nan}) {
        auto const [a, b] =
            optim::clip_by_global_norm(std::tuple(tensor<double, shape<2>>{odd, 1}, tensor<float, shape<1>>{2}), inf);
        check_values(a, tensor<double>{nan, nan}, 0);
        check_values(b, tensor<float>{static_cast<float>(nan)}, 0);
    }
    check_values(optim::clip_by_global_norm(tensor<double, shape<2>>{1e308, 1e308}, inf), tensor<double>{1e308, 1e308}, 0);
}
TEST_CASE("optim: norms of small numbers, and gradients cut to small norms, have derivatives") {
    auto const norm = [](auto const& x) { return optim::global_norm(x); };
    auto const cut = [](auto const& x) { return tx::sum(optim::clip_by_global_norm(x, 1e-16f)); };
    auto const whole = [](auto const& x) { return tx::sum(optim::clip_by_global_norm(x, infinite)); };
    auto const slope = tx::grad(norm);
    for (float const size : {1e38f, 1e20f, 1.0f, 1e-12f, 1e-15f, 1e-16f, 1e-17f, 1e-20f, 1e-30f, 1e-37f}) {
        CAPTURE(size);
        tensor<float, shape<2>> const x{0.6f * size, 0.8f * size};
        CHECK(is_near(norm(x).item() / size, 1.0f, 1e-6));
        check_values(slope(x), tensor<float>{0.6f, 0.8f}, 1e-6);
    }
    tensor<float, shape<2>> const x{3e-16f, 4e-16f};
    check_values(slope(with_open_extents(x)), tensor<float>{0.6f, 0.8f}, 1e-6);
    check_values(slope(tensor<double, shape<2>>{3e-300, 4e-300}), tensor<double>{0.6, 0.8}, 1e-15);
    check_values(slope(tensor<float, shape<2>>{3e-43f, 4e-43f}), tensor<float>{0.6f, 0.8f}, 1e-2); // so few digits have they
    check_values(tx::grad(cut)(x), tensor<float>{0.032f, -0.024f}, 1e-7);
    for (float const scale : {0.0f, 1e-16f, 1.0f, 1e30f})
        check_values(tx::grad(whole)(tensor<float, shape<2>>{3 * scale, 4 * scale}), tensor<float>{1, 1}, 0);
    check_values(tx::hessian(norm)(x), tensor<float, shape<2, 2>>{{1.28e15f, -0.96e15f}, {-0.96e15f, 0.72e15f}}, 1e-5);
    auto const [a, b] = tx::grad(norm)(std::tuple(tensor<tx::half, shape<1>>{tx::half(3e-5f)}, tensor<double, shape<1>>{4e-5}));
    check_values(a, tensor<tx::half>{tx::half(0.6f)}, 2e-3);
    check_values(b, tensor<double>{0.8}, 2e-3);
}
