// This file holds the types of a loop's state, and records the loop's regions.
#pragma once

#include <tracexpr/run/control_flow.hpp>
#include <tracexpr/transforms/vmap.hpp>

namespace tx::detail {

// in_trace is the type in which a body gets a tree of exprs. A C++ scalar is one whose dtype adapts to the other operands.
template <class A> using in_trace =
    std::remove_cvref_t<decltype(inlined_argument(std::declval<trace_scope&>(), std::declval<A const&>()))>;
// Returns a body's result as a tuple of the state's parts. A state of one part may be returned without a tuple.
template <std::size_t Parts, class R> constexpr decltype(auto) as_parts(R const& result) {
    if constexpr (Parts == 1) return std::tuple<R const&>(result);
    else return (result);
}
template <std::size_t Parts, class R> struct parts_of_result {
    using type = R;
};
template <class R> struct parts_of_result<1, R> {
    using type = std::tuple<R>;
};
template <> struct parts_of_result<0, void> {
    using type = std::tuple<>;
};

// loop_carried_state is the type of the loop's state, which is what the body's argument and result have in common.
// Body::result<State> is the type that the body returns.
template <class Body, class Start, class Result = typename Body::template result<Start>> struct loop_carried_state {
    using common = common_tree<Start, Result>;
    static constexpr difference differs = common::differs;
    using type = typename common::type;
};

template <difference Differs> constexpr bool check_state() {
    static_assert(Differs != difference::form,
                  "tx: while_loop, fori_loop, scan: the body must return the state in the form that it is given: one value as it "
                  "is, several in a std::tuple; the types stand in the note");
    static_assert(Differs != difference::dtype,
                  "tx: while_loop, fori_loop, scan: the body must return a state of the dtypes that it is given; start with "
                  "tx::cast<float>(x), or tx::cast what the body returns");
    static_assert(Differs != difference::shape,
                  "tx: while_loop, fori_loop, scan: the body must return a state of the shapes that it is given; the types stand "
                  "in the note");
    return Differs == difference::none;
}

[[noreturn]] TRACEXPR_ONCE void throw_other_state(op code, dims const& given, dims const& returned) {
    dims const both[]{given, returned};
    throw_shape_error(code, "the body must return a state of the shapes that it is given", both);
}
[[noreturn]] TRACEXPR_ONCE void throw_assigning_condition() {
    throw trace_error("tx: while_loop: the condition must not assign to variables; its body may");
}
// Holds the operands of a loop, and the dtypes and shapes of its regions' parameters.
struct loop_operands {
    buffer<node_id> nodes;
    buffer<value_spec> specs;
};
// Appends the leaves of a tree, converted to the dtypes of To.
template <class To, class From> constexpr void append_leaves(op code, trace_scope& scope, From const& from, loop_operands& out) {
    if constexpr (result_leaf<From>) {
        node_id const id = record_operand<dtype_of_operand<To>>(scope, plain_operand(from));
        dims const both[]{scope.recorded.shape_of(id), dims_of_operand<To>};
        if (!may_equal(both[0], both[1])) throw_other_state(code, both[0], both[1]);
        out.nodes.push_back(id);
        out.specs.push_back({dtype_of_operand<To>, known_extents(both[0], both[1])});
    } else if constexpr (is_tuple_like<From>) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (append_leaves<tree_part<To, I>>(code, scope, std::get<I>(from), out), ...);
        }(std::make_index_sequence<std::tuple_size_v<From>>{});
    } else {
        for_each_result(from, [&]<class Part>(Part const& part) { append_leaves<Part>(code, scope, part, out); });
    }
}

// Records the regions of a loop. Their parameters are the loop's own operands, then the values that they use of the scope around.
class loop_recording {
public:
    constexpr loop_recording(trace_scope& scope, op code, loop_operands leading)
        : scope_{scope}, code_{code}, leading_(std::move(leading)), taken_(leading_.nodes.size(), node_id::none) {}

