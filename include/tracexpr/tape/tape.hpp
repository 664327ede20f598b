// tx::gradient_tape computes, in reverse mode, derivatives of a program that runs step by step, one op or function after the
// other. While a tape is alive its thread's calls on concrete tensors are recorded, as far as they depend on values that it
// watches. In a callable that is traced, by the compiler or at run time, the derivative becomes part of the trace.
#pragma once

#include <tracexpr/tape/reverse_steps.hpp>

namespace tx {

// The options of gradient_tape.
struct tape_options {
    bool persistent = false;              // any number of derivatives, and derivatives of them, as they are recorded, too
    bool watch_accessed_variables = true; // trainable variables are watched when they are read
};

namespace detail {
[[noreturn]] TRACEXPR_ONCE void throw_used_tape(char const* function_name) {
    throw tape_error(std::string("tx: ") + function_name +
                     ": GradientTape.gradient can only be called once on non-persistent tapes; make it "
                     "tx::gradient_tape tape{{.persistent = true}}, or reset() it");
}
[[noreturn]] TRACEXPR_ONCE void throw_unconnected(char const* function_name, std::string const& source,
                                                  std::string const& reason) {
    throw tape_error(std::string("tx: ") + function_name + ": there is no derivative with respect to " + source + ": " + reason +
                     "; pass tx::unconnected::none or tx::unconnected::zero if that is all right");
}
} // namespace detail

// Records what its thread computes while it lives, and differentiates it: watch(x), gradient(y, x), jacobian, batch_jacobian,
// explain. Throws tape_error if it is asked a second time and isn't persistent, or if there is no gradient.
class gradient_tape {
public:
    constexpr explicit gradient_tape(tape_options options = {}) : options_{options} {
        if (__builtin_is_constant_evaluated()) return;
        recorder_ = new detail::recorder(options.watch_accessed_variables);
        in_trace_.open(detail::innermost_trace);
    }
    gradient_tape(gradient_tape const&) = delete;
    gradient_tape& operator=(gradient_tape const&) = delete;
    constexpr ~gradient_tape() {
        if (!__builtin_is_constant_evaluated()) delete recorder_;
    }

    // Watches tensors, variables, and trees of them, so that derivatives with respect to them can be asked for.
    template <class... A> constexpr void watch(A const&... a) {
        require_unused("watch");
        (watch_tree(a), ...);
    }

    // Returns the gradient of the sum of all elements of the target (or targets) with respect to each tensor and variable of a
    // tree, in a tree of the same structure. `output_gradients` are weights of the elements, in a tensor for each target.
    template <class Y, class X> TRACEXPR_NAMES_TARGET constexpr auto gradient(Y const& target, X const& sources) {
        return gradient(target, sources, detail::must_connect{});
    }
    template <class Y, class X, detail::unconnected_choice Choice>
    TRACEXPR_NAMES_TARGET constexpr auto gradient(Y const& target, X const& sources, Choice choice) {
        return by_place(
            "gradient", target, sources,
            [&](trace_scope& scope) {
                return traced_gradient(scope, sources, [&] { return detail::traced_ones(scope, target); }, choice);
            },
            [&](auto const& y, auto const& x) { return gradient_of_sum(y, x, choice); });
    }
    template <class Y, class X, class G, class Choice = detail::must_connect> requires(!detail::unconnected_choice<G>)
    TRACEXPR_NAMES_TARGET constexpr auto gradient(Y const& target, X const& sources, G const& output_gradients,
                                                  Choice choice = {}) {
        constexpr bool are_weights = detail::facts<G>.is_tree && (detail::facts<G>.leaves > 0 || detail::facts<G>.has_exprs);
        static_assert(
            are_weights,
            "tx: gradient_tape::gradient: the third argument must be the output gradients, a tensor for each target, or "
            "tx::unconnected::zero or none");
        if constexpr (!are_weights) return detail::failed{};
        else
            return by_place(
                "gradient", target, sources,
                [&](trace_scope& scope) {
                    return traced_gradient(
                        scope, sources, [&] { return detail::traced_seeds(scope, target, output_gradients); }, choice);
                },
                [&](auto const& y, auto const& x) {
                    return gradient_of(y, x, [&] { return detail::seeds_of(*recorder_, y, output_gradients); }, choice);
                });
    }

