// This file says how elements of each dtype are passed to MPI: as numbers of MPI's own types, and in pieces or blocks where there
// are more of them than an int can count.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/mpi/native.hpp>

#include <atomic>
#include <cstdint>

namespace tx::mpi::detail {

// This is the largest number of numbers in one message of a reduction, and in one block of a message that moves elements
// unchanged. Tests may lower it.
inline constinit std::atomic<std::int64_t> most_numbers_per_message{std::int64_t{1} << 27};

// An element is passed as this many numbers of an MPI type.
struct element_numbers {
    MPI_Datatype type;
    int numbers;
};
// Returns the numbers for moving elements unchanged: any type of the right size will do.
inline element_numbers moved_numbers(dtype type) {
    switch (size_in_bytes(type)) {
    case 1: return {MPI_UINT8_T, 1};
    case 2: return {MPI_UINT16_T, 1};
    case 4: return {MPI_UINT32_T, 1};
    case 8: return {MPI_UINT64_T, 1};
    case 16: return {MPI_UINT64_T, 2};
    default: return {MPI_UINT64_T, 4};
    }
}
// Returns the numbers for MPI's own sums, which add the parts of complex and dual numbers separately.
inline element_numbers summed_numbers(dtype type) {
    switch (type) {
    case dtype::int8: return {MPI_INT8_T, 1};
    case dtype::int16: return {MPI_INT16_T, 1};
    case dtype::int32: return {MPI_INT32_T, 1};
    case dtype::int64: return {MPI_INT64_T, 1};
    case dtype::uint16: return {MPI_UINT16_T, 1};
    case dtype::uint32: return {MPI_UINT32_T, 1};
    case dtype::uint64: return {MPI_UINT64_T, 1};
    case dtype::float32: return {MPI_FLOAT, 1};
    case dtype::float64: return {MPI_DOUBLE, 1};
    case dtype::complex64:
    case dtype::dual_float32: return {MPI_FLOAT, 2};
    case dtype::complex128:
    case dtype::dual_float64: return {MPI_DOUBLE, 2};
    case dtype::dual_dual_float32: return {MPI_FLOAT, 4};
    case dtype::dual_dual_float64: return {MPI_DOUBLE, 4};
    default: return {MPI_UINT8_T, 1};
    }
}

// Passes `count` adjacent elements as one operand of MPI: numbers, or one element of a derived type where there are more numbers
// than an int can count.
class moved_block {
public:
    moved_block(dtype elements, std::int64_t count, std::string_view function, std::int64_t rank) {
        auto const [number, numbers] = moved_numbers(elements);
        std::int64_t const most = most_numbers_per_message.load(std::memory_order_relaxed), total = count * numbers;
        type = number, length = static_cast<int>(total), all_numbers = total;
        if (total > most) [[unlikely]]
            require(make_type(total, most), function, rank);
    }
    moved_block(moved_block const&) = delete;
    moved_block& operator=(moved_block const&) = delete;
    ~moved_block() {
        if (is_made_) MPI_Type_free(&type);
    }

    MPI_Datatype type;
    int length;
    MPI_Count all_numbers; // in the block, as numbers of MPI's own type

private:
    // Makes a derived type of blocks of `most` numbers and a remainder.
    int make_type(std::int64_t total, std::int64_t most) {
        MPI_Datatype const number = type;
        MPI_Datatype parts[2]{};
        MPI_Aint lower = 0, number_bytes = 0;
        int code = MPI_Type_get_extent(number, &lower, &number_bytes);
        if (code == MPI_SUCCESS) code = MPI_Type_contiguous(static_cast<int>(most), number, &parts[0]);
        if (code != MPI_SUCCESS) return code;
        code = MPI_Type_contiguous(static_cast<int>(total % most), number, &parts[1]);
        int const counts[]{static_cast<int>(total / most), 1};
        MPI_Aint const places[]{0, static_cast<MPI_Aint>(total / most * most) * number_bytes};
        if (code == MPI_SUCCESS) {
            code = MPI_Type_create_struct(2, counts, places, parts, &type);
            MPI_Type_free(&parts[1]);
        }
        MPI_Type_free(&parts[0]);
        if (code != MPI_SUCCESS) return code;
        is_made_ = true, length = 1;
        return MPI_Type_commit(&type);
    }

    bool is_made_ = false;
};

} // namespace tx::mpi::detail
