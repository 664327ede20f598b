// How calls on concrete tensors reach the recorders of their thread. Without any a call pays one look at a thread-local pointer.
#pragma once

#include <tracexpr/run/recorder.hpp>

namespace tx::detail {

// A leaf of a call's arguments or results.
struct call_leaf {
    void const* address = nullptr;
    tensor_identity const* identity = nullptr; // null for what has none
    kept_value (*keep)(void const*) = nullptr;

    bool may_be_known() const { return identity && identity->number() != 0; }
};

// A specialisation for what is neither tensor nor scalar has call_leaf of(leaf).
template <class A> struct leaf_recording {
    static call_leaf of(A const& leaf) {
        if constexpr (variable_type<A>) return leaf_recording<typename A::tensor_type>::of(leaf.read());
        else if constexpr (tensor_type<A>) return {&leaf, &tensor_access::identity(leaf), &keep_tensor<A>};
        else return {&leaf, nullptr, [](void const* number) { return kept(tensor<canonical<A>, shape<>>(canonical<A>(*static_cast<A const*>(number)))); }};
    }
};
template <class T, class Shape> struct leaf_recording<borrowed<T, Shape>> {
    static call_leaf of(borrowed<T, Shape> const& leaf) {
        return {&leaf, nullptr, [](void const* b) { return kept(to_tensor(*static_cast<borrowed<T, Shape> const*>(b))); }};
    }
};

inline buffer<kept_value> kept_leaves(table_view<call_leaf> leaves) {
    buffer<kept_value> out;
    for (call_leaf const& leaf : leaves) out.push_back(leaf.keep(leaf.address));
    return out;
}

// One call: what it was given and what it gave, for every recorder to see.
class call_record {
public:
    auto argument_adder() {
        return [this]<class Part>(Part const& part) { arguments_.push_back(leaf_recording<Part>::of(part)); };
    }
    template <class A> void add_argument(A const& tree) {
        for_each_leaf(tree, argument_adder());
    }
    template <class R> void add_results(R const& tree) {
        for_each_result(tree, [this]<class Part>(Part const& part) { results_.push_back(leaf_recording<Part>::of(part)); });
    }

    // Calls record(recorder, arguments, captures, results) for each recorder that knows something of it, and listens.
    template <class Record> void tell(graph_view const& traced, Record const& record) const {
        bool may_matter = !traced.captures.empty();
        for (call_leaf const& leaf : arguments_) may_matter = may_matter || leaf.may_be_known();
        if (!may_matter) return;
        buffer<kept_value> captures, results;
        for (captured const& c : traced.captures) captures.push_back(c.keep(c.address));
        buffer<kept_value> const arguments = kept_leaves(arguments_);
        for (recorder* r = innermost_recorder; r; r = r->outer()) {
            bool const known = r->knows_any(arguments) || r->knows_any(captures);
            if (!known && !r->has_missed_any(arguments)) continue;
            if (results.empty()) results = numbered_results();
            if (known && r->is_listening()) record(*r, arguments, captures, results);
            else r->miss(results);
        }
    }

private:
    buffer<kept_value> numbered_results() const {
        for (call_leaf const& leaf : results_)
            if (leaf.identity) leaf.identity->renumber(fresh_number());
        return kept_leaves(results_);
    }

    buffer<call_leaf> arguments_, results_;
};

constexpr bool has_custom_derivatives(graph_view const& g) {
    for (node const& n : g)
        if (n.code == op::custom_derivative) return true;
    return false;
}

// A call of an op, which ran `traced`.
template <class Result, class... A> [[gnu::cold]] TRACEXPR_NOINLINE void record_op(graph_view const& traced, Result const& result, A const&... a) {
    call_record call;
    (call.add_argument(a), ...);
    call.add_results(result);
    call.tell(traced, [&](recorder& r, auto const& arguments, auto const& captures, auto const& results) { r.record(traced, arguments, captures, results); });
}

} // namespace tx::detail
