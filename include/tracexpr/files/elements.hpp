// This file converts elements as files have them, in either byte order and either order of axes, to elements of tensors and back.
// It knows no format: a format describes an array by an array_layout.
#pragma once

#include <tracexpr/files/array.hpp>
#include <tracexpr/files/byte_source.hpp>
#include <tracexpr/files/text.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tx::detail {

enum class text_encoding : std::uint8_t { none, bytes, utf32 };

// array_layout is an array as a file describes it. Texts have one width, and shorter ones are followed by zeros.
struct array_layout {
    std::string code;          // its dtype in the format's words
    dtype type = dtype::token; // token: tensors have no such dtype
    std::size_t element_bytes = 0;
    text_encoding text = text_encoding::none;
    bool foreign_order = false; // The bytes are in the order that this machine does not use.
    bool column_major = false;
    std::vector<std::int64_t> extents;
    std::int64_t rows_before = 0, rows_behind = 0; // rows of the file outside of these extents
    std::string (*code_of)(dtype) = nullptr;       // It gives the format's words for other dtypes.

    dims shape(file_call const& call) const {
        if (extents.size() > std::size_t{max_rank})
            throw shape_error(call.says("a tensor has at most 8 axes; the file's array has " + std::to_string(extents.size())));
        dims out;
        for (std::int64_t const extent : extents) out.push_back(extent);
        return out;
    }
};

// Gives the number of bytes that the elements take. Extents whose product overflows are refused even beside one that is 0, as in
// NumPy.
inline std::uint64_t bytes_of_elements(file_call const& call, std::span<std::int64_t const> extents, std::size_t element_bytes) {
    std::int64_t count = 1;
    std::int64_t const most = std::numeric_limits<std::int64_t>::max() / 2 / static_cast<std::int64_t>(element_bytes);
    bool empty = false;
    for (std::int64_t const extent : extents) {
        if (extent > most / count) call.fail("its array is larger than memory can be");
        if (extent > 0) count *= extent;
        empty = empty || extent == 0;
    }
    return empty ? 0 : static_cast<std::uint64_t>(count) * element_bytes;
}

// Throws unless the array has the dtype and shape that are asked for; `who` says in the message who asks for that shape.
inline void check_array(file_call const& call, array_layout const& layout, array_type const& wanted, char const* who) {
    if (layout.type == dtype::token)
        throw type_error(call.says("holds dtype " + quoted_piece(layout.code) + ", which tensors don't have"));
    if (layout.type != wanted.type) {
        bool const is_text = layout.type == dtype::string || wanted.type == dtype::string;
        throw type_error(call.says("holds dtype " + layout.code + "; asked for " + std::string(name(wanted.type)) + " (" +
                                   layout.code_of(wanted.type) + "): load it as what it is" +
                                   (is_text ? "" : ", then tx::cast")));
    }
    dims const given = layout.shape(call);
    if (!may_equal(wanted.shape, given))
        throw shape_error(
            call.says(std::string(who) + " shape " + to_string(wanted.shape) + "; the file has " + to_string(given)));
}

template <std::size_t Bytes> void turn_elements(char const* from, dims const& shape, char* to) {
    std::int64_t strides[max_rank]{}, at[max_rank]{}, place = 0;
    for (int axis = 0; axis < shape.rank; ++axis) strides[axis] = axis == 0 ? 1 : strides[axis - 1] * shape[axis - 1];
    for (std::int64_t i = 0, count = shape.size(); i < count; ++i) {
        std::memcpy(to + static_cast<std::size_t>(i) * Bytes, from + static_cast<std::size_t>(place) * Bytes, Bytes);
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            place += strides[axis];
            if (++at[axis] < shape[axis]) break;
            place -= strides[axis] * shape[axis], at[axis] = 0;
        }
    }
}
// Converts elements of an array of this shape from column-major to row-major order.
inline void turn_order(void const* from, dims const& shape, std::size_t element_bytes, void* to) {
    auto const turn = element_bytes == 1   ? turn_elements<1>
                      : element_bytes == 2 ? turn_elements<2>
                      : element_bytes == 4 ? turn_elements<4>
                      : element_bytes == 8 ? turn_elements<8>
                                           : turn_elements<16>;
    turn(static_cast<char const*>(from), shape, static_cast<char*>(to));
}
inline dims with_axes_reversed(dims d) {
    std::reverse(d.extent, d.extent + d.rank);
    return d;
}

