// This file tests that functions which are traced at run time take memory only for the values that are still needed, in their
// dtype's size.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::size_t held_bytes = 0, peak_bytes = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
    void* const out = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!out) throw std::bad_alloc();
    held_bytes += malloc_usable_size(out);
    if (held_bytes > peak_bytes) peak_bytes = held_bytes;
    return out;
}
void release(void* at) {
    held_bytes -= malloc_usable_size(at);
    std::free(at);
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<std::size_t>(alignment)); }
[[gnu::noinline]] void operator delete(void* at) noexcept { release(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { release(at); }
[[gnu::noinline]] void operator delete(void* at, std::align_val_t) noexcept { release(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t, std::align_val_t) noexcept { release(at); }

namespace {

constexpr std::int64_t n = 100000;

// Bytes that a call holds at most, for each of n elements.
template <class F, class... A> double bytes_per_element(F f, A const&... a) {
    tx::function const g{f};
    std::size_t const before = held_bytes;
    peak_bytes = before;
    auto const out = g(a...);
    static_cast<void>(out);
    return static_cast<double>(peak_bytes - before) / static_cast<double>(n);
}

} // namespace

TEST_CASE("run-time memory: of many values only those that are still needed are kept") {
    float k = 2; // captured: not for the compiler
    auto const x = tx::full<float, tx::shape<tx::dyn>>(0.5f, n);
    auto const chain = [k](auto a) {
        for (int i = 0; i < 20; ++i) a = a * k - a;
        return a;
    };
    CHECK(bytes_per_element(chain, x) < 4 * 5); // an operand or two, a result, and what the call returns
    CHECK(bytes_per_element(tx::grad([k](auto a) { return tx::sum(tx::exp(a * k) * a + tx::tanh(a)); }), x) < 4 * 8);
}

TEST_CASE("run-time memory: an element takes the bytes of its dtype") {
    bool const flag = true;
    auto const x = tx::full<bool, tx::shape<tx::dyn>>(true, n);
    auto const y = tx::full<double, tx::shape<tx::dyn>>(0.5, n);
    CHECK(bytes_per_element([flag](auto a) { return tx::logical_xor(tx::logical_and(a, flag), a); }, x) < 1 * 6);
    CHECK(bytes_per_element([flag](auto a) { return a * (flag ? 2.0 : 3.0) + 1.0; }, y) < 8 * 5);
}

TEST_CASE("run-time memory: reductions and updates take little beside their operands") {
    float k = 2;
    auto const x = tx::reshape(tx::full<float, tx::shape<tx::dyn>>(0.5f, n), tx::shape<2, n / 2>{});
    auto const row = tx::full<float, tx::shape<n>>(tx::shape<n>{}, 0.5f);
    auto const places = tx::arange<int, n>();
    CHECK(bytes_per_element([k](auto a) { return tx::sum(a * k); }, x) < 4 * 4);
    CHECK(bytes_per_element([k](auto a) { return tx::max(a * k, tx::axis<0>); }, x) < 4 * 4);
    CHECK(bytes_per_element(tx::grad([k](auto a, auto i) { return tx::sum(tx::take(a, i) * k); }), row, places) < 100);
}