    // Returns all partial derivatives, the target's axes first: (m...), (n...) -> (m..., n...). It takes as many reverse passes
    // as the target has elements.
    template <detail::traced_value Y, class X, class Choice = detail::must_connect>
    TRACEXPR_NAMES_TARGET constexpr auto jacobian(Y const& target, X const& sources, Choice choice = {}) {
        return rows<detail::whole_jacobian>("jacobian", target, sources, choice);
    }
    // Returns the Jacobians of a batch whose members are independent of each other: (b, m...), (b, n...) -> (b, m..., n...).
    template <detail::traced_value Y, class X, class Choice = detail::must_connect>
    TRACEXPR_NAMES_TARGET constexpr auto batch_jacobian(Y const& target, X const& sources, Choice choice = {}) {
        return rows<detail::batched_jacobian>("batch_jacobian", target, sources, choice);
    }

    // Stops recording until the returned object is destroyed.
    [[nodiscard]] TRACEXPR_ONCE auto stop_recording() {
        if (!recorder_->is_listening() || in_trace_.is_paused())
            throw tape_error("tx: stop_recording: the tape must be recording; it was stopped before, and has not been resumed");
        return pause(*this, detail::innermost_trace);
    }
    // Forgets everything that was recorded, and starts anew.
    void reset() {
        recorder_->start();
        in_trace_.open(detail::innermost_trace);
        used_ = false;
    }
    // Returns the variables that were watched, in the order in which they were first read.
    TRACEXPR_ONCE std::vector<watched_variable> watched_variables() const {
        std::vector<watched_variable> out;
        for (detail::variable_record const& v : recorder_->variables()) out.push_back({v.number, v.name, v.trainable});
        return out;
    }
    // Says in words why there is a gradient of y with respect to x, or why there is none.
    template <detail::recorded_value Y, detail::recorded_value X> std::string explain(Y const& y, X const& x) {
        if (used_) return "the tape has forgotten everything: it is not persistent, and its gradient was computed";
        return detail::explain(*recorder_, detail::nodes_of(*recorder_, x), detail::kept_now(x), detail::kept_now(y));
    }

private:
    class [[nodiscard]] pause {
    public:
        pause(gradient_tape& paused, trace_scope* scope) : paused_{paused}, scope_{scope} {
            if (scope) paused.in_trace_.pause(*scope);
            else paused.recorder_->pause();
        }
        pause(pause const&) = delete;
        pause& operator=(pause const&) = delete;
        ~pause() {
            if (scope_) paused_.in_trace_.resume(*scope_);
            else paused_.recorder_->resume();
        }

    private:
        gradient_tape& paused_;
        trace_scope* scope_; // null if concrete values are recorded
    };