// Converts the bytes of numbers to the other byte order.
inline void swap_order(char* bytes, std::size_t count, std::size_t number_bytes) {
    auto const swap = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
        for (char* const end = bytes + count * Bytes; bytes != end; bytes += Bytes) std::reverse(bytes, bytes + Bytes);
    };
    if (number_bytes == 2) swap(std::integral_constant<std::size_t, 2>{});
    else if (number_bytes == 4) swap(std::integral_constant<std::size_t, 4>{});
    else if (number_bytes == 8) swap(std::integral_constant<std::size_t, 8>{});
}
inline std::size_t bytes_of_number(dtype type) { return size_in_bytes(real_part(type)); }

inline std::uint32_t code_point_at(char const* from, bool foreign_order) {
    std::array<char, 4> bytes;
    std::memcpy(bytes.data(), from, 4);
    if (foreign_order) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<std::uint32_t>(bytes);
}
inline std::string text_at(file_call const& call, array_layout const& layout, char const* from) {
    std::size_t bytes = layout.element_bytes;
    std::string out;
    if (layout.text == text_encoding::bytes) {
        while (bytes > 0 && from[bytes - 1] == 0) --bytes;
        return out.assign(from, bytes);
    }
    while (bytes > 0 && code_point_at(from + bytes - 4, false) == 0) bytes -= 4;
    for (std::size_t at = 0; at < bytes; at += 4) {
        std::uint32_t const code = code_point_at(from + at, layout.foreign_order);
        if (!is_code_point(code)) call.fail("holds a text that is not Unicode");
        append_utf8(out, code);
    }
    return out;
}

// Reads the bytes of the layout's rows. Some rows of an array in column-major order lie in as many pieces as it has columns.
inline bool read_rows(byte_source& in, array_layout const& layout, char* to, std::uint64_t bytes) {
    if (layout.rows_before == 0 && layout.rows_behind == 0) return in.read(to, bytes);
    auto const rows = static_cast<std::uint64_t>(layout.extents.front());
    std::uint64_t const row_bytes = layout.column_major ? layout.element_bytes : bytes / rows, piece_bytes = rows * row_bytes;
    std::uint64_t const before = static_cast<std::uint64_t>(layout.rows_before) * row_bytes;
    std::uint64_t const between = before + static_cast<std::uint64_t>(layout.rows_behind) * row_bytes;
    for (std::uint64_t at = 0; at < bytes; at += piece_bytes)
        if (!in.skip(at == 0 ? before : between) || !in.read(to + at, piece_bytes)) return false;
    return true;
}
// Reads the elements of an array in the order that they have in the file.
inline void read_in_order(file_call const& call, byte_source& in, array_layout const& layout, std::uint64_t bytes, void* to) {
    auto* const elements = static_cast<char*>(to);
    bool const is_text = layout.text != text_encoding::none;
    std::string texts(is_text ? static_cast<std::size_t>(bytes) : 0, '\0');
    if (!read_rows(in, layout, is_text ? texts.data() : elements, bytes)) call.fail("ends before its last element");
    auto const count = static_cast<std::size_t>(bytes) / layout.element_bytes;
    if (is_text) {
        for (std::size_t i = 0; i < count; ++i)
            static_cast<interned*>(to)[i] = text_at(call, layout, texts.data() + i * layout.element_bytes);
    } else if (layout.type == dtype::boolean) {
        for (std::size_t i = 0; i < count; ++i) elements[i] = elements[i] != 0; // No other byte is a bool.
    } else if (layout.foreign_order) {
        std::size_t const number_bytes = bytes_of_number(layout.type);
        swap_order(elements, static_cast<std::size_t>(bytes) / number_bytes, number_bytes);
    }
}

