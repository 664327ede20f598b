// This file compares results of placed functions with those of one thread, bit for bit.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace tx::testing {

template <class T, class Shape> tx::tensor<T, Shape> numbers(tx::dims const& extents) {
    auto out = tx::tensor<T, Shape>::uninitialized(extents);
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<T>(static_cast<double>((i * 7919) % 1009 - 504) / 129.3);
    return out;
}
template <class R> std::vector<std::byte> bytes_of(R const& results) {
    std::vector<std::byte> out;
    std::apply(
        [&](auto const&... r) {
            auto const add = [&]<class P>(P const& part) {
                auto const* from = reinterpret_cast<std::byte const*>(part.data());
                out.insert(out.end(), from, from + static_cast<std::size_t>(part.size()) * sizeof(typename P::value_type));
            };
            (add(r), ...);
        },
        results);
    return out;
}
template <class F, class... A> void check_on_threads(F const& f, A const&... a) {
    tx::function const alone{f};
    auto const want = bytes_of(alone(a...));
    for (int threads : {1, 2, 3, 5}) {
        CAPTURE(threads);
        auto const placed = tx::on(tx::cpu{.threads = threads}, f);
        CHECK(bytes_of(placed(a...)) == want);
        auto out = placed(a...);
        placed.into(out, a...);
        CHECK(bytes_of(out) == want);
    }
}

// Four threads call the function at once, each twenty times: every result must be that of the first call.
template <class F, class A> void check_called_at_once(F const& f, A const& a) {
    auto const want = f(a).item();
    std::vector<std::thread> callers;
    std::atomic<int> wrong = 0;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([&] {
            for (int k = 0; k < 20; ++k) wrong += f(a).item() != want;
        });
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
}

} // namespace tx::testing
