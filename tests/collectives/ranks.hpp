// This file holds collectives as functions of vectors, so that tests can go through all of them, and their meaning, by plain
// loops over the operands of all ranks.
#pragma once

#include <rank_threads.hpp>
#include <tracexpr/mpi/data_parallel.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tx::testing {

using communicator = thread_communicator;

// Calls body(communicator) on each of `size` ranks.
template <class Body> void on_ranks(int size, Body const& body) { rank_threads(size).run(body); }

// Gives what body(communicator) returns on each rank.
template <class T, class Body> std::vector<T> from_ranks(int size, Body const& body) {
    std::vector<T> out(static_cast<std::size_t>(size));
    on_ranks(size, [&](communicator const& c) { out[static_cast<std::size_t>(c.rank())] = body(c); });
    return out;
}

// A collective of a vector, which holds the rows of the operand or the result one after the other.
struct rank_op {
    collective_kind what;
    rank_reduction by = rank_reduction::sum;
    bool is_mean = false, is_shared = false;
    int root = 0;

    std::string name() const {
        std::string out(tx::name(what));
        if (reduces(what)) out += is_mean ? " mean" : ' ' + std::string(tx::name(by));
        if (is_shared) out += " shared";
        if (has_root(what)) out += " root " + std::to_string(root);
        return out;
    }
    bool is_linear() const { return !reduces(what) || by == rank_reduction::sum; }
};
// Gives all collectives except barriers and logical reductions; those with a root also for the last rank.
inline std::vector<rank_op> rank_ops(int size) {
    std::vector<rank_op> out;
    for (int k = 0; k < 14; ++k) {
        auto const what = static_cast<collective_kind>(k);
        if (what == collective_kind::barrier) continue;
        for (int by = 0; by < (reduces(what) ? 4 : 1); ++by)
            for (int root = 0; root < (has_root(what) ? size : 1); root += size > 1 ? size - 1 : 1)
                out.push_back({what, static_cast<rank_reduction>(by), false, false, root});
        if (what == collective_kind::all_reduce || what == collective_kind::reduce || what == collective_kind::reduce_scatter)
            out.push_back({what, rank_reduction::sum, true});
        if (what == collective_kind::all_reduce)
            for (int by = 0; by < 4; ++by) out.push_back({what, static_cast<rank_reduction>(by), false, true});
    }
    return out;
}
// Gives pairs that send from each rank to the next one; the last one's operand goes nowhere, and the first rank gets zeros.
inline std::vector<std::pair<int, int>> shifted_pairs(int size) {
    std::vector<std::pair<int, int>> out;
    for (int r = 0; r + 1 < size; ++r) out.push_back({r, r + 1});
    return out;
}

template <class X> using element_of = tx::ctype<tx::detail::dtype_of_operand<X>>;

namespace detail {
template <class X, class F> auto with_reduction(rank_op const& op, X const&, F const& f) {
    using type = element_of<X>;
    if constexpr (!std::is_same_v<type, bool>) {
        if (op.by == rank_reduction::product) return f(mpi::product);
    }
    if constexpr (!is_complex(dtype_of<type>)) {
        if (op.by == rank_reduction::max) return f(mpi::max);
        if (op.by == rank_reduction::min) return f(mpi::min);
    }
    if constexpr (std::is_same_v<type, bool>) return f(mpi::max);  // others give numbers
    else return f(mpi::sum);
}
} // namespace detail

// Calls the op as a program does. x is a vector; for ops that take a row for each rank its extent is a multiple of the size.
template <class X> auto applied(rank_op const& op, X const& x, communicator const& c) {
    auto const rows = [&] { return reshape(x, c.size(), -1); };
    auto const next = c.rank() + 1 < c.size() ? c.rank() + 1 : 0, before = c.rank() > 0 ? c.rank() - 1 : c.size() - 1;
    auto const scanned = [&](auto const& f) { return detail::with_reduction(op, x, f); };
    auto const reduced = [&](auto const& f) {
        if constexpr (is_inexact(tx::detail::dtype_of_operand<X>))
            if (op.is_mean) return f(mpi::mean);
        return scanned(f);
    };
    switch (op.what) {
    case collective_kind::all_reduce:
        return reduced([&](auto by) { return op.is_shared ? mpi::all_reduce_shared(x, by, c) : mpi::all_reduce(x, by, c); });
    case collective_kind::reduce: return reduced([&](auto by) { return mpi::reduce(x, by, op.root, c); });
    case collective_kind::broadcast: return mpi::broadcast(x, op.root, c);
    case collective_kind::all_gather: return flatten(mpi::all_gather(x, c));
    case collective_kind::gather: return flatten(mpi::gather(x, op.root, c));
    case collective_kind::scatter: return flatten(mpi::scatter(rows(), op.root, c));
    case collective_kind::reduce_scatter: return reduced([&](auto by) { return flatten(mpi::reduce_scatter(rows(), by, c)); });
    case collective_kind::all_to_all: return flatten(mpi::all_to_all(rows(), c));
    case collective_kind::permute: return mpi::permute(x, shifted_pairs(c.size()), c);
    case collective_kind::exchange: return mpi::exchange(x, next, before, c);
    case collective_kind::scan: return scanned([&](auto by) { return mpi::scan(x, by, c); });
    case collective_kind::exclusive_scan: return scanned([&](auto by) { return mpi::exclusive_scan(x, by, c); });
    default: return mpi::replicated(x, c);
    }
}

