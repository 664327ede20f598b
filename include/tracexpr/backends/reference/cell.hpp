// This file holds the elements of the reference executor: a cell holds a value of any dtype in the encoding of a literal
// (graph/literal.hpp). So code that only moves elements knows no dtypes, and code that computes knows five kinds: real, complex,
// dual, signed and unsigned. Arrays of cells take the memory that their dtype takes.
#pragma once

#include <tracexpr/base/table_view.hpp>
#include <tracexpr/graph/literal.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace tx::reference {

// Sums are computed in this type. (Device code has nothing wider than double, and calls none of this.)
#if defined(__CUDA_ARCH__)
using wide_float = double;
#else
using wide_float = long double;
#endif

// A cell holds a value of any dtype: `low` and `high` are as in a literal.
struct cell {
    std::uint64_t low = 0, high = 0;
    std::uint64_t tangents[2]{}; // the tangent of a nested dual, itself a value and a tangent; `high` is the tangent of its value

    constexpr cell() = default;
    constexpr cell(std::uint64_t first, std::uint64_t second) : low{first}, high{second} {}
    constexpr cell(literal_bits bits) : low{bits.low}, high{bits.high} {}
    constexpr operator literal_bits() const { return {low, high}; }
    constexpr std::uint64_t& word(std::size_t i) { return i == 0 ? low : i == 1 ? high : tangents[i - 2]; }
    constexpr std::uint64_t word(std::size_t i) const { return i == 0 ? low : i == 1 ? high : tangents[i - 2]; }
};
constexpr cell cell_of(table_view<std::uint64_t> words) {
    cell out;
    for (std::size_t i = 0; i < words.size(); ++i) out.word(i) = words[i];
    return out;
}

// Every dual number is computed as a nested dual. If it is none, the further parts are 0.
template <class T> using nested = dual<dual<T>>;
template <class T> constexpr nested<T> dual_of(cell const& c) {
    auto const part = [](std::uint64_t word) { return static_cast<T>(std::bit_cast<double>(word)); };
    return {{part(c.low), part(c.high)}, {part(c.tangents[0]), part(c.tangents[1])}};
}

constexpr double real_of(cell c) { return std::bit_cast<double>(c.low); }
constexpr std::complex<double> complex_of(cell c) { return {std::bit_cast<double>(c.low), std::bit_cast<double>(c.high)}; }
constexpr std::int64_t signed_of(cell c) { return static_cast<std::int64_t>(c.low); }
constexpr cell flag(bool value) { return {value ? 1u : 0u, 0}; }

// Returns the nearest value of the dtype, by one rounding with ties to even.
constexpr double nearest(dtype type, wide_float value) {
    switch (primal(type)) {
    case dtype::float16: return static_cast<double>(half(value));
    case dtype::bfloat16: return static_cast<double>(bfloat16(value));
    case dtype::float32:
    case dtype::complex64: return double{static_cast<float>(value)};
    default: return static_cast<double>(value);
    }
}
constexpr cell rounded(dtype type, wide_float value) { return {std::bit_cast<std::uint64_t>(nearest(type, value)), 0}; }
constexpr cell rounded(dtype type, std::complex<double> value) {
    return {std::bit_cast<std::uint64_t>(nearest(type, value.real())), std::bit_cast<std::uint64_t>(nearest(type, value.imag()))};
}
template <class T> constexpr cell rounded(dtype type, nested<T> const& x) {
    T const parts[]{x.value.value, x.value.tangent, x.tangent.value, x.tangent.tangent};
    cell out;
    for (std::size_t i = 0; i < words_of(type); ++i) out.word(i) = rounded(type, static_cast<wide_float>(parts[i])).low;
    return out;
}
constexpr cell wrapped(dtype type, std::uint64_t bits) { return wrapped_literal(type, bits); }
// Returns x with its value replaced by that of `value`.
constexpr cell with_value(cell x, cell const& value) {
    x.low = value.low;
    return x;
}

// Returns the value of a cell that is not complex, which is exact where wide_float has a mantissa of 64 bits.
constexpr wide_float value_of(dtype type, cell c) {
    if (is_floating(type)) return static_cast<wide_float>(real_of(c));
    return is_signed_integer(type) ? static_cast<wide_float>(signed_of(c)) : static_cast<wide_float>(c.low);
}

