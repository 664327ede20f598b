// This file combines elements of two ranks: by MPI's own operations where they agree with the library's reductions, else by those
// of this header. A maximum is NaN if any rank's element is, and +0 is greater than -0, whatever the order of the ranks. Sums and
// products of half and bfloat16 are rounded after each step, so their last bits depend on the order in which MPI combines ranks.
#pragma once

#include <tracexpr/base/dual_number.hpp>
#include <tracexpr/base/element.hpp>
#include <tracexpr/base/half.hpp>
#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/mpi/elements.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tx::mpi::detail {

template <class T> inline constexpr bool is_complex_number = false;
template <class T> inline constexpr bool is_complex_number<std::complex<T>> = true;

// Converts half or bfloat16 to float, as base/half.hpp does, but without branches, so that compilers vectorize a loop over many.
template <class T> float decoded(std::uint16_t bits) {
    if constexpr (std::is_same_v<T, bfloat16>) return tx::detail::bfloat16_bits_to_float(bits);
    std::uint32_t const magnitude = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    // The multiplication rebiases the exponent, also that of subnormal numbers.
    std::uint32_t const moved = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
    return std::bit_cast<float>((magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : moved) | sign);
}
template <class T> std::uint16_t encoded(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
    if constexpr (std::is_same_v<T, bfloat16>) {
        std::uint32_t const rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, nan = (bits >> 16) | 0x40u;
        return static_cast<std::uint16_t>(magnitude > 0x7f800000u ? nan : rounded);
    }
    // A number that is subnormal in half is rounded by an addition, whose result has no room for more bits.
    std::uint32_t const subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    std::uint32_t const normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    std::uint32_t const nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    std::uint32_t const finite = magnitude < 0x38800000u ? subnormal : normal;
    std::uint32_t const number = magnitude >= 0x477ff000u ? 0x7c00u : finite;
    return static_cast<std::uint16_t>((magnitude > 0x7f800000u ? nan : number) | ((bits >> 16) & 0x8000u));
}

// Returns the larger or smaller of two real numbers. Equal numbers have equal bits except for the signs of zeros, which & and |
// choose.
template <bool Larger, class T> T extreme(T a, T b) {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    word const x = std::bit_cast<word>(a), y = std::bit_cast<word>(b);
    T const equal = std::bit_cast<T>(Larger ? x & y : x | y);
    bool const first = Larger ? a > b : a < b, second = Larger ? b > a : b < a;
    T const number = first ? a : second ? b : equal;
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : number;
}

// Combines an element of a lower rank with one of a higher rank.
template <rank_reduction By, class T> T combined(T const& lower, T const& higher) {
    if constexpr (By == rank_reduction::sum) {
        return lower + higher;
    } else if constexpr (By == rank_reduction::product) {
        if constexpr (is_complex_number<T>)
            return {lower.real() * higher.real() - lower.imag() * higher.imag(),
                    lower.real() * higher.imag() + lower.imag() * higher.real()};
        else return lower * higher;
    } else if constexpr (tx::detail::is_dual_number<T>) { // if both are equal, the lower rank's is taken
        bool const is_nan = primal(lower) != primal(lower);
        if constexpr (By == rank_reduction::max) return is_nan || lower >= higher ? lower : higher;
        else return is_nan || lower <= higher ? lower : higher;
    } else if constexpr (std::is_integral_v<T>) {
        return (By == rank_reduction::max) == (lower > higher) ? lower : higher;
    } else {
        constexpr bool is_larger = By == rank_reduction::max;
        return extreme<is_larger>(lower, higher);
    }
}

// So many elements are combined before the next ones are read. The number is constant so that compilers vectorize the loop even
// without -O3.
inline constexpr int elements_at_once = 16;

template <rank_reduction By, class T> void combine(T const* from, T* to, int count) {
    auto const combine_one = [](T const& lower, T const& higher) {
        if constexpr (tx::detail::is_small_float<T>)
            return T::from_bits(encoded<T>(combined<By>(decoded<T>(lower.bits), decoded<T>(higher.bits))));
        else return combined<By>(lower, higher);
    };
    int done = 0;
    for (; count - done >= elements_at_once; done += elements_at_once) {
        T results[elements_at_once];
        for (int k = 0; k < elements_at_once; ++k) results[k] = combine_one(from[done + k], to[done + k]);
        std::memcpy(static_cast<void*>(to + done), results, sizeof results);
    }
    for (; done < count; ++done) to[done] = combine_one(from[done], to[done]);
}

