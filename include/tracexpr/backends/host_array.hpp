// This file holds arrays whose dtype and extents only the run knows.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/base/shape.hpp>

#include <cstddef>
#include <vector>

namespace tx {

// array_view is a view of row-major elements that somebody else owns. All extents are known.
struct array_view {
    void const* data = nullptr;
    dtype type{};
    dims shape{};
};

// host_array is an array that owns its row-major elements.
struct host_array {
    dtype type{};
    dims shape{};
    std::vector<std::byte> bytes{};
    detail::held_strings strings{};

    // Memory for elements of this dtype and shape, which are zeros. (Strings are empty.)
    TRACEXPR_ONCE static host_array of(dtype type, dims const& shape) {
        host_array out{type, shape, std::vector<std::byte>(static_cast<std::size_t>(shape.size()) * size_in_bytes(type))};
        if (type == dtype::string) out.strings.hold(out.bytes.data(), out.bytes.size());
        return out;
    }

    array_view view() const { return {bytes.data(), type, shape}; }
    template <element T> T const* data() const { return reinterpret_cast<T const*>(bytes.data()); }
};

} // namespace tx
