// This file holds what the tests of scans and of extremes share.
#pragma once

#include <tracexpr/base/element.hpp>

#include <cstdint>
#include <vector>

template <class T> std::vector<T> numbers(std::int64_t count) {
    std::vector<T> out;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<T>(static_cast<float>((i * 37 + 5) % 23)));
    return out;
}
inline constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
