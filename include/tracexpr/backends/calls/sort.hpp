// This file sorts the elements along one axis of a row-major array, seen as (outer, n, inner) as for scans. NaN is greater than
// all numbers.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/calls/sort_keys.hpp>
#include <tracexpr/backends/calls/sort_runs.hpp>
#include <tracexpr/base/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// sorted_rows holds the rows of (outer, n, inner) along the middle axis.
struct sorted_rows {
    std::int64_t outer, n, inner;

    std::int64_t count() const { return outer * inner; }
    // Returns the place where row number r begins, if rows have `elements` elements.
    std::int64_t start(std::int64_t r, std::int64_t elements) const { return r / inner * elements * inner + r % inner; }
};

// Sorts rows by keys that `task` makes, and keeps the first `wanted` places of each. Several rows are sorted at once, so that
// short ones go into the lanes of vectors. The results go to scratch memory first if the axis is not the last one, or if more of
// them are made than are wanted.
template <class Arch, class Task> void sort_rows(sorted_rows const& rows, std::int64_t wanted, Task task) {
    using key = typename Task::key;
    using result = typename Task::result;
    using sorter = run_sorter<key, Arch>;
    constexpr std::int64_t at_once = 4096, w = sorter::width;
    std::int64_t const n = rows.n;
    if (rows.count() * wanted == 0) return;
    std::int64_t const block = std::min(std::max((at_once / n + w - 1) / w * w, std::int64_t{1}), rows.count()),
                       per_row = Task::needs_all ? n : wanted; // the number of results of each row
    bool const is_direct = rows.inner == 1 && per_row == wanted;
    auto const room = static_cast<std::size_t>(block * n + sorter::slack),
               scratch_results = is_direct ? 0 : static_cast<std::size_t>(block * per_row);
    tx::detail::arena_lease const memory(2 * room * sizeof(key) + scratch_results * sizeof(result) + Task::bytes(block, n));
    key *const keys = reinterpret_cast<key*>(memory.memory()), *const spare = keys + room;
    task.take(reinterpret_cast<std::byte*>(spare + room), block, n);
    auto* const scratch = reinterpret_cast<result*>(reinterpret_cast<std::byte*>(spare + room) + Task::bytes(block, n));
    for (std::int64_t first = 0; first < rows.count(); first += block) {
        std::int64_t const count = std::min(block, rows.count() - first);
        task.to = is_direct ? task.out + first * wanted : scratch;
        sorter sort({&task, Task::put});
        for (std::int64_t r = 0; r < count; ++r) {
            task.read(r, task.in + rows.start(first + r, n), n, rows.inner, keys + r * n);
            sort.add(keys + r * n, n, spare + r * n, r * per_row, per_row);
        }
        sort.finish();
        for (std::int64_t r = 0; r < count; ++r) {
            task.settle(r, n, task.to + r * per_row);
            result* const to = task.out + rows.start(first + r, wanted);
            for (std::int64_t i = 0; i < wanted && !is_direct; ++i) to[i * rows.inner] = scratch[r * per_row + i];
        }
    }
}

template <class T> struct sort_task {
    using rule = key_rule<T>;
    using key = typename rule::key;
    using result = T;
    T const* in;
    T* out;
    key flipped; // All bits are set for descending order.
    T* to = nullptr;

    static constexpr bool needs_all = false;
    static constexpr std::size_t bytes(std::int64_t, std::int64_t) { return 0; }
    void take(std::byte*, std::int64_t, std::int64_t) const {}
    void read(std::int64_t, T const* from, std::int64_t n, std::int64_t stride, key* keys) const {
        if (stride == 1)
            for (std::int64_t i = 0; i < n; ++i) keys[i] = rule::of(from[i]) ^ flipped;
        else
            for (std::int64_t i = 0; i < n; ++i) keys[i] = rule::of(from[i * stride]) ^ flipped;
    }
    static void put(void* with, std::int64_t place, key const* keys, std::int64_t n) {
        sort_task const& self = *static_cast<sort_task const*>(with);
        key const flipped = self.flipped;
        T* const to = self.to + place;
        for (std::int64_t i = 0; i < n; ++i) to[i] = rule::back(keys[i] ^ flipped);
    }
    void settle(std::int64_t, std::int64_t, T*) const {}
};

