// This file has a text that is put together piece by piece. Code that every program compiles but hardly ever runs uses it,
// because std::string's members cost each program compile time.
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tx::detail {

class text {
public:
    TRACEXPR_ONCE text& operator+=(std::string_view piece) {
        for (char const c : piece) letters_.push_back(c);
        return *this;
    }
    TRACEXPR_ONCE text& operator+=(std::int64_t number) {
        char digits[20];
        int count = 0;
        auto left = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
        do digits[count++] = static_cast<char>('0' + left % 10);
        while (left /= 10);
        if (number < 0) letters_.push_back('-');
        while (count > 0) letters_.push_back(digits[--count]);
        return *this;
    }
    std::size_t size() const { return letters_.size(); }
    std::string_view view() const { return {letters_.data(), letters_.size()}; }
    std::string str() const { return std::string(view()); }

private:
    buffer<char> letters_;
};

} // namespace tx::detail