constexpr cell cast(cell c, dtype from, dtype to) {
    if (from == to) return c;
    if (__builtin_is_constant_evaluated() && !is_dual(from) && !is_dual(to)) return cast_literal(c, from, to);
    if (is_dual(from) && is_dual(to)) return rounded(to, dual_of<double>(c));
    if (is_dual(from)) return cast({c.low, 0}, primal(from), to); // tangents are dropped, as imaginary parts are
    if (to == dtype::boolean) {
        if (is_complex(from)) return flag(complex_of(c) != 0.0);
        return flag(is_floating(from) ? real_of(c) != 0 : c.low != 0);
    }
    if (is_complex(to)) {
        if (is_complex(from)) return rounded(to, complex_of(c));
        return {rounded(to, value_of(from, c)).low, 0};
    }
    if (is_complex(from)) return cast({c.low, 0}, real_part(from), to); // the imaginary part is dropped
    if (is_floating(to)) return rounded(to, value_of(from, c));
    return is_floating(from) ? cell(cast_literal(c, from, to)) : wrapped(to, c.low);
}

template <element T> constexpr T element_of(cell const& c) {
    std::uint64_t const words[]{c.low, c.high, c.tangents[0], c.tangents[1]};
    return from_words<T>(words);
}
// read_cell and write_cell read and write one element in memory.
inline cell read_cell(dtype type, std::byte const* from) {
    return with_element(type, [from]<class T>(T element) {
        std::memcpy(static_cast<void*>(&element), from, sizeof element);
        std::uint64_t words[words_of(dtype_of<T>)];
        to_words(element, words);
        return cell_of({words, words_of(dtype_of<T>)});
    });
}
inline void write_cell(dtype type, cell const& c, std::byte* to) {
    with_element(type, [to, &c]<class T>(T element) {
        element = element_of<T>(c);
        std::memcpy(to, static_cast<void const*>(&element), sizeof element);
    });
}

// packed_cells is an array of cells, stored as elements of their dtype, or, in constant evaluation, which can't view elements as
// bytes, as cells.
class packed_cells {
public:
    class place {
    public:
        constexpr place(packed_cells& of, std::size_t i) : of_{of}, i_{i} {}
        constexpr operator cell() const { return std::as_const(of_)[i_]; }
        constexpr place& operator=(cell const& c) {
            if (__builtin_is_constant_evaluated()) of_.wide_[i_] = c;
            else write_cell(of_.type_, c, of_.bytes_.data() + i_ * size_in_bytes(of_.type_));
            return *this;
        }
        constexpr place& operator=(place const& other) { return *this = cell(other); }

    private:
        packed_cells& of_;
        std::size_t i_;
    };

    constexpr packed_cells() = default;
    constexpr packed_cells(dtype type, std::size_t count) : type_{type}, count_{count} {
        if (__builtin_is_constant_evaluated()) wide_ = buffer<cell>(count);
        else bytes_ = buffer<std::byte>(count * size_in_bytes(type));
    }
    constexpr std::size_t size() const { return count_; }
    constexpr place operator[](std::size_t i) { return {*this, i}; }
    constexpr cell operator[](std::size_t i) const {
        if (__builtin_is_constant_evaluated()) return wide_[i];
        return read_cell(type_, bytes_.data() + i * size_in_bytes(type_));
    }
    constexpr void fill(cell const& c) {
        for (std::size_t i = 0; i < count_; ++i) (*this)[i] = c;
    }
    buffer<std::byte>& bytes() { return bytes_; }
    buffer<std::byte> const& bytes() const { return bytes_; }

private:
    dtype type_{};
    std::size_t count_ = 0;
    buffer<cell> wide_;
    buffer<std::byte> bytes_;
};

// `values` is an array of cells in row-major order, whose extents are known.
struct values {
    dtype type{};
    dims shape{};
    packed_cells cells{};
    bool is_known = true; // false if constant evaluation has no value for an element

    constexpr values() = default;
    // (The size is not let below 0, because g++ 12 warns of the size that an unknown extent would give.)
    constexpr values(dtype t, dims const& d)
        : type{t}, shape{d}, cells(t, static_cast<std::size_t>(std::max(d.size(), std::int64_t{0}))) {}
    constexpr packed_cells::place operator[](std::int64_t i) { return cells[static_cast<std::size_t>(i)]; }
    constexpr cell operator[](std::int64_t i) const { return cells[static_cast<std::size_t>(i)]; }
    constexpr std::int64_t size() const { return static_cast<std::int64_t>(cells.size()); }
};

inline values loaded(dtype type, dims const& shape, void const* elements) {
    values out(type, shape);
    buffer<std::byte>& bytes = out.cells.bytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), elements, bytes.size());
    return out;
}
inline void store(values const& from, void* elements) {
    buffer<std::byte> const& bytes = from.cells.bytes();
    if (!bytes.empty()) std::memcpy(elements, bytes.data(), bytes.size());
}

inline void throw_not_constant(op code) { throw error("tx: " + std::string(name(code)) + ": not a constant expression"); }

// Computes one element of any pointwise op but cast and where, whose operands differ in dtype. x must have room for
// max_pointwise_operands cells.
inline constexpr std::size_t max_pointwise_operands = 3;
template <class Unused = void> cell run_pointwise(op code, dtype type, cell const* x);

} // namespace tx::reference
