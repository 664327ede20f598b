// This file tests half and bfloat16: every value as a float, and every float that lies between two of them, or beside.
#include <run/dtypes_every_value.hpp>

using namespace tx::testing;

namespace {

template <class T> std::vector<T> all_values() {
    std::vector<T> out;
    for (int bits = 0; bits < 65536; ++bits) out.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
    return out;
}
// Each value, the middle between it and the next, and the numbers of type F beside both.
template <class F, class T> std::vector<F> values_between() {
    std::vector<F> out;
    for (T const x : all_values<T>()) {
        F const here = static_cast<F>(x.value()),
                next = static_cast<F>(T::from_bits(static_cast<std::uint16_t>(x.bits + 1)).value()), middle = (here + next) / 2;
        for (F const y : {here, middle})
            for (F const to : {F(-INFINITY), y, F(INFINITY)}) out.push_back(std::nextafter(y, to));
    }
    return out;
}
constexpr auto float_ops = [](auto const& a, auto const& b) {
    return std::tuple(a + b, a * b, a / b, tx::maximum(a, b), -a, tx::abs(a), a < b, tx::sqrt(a), tx::where(a < b, a, b));
};

} // namespace

TEST_CASE_TEMPLATE("dtypes: every small float as others", T, tx::half, tx::bfloat16) {
    check_casts<T, float, double, std::int8_t, std::uint16_t, std::int32_t, bool, std::complex<float>, tx::half, tx::bfloat16>(
        all_values<T>());
}
TEST_CASE_TEMPLATE("dtypes: every number between small floats", T, tx::half, tx::bfloat16) {
    check_casts<float, T>(values_between<float, T>());
    check_casts<double, T>(values_between<double, T>());
    std::vector<std::int32_t> whole;
    std::vector<std::uint32_t> natural;
    for (std::uint64_t i = 0; i < 300000; ++i)
        whole.push_back(static_cast<std::int32_t>(i * 0x9e3779b97f4a7c15u >> (i % 32)) >> (i % 5)),
            natural.push_back(static_cast<std::uint32_t>(whole.back()));
    for (std::uint32_t power = 1; power; power *= 2)
        for (std::uint32_t by = 0; by < 600; ++by)
            natural.push_back(power + (power >> 8) + by - 300), whole.push_back(static_cast<std::int32_t>(natural.back()));
    check_casts<std::int32_t, T>(whole);
    check_casts<std::uint32_t, T>(natural);
}
TEST_CASE_TEMPLATE("dtypes: ops on every small float", T, tx::half, tx::bfloat16) {
    auto const a = all_values<T>();
    std::vector<T> b;
    for (std::size_t i = 0; i < a.size(); ++i) b.push_back(T::from_bits(static_cast<std::uint16_t>(i * 40503 >> 3)));
    auto const x = tensor_of(a), y = tensor_of(b);
    in_both_traces(float_ops, [&](auto const& f) {
        auto const [sum, product, quotient, most, negated, size, less, root, chosen] = f(x, y);
        check_binary_op<T, tx::op::add>(sum, a, b);
        check_binary_op<T, tx::op::multiply>(product, a, b);
        check_binary_op<T, tx::op::divide>(quotient, a, b);
        check_binary_op<T, tx::op::maximum>(most, a, b);
        check_binary_op<T, tx::op::less>(less, a, b);
        check_all(negated.data(), a.size(), [&](std::size_t i) { return tx::simd::apply<tx::op::negative>(a[i]); });
        check_all(size.data(), a.size(), [&](std::size_t i) { return tx::simd::apply<tx::op::absolute>(a[i]); });
        check_all(root.data(), a.size(), [&](std::size_t i) { return tx::simd::apply<tx::op::sqrt>(a[i]); });
        check_all(chosen.data(), a.size(), [&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
    });
}
