// Loops over time written by hand: a long short-term memory with its gradient, and Runge-Kutta steps. Knows nothing of tracexpr.
#pragma once

#include <cstddef>
#include <vector>

namespace baselines {

// One layer (Hochreiter and Schmidhuber 1997; gates i, f, g, o side by side) over `steps` steps, from a state of zeros. All
// row-major: x and h (steps, batch, n), wx and wh (n, 4 n), b (4 n).
class lstm_layer {
public:
    lstm_layer(std::size_t steps, std::size_t batch, std::size_t n);

    void forward(float const* x, float const* wx, float const* wh, float const* b);
    float const* h() const { return h_.data(); }
    // Given the gradient with respect to h, those with respect to x, wx, wh and b; wants what forward left.
    void backward(float const* dh, float const* x, float const* wx, float const* wh, float* dx, float* dwx, float* dwh,
                  float* db);

private:
    std::size_t steps_, batch_, n_;
    std::vector<float> h_, c_, gates_; // gates: as used, behind sigmoid or tanh
};

// steps of the classical fourth-order method, in place, for y' = f(y) with 10 variables: 1 - y^2, and Lorenz' model of 1996.
void runge_kutta_squares(std::size_t steps, double step, double* y);
void runge_kutta_lorenz(std::size_t steps, double step, double* y);

} // namespace baselines
