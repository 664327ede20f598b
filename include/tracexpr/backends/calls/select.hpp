// This file finds the positions of elements of given ranks in rows along one axis of a row-major array, seen as (outer, n,
// inner), and partitions rows around one rank. The order is that of argsort, but the rows are not sorted as a whole.
#pragma once

#include <tracexpr/backends/calls/indices.hpp>
#include <tracexpr/backends/calls/sort.hpp>
#include <tracexpr/graph/op.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// Finds elements of a row of n by their ranks. A sample of the row gives two bounds, between which the ranks almost surely are;
// only elements between these are compared further (Floyd and Rivest, Expected time bounds for selection, 1975).
template <class T> class rank_finder {
    using rule = key_rule<typename sorted_by<T>::type>;

public:
    using key = typename rule::key;
    using element = placed_key<key>;
    static constexpr std::int64_t block = 64;

    explicit rank_finder(std::int64_t n)
        : n_{n}, memory_(static_cast<std::size_t>(n + 1) * sizeof(element)), kept_{reinterpret_cast<element*>(memory_.memory())},
          places_{reinterpret_cast<std::int64_t*>(kept_) + n} {}

    static key key_of(T const& x) { return rule::template of<true>(sorted_by<T>::value(x)); }

    // Finds the elements of these ranks, which must ascend.
    void find(T const* in, std::int64_t stride, std::int64_t const* ranks, std::int64_t count, element* out) {
        for (std::int64_t first = 0, end = 0; first < count; first = end) {
            while (end < count && ranks[end] - ranks[first] <= n_ / 16) ++end;
            std::int64_t const *const mine = ranks + first, together = end - first;
            element low = least, high = greatest();
            find_bounds(in, stride, mine[0], mine[together - 1], low, high);
            if (!find_between(in, stride, low, high, mine, together, out + first))
                find_between(in, stride, least, greatest(), mine, together, out + first);
        }
    }

private:
    static constexpr element least{0, 0};
    element greatest() const { return {std::numeric_limits<key>::max(), n_}; }

    // The bounds are four standard deviations from the ranks in a sample of n^(2/3) elements, so they hardly ever fail.
    void find_bounds(T const* in, std::int64_t stride, std::int64_t first, std::int64_t last, element& low, element& high) {
        auto const n = static_cast<double>(n_), root = std::cbrt(n), size = std::floor(root * root);
        auto const count = static_cast<std::int64_t>(size), step = n_ / count;
        for (std::int64_t i = 0; i < count; ++i) {
            random_ = random_ * 6364136223846793005u + 1442695040888963407u; // Knuth's congruential generator, MMIX
            std::int64_t const place = i * step + static_cast<std::int64_t>((random_ >> 33) % static_cast<std::uint64_t>(step));
            kept_[i] = {key_of(in[place * stride]), place};
        }
        auto const slack = [&](double share) { return 4 * std::sqrt(size * share * (1 - share)) + 2; };
        double const from = static_cast<double>(first) / n, to = static_cast<double>(last) / n;
        auto const before = static_cast<std::int64_t>(std::floor(from * size - slack(from))),
                   behind = static_cast<std::int64_t>(std::ceil(to * size + slack(to)));
        if (before >= 0) std::nth_element(kept_, kept_ + before, kept_ + count), low = kept_[before];
        if (behind < count)
            std::nth_element(kept_ + std::max(before, std::int64_t{0}), kept_ + behind, kept_ + count), high = kept_[behind];
    }
    // Finds the ranks among the elements from low to high; returns false if they are not all there.
    bool find_between(T const* in, std::int64_t stride, element const& low, element const& high, std::int64_t const* ranks,
                      std::int64_t count, element* out) {
        keep_between(in, stride, low, high);
        for (std::int64_t i = 0; i < kept_count_; ++i) {
            std::int64_t const place = places_[i];
            kept_[i] = {key_of(in[place * stride]), place};
        }
        if (ranks[0] < before_ || ranks[count - 1] >= before_ + kept_count_) return false;
        if (count > 8) std::sort(kept_, kept_ + kept_count_);
        element* rest = kept_;
        for (std::int64_t k = 0; k < count; ++k) {
            element* const at = kept_ + (ranks[k] - before_);
            if (count <= 8 && at >= rest) std::nth_element(rest, at, kept_ + kept_count_);
            rest = at + 1, out[k] = *at;
        }
        return true;
    }
    void keep_between(T const* in, std::int64_t stride, element const& low, element const& high) {
        kept_count_ = before_ = 0;
        std::int64_t const behind_high = std::min(high.place + 1, n_),
                           cuts[]{0, std::min(low.place, behind_high), std::max(low.place, behind_high), n_};
        for (int part = 0; part < 3; ++part) {
            std::int64_t const begin = cuts[part], end = cuts[part + 1];
            if (begin == end) continue;
            // Within a part of the row, comparing keys is enough to tell what is between the bounds.
            bool const takes_low = begin >= low.place, takes_high = begin <= high.place;
            if (!takes_low && low.key == std::numeric_limits<key>::max()) {
                before_ += end - begin;
            } else if (takes_high || high.key != 0) {
                key const from = static_cast<key>(low.key + !takes_low), to = static_cast<key>(high.key - !takes_high);
                std::int64_t const previous_count = kept_count_;
                look(in, stride, begin, end, from, static_cast<key>(to - from));
                if (to < from) kept_count_ = previous_count; // nothing is between the bounds
            }
        }
    }
    void look(T const* in, std::int64_t stride, std::int64_t begin, std::int64_t end, key from, key reach) {
        std::int64_t i = begin;
        for (; i + block <= end; i += block)
            look_at_block(in + i * stride, stride, i, std::integral_constant<std::int64_t, block>{}, from, reach);
        look_at_block(in + i * stride, stride, i, end - i, from, reach);
    }
    template <class Length>
    void look_at_block(T const* in, std::int64_t stride, std::int64_t first, Length length, key from, key reach) {
        key keys[block], before = 0;
        for (std::int64_t i = 0; i < length; ++i) keys[i] = key_of(in[i * stride]);
        for (std::int64_t i = 0; i < length; ++i) before += static_cast<key>(keys[i] < from);
        std::int64_t count = kept_count_;
        for (std::int64_t i = 0; i < length; ++i) { // without a branch, which could not be predicted
            places_[count] = first + i;
            count += static_cast<key>(keys[i] - from) <= reach;
        }
        kept_count_ = count, before_ += static_cast<std::int64_t>(before);
    }

    std::int64_t n_, kept_count_ = 0, before_ = 0;
    std::uint64_t random_ = 1;
    tx::detail::arena_lease memory_;
    element* kept_;
    // The positions of the kept elements are in the last half of the elements' memory: element i overwrites only positions up to
    // number i, which have been read by then.
    std::int64_t* places_;
};

