// This file finds routines by ops and dtypes that only the run knows.
#pragma once

#include <tracexpr/backends/tiles/block_terms.hpp>
#include <tracexpr/backends/tiles/calls.hpp>
#include <tracexpr/backends/tiles/chains.hpp>
#include <tracexpr/base/error.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

inline constexpr std::size_t first_reduction = static_cast<std::size_t>(op::sum),
                             reduction_count = static_cast<std::size_t>(op::nanmin) + 1 - first_reduction;
template <op Code, class T> void set_reduction(reduction& out, pointwise_routines const& of) {
    if constexpr (accepts(Code, dtype_of<T>)) {
        T const start = simd::detail::identity<Code, T>();
        std::memcpy(out.combine.start, &start, sizeof start);
        out.combine.by = of.ops[static_cast<std::size_t>(info(Code).combines.by) - pointwise_first].of[0];
        out.sums = sum_routines_of<T, Code>();
        out.links = sum_links_of<T, Code>();
    }
}

// All routines that are compiled for a dtype.
struct dtype_routines {
    pointwise_routines pointwise;
    chain_routines chains;
    std::array<reduction, reduction_count> reductions;
    std::array<place_routines, 2> places;                  // greatest, least
    std::array<block_routines, block_term_count> blocks{}; // by block_term
    call_routines calls{};
    moving_routines moves;
};
template <class T> struct routines_for {
    static constexpr pointwise_routines pointwise = pointwise_routines_of<T>();
};

// Returns the routines that this program has: with tracexpr::compiled those of all dtypes, else those of the dtypes that its
// functions, ops and tapes name.
inline std::array<std::atomic<dtype_routines const*>, dtype_count>& known_routines() {
    static constinit std::array<std::atomic<dtype_routines const*>, dtype_count> all{};
    return all;
}
// Says which routines of a dtype the program may need.
enum class routines_extent { no_calls, all };
template <class T, routines_extent Extent> dtype_routines const& routines_of_dtype() {
    static dtype_routines const all = [] {
        dtype_routines out;
        out.pointwise = routines_for<T>::pointwise;
        out.chains = chain_routines_of<T>();
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            out.blocks = {block_routines_of<T, static_cast<block_term>(K)>()...};
        }(std::make_index_sequence<block_term_count>{});
        for (std::size_t k = 0; k < reduction_count; ++k) out.reductions[k].combine.bytes = sizeof(T);
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (set_reduction<static_cast<op>(first_reduction + K), T>(out.reductions[K], out.pointwise), ...);
        }(std::make_index_sequence<reduction_count>{});
        out.places = {place_routines_of<T>(op::argmax), place_routines_of<T>(op::argmin)};
        out.moves =
            moving_routines_of<word_of_size<size_in_bytes(dtype_of<T>)>>(std::make_index_sequence<std::size(moving_ops)>{});
        if constexpr (Extent == routines_extent::all)
            out.calls = call_routines_of<T>(std::make_index_sequence<std::size(called_ops)>{});
        return out;
    }();
    return all;
}
template <class T, routines_extent Extent = routines_extent::all> void know_routines() {
    std::atomic<dtype_routines const*>& known = known_routines()[static_cast<std::size_t>(dtype_of<T>)];
    dtype_routines const* none = nullptr;
    if constexpr (Extent == routines_extent::all) known.store(&routines_of_dtype<T, Extent>(), std::memory_order_release);
    else known.compare_exchange_strong(none, &routines_of_dtype<T, Extent>(), std::memory_order_acq_rel);
}

enum class routine_group { TRACEXPR_ROUTINE_GROUPS(TRACEXPR_NAMES_ROUTINES) };
constexpr routine_group group_of(dtype t) {
    using enum routine_group;
    return t == dtype::float32                   ? float32
           : t == dtype::float64                 ? float64
           : is_complex(t)                       ? complex
           : is_dual(t)                          ? dual
           : is_inexact(t) || t == dtype::string ? other
                                                 : integer;
}
template <routine_group Group> void know_routines_in() {
    for (std::size_t t = 0; t < dtype_count; ++t)
        if (static_cast<dtype>(t) != dtype::token)
            with_element(static_cast<dtype>(t), []<class T>(T const&) {
                if constexpr (group_of(dtype_of<T>) == Group) know_routines<T>();
            });
}
#if TRACEXPR_HAS_ROUTINES
TRACEXPR_ROUTINE_GROUPS(TRACEXPR_DECLARES_ROUTINES)
#endif
// Makes the routines that are compiled in the library known, before a program is made. In other programs it does nothing.
template <class Unused = void> void know_compiled_routines() {
#if TRACEXPR_HAS_ROUTINES
    static bool const all_are_known = [] {
        TRACEXPR_ROUTINE_GROUPS(TRACEXPR_KNOWS_ROUTINES)
        return true;
    }();
    static_cast<void>(all_are_known);
#endif
}

