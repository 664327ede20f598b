// expect-output: ^step 0: f = 24[.][12].*step 6: f = [0-9.]+e-[0-9]+ at \[1[.] 1[.]\].*Hessian there:.*802[.].*-400[.].*-400[.].*200[.]
// Minimizes Rosenbrock's function by Newton's method, in a few steps: the compiler makes the gradient and the Hessian.
#include <tracexpr/tracexpr.hpp>

#include <iostream>

// Rosenbrock, An automatic method for finding the greatest or least value of a function (1960): a curved valley that descends to
// (1, 1).
constexpr auto valley = [](auto p) {
    auto const x = tx::slice(p, tx::at<0>), y = tx::slice(p, tx::at<1>);
    return 100.0 * tx::square(y - tx::square(x)) + tx::square(1.0 - x);
};

// The value, the gradient and the Hessian are one graph, so what they share is computed once.
constexpr auto derivatives = [](auto p) {
    auto const [value, gradient] = tx::value_and_grad(valley)(p);
    return std::tuple(value, gradient, tx::hessian(valley)(p));
};

using vec = tx::tensor<double, tx::shape<2>>;
using mat = tx::tensor<double, tx::shape<2, 2>>;

// Solves a x = b by Cramer's rule.
vec solved(mat const& a, vec const& b) {
    double const determinant = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
    return vec{(b(0) * a(1, 1) - a(0, 1) * b(1)) / determinant, (a(0, 0) * b(1) - b(0) * a(1, 0)) / determinant};
}

int main() {
    tx::static_function f{derivatives};
    vec p{-1.2, 1};
    for (int step = 0; step <= 6; ++step) {
        auto const [value, gradient, hessian] = f(p);
        std::cout << "step " << step << ": f = " << value << " at " << p << '\n';
        if (step == 6) std::cout << "Hessian there:\n" << hessian << '\n';
        p = p - solved(hessian, gradient);
    }
}
