// This file finds positions of extremes: that of the first NaN, or else of the first greatest (least) element. Each thread
// searches a part of the elements of one result with a stride; then the winners of the parts are compared, in several passes.
#pragma once

#include <tracexpr/thrust/call_numbers.hpp>
#include <tracexpr/thrust/call_points.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// The elements that results are chosen from, and how the work is split. Adjacent threads read adjacent elements.
struct extreme_search {
    point_axes kept, reduced;
    std::int64_t results = 1, elements = 1, parts = 1;
    bool parts_lie_together = true;

    struct place {
        std::int64_t result, part;
    };
    TRACEXPR_HD place at(std::int64_t i) const {
        std::int64_t const rest = divide(i, parts_lie_together ? parts : results);
        return parts_lie_together ? place{i, rest} : place{rest, i};
    }
    TRACEXPR_HD std::int64_t offset(std::int64_t result, std::int64_t element) const {
        return kept.offset(result) + reduced.offset(element);
    }
};

// Gives the number of the element that wins of two of one search.
template <class Rule, class T>
TRACEXPR_HD std::int64_t winner(T const& a, std::int64_t number_of_a, T const& b, std::int64_t number_of_b) {
    if (Rule::replaces(b, a)) return number_of_b;
    return number_of_b < number_of_a && !Rule::replaces(a, b) ? number_of_b : number_of_a;
}

template <class Rule, class T> struct search_part {
    extreme_search search;
    T const* in;
    std::int64_t* out; // (results, parts)
    TRACEXPR_HD void operator()(std::int64_t i) const {
        auto const at = search.at(i);
        T const* const from = in + search.kept.offset(at.result);
        std::int64_t best_at = at.part;
        T best = from[search.reduced.offset(best_at)];
        for (std::int64_t k = at.part + search.parts; k < search.elements; k += search.parts)
            if (T const value = from[search.reduced.offset(k)]; Rule::replaces(value, best)) best = value, best_at = k;
        out[at.result * search.parts + at.part] = best_at;
    }
};
// Compares `candidates` winners for each result, split into parts in the same way.
template <class Rule, class T> struct compare_winners {
    extreme_search search;
    std::int64_t candidates;
    T const* in;
    std::int64_t const* won;
    std::int64_t* out;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        auto const at = search.at(i);
        std::int64_t const* const mine = won + at.result * candidates;
        std::int64_t best = mine[at.part];
        for (std::int64_t k = at.part + search.parts; k < candidates; k += search.parts)
            best = winner<Rule>(in[search.offset(at.result, best)], best, in[search.offset(at.result, mine[k])], mine[k]);
        out[at.result * search.parts + at.part] = best;
    }
};

inline constexpr std::int64_t lanes_of_warp = 32;
inline constexpr std::int64_t searches_at_once = on_gpu ? 1 << 15 : 64, searched_at_once = on_gpu ? 32 : 1 << 12;

// `reduced` has a bit for each axis that positions are counted along; several axes are counted in row-major order.
template <class Rule, class T> void extreme_positions(device_queue& queue, T const* in, dims const& extents,
                                                      std::uint32_t reduced, std::int64_t* out,
                                                      std::int64_t each = searched_at_once) {
    extreme_search search;
    auto const steps = row_major_strides(extents);
    for (int axis = 0; axis < extents.rank; ++axis) {
        bool const is_reduced = reduced >> axis & 1u;
        (is_reduced ? search.reduced : search.kept).push_back(extents[axis], steps[static_cast<std::size_t>(axis)]);
        (is_reduced ? search.elements : search.results) *= extents[axis];
        if (extents[axis] != 1) search.parts_lie_together = is_reduced;
    }
    if (search.results == 0) return;
    if (search.elements == 0) return queue.clear(out, search.results * static_cast<std::int64_t>(sizeof(std::int64_t)));
    auto const parts_of = [&](std::int64_t count) {
        if (search.results < searches_at_once) return (count + each - 1) / each;
        // There are threads enough, but those of a warp should read adjacent elements.
        return on_gpu && search.parts_lie_together && count >= 8 * lanes_of_warp ? lanes_of_warp : 1;
    };
    std::int64_t candidates = search.parts = parts_of(search.elements);
    device_block won;
    auto const next = [&] { // where winners are written: in the last pass the result
        return search.parts == 1 ? device_block()
                                 : device_block(queue, search.results * search.parts * static_cast<std::int64_t>(sizeof *out));
    };
    auto const place_in = [&](device_block const& b) { return b.data() ? reinterpret_cast<std::int64_t*>(b.data()) : out; };
    won = next();
    for_each_index(queue, search.results * search.parts, search_part<Rule, T>{search, in, place_in(won)});
    while (candidates > 1) {
        search.parts = parts_of(candidates);
        device_block fewer = next();
        for_each_index(queue, search.results * search.parts,
                       compare_winners<Rule, T>{search, candidates, in, place_in(won), place_in(fewer)});
        won = std::move(fewer);
        candidates = search.parts;
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