[[noreturn]] inline void throw_unknown_routines(dtype type) {
    throw error(
        "tx: function: what is traced at run time meets " + std::string(name(type)) +
        ", and this program has compiled no routines of that dtype, which none of its functions' arguments, results and captures "
        "has; link tracexpr::compiled, which has those of all");
}
inline dtype_routines const& routines_of(dtype type) {
    dtype_routines const* const found = known_routines()[static_cast<std::size_t>(type)].load(std::memory_order_acquire);
    if (!found) throw_unknown_routines(type);
    return *found;
}

// Returns the routine of a pointwise op on operands of that dtype; null if there is none for operands which are single elements
// as `ones` says.
inline routine pointwise_routine(op code, dtype type, int ones) {
    return routines_of(type).pointwise.ops[static_cast<std::size_t>(code) - pointwise_first].of[ones];
}
inline routine choosing_routine(dtype type, int ones) { // `ones` may have bits for the last two operands
    return routines_of(type).pointwise.choose[static_cast<std::size_t>(ones)];
}
inline routine casting_routine(dtype from, dtype to) { return routines_of(from).pointwise.cast_to[static_cast<std::size_t>(to)]; }
inline routine counting_routine(dtype type) { return routines_of(type).pointwise.count; }
// Returns the routines that compare and choose, and that add to products. They exist for floating-point numbers only, and not in
// all programs.
inline routine comparing_routine(op code, dtype type, std::size_t ones) {
    std::size_t const k = static_cast<std::size_t>(code) - static_cast<std::size_t>(op::equal);
    return k < 6 ? routines_of(type).pointwise.compare_and_choose[k][ones] : nullptr;
}
inline routine product_routine(product_form form, dtype type, int ones) {
    return routines_of(type).pointwise.multiply_add[static_cast<std::size_t>(form)][static_cast<std::size_t>(ones)];
}
// Returns the links of a chain for an op; there are none if the op's routine is as good.
inline link_forms linking(op code, dtype type) {
    auto const at = std::find(std::begin(chained_ops), std::end(chained_ops), code);
    return at == std::end(chained_ops) ? link_forms{} : routines_of(type).chains.ops[static_cast<std::size_t>(at - chained_ops)];
}
inline link_forms linking_product(product_form form, dtype type) {
    return routines_of(type).chains.products[static_cast<std::size_t>(form)];
}
inline link_forms linking_choice(op code, dtype type) {
    auto const at = std::find(std::begin(chained_comparisons), std::end(chained_comparisons), code);
    return at == std::end(chained_comparisons)
               ? link_forms{}
               : routines_of(type).chains.choices[static_cast<std::size_t>(at - chained_comparisons)];
}
// Returns the reduction to places of extremes for that dtype.
inline reduction placing_reduction(op code, dtype type) {
    reduction out;
    out.places = routines_of(type).places[code == op::argmax ? 0 : 1];
    out.value_bytes = static_cast<std::int64_t>(size_in_bytes(type));
    out.combine.bytes = 16; // an extreme and its place
    return out;
}
inline reduction const& reduction_of(op code, dtype type) {
    return routines_of(type).reductions[static_cast<std::size_t>(code) - first_reduction];
}
inline call_routine calling_routine(op code, dtype type) {
    dtype_routines const& all = routines_of(type);
    for (std::size_t k = 0; k < std::size(moving_ops); ++k)
        if (moving_ops[k] == code) return all.moves[k];
    std::size_t k = 0;
    while (called_ops[k] != code) ++k;
    if (!all.calls[k]) throw_unknown_routines(type);
    return all.calls[k];
}

template <class Index>
void find_places(std::byte* out, std::byte const* indices, std::int64_t step, std::int64_t extent, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        reinterpret_cast<std::int64_t*>(out)[i] = position(reinterpret_cast<Index const*>(indices)[i], extent) * step;
}
template <class Unused = void> place_routine placing_routine(dtype type) {
    return with_element(type, []<class T>(T const&) -> place_routine {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return find_places<T>;
        else return nullptr;
    });
}

template <class Unused = void> void put_literal(dtype type, literal_bits bits, std::byte* out) {
    with_element(type, [&]<class T>(T const&) {
        T const value = from_literal<T>(bits.low, bits.high);
        std::memcpy(out, &value, sizeof value);
    });
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
#if defined(TRACEXPR_IMPLEMENTATION)
TRACEXPR_ROUTINE_GROUPS(TRACEXPR_DEFINES_ROUTINES)
#endif
