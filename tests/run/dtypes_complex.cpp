// This file tests complex ops: what infinities, NaN and the ends of the range make of products, quotients and absolute values.
#include <run/dtypes_every_value.hpp>

using namespace tx::testing;

namespace {

template <class R> std::vector<std::complex<R>> special_numbers() {
    using limits = std::numeric_limits<R>;
    std::vector<std::complex<R>> out;
    R const parts[]{R(0),
                    R(-0.0),
                    R(1),
                    R(-2.5),
                    R(0.3),
                    limits::infinity(),
                    -limits::infinity(),
                    limits::quiet_NaN(),
                    limits::max(),
                    limits::min(),
                    std::sqrt(limits::max()) / 3,
                    std::sqrt(limits::min()) * 5};
    for (R const re : parts)
        for (R const im : parts) out.push_back({re, im});
    return out;
}
constexpr auto complex_ops = [](auto const& a, auto const& b) {
    return std::tuple(a + b, a - b, a * b, a / b, tx::abs(a), tx::conj(a), -a, tx::real(a), tx::imag(b), a == b, a != b,
                      tx::isnan(a), tx::isinf(a), tx::isfinite(a), tx::where(tx::isnan(a), b, a));
};

} // namespace

TEST_CASE_TEMPLATE("dtypes: complex numbers with special parts", R, float, double) {
    using T = std::complex<R>;
    using tx::op;
    pairs<T> const p(special_numbers<R>());
    auto const a = tensor_of(p.a), b = tensor_of(p.b);
    in_both_traces(complex_ops, [&](auto const& f) {
        auto const [sum, difference, product, quotient, size, conjugate, negated, re, im, equal, unequal, nan, infinite, finite,
                    chosen] = f(a, b);
        check_binary_op<T, op::add>(sum, p.a, p.b);
        check_binary_op<T, op::subtract>(difference, p.a, p.b);
        check_binary_op<T, op::multiply>(product, p.a, p.b, 4);
        check_binary_op<T, op::divide>(quotient, p.a, p.b, 8);
        check_binary_op<T, op::equal>(equal, p.a, p.b);
        check_binary_op<T, op::not_equal>(unequal, p.a, p.b);
        std::size_t const n = p.a.size();
        check_all(size.data(), n, [&](std::size_t i) { return std::abs(p.a[i]); }, 4);
        check_all(conjugate.data(), n, [&](std::size_t i) { return std::conj(p.a[i]); });
        check_all(negated.data(), n, [&](std::size_t i) { return -p.a[i]; });
        check_all(re.data(), n, [&](std::size_t i) { return p.a[i].real(); });
        check_all(im.data(), n, [&](std::size_t i) { return p.b[i].imag(); });
        check_all(nan.data(), n, [&](std::size_t i) { return p.a[i] != p.a[i]; });
        check_all(infinite.data(), n, [&](std::size_t i) { return std::isinf(p.a[i].real()) || std::isinf(p.a[i].imag()); });
        check_all(finite.data(), n, [&](std::size_t i) { return std::isfinite(p.a[i].real()) && std::isfinite(p.a[i].imag()); });
        check_all(chosen.data(), n, [&](std::size_t i) { return p.a[i] != p.a[i] ? p.b[i] : p.a[i]; });
    });
}

// Every length around a vector's, reversed and every second one.
TEST_CASE_TEMPLATE("dtypes: views of complex numbers", R, float, double) {
    using T = std::complex<R>;
    for (std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 65}) {
        std::vector<T> values;
        for (std::int64_t i = 0; i < 2 * n; ++i) values.push_back({static_cast<R>(i), static_cast<R>(-3 * i)});
        auto const x = tensor_of(values);
        in_both_traces(
            [](auto const& a) {
                return std::tuple(tx::slice(a, tx::range<0, tx::open, 2>) * T(0, 2), tx::flip(a) + T(1), tx::sum(a),
                                  tx::cumsum(a));
            },
            [&](auto const& f) {
                auto const [second, reversed, total, sums] = f(x);
                std::size_t const count = values.size();
                check_all(
                    second.data(), count / 2,
                    [&](std::size_t i) { return T(-2 * values[2 * i].imag(), 2 * values[2 * i].real()); }, 1);
                check_all(reversed.data(), count, [&](std::size_t i) { return values[count - 1 - i] + T(1); }, 1);
                T sum{};
                for (T const& v : values) sum += v;
                CHECK(total.item() == sum);
            });
    }
}