// Gives the number of bytes that the file has of the array; the layout may describe a part of it.
inline std::uint64_t bytes_in_file(file_call const& call, array_layout const& layout) {
    std::vector<std::int64_t> extents = layout.extents;
    if (!extents.empty()) extents.front() += layout.rows_before + layout.rows_behind;
    return bytes_of_elements(call, extents, layout.element_bytes);
}
// Reads one array. No memory is allocated for elements that the file doesn't hold. `who` says in messages who asks for the shape.
inline loaded_array read_elements(file_call const& call, byte_source& in, array_layout const& layout, array_type const& wanted,
                                  char const* who = "the type says") {
    check_array(call, layout, wanted, who);
    dims const shape = layout.shape(call);
    if (bytes_in_file(call, layout) > in.left()) call.fail("ends before its last element");
    std::uint64_t const bytes = bytes_of_elements(call, layout.extents, layout.element_bytes);
    loaded_array out(layout.type, shape);
    if (bytes == 0) return out;
    read_in_order(call, in, layout, bytes, out.elements());
    if (!layout.column_major || shape.rank < 2) return out;
    loaded_array turned(layout.type, shape);
    turn_order(out.elements(), shape, size_in_bytes(layout.type), turned.elements());
    return turned;
}

// Gives the width of texts as NumPy has them: that of the longest, in code points. NumPy can't tell zeros at the end of a text
// from those behind a shorter one.
inline std::size_t utf32_width(file_call const& call, array_elements const& array) {
    auto const* const texts = static_cast<interned const*>(array.elements);
    std::size_t widest = 1;
    for (std::int64_t i = 0; i < array.shape.size(); ++i) {
        std::string const& text = texts[i].str();
        std::size_t width = 0;
        if (!for_each_code_point(text, [&](std::uint32_t) { ++width; }))
            call.fail("strings are written as Unicode; one is no UTF-8: " + quoted_piece(text));
        if (text.ends_with('\0'))
            call.fail("strings must not end in a zero, which NumPy takes away; given " + quoted_piece(text));
        widest = std::max(widest, width);
    }
    return widest;
}

// Writes the elements as the layout says, to an object with write(bytes, count).
template <class Sink> void write_elements(Sink& to, array_elements const& array, array_layout const& layout) {
    auto const count = static_cast<std::size_t>(array.shape.size());
    std::size_t const kept_bytes = size_in_bytes(array.type);
    auto const* from = static_cast<char const*>(array.elements);
    std::string turned;
    if (layout.column_major && array.shape.rank > 1) {
        turned.resize(count * kept_bytes);
        turn_order(from, with_axes_reversed(array.shape), kept_bytes, turned.data());
        from = turned.data();
    }
    bool const is_text = layout.text != text_encoding::none;
    if (!is_text && (!layout.foreign_order || bytes_of_number(array.type) == 1)) {
        if (count > 0) to.write(from, count * kept_bytes);
        return;
    }
    constexpr std::size_t chunk_bytes = 1 << 16;
    std::size_t const chunk = std::max<std::size_t>(1, chunk_bytes / layout.element_bytes);
    std::string bytes;
    for (std::size_t first = 0; first < count; first += chunk) {
        std::size_t const here = std::min(chunk, count - first);
        bytes.assign(here * layout.element_bytes, '\0');
        std::memcpy(bytes.data(), from + first * kept_bytes, is_text ? 0 : bytes.size());
        for (std::size_t i = 0; is_text && i < here; ++i) {
            interned text;
            std::memcpy(static_cast<void*>(&text), from + (first + i) * kept_bytes, kept_bytes);
            char* at = bytes.data() + i * layout.element_bytes;
            for_each_code_point(text.str(), [&](std::uint32_t code) { std::memcpy(at, &code, 4), at += 4; });
        }
        std::size_t const number_bytes = is_text ? 4 : bytes_of_number(array.type);
        if (layout.foreign_order) swap_order(bytes.data(), bytes.size() / number_bytes, number_bytes);
        to.write(bytes.data(), bytes.size());
    }
}

} // namespace tx::detail