// asked_rank is a rank that is asked for, and the number of the answer.
struct asked_rank {
    std::int64_t rank, number;
    friend bool operator<(asked_rank const& a, asked_rank const& b) { return a.rank < b.rank; }
};
// asked_ranks holds the ranks that are asked for in a row, in ascending order.
class asked_ranks {
public:
    explicit asked_ranks(std::int64_t count) : asked_(static_cast<std::size_t>(count)), ranks_(asked_.size()) {}
    void read(std::int64_t const* ranks, std::int64_t stride, std::int64_t n) {
        for (std::size_t k = 0; k < asked_.size(); ++k) {
            std::int64_t const number = static_cast<std::int64_t>(k);
            asked_[k] = {position(ranks[number * stride], n), number};
        }
        std::sort(asked_.begin(), asked_.end());
        for (std::size_t k = 0; k < asked_.size(); ++k) ranks_[k] = asked_[k].rank;
    }
    std::int64_t count() const { return static_cast<std::int64_t>(ranks_.size()); }
    std::int64_t const* ascending() const { return ranks_.data(); }
    std::int64_t number(std::int64_t k) const { return asked_[static_cast<std::size_t>(k)].number; }

private:
    std::vector<asked_rank> asked_;
    std::vector<std::int64_t> ranks_;
};

// The ranks for all rows: the same for each of them, or (outer, count, inner).
struct ranks_of_rows {
    std::int64_t const* ranks;
    std::int64_t count;
    bool are_shared;
};

// Sorts short rows, many at a time; the place of an element follows from the number of equal ones that come before it in order.
template <class T, class Arch>
void select_in_short_rows(sorted_rows const& rows, T const* in, ranks_of_rows const& asked, std::int64_t* out) {
    using key = typename rank_finder<T>::key;
    std::int64_t const n = rows.n, block = std::max(std::int64_t{4096} / n, std::int64_t{1}), count = asked.count;
    std::vector<key> keys(static_cast<std::size_t>(block * n)), sorted(keys.size());
    for (std::int64_t first = 0; first < rows.count(); first += block) {
        std::int64_t const end = std::min(first + block, rows.count());
        for (std::int64_t r = first; r < end; ++r)
            for (std::int64_t i = 0; i < n; ++i)
                keys[static_cast<std::size_t>((r - first) * n + i)] =
                    rank_finder<T>::key_of(in[rows.start(r, n) + i * rows.inner]);
        sort<key, Arch>(end - first, n, 1, keys.data(), false, sorted.data());
        for (std::int64_t r = first; r < end; ++r) {
            key const *const row = keys.data() + (r - first) * n, *const in_order = sorted.data() + (r - first) * n;
            std::int64_t const start = rows.start(r, count);
            for (std::int64_t k = 0; k < count; ++k) {
                std::int64_t const to = start + k * rows.inner;
                std::int64_t rank = position(asked.ranks[asked.are_shared ? k : to], n), place = 0;
                key const wanted = in_order[rank];
                for (std::int64_t i = 0; i < n; ++i) rank -= row[i] < wanted;
                for (std::int64_t left = rank; left > 0 || row[place] != wanted; ++place) left -= row[place] == wanted;
                out[to] = place;
            }
        }
    }
}

