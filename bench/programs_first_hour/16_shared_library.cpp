// A shared library with a plain C interface: callers see pointers and sizes, and nothing of tracexpr.
// g++ -std=c++20 -O2 -march=native -shared -fPIC 16_shared_library.cpp -o libsmooth.so
#include <tracexpr/tracexpr.hpp>

#include <algorithm>

namespace {

tx::function soft_rows{[](auto x) { return tx::softmax(x, tx::axis<1>); }};
tx::function log_sums{[](auto x) { return tx::logsumexp(x, tx::axis<1>); }};

auto read(float const* x, std::int64_t rows, std::int64_t columns) {
    return tx::from_data<tx::shape<tx::dyn, tx::dyn>>(x, rows, columns);
}

} // namespace

// 0 where all went well. out: rows * columns numbers.
extern "C" int smooth_softmax(float const* x, std::int64_t rows, std::int64_t columns, float* out) try {
    auto const y = soft_rows(read(x, rows, columns));
    std::copy_n(y.data(), y.size(), out);
    return 0;
} catch (tx::error const&) {
    return 1;
}

// out: rows numbers.
extern "C" int smooth_logsumexp(float const* x, std::int64_t rows, std::int64_t columns, float* out) try {
    auto const y = log_sums(read(x, rows, columns));
    std::copy_n(y.data(), y.size(), out);
    return 0;
} catch (tx::error const&) {
    return 1;
}