// Gives the result on rank r, given the operands of all ranks.
template <class T> std::vector<T> expected(rank_op const& op, std::vector<std::vector<T>> const& x, std::size_t r) {
    std::size_t const ranks = x.size(), count = x[0].size(), row = count / ranks, root = static_cast<std::size_t>(op.root);
    auto const neutral = [&] {
        if (op.by == rank_reduction::sum) return T(0);
        if (op.by == rank_reduction::product) return T(1);
        if constexpr (std::is_same_v<T, bool>) return op.by == rank_reduction::min;
        else if constexpr (is_floating(dtype_of<T>)) return T(op.by == rank_reduction::max ? -INFINITY : INFINITY);
        else if constexpr (is_integer(dtype_of<T>))
            return op.by == rank_reduction::max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        else return T(0);
    };
    auto const reduced = [&](std::size_t i, std::size_t first, std::size_t last) {
        T out = neutral();
        for (std::size_t k = first; k < last; ++k) {
            T const next = x[k][i];
            if (op.by == rank_reduction::sum) out = static_cast<T>(out + next);
            else if (op.by == rank_reduction::product) out = static_cast<T>(out * next);
            else if constexpr (!is_complex(dtype_of<T>)) {
                bool const is_nan = out != out;
                if (!is_nan && (next != next || (op.by == rank_reduction::max ? next > out : next < out))) out = next;
            }
        }
        if constexpr (is_inexact(dtype_of<T>))
            if (op.is_mean) out = static_cast<T>(out / static_cast<T>(static_cast<float>(ranks)));
        return out;
    };
    std::vector<T> out;
    auto const zeros = [&](std::size_t n) { out.assign(n, T(0)); };
    switch (op.what) {
    case collective_kind::all_reduce:
        for (std::size_t i = 0; i < count; ++i) out.push_back(reduced(i, 0, ranks));
        break;
    case collective_kind::reduce:
        zeros(count);
        for (std::size_t i = 0; i < count && r == root; ++i) out[i] = reduced(i, 0, ranks);
        break;
    case collective_kind::broadcast: return x[root];
    case collective_kind::gather:
        if (r != root) {
            zeros(count * ranks);
            break;
        }
        [[fallthrough]];
    case collective_kind::all_gather:
        for (auto const& one : x) out.insert(out.end(), one.begin(), one.end());
        break;
    case collective_kind::scatter:
        for (std::size_t i = 0; i < row; ++i) out.push_back(x[root][r * row + i]);
        break;
    case collective_kind::reduce_scatter:
        for (std::size_t i = 0; i < row; ++i) out.push_back(reduced(r * row + i, 0, ranks));
        break;
    case collective_kind::all_to_all:
        for (auto const& one : x)
            for (std::size_t i = 0; i < row; ++i) out.push_back(one[r * row + i]);
        break;
    case collective_kind::permute:
        if (r > 0) return x[r - 1];
        zeros(count);
        break;
    case collective_kind::exchange: return x[r > 0 ? r - 1 : ranks - 1];
    case collective_kind::scan:
        for (std::size_t i = 0; i < count; ++i) out.push_back(reduced(i, 0, r + 1));
        break;
    case collective_kind::exclusive_scan:
        for (std::size_t i = 0; i < count; ++i) out.push_back(reduced(i, 0, r));
        break;
    default: return x[r];
    }
    return out;
}

// as_vector makes a vector of these elements, elements_of gives its elements.
template <class T> using dynamic_vector = tensor<T, shape<dyn>>;
template <class T> dynamic_vector<T> as_vector(std::vector<T> const& x) {
    dynamic_vector<T> out = zeros<T, shape<dyn>>(static_cast<std::int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) out.mutable_data()[i] = x[i];
    return out;
}
template <class X> auto elements_of(X const& x) {
    using T = typename X::value_type;
    return std::vector<T>(x.data(), x.data() + x.size());
}
// Are both vectors equal, where NaN equals NaN?
template <class T> bool same(std::vector<T> const& a, std::vector<T> const& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) return false;
    return true;
}

} // namespace tx::testing