// Partitions a row around one of its elements: first what comes before it in order, then the element, then what comes after it;
// both parts keep their order in the row. write(i, to) puts element i of the row at place `to`.
template <class T, class Write>
void write_around(std::int64_t n, T const* in, std::int64_t stride, std::int64_t place, std::int64_t rank, Write write) {
    using key = typename rank_finder<T>::key;
    constexpr std::int64_t block = rank_finder<T>::block;
    key const around = rank_finder<T>::key_of(in[place * stride]);
    std::int64_t front = 0, back = rank + 1;
    auto const part = [&](std::int64_t begin, std::int64_t end, bool takes_equal) {
        for (key is_before[block]; begin < end; begin += block) {
            std::int64_t const length = std::min(block, end - begin);
            for (std::int64_t i = 0; i < length; ++i) {
                key const k = rank_finder<T>::key_of(in[(begin + i) * stride]);
                is_before[i] = static_cast<key>(static_cast<key>(k < around) |
                                                (static_cast<key>(takes_equal) & static_cast<key>(k == around)));
            }
            // An element is written on both sides, as a branch could not be predicted; the next element of the side that it
            // doesn't belong to overwrites it. Near the end of the row there may be no place for that, so the side is chosen.
            bool const has_room = back + block <= n;
            for (std::int64_t i = 0; i < length; ++i) {
                auto const one = static_cast<std::int64_t>(is_before[i]);
                if (has_room) write(begin + i, front), write(begin + i, back);
                else write(begin + i, one ? front : back);
                front += one, back += 1 - one;
            }
        }
    };
    part(0, place, true);
    part(place + 1, n, false);
    write(place, rank);
}

} // namespace detail

// out(o, k, j) is the position of the element of in(o, :, j) with rank number k.
template <class T, class Arch = xsimd::default_arch> void argselect(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                                                    T const* in, detail::ranks_of_rows const& asked, int axis,
                                                                    std::int64_t* out) {
    constexpr std::int64_t short_row = 2048;
    detail::sorted_rows const rows{outer, n, inner};
    check_indices<std::int64_t, Arch>(asked.ranks, asked.count * (asked.are_shared ? 1 : rows.count()), n, axis, "argselect");
    if (rows.count() * asked.count == 0) return;
    if (n <= short_row) return detail::select_in_short_rows<T, Arch>(rows, in, asked, out);
    detail::rank_finder<T> finder(n);
    detail::asked_ranks ranks(asked.count);
    std::vector<typename detail::rank_finder<T>::element> found(static_cast<std::size_t>(asked.count));
    if (asked.are_shared) ranks.read(asked.ranks, 1, n);
    for (std::int64_t r = 0; r < rows.count(); ++r) {
        std::int64_t const start = rows.start(r, asked.count);
        if (!asked.are_shared) ranks.read(asked.ranks + start, inner, n);
        finder.find(in + rows.start(r, n), inner, ranks.ascending(), asked.count, found.data());
        for (std::int64_t k = 0; k < asked.count; ++k)
            out[start + ranks.number(k) * inner] = found[static_cast<std::size_t>(k)].place;
    }
}

// Writes the elements of rows, or their positions, partitioned around the element of a rank.
template <op Code, class T, class Arch = xsimd::default_arch, class Result>
void partition(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t rank, int axis, Result* out) {
    detail::sorted_rows const rows{outer, n, inner};
    if (rows.count() * n == 0) return;
    std::vector<std::int64_t> places(static_cast<std::size_t>(rows.count()));
    argselect<T, Arch>(outer, n, inner, in, {&rank, 1, true}, axis, places.data());
    for (std::int64_t r = 0; r < rows.count(); ++r) {
        std::int64_t const start = rows.start(r, n);
        auto const write = [&](std::int64_t i, std::int64_t to) TRACEXPR_INLINE_LAMBDA {
            if constexpr (Code == op::sort) out[start + to * inner] = in[start + i * inner];
            else out[start + to * inner] = i;
        };
        detail::write_around(n, in + start, inner, places[static_cast<std::size_t>(r)], position(rank, n), write);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
