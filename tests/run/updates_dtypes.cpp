// This file tests set with elements of every dtype.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <string>

TEST_CASE_TEMPLATE("set: every dtype", T, bool, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, tx::half, tx::bfloat16, float,
                   std::complex<float>, std::complex<double>, tx::dual<double>, std::string) {
    auto const number = [](int k) {
        if constexpr (std::is_same_v<T, std::string>) return std::string(static_cast<std::size_t>(k), 'a');
        else return static_cast<T>(static_cast<float>(k % 2 + 1));
    };
    tx::tensor<T, tx::shape<tx::dyn>> x{number(1), number(2), number(3), number(4)}, wanted = x, v{number(6), number(7)};
    tx::tensor<std::int32_t, tx::shape<2>> const places{3, 0};
    wanted(3) = v(0), wanted(0) = v(1);
    CHECK(tx::equal(tx::set(x, v, places), wanted));
    CHECK(tx::equal(tx::set(x, v, tx::range<3, tx::open, -3>), wanted));
    wanted = x;
    wanted(2) = v(1);
    CHECK(tx::equal(tx::set(x, v[1], 2), wanted));
}
