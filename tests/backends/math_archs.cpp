// This file tests the math functions for other instruction sets than the one that the flags choose, without and with fused
// instructions.
#include <math_checks.hpp>

using namespace math_reference;

namespace {

template <class Arch, class T> void check_all() {
    std::vector<T> const x = sweep<T>(200003);
    std::vector<T> const y(x.rbegin(), x.rend());
    for_each_unary([&x](std::string_view name, auto f, auto reference) { check_unary<Arch>(name, f, reference, x); });
    for_each_binary([&](std::string_view name, auto f, auto reference) { check_binary<Arch>(name, f, reference, x, y); });
}

template <class Arch, class T> void check_if_enabled() {
    if constexpr (Arch::supported()) check_all<Arch, T>();
}

} // namespace

TEST_CASE_TEMPLATE("math: every instruction set of the build", T, float, double) {
    check_if_enabled<xsimd::sse2, T>();
    check_if_enabled<xsimd::avx2, T>();
    check_if_enabled<xsimd::fma3<xsimd::avx2>, T>();
}