    constexpr void require_unused(char const* function_name) const {
        if (used_) detail::throw_used_tape(function_name);
    }
    template <class Tree> constexpr void watch_tree(Tree const& tree) {
        detail::for_each_traced_value(tree, [&](auto const& leaf) { watch_leaf<!detail::recorded_value<Tree>>(leaf); });
    }
    template <bool InTree, class A> constexpr void watch_leaf(A const& leaf) {
        if constexpr (variable_type<A>)
            // such a variable doesn't lead to the trace
            if (__builtin_is_constant_evaluated()) return watched_variables_.push_back(&leaf);
        if constexpr (tensor_type<A>)
            if (!__builtin_is_constant_evaluated()) detail::watch_in_trace(leaf);
        if (trace_scope* const scope = detail::scope_of_tape(leaf)) in_trace_.watch(*scope, detail::traced_node(*scope, leaf));
        else if constexpr (detail::recorded_value<A>) watch_recorded<InTree>(leaf);
    }
    template <bool InTree, class A> void watch_recorded(A const& leaf) {
        if constexpr (variable_type<A>) {
            leaf.watch_in(*recorder_);
            if (InTree && leaf.origin()) leaf.watch_in(*recorder_, leaf.origin());
        } else {
            recorder_->record().watch(detail::numbered(leaf));
        }
    }
    // Calls in_trace(scope) if target or sources belong to a trace, else recorded(target, sources).
    template <class Y, class X, class InTrace, class Recorded> TRACEXPR_NAMES_TARGET constexpr auto
    by_place(char const* function_name, Y const& target, X const& sources, InTrace const& in_trace, Recorded const& recorded) {
        require_unused(function_name);
        if constexpr (detail::facts<Y>.has_exprs || detail::facts<X>.has_exprs) {
            return in_trace(*detail::symbolic_scope(target, sources));
        } else {
            if (trace_scope* const scope = detail::scope_of_tape(target)) return in_trace(*scope);
            return recorded(target, sources);
        }
    }
    // Returns whether the tape watches a variable in a trace when it is read.
    template <class A> constexpr bool is_accessed(A const& leaf) const {
        if constexpr (variable_type<A>) {
            for (void const* const known : watched_variables_)
                if (known == &leaf) return true;
            return options_.watch_accessed_variables && leaf.trainable(); // the compiler can't call this
        } else {
            return false;
        }
    }
    template <class X> constexpr detail::traced_sources sources_in(trace_scope& scope, X const& sources) const {
        buffer<node_id> accessed;
        detail::for_each_traced_value(sources, [&](auto const& leaf) {
            if (is_accessed(leaf)) accessed.push_back(detail::traced_node(scope, leaf));
        });
        bool const reads_variables = options_.watch_accessed_variables && !__builtin_is_constant_evaluated();
        detail::traced_sources out(scope, in_trace_.nodes_of(scope, accessed, reads_variables));
        detail::for_each_traced_value(sources, [&]<class A>(A const& leaf) {
            bool const is_known = out.add(leaf);
            if constexpr (tensor_type<A>)
                if (!is_known && !__builtin_is_constant_evaluated() && !detail::nodes_of(*recorder_, leaf).empty())
                    detail::throw_watched_outside();
        });
        return out;
    }
    template <class X, class Seeds, class Choice>
    constexpr auto traced_gradient(trace_scope& scope, X const& sources, Seeds const& seeds, Choice) {
        detail::traced_sources const from = sources_in(scope, sources);
        buffer<node_id> const gradients = from.gradients(seeds());
        std::size_t k = 0;
        auto const out = detail::map_traced_values(sources, [&]<class A>(A const& leaf) {
            std::size_t const at = k++;
            return detail::chosen_derivative<typename detail::derivative_of<A>::type, Choice>(
                "gradient", [&] { return detail::source_text(at, leaf); }, scope, gradients[at],
                [&] { return ad::zeros_like(from.node(at)); });
        });
        used_ = !options_.persistent;
        return out;
    }
    template <class Form, class Y, class X, class Choice>
    TRACEXPR_NAMES_TARGET constexpr auto rows(char const* function_name, Y const& target, X const& sources, Choice choice) {
        detail::for_each_traced_value(sources, []<class A>(A const&) {
            static_assert(Form::template takes_types<typename Y::shape_type, typename A::shape_type>,
                          "tx: batch_jacobian: where the target has axes behind that of the batch the source must have some, "
                          "too; give it the shape (b, 1) before it is watched");
        });
        return by_place(
            function_name, target, sources,
            [&](trace_scope& scope) { return traced_rows<Form>(function_name, scope, target, sources, choice); },
            [&](auto const& y, auto const& x) { return rows_of<Form>(function_name, y, x, choice); });
    }
    template <class Form, class Y, class X, class Choice>
    constexpr auto traced_rows(char const* function_name, trace_scope& scope, Y const& target, X const& sources, Choice) {
        detail::traced_sources const from = sources_in(scope, sources);
        graph& g = scope.recorded;
        node_id const y = detail::traced_node(scope, target);
        if (!g.shape_of(y).is_static()) detail::throw_open_target(g.shape_of(y));
        for (std::size_t k = 0; k < from.count(); ++k) Form::check(g.shape_of(y), from.node(k).shape());
        buffer<node_id> all(from.count(), node_id::none);
        if (is_inexact(g[y].type))
            all = detail::jacobian_nodes<Form>(g, from.count(), y,
                                               [&](detail::derivative_seeds const& seeds) { return from.gradients(seeds); });
        std::size_t k = 0;
        auto const out = detail::map_traced_values(sources, [&]<class A>(A const& leaf) {
            using shape = typename Form::template shape_of<typename Y::shape_type, typename A::shape_type>;
            using T = typename A::value_type;
            using result = std::conditional_t<expr_type<A>, expr<T, shape>, tensor<T, shape>>;
            std::size_t const at = k++;
            dims const d = Form::shape(g.shape_of(y), from.node(at).shape());
            auto const zeros = [&] {
                return ad::unary(op::broadcast_to, from.node(at).like(0), {d.extent, static_cast<std::size_t>(d.rank)});
            };
            return detail::chosen_derivative<result, Choice>(
                function_name, [&] { return detail::source_text(at, leaf); }, scope, all[at], zeros);
        });
        used_ = !options_.persistent;
        return out;
    }
    // Reads the variables among the targets.
    template <class Y> void read_variables(Y const& target) {
        detail::for_each_value(target, [&]<class A>(A const& leaf) {
            if constexpr (variable_type<A>) leaf.watch_if_accessed(*recorder_);
        });
    }