// Sorts places. The lower half of a 64-bit key is the place, so that equal elements keep their order. The upper half is the
// element's key; of a key of 64 bits it has the first 32 in which the keys of the row differ, and where those are equal the whole
// keys decide afterwards.
template <class T> struct argsort_task {
    using value = typename sorted_by<T>::type;
    using rule = key_rule<value>;
    using key = std::uint64_t;
    using result = std::int64_t;
    static constexpr bool is_wide = sizeof(value) == 8;
    struct range {
        key least;
        int shift;
        key cut(key k) const { return (k - least) >> shift; }
    };
    T const* in;
    std::int64_t* out;
    key flipped;
    key* all = nullptr; // The 64-bit keys, row by row.
    range* ranges = nullptr;
    std::int64_t* to = nullptr;

    static constexpr bool needs_all = is_wide; // The first 32 bits may not say which places are wanted.
    static constexpr std::size_t bytes(std::int64_t rows, std::int64_t n) {
        return is_wide ? static_cast<std::size_t>(rows) * (static_cast<std::size_t>(n) * sizeof(key) + sizeof(range)) : 0;
    }
    void take(std::byte* memory, std::int64_t rows, std::int64_t n) {
        all = reinterpret_cast<key*>(memory);
        ranges = reinterpret_cast<range*>(all + (is_wide ? rows * n : 0));
    }
    void read(std::int64_t row, T const* from, std::int64_t n, std::int64_t stride, key* keys) const {
        auto const key_at = [&](std::int64_t i) {
            return rule::template of<true>(sorted_by<T>::value(from[i * stride])) ^ static_cast<typename rule::key>(flipped);
        };
        if constexpr (is_wide) {
            key *const mine = all + row * n, least = key_at(0), greatest = least;
            for (std::int64_t i = 0; i < n; ++i) {
                key const k = mine[i] = key_at(i);
                least = std::min(least, k), greatest = std::max(greatest, k);
            }
            range const r = ranges[row] = {least, std::max(0, static_cast<int>(std::bit_width(greatest - least)) - 32)};
            for (std::int64_t i = 0; i < n; ++i) keys[i] = r.cut(mine[i]) << 32 | static_cast<key>(i);
        } else {
            for (std::int64_t i = 0; i < n; ++i) keys[i] = static_cast<key>(key_at(i)) << 32 | static_cast<key>(i);
        }
    }
    static void put(void* with, std::int64_t place, key const* keys, std::int64_t n) {
        std::int64_t* const to = static_cast<argsort_task const*>(with)->to + place;
        for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::int64_t>(keys[i] & 0xffffffffu);
    }
    void settle(std::int64_t row, std::int64_t n, std::int64_t* places) const {
        if (!is_wide || ranges[row].shift == 0) return;
        key const* const mine = all + row * n;
        auto const comes_first = [mine](std::int64_t a, std::int64_t b) {
            return mine[a] != mine[b] ? mine[a] < mine[b] : a < b;
        };
        for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
            key const cut = ranges[row].cut(mine[places[begin]]);
            bool in_order = true;
            for (end = begin + 1; end < n && ranges[row].cut(mine[places[end]]) == cut; ++end)
                in_order = in_order && comes_first(places[end - 1], places[end]);
            if (!in_order) std::sort(places + begin, places + end, comes_first);
        }
    }
};

