// expect: tx: to: the argument must be a tensor, a number, or a tuple, array, pair or struct of these; a class with a constructor
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

struct data {
    tx::tensor<float, tx::shape<tx::dyn>> x;
#ifndef FIXED
    explicit data(std::int64_t n) : x(n) {}
#endif
};
std::string where(data const& d) { return tx::device_of(tx::to(tx::thrust_device{}, d).x); }
