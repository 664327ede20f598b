// Elements of a dtype and extents that only the run knows.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/base/shape.hpp>

#include <cstddef>
#include <vector>

namespace tx {

// Row-major elements of somebody else. All extents are known.
struct array_view {
    void const* data = nullptr;
    dtype type{};
    dims shape{};
};

// Row-major elements of its own.
struct host_array {
    dtype type{};
    dims shape{};
    std::vector<std::byte> bytes{};
    detail::held_strings strings{};

    // Memory for elements of this dtype and shape, which are zeros. (Strings are empty.)
    static host_array of(dtype type, dims const& shape) {
        host_array out{type, shape, std::vector<std::byte>(static_cast<std::size_t>(shape.size()) * size_in_bytes(type))};
        if (type == dtype::string) out.strings.hold(out.bytes.data(), out.bytes.size());
        return out;
    }

    array_view view() const { return {bytes.data(), type, shape}; }
    template <element T> T const* data() const { return reinterpret_cast<T const*>(bytes.data()); }
};

} // namespace tx
