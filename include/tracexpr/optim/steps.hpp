// This file computes an optimizer's step for all leaves in one call, in files without kernels: the user's file lists the leaves,
// and what is computed of them is recorded by code that is compiled once.
#pragma once

#include <tracexpr/optim/recording.hpp>
#include <tracexpr/optim/trees.hpp>

#include <initializer_list>

namespace tx::optim::detail {

// step_layout finds the operands of a step, which are {the leaves of the parameters, of the gradients, of each tree of the state,
// the number of the step, the rates for parameters of single and of double precision, the optimizer's numbers}.
class step_layout {
public:
    static constexpr std::uint32_t nesterov = 1, momentum = 2;
    static constexpr std::uint32_t flags(bool is_nesterov, bool has_momentum) {
        return (is_nesterov ? nesterov : 0) | (has_momentum ? momentum : 0);
    }

    constexpr step_layout(lowering& low, node_id const* operands, tree_form const& form, std::size_t trees_of_state)
        : low_{low}, operands_{operands}, leaves_{form.leaves}, numbers_{operands + (2 + trees_of_state) * form.leaves} {}
    constexpr node_id leaf(std::size_t tree, std::size_t k) const { return operands_[tree * leaves_ + k]; }
    constexpr node_id next_count() const { return low_.append(op::add, numbers_[0], low_.literal(std::int64_t{1})); }
    constexpr node_id rate(node_id p) const { return numbers_[primal(real_of(low_.type(p))) == dtype::float64 ? 2 : 1]; }
    constexpr node_id number(std::size_t k) const { return numbers_[3 + k]; }

private:
    lowering& low_;
    node_id const* operands_;
    std::size_t leaves_;
    node_id const* numbers_;
};

// Throws unless each gradient has its parameter's shape, as far as that is known. The call has read these two trees.
TRACEXPR_ONCE void require_same_shapes(tree_call const& call) {
    std::size_t const count = call.form().leaves;
    for (std::size_t k = 0; k < count; ++k) require_same_shape(call.operands()[k].shape(), call.operands()[count + k].shape());
}

#if !TRACEXPR_TRACES_HERE
inline namespace TRACEXPR_CALLS {

struct fresh_leaf {
    template <class L> auto operator()(L const& leaf) const {
        if constexpr (expr_type<L>) return expr<dtype_in<L>, shape_in<L>>(leaf);
        else return kept_leaf<L>{};
    }
};
// Returns a tree like this one whose leaves are to be written. A struct is copied, so that its other members stay, and no
// initialisers run.
template <class Tree> auto fresh_tree(Tree const& like) {
    if constexpr (aggregate<Tree>) return stand_in(like);
    else return tx::tree_map(fresh_leaf{}, like);
}
// Returns the gradients as a tree that has a leaf for each leaf of the parameters.
template <class P, class G> decltype(auto) in_form_of(P const& params, G const& gradients) {
    if constexpr (summary_of<P>().leaves == summary_of<G>().leaves) return (gradients);
    else return tx::tree_map([](auto const&, auto const& g) { return g; }, params, gradients);
}

// Returns the learning rate for parameters that are computed in dtype R, if there are such.
template <class R, class P, class Rate> decltype(auto) rate_in(Rate const& rate, step_count const& count) {
    if constexpr (operand<Rate>) return plain_operand(rate);
    else if constexpr (summary_of<P>().has_precision(dtype_of<R>)) return rate(cast<R>(count));
    else return 0.0;
}

class step_call {
public:
    template <class P, class G> step_call(tree_rule rule, std::uint32_t flags, P const& params, G const& gradients)
        : call_(rule, flags) {
        call_.read(params);
        call_.end_of_tree();
        call_.read(gradients);
        require_same_shapes(call_);
    }
    // Adds a tree of the state, and the one that is written in its place.
    template <class Tree> void add(Tree const& tree, Tree& next) { call_.read(tree), call_.write(next); }
    template <class Tree> void write(Tree& tree) { call_.write(tree); }
    template <class P, class Rate>
    void run(step_count const& count, step_count& next_count, Rate const& rate, std::initializer_list<double> numbers) {
        auto&& single_rate = rate_in<float, P>(rate, count);
        auto&& double_rate = rate_in<double, P>(rate, count);
        call_.read(count), call_.read(single_rate), call_.read(double_rate);
        for (double const& number : numbers) call_.read(number);
        call_.write(next_count);
        run_tree_call<>(call_);
    }

private:
    tree_call call_;
};

} // namespace TRACEXPR_CALLS
#endif

} // namespace tx::optim::detail
