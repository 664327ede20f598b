// This file runs collectives on vectors as a transport does, and computes what they must give from the operands of all ranks.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/mpi.hpp>

#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace collectives {

using tx::collective_kind;
using tx::rank_reduction;
using tx::detail::collective_call;
using tx::detail::collective_form;

// An array of elements; std::vector<bool> has no addresses of elements.
template <class T> class elements {
public:
    explicit elements(std::int64_t count = 0) : count_{count}, all_{std::make_unique<T[]>(static_cast<std::size_t>(count))} {}
    std::int64_t size() const { return count_; }
    T* data() const { return all_.get(); }
    T& operator[](std::int64_t k) const { return all_[static_cast<std::size_t>(k)]; }

private:
    std::int64_t count_;
    std::unique_ptr<T[]> all_;
};

template <class T> bool same_bits(T const& a, T const& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }
template <class T> bool same_bits(elements<T> const& a, elements<T> const& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

// Gives small integers, whose sums and products are exact in every dtype; they differ from rank to rank and from place to place.
template <class T> T value(std::int64_t rank, std::int64_t place) {
    std::int64_t const number = (rank * 5 + place * 3) % 4;
    if constexpr (std::is_same_v<T, bool>) return number % 2 != 0;
    else if constexpr (tx::detail::is_dual_number<T>)
        return {value<typename T::value_type>(rank, place), value<typename T::value_type>(rank + 1, place + 1)};
    else if constexpr (tx::mpi::detail::is_complex_number<T>)
        return {value<typename T::value_type>(rank, place), value<typename T::value_type>(rank + 1, place)};
    else return T(number);
}
template <class T> elements<T> operand_of(std::int64_t rank, std::int64_t count) {
    elements<T> out(count);
    for (std::int64_t k = 0; k < count; ++k) out[k] = value<T>(rank, k);
    return out;
}

template <class T> T combined(rank_reduction by, T const& a, T const& b) {
    if constexpr (std::is_same_v<T, bool>) {
        return by == rank_reduction::logical_and || by == rank_reduction::min ? a && b : a || b;
    } else {
        if (by == rank_reduction::sum) return static_cast<T>(a + b);
        if (by == rank_reduction::product) return static_cast<T>(a * b);
        if constexpr (!tx::mpi::detail::is_complex_number<T>)
            return by == rank_reduction::max ? (b > a ? b : a) : (b < a ? b : a);
        return a;
    }
}
template <class T> std::vector<rank_reduction> reductions_of() {
    if (std::is_same_v<T, bool>)
        return {rank_reduction::logical_and, rank_reduction::logical_or, rank_reduction::max, rank_reduction::min};
    if (tx::mpi::detail::is_complex_number<T>) return {rank_reduction::sum, rank_reduction::product};
    return {rank_reduction::sum, rank_reduction::product, rank_reduction::max, rank_reduction::min};
}

// Runs a collective. result_count is the number of elements of the result; the operand is (count,) or (size, count).
template <class Ranks, class T>
elements<T> run(Ranks const& ranks, collective_form const& form, elements<T> const& operand, std::int64_t result_count) {
    elements<T> result(result_count);
    if (result_count > 0)
        std::memset(static_cast<void*>(result.data()), 0x55, static_cast<std::size_t>(result_count) * sizeof(T));
    collective_call call;
    call.form = form;
    call.type = tx::dtype_of<T>;
    call.operand = operand.data(), call.result = result.data();
    call.extents.push_back(operand.size());
    call.result_extents.push_back(result_count);
    ranks.transport().run(ranks.transport(), call);
    return result;
}

// Gives what rank `rank` of `size` must get, where rank r passes operand_of(r, rows * row), with rows 1 or the number of ranks.
template <class T> elements<T> expected(collective_form const& form, std::int64_t rank, std::int64_t size, std::int64_t row) {
    using kind = collective_kind;
    kind const what = form.what;
    auto const of_row = [&](std::int64_t from, std::int64_t which) { // row `which` of what rank `from` passes
        elements<T> out(row);
        for (std::int64_t k = 0; k < row; ++k) out[k] = value<T>(from, which * row + k);
        return out;
    };
    auto const reduced = [&](std::int64_t first, std::int64_t end, std::int64_t which) {
        elements<T> out = of_row(first, which);
        for (std::int64_t r = first + 1; r < end; ++r)
            for (std::int64_t k = 0; k < row; ++k) out[k] = combined(form.by, out[k], value<T>(r, which * row + k));
        return out;
    };
    auto const rows_of_all = [&](std::int64_t which) {
        elements<T> out(row * size);
        for (std::int64_t r = 0; r < size; ++r)
            for (std::int64_t k = 0; k < row; ++k) out[r * row + k] = value<T>(r, which * row + k);
        return out;
    };
    switch (what) {
    case kind::all_reduce: return reduced(0, size, 0);
    case kind::reduce: return rank == form.root ? reduced(0, size, 0) : elements<T>(row);
    case kind::broadcast: return of_row(form.root, 0);
    case kind::all_gather: return rows_of_all(0);
    case kind::gather: return rank == form.root ? rows_of_all(0) : elements<T>(row * size);
    case kind::scatter: return of_row(form.root, rank);
    case kind::reduce_scatter: return reduced(0, size, rank);
    case kind::all_to_all: return rows_of_all(rank);
    case kind::permute:
        for (std::size_t k = 0; k < form.pairs.size(); k += 2)
            if (form.pairs[k + 1] == rank) return of_row(form.pairs[k], 0);
        return elements<T>(row);
    case kind::exchange: return form.from >= 0 ? of_row(form.from, 0) : elements<T>(row);
    case kind::scan: return form.reversed ? reduced(rank, size, 0) : reduced(0, rank + 1, 0);
    case kind::exclusive_scan: {
        if (rank != (form.reversed ? size - 1 : 0)) return form.reversed ? reduced(rank + 1, size, 0) : reduced(0, rank, 0);
        elements<T> out(row);
        tx::mpi::detail::fill_neutral(tx::dtype_of<T>, form.by, out.data(), row);
        return out;
    }
    default: break;  // a barrier, and kinds that transports are not asked for
    }
    return elements<T>(0);
}

// Does every rank get the expected result?
template <class T, class Ranks> bool gives_expected(Ranks const& ranks, collective_form const& form, std::int64_t row) {
    std::int64_t const size = ranks.size(), rank = ranks.rank();
    bool const takes_rows = tx::scatters(form.what) || form.what == collective_kind::all_to_all;
    bool const gives_rows = tx::gathers(form.what) || form.what == collective_kind::all_to_all;
    elements<T> const operand = operand_of<T>(rank, takes_rows ? row * size : row);
    elements<T> const result = run(ranks, form, operand, gives_rows ? row * size : row);
    bool const is_untouched = same_bits(operand, operand_of<T>(rank, operand.size()));
    return is_untouched && same_bits(result, expected<T>(form, rank, size, row));
}

// Limits messages to this number of numbers while it lives.
class short_messages {
public:
    explicit short_messages(std::int64_t numbers) : before_{tx::mpi::detail::most_numbers_per_message.exchange(numbers)} {}
    short_messages(short_messages const&) = delete;
    short_messages& operator=(short_messages const&) = delete;
    ~short_messages() { tx::mpi::detail::most_numbers_per_message = before_; }

private:
    std::int64_t before_;
};

} // namespace collectives

#define ALL_DTYPES                                                                                                               \
    bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,      \
        tx::half, tx::bfloat16, float, double, std::complex<float>, std::complex<double>, tx::dual<float>, tx::dual<double>,     \
        tx::dual<tx::dual<float>>, tx::dual<tx::dual<double>>
