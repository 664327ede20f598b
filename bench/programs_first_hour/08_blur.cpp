// A Gaussian blur of an image, separably: rows, then columns. An image of one bright point becomes the kernel; brightness is
// kept.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <iomanip>
#include <iostream>

using image = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;

int main() {
    constexpr int radius = 2, width = 2 * radius + 1;
    tx::tensor<float, tx::shape<width>> kernel = tx::exp(-0.5f * tx::square(tx::arange<float, width>() - float(radius)));
    kernel /= tx::sum(kernel);

    tx::function blur{[](auto img, auto k) {
        auto const padded = tx::pad(img, tx::widths<radius>, tx::widths<radius>);
        auto const rows = tx::sum(tx::sliding_window_view<width>(padded, tx::axis<1>) * k, tx::axis<-1>);
        return tx::sum(tx::sliding_window_view<width>(rows, tx::axis<0>) * k, tx::axis<-1>);
    }};

    image point(9, 9);
    point(4, 4) = 1;
    auto const spot = blur(point, kernel);
    std::cout << "the point became\n" << tx::slice(spot, tx::range<2, 7>, tx::range<2, 7>) << '\n';
    std::cout << "which is the kernel times itself: "
              << tx::allclose(tx::slice(spot, tx::range<2, 7>, tx::range<2, 7>), tx::outer(kernel, kernel)) << '\n';

    // A larger picture in colours: each channel alone, by vmap.
    image const ramp = tx::broadcast_to<48, 64>(tx::linspace<float, 64>(0, 1));
    auto const picture = tx::stack(tx::axis<0>, ramp, 1 - ramp, ramp * ramp);
    tx::function blur_channels{[=](auto img, auto k) { return tx::vmap([=](auto one) { return blur(one, k); })(img); }};
    auto const soft = blur_channels(picture, kernel);
    std::cout << "inside, a ramp stays a ramp: " << std::setprecision(4) << ramp(20, 30) << ' ' << soft(0, 20, 30) << '\n';
    std::cout << "x * x gains the kernel's variance / 63^2: " << (soft(2, 20, 30) - ramp(20, 30) * ramp(20, 30)) * 63 * 63
              << '\n';
}