// Finds the places of the first few elements of a long row in order. Once there are enough candidates, only elements that come
// before the last of them are kept: in random rows there is soon hardly one in a block.
template <class T> class first_places {
public:
    static bool pays(std::int64_t n, std::int64_t count) { return count <= n / block; }

    first_places(std::int64_t count, bool descending)
        : count_{count}, flipped_{descending ? std::numeric_limits<key>::max() : key{0}},
          memory_(static_cast<std::size_t>(most_kept() + block) * sizeof(candidate)),
          kept_{reinterpret_cast<candidate*>(memory_.memory())} {}

    void find(std::int64_t n, T const* in, std::int64_t stride, std::int64_t* out, std::int64_t out_stride) {
        kept_count_ = 0, is_full_ = false;
        std::int64_t i = 0;
        for (; i + block <= n; i += block) look(i, in + i * stride, stride, std::integral_constant<std::int64_t, block>{});
        look(i, in + i * stride, stride, n - i);
        std::sort(kept_, kept_ + kept_count_);
        for (std::int64_t k = 0; k < count_; ++k) out[k * out_stride] = kept_[k].place;
    }

private:
    using value = typename sorted_by<T>::type;
    using rule = key_rule<value>;
    using key = typename rule::key;
    using candidate = placed_key<key>;
    static constexpr std::int64_t block = 64;

    std::int64_t most_kept() const { return 2 * count_ + block; }
    template <class Length> void look(std::int64_t first, T const* in, std::int64_t stride, Length length) {
        key keys[block], before = 0;
        for (std::int64_t i = 0; i < length; ++i)
            keys[i] = rule::template of<true>(sorted_by<T>::value(in[i * stride])) ^ flipped_;
        for (std::int64_t i = 0; i < length; ++i) before |= static_cast<key>(keys[i] < bound_);
        if (is_full_ && before == 0) return;
        for (std::int64_t i = 0; i < length; ++i)
            if (!is_full_ || keys[i] < bound_) kept_[kept_count_++] = {keys[i], first + i};
        if (kept_count_ < most_kept()) return;
        std::nth_element(kept_, kept_ + count_ - 1, kept_ + kept_count_);
        kept_count_ = count_, is_full_ = true, bound_ = kept_[count_ - 1].key;
    }

    std::int64_t count_, kept_count_ = 0;
    key flipped_, bound_ = 0;
    bool is_full_ = false;
    tx::detail::arena_lease memory_;
    candidate* kept_;
};

} // namespace detail

// Finds the places of the first `count` elements of each row in order; equal elements keep their order.
template <class T, class Arch = xsimd::default_arch> void argsort(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                                                  T const* in, bool descending, std::int64_t count,
                                                                  std::int64_t* out) {
    if (n > std::int64_t{1} << 32)
        throw shape_error("tx: argsort: takes rows of at most 2^32 elements; given " + std::to_string(n));
    if (count > 0 && detail::first_places<T>::pays(n, count)) {
        detail::sorted_rows const rows{outer, n, inner};
        detail::first_places<T> finder(count, descending);
        for (std::int64_t r = 0; r < rows.count(); ++r)
            finder.find(n, in + rows.start(r, n), inner, out + rows.start(r, count), inner);
        return;
    }
    std::uint64_t const flipped = descending ? std::numeric_limits<std::uint64_t>::max() : 0;
    detail::sort_rows<Arch>({outer, n, inner}, count, detail::argsort_task<T>{in, out, flipped});
}
// Sorts the elements of rows in ascending or descending order. Dual numbers are moved together with their tangents.
template <class T, class Arch = xsimd::default_arch>
void sort(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, bool descending, T* out) {
    if constexpr (tx::detail::is_dual_number<T>) {
        tx::detail::arena_lease const memory(static_cast<std::size_t>(outer * n * inner) * sizeof(std::int64_t));
        auto* const places = reinterpret_cast<std::int64_t*>(memory.memory());
        argsort<T, Arch>(outer, n, inner, in, descending, n, places);
        take_along_axis<T, std::int64_t, Arch>(outer, n, inner, in, n, places, out);
    } else {
        using key = typename detail::sort_task<T>::key;
        detail::sort_task<T> const task{in, out, descending ? std::numeric_limits<key>::max() : key{0}};
        detail::sort_rows<Arch>({outer, n, inner}, n, task);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
