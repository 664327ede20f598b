// The ops of one dtype.
#pragma once

#include "dtypes.hpp"

namespace dtypes {

template <class T> void measure_ops() {
    std::string_view const d = tx::name(tx::dtype_of<T>);
    using P = plain<T>;
    measure<T, T>("equal", d, [](auto a, auto b) { return a == b; }, [](P a, P b) { return a == b; });
    measure<bool, T, T>(
        "where", d, [](auto c, auto a, auto b) { return tx::where(c, a, b); }, [](bool c, P a, P b) { return c ? a : b; });
    if constexpr (is_number<T>) {
        measure<T, T>("add", d, [](auto a, auto b) { return a + b; }, [](P a, P b) { return a + b; });
        measure<T, T>("multiply", d, [](auto a, auto b) { return a * b; }, [](P a, P b) { return a * b; });
        measure<T, T, T>(
            "a * b + c", d, [](auto a, auto b, auto c) { return a * b + c; },
            [](P a, P b, P c) { return static_cast<P>(a * b) + c; });
        measure<T>("square", d, [](auto a) { return tx::square(a); }, [](P a) { return a * a; });
        measure<T>(
            "absolute", d, [](auto a) { return tx::abs(a); },
            [](P a) {
                if constexpr (is_complex<T>) return std::sqrt(a.real() * a.real() + a.imag() * a.imag());
                else if constexpr (std::is_same_v<P, _Float16> || std::is_same_v<P, plain_bfloat16>)
                    return std::abs(static_cast<float>(a));
                else return a < P(0) ? static_cast<P>(-a) : a;
            });
    }
    if constexpr (is_whole<T>) {
        measure<T, T>("floor_divide", d, [](auto a, auto b) { return tx::floor_divide(a, b); }, [](P a, P b) { return a / b; });
        measure<T, T>("remainder", d, [](auto a, auto b) { return tx::remainder(a, b); }, [](P a, P b) { return a % b; });
        measure<T, T>("left_shift", d, [](auto a, auto b) { return a << b; }, [](P a, P b) { return a << b; });
        measure<T>("right_shift by 3", d, [](auto a) { return a >> 3; }, [](P a) { return a >> 3; });
        using bits = std::make_unsigned_t<P>;
        measure<T>(
            "population_count", d, [](auto a) { return tx::population_count(a); },
            [](P a) { return std::popcount(static_cast<bits>(a)); });
        measure<T>(
            "leading_zeros", d, [](auto a) { return tx::count_leading_zeros(a); },
            [](P a) { return std::countl_zero(static_cast<bits>(a)); });
        measure<T>(
            "trailing_zeros", d, [](auto a) { return tx::count_trailing_zeros(a); },
            [](P a) { return std::countr_zero(static_cast<bits>(a)); });
        measure<T>(
            "bitwise_count", d, [](auto a) { return tx::bitwise_count(a); },
            [](P a) { return std::popcount(static_cast<bits>(a < 0 ? -a : a)); });
        measure<T, T>("bitwise_xor", d, [](auto a, auto b) { return a ^ b; }, [](P a, P b) { return a ^ b; });
    } else if constexpr (is_number<T>) {
        measure<T, T>("divide", d, [](auto a, auto b) { return a / b; }, [](P a, P b) { return a / b; });
    } else {
        measure<T, T>("logical_and", d, [](auto a, auto b) { return a && b; }, [](P a, P b) { return a && b; });
        measure<T>("logical_not", d, [](auto a) { return !a; }, [](P a) { return !a; });
    }
    if constexpr (is_number<T> && !is_complex<T>) {
        measure<T, T>("minimum", d, [](auto a, auto b) { return tx::minimum(a, b); }, [](P a, P b) { return a < b ? a : b; });
        measure<T, T>("less", d, [](auto a, auto b) { return a < b; }, [](P a, P b) { return a < b; });
    }
    if constexpr (is_complex<T>) {
        measure<T>("exp", d, [](auto a) { return tx::exp(a); }, [](P a) { return std::exp(a); });
        measure<T>("log", d, [](auto a) { return tx::log(a); }, [](P a) { return std::log(a); });
        measure<T>("sqrt", d, [](auto a) { return tx::sqrt(a); }, [](P a) { return std::sqrt(a); });
        measure<T>("sin", d, [](auto a) { return tx::sin(a); }, [](P a) { return std::sin(a); });
        measure<T>("tanh", d, [](auto a) { return tx::tanh(a); }, [](P a) { return std::tanh(a); });
        measure<T, T>("power", d, [](auto a, auto b) { return tx::pow(a, b); }, [](P a, P b) { return std::pow(a, b); });
        measure<T>("conj", d, [](auto a) { return tx::conj(a); }, [](P a) { return std::conj(a); });
    }
}

template <class From, class To> void measure_cast() {
    if constexpr (!std::is_same_v<From, To> && !(is_complex<From> && !is_complex<To>)) {
        measure<From>(
            tx::name(tx::dtype_of<To>), tx::name(tx::dtype_of<From>), [](auto a) { return tx::cast<To>(a); },
            [](plain<From> a) {
                if constexpr (is_complex<To> && is_complex<From>)
                    return plain<To>(static_cast<typename To::value_type>(a.real()),
                                     static_cast<typename To::value_type>(a.imag()));
                else if constexpr (is_complex<To>) return plain<To>(static_cast<typename To::value_type>(a), 0);
                else if constexpr (std::is_same_v<To, bool>) return a != plain<From>(0);
                else if constexpr (std::is_same_v<To, tx::bfloat16> || std::is_same_v<From, tx::bfloat16>)
                    return static_cast<plain<To>>(static_cast<float>(a));
                else return static_cast<plain<To>>(a);
            });
    }
}
template <class From> void measure_casts() {
    [&]<class... To>(std::type_identity<To>...) {
        (measure_cast<From, To>(), ...);
    }(std::type_identity<bool>{}, std::type_identity<std::int8_t>{}, std::type_identity<std::uint8_t>{},
      std::type_identity<std::int16_t>{}, std::type_identity<std::int32_t>{}, std::type_identity<std::uint32_t>{},
      std::type_identity<std::int64_t>{}, std::type_identity<tx::half>{}, std::type_identity<tx::bfloat16>{},
      std::type_identity<float>{}, std::type_identity<double>{}, std::type_identity<std::complex<float>>{});
}

} // namespace dtypes
