// This file tells the recorders of a thread about calls on concrete tensors. If there are none a call only reads a thread-local
// pointer.
#pragma once

#include <tracexpr/run/captured_leaves.hpp>
#include <tracexpr/run/recording/recorder.hpp>

namespace tx::detail {

// Returns a leaf of a call's arguments or results. Reading a variable shows it to the recorders.
template <class Part> seen_value seen_leaf(Part const& part) {
    if constexpr (is_captured_leaf<Part>) {
        captured const here = part.capture();
        return here.see(here.address);
    } else if constexpr (captured_type<Part>) {
        return part.see();
    } else if constexpr (variable_type<Part>) {
        return seen(part.read());
    } else if constexpr (tensor_type<Part>) {
        return seen(part);
    } else {
        using reader = leaf_access<Part>;
        return {nullptr, reader::data(part), dtype_of<typename reader::value_type>, reader::extents(part)};
    }
}

// call_record collects what one call was given and what it returned, for every recorder to see.
class call_record {
public:
    auto argument_adder() {
        return [this](auto const& part) { add(arguments_, seen_leaf(part)); };
    }
    template <class A> void add_argument(A const& tree) { for_each_leaf(tree, argument_adder()); }
    template <class R> void add_results(R const& tree) {
        for_each_output(tree, [this](auto const& part) { add(results_, seen_leaf(part)); });
    }

    void tell(graph_view const& traced) const { tell({traced, arguments_, results_, nullptr, nullptr}); }
    // Tells the recorders of a call that record(scope) records.
    template <class Record> void tell(graph_view const& traced, Record const& record) const {
        tell({traced, arguments_, results_, called<Record>, &record});
    }

private:
    template <class Record> static void called(void const* record, trace_scope& scope) {
        (*static_cast<Record const*>(record))(scope);
    }
    static void tell(seen_call const& call) {
        if (recorder* const innermost = first_recorder()) innermost->see(call);
    }
    // One function serves all calls, few of which are recorded.
    [[gnu::cold]] TRACEXPR_NOINLINE static void add(buffer<seen_value>& to, seen_value const& value) { to.push_back(value); }

    buffer<seen_value> arguments_, results_;
};

constexpr bool has_custom_derivatives(graph_view const& g) {
    for (node const& n : g)
        if (n.code == op::custom_derivative) return true;
    return false;
}

// Tells the recorders of a call of an op, which ran `traced`.
template <class Fn, class Result, class... A>
[[gnu::cold]] TRACEXPR_NOINLINE void record_op(Fn const& fn, graph_view const& traced, Result const& result, A const&... a) {
    call_record call;
    (call.add_argument(a), ...);
    callable_form<Fn>::visit(fn, call.argument_adder(), ignore_value{});
    call.add_results(result);
    call.tell(traced);
}

} // namespace tx::detail
