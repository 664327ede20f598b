// This file prints the sequence of collectives that a program makes of one communicator. passes/collectives.hpp writes the
// sequence as numbers (a list of collectives, and of the regions that contain some), and all ranks must have the same one.
#pragma once

#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/graph/op.hpp>

#include <string>
#include <vector>

namespace tx::detail {

// Prints the collective whose numbers start at `at` as "all_reduce(sum, float32 (3, ?))", and moves `at` behind them.
inline std::string collective_text(table_view<std::int64_t> numbers, std::size_t& at) {
    auto const what = static_cast<collective_kind>(numbers[at]);
    std::string out(name(what));
    std::string inside;
    auto const add = [&](std::string const& part) { inside += (inside.empty() ? "" : ", ") + part; };
    if (reduces(what)) add(std::string(name(static_cast<rank_reduction>(numbers[at + 1]))));
    if (numbers[at + 2]) add("reversed");
    if (what != collective_kind::barrier) add(std::string(name(static_cast<dtype>(numbers[at + 4]))));
    dims shape;
    std::int64_t const rank = numbers[at + 5];
    for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(numbers[at + 6 + static_cast<std::size_t>(axis)]);
    if (rank >= 0 && what != collective_kind::barrier) inside += ' ' + to_string(shape);
    if (has_root(what)) add("root " + std::to_string(numbers[at + 3]));
    at += 6 + static_cast<std::size_t>(rank < 0 ? 0 : rank);
    std::size_t const pairs = static_cast<std::size_t>(numbers[at++]);
    for (std::size_t k = 0; k < pairs; k += 2) {
        std::string const a = std::to_string(numbers[at + k]), b = std::to_string(numbers[at + k + 1]);
        add(what == collective_kind::begin_sums ? "leaf " + a + " of " + b + " elements" : a + " to " + b);
    }
    at += pairs;
    return out + '(' + inside + ')';
}
// Returns a line for each collective, and one for each begin and end of a region.
inline std::vector<std::string> sequence_lines(table_view<std::int64_t> numbers) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < numbers.size();) {
        std::int64_t const code = numbers[at++];
        if (code == sequence_code::collective) out.push_back(collective_text(numbers, at));
        else if (code == sequence_code::regions) out.push_back(std::string(name(static_cast<op>(numbers[at++]))) + " {");
        else out.push_back(code == sequence_code::region ? "region:" : "}");
    }
    return out;
}
// Says where two sequences differ: "the sequences of collectives part at number 2: rank 0 makes all_reduce(sum, float32 ()), rank
// 2 makes barrier()".
inline std::string sequence_difference(table_view<std::int64_t> first, std::int64_t rank_of_first,
                                       table_view<std::int64_t> second, std::int64_t rank_of_second) {
    std::vector<std::string> const a = sequence_lines(first), b = sequence_lines(second);
    std::size_t k = 0;
    while (k < a.size() && k < b.size() && a[k] == b[k]) ++k;
    auto const shown = [&](std::vector<std::string> const& all, std::int64_t rank) {
        return "rank " + std::to_string(rank) + (k < all.size() ? " makes " + all[k] : " makes no more");
    };
    return "the sequences of collectives part at number " + std::to_string(k + 1) + ": " + shown(a, rank_of_first) + ", " +
           shown(b, rank_of_second);
}

} // namespace tx::detail
