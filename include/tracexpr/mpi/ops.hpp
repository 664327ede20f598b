// These are the collectives as a user calls them: on tensors, numbers and trees of them, at once or in a traced callable. All
// ranks of a communicator must call the same ones in the same order. All have derivatives, as each is a linear map between all
// ranks, or, as products, maxima and minima, has one at each point; reverse mode runs the transposed map on every rank.
#pragma once

#include <tracexpr/mpi/collectives.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace tx::mpi {
namespace detail::ops {

template <class A> constexpr auto to_inexact(A const& x) {
    if constexpr (is_inexact(dtype_of_operand<A>)) return x;
    else return tx::cast<double>(x);
}
// Casts a leaf to the dtype that it is reduced in: bool for logical reductions, an inexact dtype for means, and int64 for sums
// and products of bool.
template <class R, class A> constexpr auto reducible(A const& x) {
    constexpr dtype type = dtype_of_operand<A>;
    if constexpr (is_logical<R>) return tx::cast<bool>(x);
    else if constexpr (is_mean<R>) return to_inexact(x);
    else if constexpr (type == dtype::boolean && (R::by == rank_reduction::sum || R::by == rank_reduction::product))
        return tx::cast<std::int64_t>(x);
    else return x;
}
template <class R> constexpr collective_form form_of(collective_kind kind) {
    if constexpr (is_mean<R>) return collective_form(kind, rank_reduction::sum);
    else return collective_form(kind, R::by);
}
template <class C> constexpr auto size_in(C const& among, trace_scope* scope) {
    if (scope) {
        expr<bool, shape<dyn, 0>> const ranks(*scope, communicator_in(*scope, among).ranks);
        return tensor<std::int64_t, shape<>>(tx::extent<0>(ranks));
    }
    return tensor<std::int64_t, shape<>>(among.transport().size);
}
template <class R, class A> constexpr bool check_reduction() {
    constexpr bool is_known = is_reduction<R>;
    static_assert(is_known,
                  "tx: mpi: the reduction must be one of tx::mpi::sum, mean, product, max, min, logical_and, logical_or");
    if constexpr (!is_known) {
        return false;
    } else if constexpr (is_mean<R> || is_logical<R>) {
        return true;
    } else {
        constexpr bool is_ordered =
            !is_complex(dtype_of_operand<A>) || (R::by != rank_reduction::max && R::by != rank_reduction::min);
        static_assert(is_ordered, "tx: mpi: complex numbers have no order; take the maximum of tx::abs(x) or tx::real(x)");
        return is_ordered;
    }
}
// Returns a tensor for an op on the CPU; one that is on a device is copied.
template <class A> constexpr A read_here(A const& x) {
    if constexpr (tensor_type<A>) {
        if (tensor_access::remote(x)) {
            A out = A::uninitialized(x.dimensions());
            if (x.size() > 0) std::copy_n(x.data(), x.size(), out.mutable_data());
            return out;
        }
    }
    return x;
}
template <collective_kind What, class R, communicator_like C, class A>
constexpr auto reduced_leaf(collective_form const& form, C const& among, A const& x) {
    if constexpr (!check_reduction<R, A>()) {
        return failed{};
    } else {
        auto const given = reducible<R>(x);
        auto const out = collective_of_leaf<What>(form, among, given);
        using T = ctype<dtype_of_operand<std::remove_cvref_t<decltype(given)>>>;
        if constexpr (is_mean<R>) return read_here(out) / tx::cast<T>(size_in(among, scope_of_call(x)));
        else return out;
    }
}
template <collective_kind What, class R, communicator_like C, class A>
constexpr auto reduced(collective_form const& form, C const& among, A const& x) {
    auto const of_leaf = [&](auto const& part) { return reduced_leaf<What, R>(form, among, plain_operand(part)); };
    if constexpr (operand<A>) return of_leaf(x);
    else return tree_map(of_leaf, x);
}
template <class R> constexpr bool is_scannable() {
    static_assert(!is_mean<R>, "tx: mpi: a scan has no mean; divide the sum by rank + 1");
    return !is_mean<R>;
}
constexpr void require_rank(char const* op, char const* argument, std::int64_t rank, std::int64_t size) {
    if (rank < 0 || rank >= size)
        throw error("tx: mpi: " + std::string(op) + ": the " + argument + " must be a rank, 0 to " + std::to_string(size - 1) +
                    "; given " + std::to_string(rank));
}
// Sets and checks the root. Where the compiler traces, the size of the world is not known, so the run checks the root.
template <class C> constexpr collective_form rooted(collective_form form, std::int64_t root, C const& among) {
    if (!__builtin_is_constant_evaluated()) require_rank(name(form.what).data(), "root", root, among.transport().size);
    form.root = root;
    return form;
}

template <class A, class Pairs, class C> constexpr auto permuted(A const& x, Pairs const& pairs, C const& among) {
    buffer<std::int64_t> all;
    for (auto const& [from, to] : pairs) {
        if (!__builtin_is_constant_evaluated()) {
            require_rank("permute", "rank that sends", from, among.transport().size);
            require_rank("permute", "rank that receives", to, among.transport().size);
        }
        for (std::size_t k = 0; k < all.size(); k += 2)
            if (all[k] == from || all[k + 1] == to)
                throw error("tx: mpi: permute: each rank sends at most once and receives at most once; given (" +
                            std::to_string(all[k]) + ", " + std::to_string(all[k + 1]) + ") and (" + std::to_string(from) + ", " +
                            std::to_string(to) + ")");
        all.push_back(from), all.push_back(to);
    }
    collective_form form(collective_kind::permute);
    form.pairs = all;
    return collective<collective_kind::permute>(form, among, x);
}

} // namespace detail::ops