// This has the signature that MPI calls for an operation.
template <rank_reduction By, dtype Type> void combine_in_mpi(void* from, void* to, int* count, MPI_Datatype*) {
    using element = typename tx::detail::ctype_of<Type>::type;
    combine<By>(static_cast<element const*>(from), static_cast<element*>(to), *count);
}

// Says how MPI reduces elements of one dtype: as `numbers` numbers of an MPI type, by an operation. If `numbers` is 0, it has no
// such reduction.
struct rank_operation {
    MPI_Datatype type{};
    int numbers = 0;
    MPI_Op op{};
};

// Holds the operations for all dtypes, made after MPI is initialised and freed before it is finalised.
class operation_table {
public:
    rank_operation const& find(dtype type, rank_reduction by) const { return rows_[place(type)][place(by)]; }
    // Returns whether the operation is MPI's own.
    bool is_built_in(dtype type, rank_reduction by) const {
        rank_operation const& found = find(type, by);
        return found.numbers > 0 && std::find(own_.begin(), own_.begin() + own_count_, found.op) == own_.begin() + own_count_;
    }

    void make() {
        add_built_in();
        MPI_Type_contiguous(2, MPI_UINT64_T, &pair_);
        MPI_Type_contiguous(4, MPI_UINT64_T, &four_);
        MPI_Type_commit(&pair_);
        MPI_Type_commit(&four_);
        add_own<dtype::float16, rank_reduction::sum>();
        add_own<dtype::bfloat16, rank_reduction::sum>();
        add_products<dtype::float16, dtype::bfloat16, dtype::complex64, dtype::complex128, dtype::dual_float32,
                     dtype::dual_float64, dtype::dual_dual_float32, dtype::dual_dual_float64>();
        add_extremes<dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64, dtype::float16, dtype::bfloat16, dtype::float32,
                     dtype::float64, dtype::dual_float32, dtype::dual_float64, dtype::dual_dual_float32,
                     dtype::dual_dual_float64>();
    }
    void free() {
        for (int k = 0; k < own_count_; ++k) MPI_Op_free(&own_[place(k)]);
        own_count_ = 0;
        MPI_Type_free(&pair_);
        MPI_Type_free(&four_);
    }

private:
    static constexpr std::size_t reduction_count = 6;
    template <class Enum> static constexpr std::size_t place(Enum which) { return static_cast<std::size_t>(which); }

    rank_operation& row(dtype type, rank_reduction by) { return rows_[place(type)][place(by)]; }

    void add_built_in() {
        for (std::size_t k = place(dtype::int8); k < dtype_count; ++k) {
            auto const type = static_cast<dtype>(k);
            if (type == dtype::string || type == dtype::token || is_small_float(type)) continue;
            auto const [number, numbers] = summed_numbers(type);
            row(type, rank_reduction::sum) = {number, numbers, MPI_SUM};
            if (is_compound(type)) continue;
            row(type, rank_reduction::product) = {number, numbers, MPI_PROD};
            if (!is_signed_integer(type)) continue; // MPICH 4.0.2 compares unsigned integers as if they were signed
            row(type, rank_reduction::max) = {number, numbers, MPI_MAX};
            row(type, rank_reduction::min) = {number, numbers, MPI_MIN};
        }
        for (rank_reduction const any : {rank_reduction::logical_or, rank_reduction::max})
            row(dtype::boolean, any) = {MPI_UINT8_T, 1, MPI_BOR};
        for (rank_reduction const all : {rank_reduction::logical_and, rank_reduction::min})
            row(dtype::boolean, all) = {MPI_UINT8_T, 1, MPI_BAND};
    }
    // Operations on complex and dual numbers are declared not commutative, so that both sides of an exchange of partial results
    // compute the same bits.
    template <dtype Type, rank_reduction By> void add_own() {
        MPI_Op& op = own_[place(own_count_++)];
        MPI_Op_create(&combine_in_mpi<By, Type>, is_compound(Type) ? 0 : 1, &op);
        std::size_t const bytes = size_in_bytes(Type);
        MPI_Datatype const element = bytes == 16 ? pair_ : bytes == 32 ? four_ : moved_numbers(Type).type;
        row(Type, By) = {element, 1, op};
    }
    template <dtype... Types> void add_products() { (add_own<Types, rank_reduction::product>(), ...); }
    template <dtype... Types> void add_extremes() {
        (add_own<Types, rank_reduction::max>(), ...);
        (add_own<Types, rank_reduction::min>(), ...);
    }

    std::array<std::array<rank_operation, reduction_count>, dtype_count> rows_{};
    std::array<MPI_Op, 40> own_{};
    int own_count_ = 0;
    MPI_Datatype pair_{}, four_{}; // types of 16 and 32 bytes, so that MPI doesn't split an element
};

} // namespace tx::mpi::detail
