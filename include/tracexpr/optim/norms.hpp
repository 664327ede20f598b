// This file computes the norm of a whole tree, and clips gradients to a given norm.
#pragma once

#include <tracexpr/optim/steps.hpp>

#include <limits>
#include <optional>

namespace tx::optim {
namespace detail {

// Returns the dtype in which the squares of all leaves are added; float64 if there is no leaf.
template <class Tree> constexpr dtype dtype_of_squares() {
    constexpr leaf_summary summary = summary_of<Tree>();
    if (summary.leaves == 0) return dtype::float64;
    dtype all = dtype::boolean;
    for (std::size_t t = 0; t < dtype_count; ++t)
        if (summary.real_types >> t & 1) all = promote(all, static_cast<dtype>(t));
    return all;
}
template <class Tree> using number_of_squares = ctype<dtype_of_squares<Tree>()>;

// Records the sum of |x| in dtype `real`, which is at least the norm, and at most the norm times the root of the number of
// elements. It has no derivative.
TRACEXPR_ONCE constexpr node_id record_size(lowering& low, node_id x, dtype real, bool in_a_row) {
    leaf_nodes on(low);
    node_id const value = on.as(on.apply(op::stop_gradient, x), promote(computed_in(low.type(x)), real));
    return on.as(on.total(low.append(op::absolute, real_part(low.type(value)), {&value, 1}), in_a_row), real);
}
template <dtype Real> constexpr node_id record_size_in(lowering& low, node_id const* x, bool in_a_row) {
    return record_size(low, x[0], Real, in_a_row);
}
// Records the power of two by which elements are multiplied, so that their squares, the root of their sum, and the divisors of
// derivatives stay in the dtype's range, of {size}.
TRACEXPR_ONCE constexpr node_id record_scale(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const real = low.type(x[0]);
    double const most = primal(real) == dtype::float64 ? 0x1p800 : 0x1p100;
    node_id const least_size = on.pair(op::maximum, x[0], on.number(1 / most, real));
    node_id const size = on.pair(op::minimum, least_size, on.number(most, real));
    return on.apply(op::exp2, on.apply(op::negative, on.apply(op::floor, on.apply(op::log2, size))));
}
// Records the sum of |x * scale|^2, of {x, scale}.
TRACEXPR_ONCE constexpr node_id record_squares(lowering& low, node_id const* x, bool in_a_row) {
    leaf_nodes on(low);
    return on.total(on.squared_magnitude(on.multiply(on.as(x[0], computed_in(low.type(x[0]))), x[1])), in_a_row);
}
// Records the root of a sum of squares. Where the sum is 0 its derivatives are 0, though the root's slope is infinite there.
TRACEXPR_ONCE constexpr node_id record_root_of_squares(lowering& low, node_id squares) {
    leaf_nodes on(low);
    node_id const zero = low.zero_like(squares);
    return low.choose(on.test(op::equal, squares, zero), zero, on.apply(op::sqrt, squares));
}
// Records the norm, of {squares, scale}.
TRACEXPR_ONCE constexpr node_id record_norm(lowering& low, node_id const* x) {
    return leaf_nodes(low).divide(record_root_of_squares(low, x[0]), x[1]);
}
// These two record the factors by which gradients are multiplied, one after the other, of {squares, scale, max_norm}.
TRACEXPR_ONCE constexpr node_id record_first_factor(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    node_id const root = record_root_of_squares(low, x[0]), one = low.number_like(root, 1);
    node_id const is_short = on.test(op::less_equal, on.divide(root, x[1]), x[2]);
    node_id const is_finite = low.append(op::isfinite, dtype::boolean, {&root, 1});
    return low.choose(is_finite, low.choose(is_short, one, x[1]),
                      low.number_like(root, std::numeric_limits<double>::quiet_NaN()));
}
TRACEXPR_ONCE constexpr node_id record_second_factor(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    node_id const root = record_root_of_squares(low, x[0]), one = low.number_like(root, 1);
    node_id const is_short = on.test(op::less_equal, on.divide(root, x[1]), x[2]);
    node_id const divisor = low.choose(is_short, one, root); // else derivatives are NaN if the root is 0 or max_norm is infinite
    return low.choose(is_short, one, on.divide(on.as(x[2], low.type(root)), divisor));
}
TRACEXPR_ONCE constexpr char const* clip_problem(builder_specs given) {
    return may_equal(given[0].shape, given[1].shape) ? nullptr : "the norm must be a scalar";
}
// Records the scaled gradient, of {g, first factor, second factor}.
TRACEXPR_ONCE constexpr node_id record_clipped(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    node_id const value = on.as(x[0], computed_in(low.type(x[0])));
    return on.next(on.multiply(on.multiply(value, x[1]), x[2]), x[0], {"optim: clip_by_global_norm", clip_problem});
}

template <class R> using size_fn = number_fn<record_size_in<dtype_of<R>>, R>;
template <class R> using scale_fn = number_fn<record_scale, R>;
template <class R> using squares_fn = number_fn<record_squares, R>;
template <class R> using norm_fn = number_fn<record_norm, R>;
using clipped_fn = leaf_fn<record_clipped>;

// A tree's form in the words of these rules: the numbers say, in postfix order, that a leaf follows (or one whose elements are
// added in a row, since its type leaves the rank open), that the last k sums are added from the right, as parts of a struct or
// tuple, or, with -k, from the left, as parts of a list, or that a list has no parts.
constexpr int is_leaf = 0, is_leaf_in_a_row = 1, is_empty_list = std::numeric_limits<int>::min();
TRACEXPR_ONCE constexpr node_id added_in_form(lowering& low, tree_form const& form, buffer<node_id> const& terms, dtype real) {
    leaf_nodes on(low);
    buffer<node_id> sums;
    std::size_t next = 0;
    for (int const code : form.structure) {
        if (code == is_leaf || code == is_leaf_in_a_row) sums.push_back(terms[next++]);
        else if (code == is_empty_list) sums.push_back(on.number(0, real));
        else {
            std::size_t const count = static_cast<std::size_t>(code < 0 ? -code : code), first = sums.size() - count;
            node_id all = code > 0 ? sums.back() : sums[first];
            for (std::size_t k = 1; k < count; ++k)
                all = code > 0 ? on.add(sums[sums.size() - 1 - k], all) : on.add(all, sums[first + k]);
            while (sums.size() > first) sums.pop_back();
            sums.push_back(all);
        }
    }
    return sums[0];
}
// Records the sum of Term(leaf, in_a_row) over all leaves.
template <class Term> constexpr node_id sum_over_form(lowering& low, tree_form const& form, dtype real, Term const& term) {
    buffer<node_id> terms;
    for (int const code : form.structure)
        if (code == is_leaf || code == is_leaf_in_a_row) terms.push_back(term(terms.size(), code == is_leaf_in_a_row));
    return added_in_form(low, form, terms, real);
}
// The norm of a tree is computed in three calls, as tensors of one leaf are, so that its sums are added up in the same order. The
// first one is of {leaves}, the second one of {leaves, scale}, and the last one of {leaves, scale, squares, max_norm}.
TRACEXPR_ONCE constexpr void record_scale_of_tree(lowering& low, node_id const* operands, tree_form const& form,
                                                  node_id* results) {
    dtype const real = static_cast<dtype>(form.flags);
    node_id const size = sum_over_form(
        low, form, real, [&](std::size_t k, bool in_a_row) { return record_size(low, operands[k], real, in_a_row); });
    results[0] = record_scale(low, &size);
}
TRACEXPR_ONCE constexpr void record_squares_of_tree(lowering& low, node_id const* operands, tree_form const& form,
                                                    node_id* results) {
    results[0] = sum_over_form(low, form, static_cast<dtype>(form.flags), [&](std::size_t k, bool in_a_row) {
        node_id const scaled[]{operands[k], operands[form.leaves]};
        return record_squares(low, scaled, in_a_row);
    });
}
TRACEXPR_ONCE constexpr void record_norm_of_tree(lowering& low, node_id const* operands, tree_form const& form,
                                                 node_id* results) {
    node_id const given[]{operands[form.leaves + 1], operands[form.leaves]};
    results[0] = record_norm(low, given);
}
TRACEXPR_ONCE constexpr void record_clipped_tree(lowering& low, node_id const* operands, tree_form const& form,
                                                 node_id* results) {
    node_id const* const numbers = operands + form.leaves;
    node_id const given[]{numbers[1], numbers[0], numbers[2]};
    node_id const first = record_first_factor(low, given), second = record_second_factor(low, given);
    for (std::size_t k = 0; k < form.leaves; ++k) {
        node_id const scaled[]{operands[k], first, second};
        results[k] = record_clipped(low, scaled);
    }
}

inline namespace TRACEXPR_CALLS {

// Adds the operands that are no int.
template <class A, class... More> constexpr auto added(A const& a, More const&... more) {
    if constexpr (sizeof...(More) == 0) return a;
    else if constexpr (std::is_same_v<A, int>) return added(more...);
    else if constexpr (std::is_same_v<decltype(added(more...)), int>) return a;
    else return a + added(more...);
}
template <class S> constexpr S zero_sum() {
    if constexpr (expr_type<S>) {
        lowering low(*innermost_trace);
        return S(*innermost_trace, low.literal(typename S::value_type{}));
    } else return S(tensor<typename S::value_type, shape<>>(typename S::value_type{}));
}
template <bool InStruct = false, class Fn, class A, class... S>
constexpr auto sum_over_leaves(Fn const& fn, A const& tree, S const&... scale);
template <bool InStruct, class Fn, class A, class... S>
constexpr auto sum_over_list(Fn const& fn, A const& list, S const&... scale) {
    using total = decltype(sum_over_leaves<InStruct>(fn, std::declval<list_part<A> const&>(), scale...));
    if constexpr (std::is_same_v<total, int>) {
        return 0;
    } else {
        std::optional<total> out;
        for_each_part(list, [&](auto const& part) {
            auto const part_sum = sum_over_leaves<InStruct>(fn, part, scale...);
            if (out) out.emplace(*out + part_sum);
            else out.emplace(part_sum);
        });
        return out ? *out : zero_sum<total>();
    }
}
// Adds the results of fn, which is a sum, for each leaf; returns 0, an int, if there is no leaf.
template <bool InStruct, class Fn, class A, class... S>
constexpr auto sum_over_leaves(Fn const& fn, A const& tree, S const&... scale) {
    if constexpr (tree_leaf<A> && !(InStruct && held_value<A>)) {
        if constexpr (scalar_type<A>) return detail::apply(fn, kept_leaf<A>(tree), scale...);
        else return detail::apply(fn, tree, scale...);
    } else if constexpr (list_type<A>) {
        return sum_over_list<InStruct>(fn, tree, scale...);
    } else if constexpr (tree_node<A>) {
        auto const all = parts_of(tree);
        return with_parts(all, [&](auto const&... part) {
            if constexpr (sizeof...(part) == 0) return 0;
            else return added(sum_over_leaves < InStruct || aggregate < A >> (fn, part, scale...)...);
        });
    } else {
        return 0;
    }
}
// Returns the sum of the squares of all scaled leaves, and the scale.
template <class R, class Tree> constexpr auto scaled_squares(Tree const& tree) {
    auto const scale = detail::apply(scale_fn<R>{}, sum_over_leaves(size_fn<R>{}, tree));
    return std::pair(sum_over_leaves(squares_fn<R>{}, tree, scale), scale);
}
template <class R, class Q, class S, class M> constexpr auto clip_factors(Q const& squares, S const& scale, M const& max_norm) {
    return std::tuple(detail::apply(number_fn<record_first_factor, R>{}, squares, scale, max_norm),
                      detail::apply(number_fn<record_second_factor, R>{}, squares, scale, max_norm));
}
template <class Tree, class Factors> constexpr auto clipped_by(Tree const& gradients, Factors const& factors) {
    return tx::tree_map([&](auto const& g) { return next_parameter<clipped_fn>(g, std::get<0>(factors), std::get<1>(factors)); },
                        gradients);
}
#if !TRACEXPR_TRACES_HERE
// Lists the leaves of a tree and its form. Returns the number of sums that it adds, which is 1, or 0 if it can have no leaf.
template <bool InStruct = false, class A> int read_summed(tree_call& call, A const& tree) {
    if constexpr (summary_of<A, InStruct>().leaves == 0) {
        return 0;
    } else if constexpr (tree_leaf<A>) {
        call.read(tree), call.add_structure(dims_of<shape_in<A>>.rank < 0 ? is_leaf_in_a_row : is_leaf);
    } else {
        int count = 0;
        if constexpr (list_type<A>) {
            for_each_part(tree, [&](auto const& part) { count += read_summed<InStruct>(call, part); });
            if (count != 1) call.add_structure(count == 0 ? is_empty_list : -count);
        } else {
            auto const add = [&](auto const&... part) {
                ((count += read_summed < InStruct || aggregate<A> > (call, part)), ...);
            };
            if constexpr (is_tuple_like<A>) with_parts(tree, add);
            else detail::with_fields(tree, add);
            if (count != 1) call.add_structure(count);
        }
    }
    return 1;
}
// Computes the scale and the squares of a tree, which later calls read.
template <class R, class Tree> class tree_norm {
public:
    explicit tree_norm(Tree const& tree) : call_(record_scale_of_tree, static_cast<std::uint32_t>(dtype_of<R>)) {
        read_summed(call_, tree);
        call_.end_of_tree();
        add(scale_);
        call_.next(record_squares_of_tree);
        add(squares_);
    }
    auto norm() {
        number out;
        call_.next(record_norm_of_tree);
        call_.write(out);
        run_tree_call<>(call_);
        if constexpr (facts<Tree>.has_exprs) {
            trace_scope* const scope = scope_of(out); // null if all lists are empty
            return lift(scope ? *scope : *innermost_trace, out);
        } else return out;
    }
    template <class Clipped, class M> void clip_to(Clipped& clipped, M const& max_norm) {
        auto&& most = plain_operand(max_norm);
        call_.next(record_clipped_tree);
        call_.read(most);
        call_.write(clipped);
        run_tree_call<>(call_);
    }

private:
    using number = tensor<R, std::conditional_t<summary_of<Tree>().has_open_rank, any_shape, shape<>>>;
    void add(number& result) {
        call_.write(result);
        run_tree_call<>(call_);
        call_.read(result);
    }

    tree_call call_;
    number scale_, squares_;
};
template <class R, class Tree, class M> auto clipped_tree(Tree const& gradients, M const& max_norm) {
    auto clipped = fresh_tree(gradients);
    tree_norm<R, Tree>(gradients).clip_to(clipped, max_norm);
    return clipped;
}
#endif

} // namespace TRACEXPR_CALLS

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the root of the sum of |x|^2 over all leaves of a tree, a scalar. Squares that leave the range of the dtype don't make
// it infinite or 0. Its derivative at 0 is 0.
template <class Tree> [[nodiscard]] constexpr auto global_norm(Tree const& tree) {
    using R = detail::number_of_squares<Tree>;
    if constexpr (detail::summary_of<Tree>().leaves == 0) {
        return R(0);
    } else {
#if TRACEXPR_TRACES_HERE
        auto const [squares, scale] = detail::scaled_squares<R>(tree);
        return tx::detail::apply(detail::norm_fn<R>{}, squares, scale);
#else
        return detail::tree_norm<R, Tree>(tree).norm();
#endif
    }
}

// Scales the tree to the given global norm if its own is larger. If an element is infinite or NaN, all become NaN, which
// tx::check_finite finds. (Pascanu et al., On the difficulty of training Recurrent Neural Networks, 2013, algorithm 1)
template <class Tree, operand M> [[nodiscard]] constexpr auto clip_by_global_norm(Tree const& gradients, M const& max_norm) {
    constexpr bool is_scalar = tx::detail::dims_of_operand<M>.rank <= 0;
    static_assert(is_scalar, "tx: optim: clip_by_global_norm: the norm must be a scalar");
    if constexpr (!is_scalar) {
        return tx::detail::failed{};
    } else if constexpr (detail::summary_of<Tree>().leaves == 0) {
        return gradients;
    } else {
        using R = detail::number_of_squares<Tree>;
#if TRACEXPR_TRACES_HERE
        auto const [squares, scale] = detail::scaled_squares<R>(gradients);
        return detail::clipped_by(gradients, detail::clip_factors<R>(squares, scale, max_norm));
#else
        return detail::clipped_tree<R>(gradients, max_norm);
#endif
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx::optim
