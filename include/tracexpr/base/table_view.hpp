// This file has a view of elements that somebody else owns: a pointer and a count. It is used in place of std::span, which costs
// the compiler about ten times as much for each type of element, and more steps of constant evaluation for each access.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cstddef>

namespace tx {

template <class T> class table_view {
public:
    using value_type = T;

    constexpr table_view() = default;
    constexpr table_view(T const* first, std::size_t count) : first_{first}, count_{count} {}
    template <std::size_t Count> constexpr table_view(T const (&elements)[Count]) : first_{elements}, count_{Count} {}
    // Views anything that has data() and size().
    template <class Table> requires requires(Table const& t, void (&take)(T const*)) { take(t.data()); }
    constexpr table_view(Table const& t) : first_{t.data()}, count_{t.size()} {}

    constexpr std::size_t size() const { return count_; }
    constexpr bool empty() const { return count_ == 0; }
    constexpr T const* data() const { return first_; }
    constexpr T const* begin() const { return first_; }
    constexpr T const* end() const { return first_ + count_; }
    constexpr T const& operator[](std::size_t i) const {
        TRACEXPR_IN_RANGE(i < count_)
        return first_[i];
    }
    constexpr T const& front() const { return first_[0]; }
    constexpr T const& back() const { return first_[count_ - 1]; }
    constexpr table_view subspan(std::size_t from) const { return {first_ + from, count_ - from}; }
    constexpr table_view subspan(std::size_t from, std::size_t count) const { return {first_ + from, count}; }

private:
    T const* first_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace tx
