// An op on tensors of one dtype against a loop over elements, each as its compiler makes it: nanoseconds an element.
#pragma once

#include "../aligned_buffer.hpp"

#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace dtypes {

// (A std::vector<bool> has no elements.)
template <class T> struct buffer {
    explicit buffer(std::size_t n) : bytes(n * sizeof(T)) {}
    T* data() { return reinterpret_cast<T*>(bytes.data()); }
    T const* data() const { return reinterpret_cast<T const*>(bytes.data()); }
    std::int64_t size() const { return static_cast<std::int64_t>(bytes.size() / sizeof(T)); }
    bench::buffer<std::byte> bytes;
};

inline constexpr std::size_t operand_bytes = 1 << 16; // of an operand: all stay in the second cache

// What a loop computes with: the compiler's own half, bfloat16 by hand. (tx::half is made for storage.)
struct plain_bfloat16 {
    std::uint16_t bits;
    plain_bfloat16() = default;
    plain_bfloat16(float x) {
        auto const word = std::bit_cast<std::uint32_t>(x);
        bits = static_cast<std::uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
    operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};
template <class T> struct plain_type {
    using type = T;
};
template <> struct plain_type<tx::half> {
    using type = _Float16;
};
template <> struct plain_type<tx::bfloat16> {
    using type = plain_bfloat16;
};
template <class T> using plain = typename plain_type<T>::type;

// Small numbers, none of them 0.
template <class T> buffer<T> numbers(std::size_t n, int first) {
    buffer<T> values(n);
    T* const out = values.data();
    for (std::size_t i = 0; i < n; ++i) {
        int const number = static_cast<int>((i * 37 + static_cast<std::size_t>(first) * 11) % 7) + 1;
        if constexpr (std::is_same_v<T, bool>) out[i] = number > 3;
        else if constexpr (tx::detail::is_complex_number<T>) out[i] = T(static_cast<typename T::value_type>(number), 1);
        else out[i] = static_cast<T>(static_cast<float>(number));
    }
    return values;
}
template <class T> auto tensor_of(buffer<T> const& x) { return tx::from_data<tx::shape<tx::dyn>>(x.data(), x.size()); }

template <class R, class F, class... A>
[[gnu::noinline]] void run_loop(R* __restrict out, std::size_t n, F f, A const* __restrict... from) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(from[i]...));
}

// The best of many, in turn with the other.
template <class A, class B> std::array<double, 2> best_of(A a, B b, std::size_t n) {
    std::array<double, 2> best{1e300, 1e300};
    auto const time = [&](auto& run, double& least) {
        auto const start = std::chrono::steady_clock::now();
        for (int k = 0; k < 4; ++k) run();
        least = std::min(least, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 4 /
                                    static_cast<double>(n));
    };
    auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(8);
    for (int round = 0; round < 20 || std::chrono::steady_clock::now() < end; ++round) time(a, best[0]), time(b, best[1]);
    return best;
}

// Prints what, dtype, ours, the loop's.
template <class... T, class F, class L> void measure(std::string_view what, std::string_view dtype, F f, L loop) {
    std::size_t const n = operand_bytes / std::max({sizeof(T)...});
    int first = 0;
    auto const operands = std::tuple(numbers<T>(n, first++)...);
    std::apply(
        [&](auto const&... x) {
            auto const arguments = std::tuple(tensor_of(x)...);
            tx::static_function const function{f};
            auto result = std::apply(function, arguments);
            using R = plain<typename decltype(result)::value_type>;
            buffer<R> out(n);
            auto const best = best_of([&] { std::apply([&](auto const&... a) { function.into(result, a...); }, arguments); },
                                      [&] { run_loop(out.data(), n, loop, reinterpret_cast<plain<T> const*>(x.data())...); }, n);
            std::printf("%.*s,%.*s,%.4f,%.4f\n", static_cast<int>(what.size()), what.data(), static_cast<int>(dtype.size()),
                        dtype.data(), best[0], best[1]);
        },
        operands);
}

template <class T> constexpr bool is_number = !std::is_same_v<T, bool>;
template <class T> constexpr bool is_whole = std::is_integral_v<T> && is_number<T>;
template <class T> constexpr bool is_complex = tx::detail::is_complex_number<T>;

} // namespace dtypes