    template <class Y, class X, class Choice>
    TRACEXPR_NAMES_TARGET auto gradient_of_sum(Y const& target, X const& sources, Choice choice) {
        read_variables(target);
        detail::source_nodes const from(*recorder_, sources);
        buffer<node_id> const targets = detail::target_nodes(*recorder_, target);
        detail::derivative_run results(*recorder_);
        if (options_.persistent || !results.find({targets, from.all, from.ends}))
            differentiate(from, results, detail::seeds_of_ones(*recorder_, targets));
        return gradient_from(results, target, sources, choice);
    }
    template <class Y, class X, class Seeds, class Choice>
    TRACEXPR_NAMES_TARGET auto gradient_of(Y const& target, X const& sources, Seeds const& seeds, Choice choice) {
        read_variables(target);
        detail::source_nodes const from(*recorder_, sources);
        static_cast<void>(detail::target_nodes(*recorder_, target)); // may append nodes, which the pass must see
        detail::derivative_run results(*recorder_);
        differentiate(from, results, seeds());
        return gradient_from(results, target, sources, choice);
    }
    void differentiate(detail::source_nodes const& from, detail::derivative_run& results, detail::derivative_seeds const& seeds) {
        for (node_id const id : from.gradients(recorder_->record(), seeds)) results.want(id);
    }
    template <class Y, class X, class Choice>
    auto gradient_from(detail::derivative_run& results, Y const& target, X const& sources, Choice) {
        if constexpr (std::is_same_v<Choice, detail::must_connect>) require_connected("gradient", target, sources, results);
        results.run();
        auto const out = detail::map_values(sources, [&]<class A>(A const& leaf) {
            return results.template take<tensor<typename A::value_type, typename A::shape_type>, Choice>(leaf.dimensions());
        });
        finish(results);
        return out;
    }
    template <class Form, class Y, class X, class Choice>
    TRACEXPR_NAMES_TARGET auto rows_of(char const* function_name, Y const& target, X const& sources, Choice) {
        read_variables(target);
        detail::source_nodes const from(*recorder_, sources);
        detail::for_each_value(sources, [&](auto const& leaf) { Form::check(target.dimensions(), leaf.dimensions()); });
        detail::derivative_run results(*recorder_);
        for (node_id const id : detail::jacobian_nodes<Form>(*recorder_, from, detail::kept_now(target))) results.want(id);
        if constexpr (std::is_same_v<Choice, detail::must_connect>) require_connected(function_name, target, sources, results);
        results.run();
        auto const out = detail::map_values(sources, [&]<class A>(A const& leaf) {
            using result =
                tensor<typename A::value_type, typename Form::template shape_of<typename Y::shape_type, typename A::shape_type>>;
            return results.template take<result, Choice>(Form::shape(target.dimensions(), leaf.dimensions()));
        });
        finish(results);
        return out;
    }
    template <class Y, class X>
    void require_connected(char const* function_name, Y const& target, X const& sources, detail::derivative_run const& results) {
        if (results.takes_part_in_collectives()) return; // the path may lead over other ranks
        std::size_t k = 0;
        detail::for_each_value(sources, [&](auto const& x) {
            if (results.is_connected(k++)) return;
            std::string const source = detail::source_text(k - 1, x);
            std::string reason;
            detail::for_each_value(target, [&](auto const& y) {
                if (reason.empty()) reason = explain(y, x);
            });
            detail::throw_unconnected(function_name, source, reason);
        });
    }
    TRACEXPR_ONCE void finish(detail::derivative_run& results) {
        results.tell(options_.persistent && recorder_->is_listening());
        if (options_.persistent) return;
        recorder_->clear(); // if it throws, the tape is as before
        recorder_->leave();
        used_ = true;
    }

    tape_options options_;
    detail::recorder* recorder_ = nullptr; // null in a constant evaluation
    detail::traced_record in_trace_;
    buffer<void const*> watched_variables_; // used in a constant evaluation
    bool used_ = false;
};

} // namespace tx