// Gives every rank the reduction of all ranks' x. Sums of bool count (int64), means of integers are double, logical reductions
// give bool; NaN wins a maximum or minimum.
template <class A, class R, communicator_like C> constexpr auto all_reduce(A const& x, R, C const& among) {
    return detail::ops::reduced<collective_kind::all_reduce, R>(detail::ops::form_of<R>(collective_kind::all_reduce), among, x);
}
// Gives the root the reduction of all ranks' x, and other ranks zeros of its shape.
template <class A, class R, communicator_like C> constexpr auto reduce(A const& x, R, int root, C const& among) {
    auto const form = detail::ops::rooted(detail::ops::form_of<R>(collective_kind::reduce), root, among);
    return detail::ops::reduced<collective_kind::reduce, R>(form, among, x);
}
// Gives every rank the root's x. All ranks must pass an x of the same shape.
template <class A, communicator_like C> constexpr auto broadcast(A const& x, int root, C const& among) {
    tx::detail::collective_form const form(collective_kind::broadcast);
    return detail::ops::collective<collective_kind::broadcast>(detail::ops::rooted(form, root, among), among, x);
}
// Stacks all ranks' x on every rank, (...) -> (size, ...).
template <class A, communicator_like C> constexpr auto all_gather(A const& x, C const& among) {
    return detail::ops::collective<collective_kind::all_gather>(tx::detail::collective_form(collective_kind::all_gather), among,
                                                                x);
}
// Stacks all ranks' x on the root, (...) -> (size, ...); other ranks get zeros of that shape.
template <class A, communicator_like C> constexpr auto gather(A const& x, int root, C const& among) {
    tx::detail::collective_form const form(collective_kind::gather);
    return detail::ops::collective<collective_kind::gather>(detail::ops::rooted(form, root, among), among, x);
}
// Gives this rank its row of the root's x, (size, ...) -> (...). All ranks must pass an x of the same shape.
template <class A, communicator_like C> constexpr auto scatter(A const& x, int root, C const& among) {
    tx::detail::collective_form const form(collective_kind::scatter);
    return detail::ops::collective<collective_kind::scatter>(detail::ops::rooted(form, root, among), among, x);
}
// Gives this rank its row of the reduction of all ranks' x, (size, ...) -> (...).
template <class A, class R, communicator_like C> constexpr auto reduce_scatter(A const& x, R, C const& among) {
    return detail::ops::reduced<collective_kind::reduce_scatter, R>(detail::ops::form_of<R>(collective_kind::reduce_scatter),
                                                                    among, x);
}
// Transposes rows and ranks: row k of the result is this rank's row of rank k's x, (size, ...) -> (size, ...).
template <class A, communicator_like C> constexpr auto all_to_all(A const& x, C const& among) {
    return detail::ops::collective<collective_kind::all_to_all>(tx::detail::collective_form(collective_kind::all_to_all), among,
                                                                x);
}
// For each pair (from, to), rank `to` gets x of rank `from`. All ranks pass the same pairs, in which each rank sends to at most
// one and receives from at most one; ranks that receive nothing get zeros.
template <class A, communicator_like C>
constexpr auto permute(A const& x, std::initializer_list<std::pair<int, int>> pairs, C const& among) {
    return detail::ops::permuted(x, pairs, among);
}
template <class A, class Pairs, communicator_like C> constexpr auto permute(A const& x, Pairs const& pairs, C const& among) {
    return detail::ops::permuted(x, pairs, among);
}
// Sends x to the rank `to`, and gives what the rank `from` sends; each rank names its own partners. A negative rank means nobody:
// nothing is sent, or zeros are received.
template <class A, class To, class From, communicator_like C>
constexpr auto exchange(A const& x, To const& to, From const& from, C const& among) {
    return detail::ops::collective<collective_kind::exchange>(tx::detail::collective_form(collective_kind::exchange), among, x,
                                                              to, from);
}
// Gives the reduction of the x of the ranks from 0 to this one.
template <class A, class R, communicator_like C> constexpr auto scan(A const& x, R, C const& among) {
    if constexpr (!detail::ops::is_scannable<R>()) return tx::detail::failed{};
    else return detail::ops::reduced<collective_kind::scan, R>(detail::ops::form_of<R>(collective_kind::scan), among, x);
}
// Gives the reduction of the x of the ranks before this one; rank 0 gets the neutral element.
template <class A, class R, communicator_like C> constexpr auto exclusive_scan(A const& x, R, C const& among) {
    if constexpr (!detail::ops::is_scannable<R>()) return tx::detail::failed{};
    else
        return detail::ops::reduced<collective_kind::exclusive_scan, R>(detail::ops::form_of<R>(collective_kind::exclusive_scan),
                                                                        among, x);
}
// Returns when all ranks have called it. In a traced callable it happens when the graph runs; as it has no operand, the callable
// must be one that is traced at run time.
template <communicator_like C> void barrier(C const& among) {
    tx::detail::collective_form const form(collective_kind::barrier);
    if (trace_scope* const scope = tx::detail::scope_of_effect())
        tx::detail::append_collective(*scope, form, detail::ops::communicator_in(*scope, among), {});
    else among.transport().run(among.transport(), {form, {}, nullptr, {}, nullptr, {}});
}

// Marks w, which has the same value on every rank, as shared by one loss of all ranks: its cotangent is the sum of all ranks'
// cotangents. Only the derivative sends a message.
template <class A, communicator_like C> constexpr auto replicated(A const& w, C const& among) {
    return detail::ops::collective<collective_kind::replicate>(tx::detail::collective_form(collective_kind::replicate), among, w);
}
// Does an all_reduce to a value that all ranks share, such as the loss of all ranks: its cotangent, which is the same on all
// ranks, counts once.
template <class A, class R, communicator_like C> constexpr auto all_reduce_shared(A const& x, R, C const& among) {
    auto form = detail::ops::form_of<R>(collective_kind::all_reduce);
    form.shared = true;
    return detail::ops::reduced<collective_kind::all_reduce, R>(form, among, x);
}

} // namespace tx::mpi