    // Records a region and returns call(region, its parameters).
    template <class Call> constexpr auto record(traced_branch& out, Call const& call) {
        branch_scope region(scope_, taken_, &variables_);
        buffer<node_id> parameters;
        for (std::size_t k = 0; k < leading_.specs.size(); ++k)
            parameters.push_back(region.recorded.append_parameter(leading_.specs[k].type, leading_.specs[k].shape, k));
        auto result = call(region, parameters);
        out = {std::move(region.recorded), region.token, std::move(region.assignments)};
        return result;
    }
    // Appends the loop and returns its results, without the variables that the body assigns to, which are part of the state, too.
    TRACEXPR_ONCE constexpr buffer<node_id> append(table_view<traced_branch*> regions, loop_form form) {
        for (std::size_t k = 0; k + 1 < regions.size(); ++k)
            if (!regions[k]->assigned.empty()) throw_assigning_condition();
        traced_branch& made = *regions.back();
        buffer<node_id> const saved_for_backward = results_to_keep(made.recorded, made.token);
        std::size_t const handle = taken_.size();
        if (!saved_for_backward.empty()) taken_.push_back(append_no_handle(scope_.recorded));
        buffer<assignment> const assigned = make_state(made, form.states, saved_for_backward, handle);
        graph const& body = made.recorded;
        for (std::size_t k = 0; k < form.states; ++k)
            if (dims const& returned = body.shape_of(body.outputs()[k]); !may_equal(leading_.specs[k].shape, returned))
                throw_other_state(code_, leading_.specs[k].shape, returned);
        for (std::size_t k = 0; k < leading_.nodes.size(); ++k) taken_[k] = leading_.nodes[k];
        buffer<std::size_t> first; // the numbers of the state's parameters come first
        for (std::size_t k = 0; k < form.states; ++k) first.push_back(k);
        for (assignment const& a : assigned) first.push_back(variable_of(a).parameter);
        if (!saved_for_backward.empty()) first.push_back(handle);
        std::size_t const own = form.states;
        for (std::size_t k = own; k < leading_.nodes.size(); ++k) first.push_back(k);
        form.states += assigned.size() + (saved_for_backward.empty() ? 0 : 1);
        buffer<node_id> const results = append_branches(scope_, code_, node_id::none, taken_, regions, form, first);
        assign_in(scope_, assigned, results.data() + own);
        buffer<node_id> out;
        for (std::size_t k = 0; k < results.size(); ++k)
            if (k < own || k >= form.states) out.push_back(results[k]);
        return out;
    }

private:
    // Orders the body's outputs: the state, the variables that it assigns to, the handle of values that its calls keep for
    // derivatives (parameter `handle`), then all others.
    TRACEXPR_ONCE constexpr buffer<assignment> make_state(traced_branch& made, std::size_t states,
                                                          table_view<node_id> saved_for_backward, std::size_t handle) const {
        graph& body = made.recorded;
        for (assignment const& a : made.assigned) {
            dims const both[]{dims(scope_.recorded.shape_of(variable_of(a).around)), dims(body.shape_of(a.value))};
            if (!may_equal(both[0], both[1])) throw_other_state(code_, both[0], both[1]);
        }
        buffer<node_id> const outputs(body.outputs());
        body.clear_outputs();
        for (std::size_t k = 0; k < states; ++k) body.add_output(outputs[k]);
        for (assignment const& a : made.assigned) body.add_output(a.value);
        if (!saved_for_backward.empty())
            body.add_output(
                append_kept(body, call_form::keep, body.append_parameter(dtype::uint64, dims{}, handle), saved_for_backward));
        for (std::size_t k = states; k < outputs.size(); ++k) body.add_output(outputs[k]);
        return made.assigned;
    }
    TRACEXPR_ONCE constexpr loop_variable const& variable_of(assignment const& a) const {
        std::size_t k = 0;
        while (variables_[k].address != a.what.address) ++k;
        return variables_[k];
    }

    trace_scope& scope_;
    op code_;
    loop_operands leading_;
    buffer<node_id> taken_;
    buffer<loop_variable> variables_;
};

template <class A> struct element_shape {
    static constexpr dims value = without_leading(dims_of_operand<A>);
};
template <class A> using element_of_sequence = expr<ctype<dtype_of_operand<A>>, shape_from<element_shape<A>>>;
template <class A, std::int64_t Length> using stacked =
    expr<ctype<dtype_of_operand<A>>, shape_from<with_axis<typename traits<A>::shape_type, Length, 0>>>;

// Returns the tree of the elements that an iteration gets of sequences, from consecutive nodes.
template <class Xs> constexpr auto elements_at(trace_scope& scope, Xs const& xs, node_id const*& next) {
    return detail::map_to_tree(xs, [&]<class Leaf>(Leaf const&) { return element_of_sequence<Leaf>(scope, *next++); });
}
template <class Xs> constexpr void append_sequences(trace_scope& scope, Xs const& xs, loop_operands& out) {
    for_each_result(xs, [&](auto const& leaf) {
        node_id const id = record_operand<dtype_of_operand<decltype(leaf)>>(scope, plain_operand(leaf));
        dims const d = scope.recorded.shape_of(id);
        if (d.rank == 0) throw_shape_error(op::scan, "sequences must have an axis to go along", {&d, 1});
        out.nodes.push_back(id);
        out.specs.push_back({scope.recorded[id].type, without_leading(d)});
    });
}

} // namespace tx::detail
