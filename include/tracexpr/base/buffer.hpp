// This file has a growable array for graphs. It exists because std::vector costs five times as many constant-evaluation steps per
// push_back (libstdc++ 12), and compilers limit those steps.
#pragma once

#include <tracexpr/base/table_view.hpp>

#include <cstddef>

namespace tx {

template <class T> class buffer {
public:
    using value_type = T;

    constexpr buffer() = default;
    constexpr explicit buffer(std::size_t count) {
        reserve(count);
        size_ = count;
    }
    constexpr buffer(std::size_t count, T const& value) {
        reserve(count);
        for (std::size_t i = 0; i < count; ++i) data_[i] = value;
        size_ = count;
    }
    constexpr buffer(table_view<T> from) {
        reserve(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) data_[i] = from[i];
        size_ = from.size();
    }
    constexpr buffer(buffer const& other) : buffer(table_view<T>(other.data_, other.size_)) {}
    constexpr buffer(buffer&& other) noexcept { swap(other); }
    constexpr buffer& operator=(buffer other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~buffer() { delete[] data_; }

    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* data() { return data_; }
    constexpr T const* data() const { return data_; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr T const* begin() const { return data_; }
    constexpr T const* end() const { return data_ + size_; }
    constexpr T& operator[](std::size_t i) {
        TRACEXPR_IN_RANGE(i < size_)
        return data_[i];
    }
    constexpr T const& operator[](std::size_t i) const {
        TRACEXPR_IN_RANGE(i < size_)
        return data_[i];
    }
    constexpr T& back() { return data_[size_ - 1]; }

    constexpr void push_back(T const& value) {
        if (size_ == capacity_) grow(value);
        else data_[size_++] = value;
    }
    constexpr void push_back(T&& value) {
        if (size_ == capacity_) {
            T taken = static_cast<T&&>(value);
            make_room();
            data_[size_++] = static_cast<T&&>(taken);
        } else {
            data_[size_++] = static_cast<T&&>(value);
        }
    }
    // Makes room for one more element, so that the next push_back doesn't throw.
    constexpr void make_room() {
        if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 16);
    }
    constexpr void pop_back() { --size_; }
    constexpr void clear() { size_ = 0; }
    // Keeps the first `count` elements.
    constexpr void shorten(std::size_t count) { size_ = count; }
    constexpr void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        T* const larger = new T[capacity]{};
        for (std::size_t i = 0; i < size_; ++i) larger[i] = static_cast<T&&>(data_[i]);
        delete[] data_;
        data_ = larger;
        capacity_ = capacity;
    }
    constexpr void assign(std::size_t count, T const& value) { *this = buffer(count, value); }
    friend constexpr bool operator==(buffer const& a, buffer const& b) {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i)
            if (!(a.data_[i] == b.data_[i])) return false;
        return true;
    }

private:
    // The value may be an element of this buffer, so it is copied first.
    constexpr void grow(T const& value) {
        T const copy = value;
        make_room();
        data_[size_++] = copy;
    }
    constexpr void swap(buffer& other) noexcept {
        T* const data = data_;
        std::size_t const size = size_, capacity = capacity_;
        data_ = other.data_, size_ = other.size_, capacity_ = other.capacity_;
        other.data_ = data, other.size_ = size, other.capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace tx
