// This file turns keys into group numbers: it finds the different keys in order, the number of each row's key among them, and the
// row in which each key comes first. It works at once, on keys in memory.
#pragma once

#include <tracexpr/base/tensor.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tx::detail {

// `group` has the number of each row's group, and `first` the first row of each group, in the order of the keys.
struct group_rows {
    std::vector<std::int64_t> group, first;
};

// Renumbers groups that are in the order of their first rows, so that they are in the order of their keys; less(a, b) compares
// the keys of two rows.
template <class Less> void put_groups_in_order(group_rows& rows, Less const& less) {
    std::size_t const count = rows.first.size();
    std::vector<std::int64_t> order(count), rank(count), first(count);
    for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<std::int64_t>(k);
    auto const row_of = [&](std::int64_t k) { return rows.first[static_cast<std::size_t>(k)]; };
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return less(row_of(a), row_of(b)); });
    for (std::size_t k = 0; k < count; ++k) {
        rank[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
        first[k] = row_of(order[k]);
    }
    for (std::int64_t& group : rows.group) group = rank[static_cast<std::size_t>(group)];
    rows.first = std::move(first);
}

// Groups n rows by open addressing, with hash(row), which must spread over all bits, and same(row, row).
template <class Hash, class Same> group_rows hashed_groups(std::int64_t n, Hash const& hash, Same const& same) {
    group_rows out;
    out.group.resize(static_cast<std::size_t>(n));
    std::vector<std::int64_t> table(1024, -1);
    std::vector<std::uint64_t> hashes; // the groups' hashes, for a larger table
    std::size_t mask = table.size() - 1;
    auto const free_slot = [&](std::uint64_t h) {
        std::size_t at = h & mask;
        while (table[at] >= 0) at = (at + 1) & mask;
        return at;
    };
    for (std::int64_t i = 0; i < n; ++i) {
        std::uint64_t const h = hash(i);
        std::size_t at = h & mask;
        while (table[at] >= 0 && !same(out.first[static_cast<std::size_t>(table[at])], i)) at = (at + 1) & mask;
        if (table[at] >= 0) {
            out.group[static_cast<std::size_t>(i)] = table[at];
            continue;
        }
        table[at] = out.group[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(out.first.size());
        out.first.push_back(i);
        hashes.push_back(h);
        if (out.first.size() * 2 < table.size()) continue;
        table.assign(table.size() * 4, -1);
        mask = table.size() - 1;
        for (std::size_t k = 0; k < hashes.size(); ++k) table[free_slot(hashes[k])] = static_cast<std::int64_t>(k);
    }
    return out;
}
// This is a bijection of 64 bits that mixes them all: the finalizer of MurmurHash3.
TRACEXPR_ONCE constexpr std::uint64_t mixed_bits(std::uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
}

// Groups integers by a table of their range. It is used where the range is not much longer than the number of keys.
TRACEXPR_ONCE group_rows tabled_groups(std::vector<std::uint64_t> const& places, std::uint64_t range) {
    group_rows out;
    std::vector<std::int64_t> table(range, -1), number(range, 0);
    // The first row stays, as it is written last.
    for (std::size_t i = places.size(); i-- > 0;) table[places[i]] = static_cast<std::int64_t>(i);
    for (std::uint64_t k = 0; k < range; ++k) {
        if (table[k] < 0) continue;
        number[k] = static_cast<std::int64_t>(out.first.size());
        out.first.push_back(table[k]);
    }
    out.group.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) out.group[i] = number[places[i]];
    return out;
}
TRACEXPR_ONCE group_rows groups_of_bits(std::vector<std::uint64_t> const& bits) {
    return hashed_groups(
        static_cast<std::int64_t>(bits.size()), [&](std::int64_t i) { return mixed_bits(bits[static_cast<std::size_t>(i)]); },
        [&](std::int64_t a, std::int64_t b) { return bits[static_cast<std::size_t>(a)] == bits[static_cast<std::size_t>(b)]; });
}

template <class T> group_rows groups_of_integers(T const* keys, std::int64_t n) {
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(n));
    if (n == 0) return {};
    auto const [least, greatest] = std::minmax_element(keys, keys + n);
    auto const low = static_cast<std::uint64_t>(*least), range = static_cast<std::uint64_t>(*greatest) - low;
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint64_t>(keys[i]) - low;
    if (range < static_cast<std::uint64_t>(n) * 2 + 1024) return tabled_groups(bits, range + 1);
    group_rows out = groups_of_bits(bits);
    put_groups_in_order(out, [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
    return out;
}
// 0 and -0 are one key; all NaNs are one key, which stands behind the numbers.
template <class T> group_rows groups_of_numbers(T const* keys, std::int64_t n) {
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < bits.size(); ++i) {
        auto const x = static_cast<double>(keys[i]);
        bits[i] = std::bit_cast<std::uint64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x == 0 ? 0.0 : x);
    }
    group_rows out = groups_of_bits(bits);
    put_groups_in_order(out, [&](std::int64_t a, std::int64_t b) {
        auto const x = static_cast<double>(keys[a]), y = static_cast<double>(keys[b]);
        return x < y || (std::isnan(y) && !std::isnan(x));
    });
    return out;
}
TRACEXPR_ONCE group_rows groups_of_texts(std::vector<std::string_view> const& keys) {
    auto const at = [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; };
    group_rows out = hashed_groups(
        static_cast<std::int64_t>(keys.size()),
        [&](std::int64_t i) {
            std::uint64_t h = at(i).size();
            for (char const c : at(i)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
            return mixed_bits(h);
        },
        [&](std::int64_t a, std::int64_t b) { return at(a) == at(b); });
    put_groups_in_order(out, [&](std::int64_t a, std::int64_t b) { return at(a) < at(b); });
    return out;
}
template <class T, class Shape> group_rows groups_of(tensor<T, Shape> const& keys) {
    if constexpr (std::is_same_v<T, std::string>) {
        std::vector<std::string_view> texts;
        for (std::int64_t i = 0; i < keys.size(); ++i) texts.push_back(std::string_view(keys.data()[i].str()));
        return groups_of_texts(texts);
    } else if constexpr (std::is_integral_v<T>) {
        return groups_of_integers(keys.data(), keys.size());
    } else {
        return groups_of_numbers(keys.data(), keys.size());
    }
}

} // namespace tx::detail
