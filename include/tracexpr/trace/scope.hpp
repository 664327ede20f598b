// The graph under construction, and what belongs to it. A scope may be within another: that of a branch. Whatever is recorded
// goes to the innermost open scope, whatever scopes its operands come from.
#pragma once

#include <tracexpr/base/tensor.hpp>
#include <tracexpr/graph/graph.hpp>
#include <tracexpr/trace/assignments.hpp>
#include <tracexpr/trace/kept_value.hpp>
#include <tracexpr/trace/live_scopes.hpp>

#include <concepts>
#include <memory>

namespace tx {

namespace detail {
// An argument of a graph that is appended to another: a node, or, where there is none, elements to be copied.
struct appended_argument {
    node_id id = node_id::none;
    void const* data = nullptr;
    dtype type{};
    dims shape{};
};

// What a trace keeps until its end, when it calls `discard`. (Not the destructor: a virtual call may, for all g++ knows, reach
// any class that overrides it, so that each program with a trace in it would compile derivatives, which checkpoints record.)
struct scope_owned {
    void (*discard)(scope_owned const*) = nullptr;
    constexpr virtual ~scope_owned() {}
};

// What a user says the derivative of a part of a trace is. Belongs to the op::custom_derivative nodes that bear its number.
struct custom_rule : scope_owned {
    buffer<node_id> inputs;  // the leaves of the arguments, then what else the callable uses of the trace
    std::size_t known = 0;   // how many of them, from the first, it has derivatives for; with respect to others they are refused
    buffer<node_id> outputs; // the leaves of the result: the custom_derivative nodes
    char const* refused = nullptr; // why there are no derivatives at all, where the rule says nothing but that
    // What the callable did has its place in the order of effects between these tokens; none: it did nothing, or this is a copy.
    node_id token_before = node_id::none, token_after = node_id::none;
    bool has_collectives = false; // the rule stands for their derivatives, too: it is asked on every rank, with zeros if need be
    mutable bool is_read = false; // derivatives that the rule gave may depend on values that the callable computed on its way
    constexpr ~custom_rule() override {}
    // Records the inputs' cotangents, given those of the outputs; or the outputs' tangents, given those of the inputs. `wanted`:
    // of which inputs; cotangents of others may be missing.
    constexpr virtual buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const = 0;
    constexpr virtual buffer<node_id> push_forward(table_view<node_id> tangents) const = 0;
};
} // namespace detail

// The graph under construction. Only a trace at run time has `kept`: what the graph refers to must outlive it; and `append`, by
// which functions that the compiler traced become part of it. (A pointer: most programs need no code for it.) Only that of a
// gradient tape has `leaf`: the node of a concrete tensor. Only that of a function that runs eagerly has `evaluate`: the elements
// of a node.
struct trace_scope : detail::symbol_scope {
    constexpr trace_scope() {
        if (!__builtin_is_constant_evaluated()) detail::live_scopes::add(*this);
    }
    trace_scope(trace_scope const&) = delete;
    trace_scope& operator=(trace_scope const&) = delete;
    constexpr ~trace_scope() {
        if (!__builtin_is_constant_evaluated()) detail::live_scopes::remove(*this);
        for (detail::scope_owned const* object : owned) object->discard(object);
        if (__builtin_is_constant_evaluated())
            if (!adopted.empty() && !is_of_constants) let_go_of_adopted();
    }
    // Holds a constant for tensors that don't, until a trace that adopted this one ends.
    constexpr void pin(detail::deferred* constant) {
        pinned.push_back(constant);
        ++constant->holders;
    }
    // This trace mentions a constant of another: those that no tensor holds go when this one does.
    constexpr void adopt(trace_scope& constants) {
        if (root != this) return root->adopt(constants); // which outlives this
        for (trace_scope const* known : adopted)
            if (known == &constants) return;
        if (!constants.pinned.empty()) adopted.push_back(&constants);
        for (std::size_t k = 0; k < constants.adopted.size(); ++k) adopt(*constants.adopted[k]);
    }
    // The node for one of a scope that this is, or that it is within.
    constexpr node_id taken_from(trace_scope const& from, node_id id) {
        if (&from == this) return id;
        if (!outer) detail::throw_foreign_symbol();
        return take(*this, outer->taken_from(from, id), false);
    }
    // Branches have no captures of their own: they are given what others know of.
    constexpr node_id append_capture(dtype type, dims const& shape, captured what) {
        auto const append_to = [&](trace_scope& root_scope) { return root_scope.recorded.append_capture(type, shape, what); };
        if (what.access) return value_of(what.address, root, append_to);
        return outer ? take(*this, outer->append_capture(type, shape, what), false) : append_to(*this);
    }
    // The node of a variable: what was assigned to it last, here or around here; else first(home), its value in the scope `home`.
    template <class First> constexpr node_id value_of(void const* variable, trace_scope const* home, First const& first) {
        for (detail::assignment const& a : assignments)
            if (a.what.address == variable) return a.value;
        if (this == home) return first(*this);
        if (!outer) detail::throw_foreign_symbol();
        if (!loop_variables) return take(*this, outer->value_of(variable, home, first), false);
        for (detail::loop_variable const& v : *loop_variables)
            if (v.address == variable)
                return recorded.append_parameter(outer->recorded[v.around].type, dims(outer->recorded.shape_of(v.around)),
                                                 v.parameter);
        node_id const around = outer->value_of(variable, home, first), here = take(*this, around, true);
        loop_variables->push_back({variable, around, static_cast<std::size_t>(recorded[here].bits[0])});
        return here;
    }
    // Until the scope ends, when `what` is handed on: to the one around it, or to the trace's end.
    constexpr void assign(detail::any_variable& variable, captured const& what, node_id value) {
        for (detail::assignment& a : assignments)
            if (a.what.address == what.address) return void(a.value = value);
        assignments.push_back({&variable, what, value});
    }
    // The last token, which the next effect takes.
    constexpr node_id last_token() {
        if (token == node_id::none)
            token = outer ? take(*this, outer->last_token(), false) : recorded.append(op::token, dtype::token, dims{}, {});
        return token;
    }

    // T: the object's own type.
    template <class T> constexpr T* own(T* object) {
        object->discard = [](detail::scope_owned const* of) { delete static_cast<T const*>(of); };
        try {
            owned.push_back(object);
        } catch (...) {
            delete object;
            throw;
        }
        return object;
    }
    // Numbers a rule, which is the scope's from now on.
    template <std::derived_from<detail::custom_rule> Rule> constexpr std::uint64_t add(Rule* rule) {
        rules.push_back(own(rule));
        return rules.size() - 1;
    }
    // What the user says the derivative of a node is; null for other nodes, and where its function was traced on its own.
    constexpr detail::custom_rule const* rule_of(node_id id) const {
        node const& n = recorded[id];
        if (n.code != op::custom_derivative || n.bits[0] >= rules.size()) return nullptr;
        for (node_id const out : rules[n.bits[0]]->outputs)
            if (out == id) return rules[n.bits[0]];
        return nullptr;
    }

    graph recorded;
    buffer<detail::assignment> assignments;                  // to variables that aren't values of this scope
    buffer<detail::loop_variable>* loop_variables = nullptr; // of a loop's regions, which share them
    node_id token = node_id::none;                           // the last one; none: no effect so far
    node_id derived_token = node_id::none;                   // of a tape's: the last one of derivatives that are still to be run
    trace_scope* root = this;                                // the outermost scope
    trace_scope* innermost = this;                           // of a root: what is recorded into now
    // Of a branch: the scope of its node, and what makes a node of that one of the branch. (A pointer, as `append` is.)
    trace_scope* outer = nullptr;
    node_id (*take)(trace_scope&, node_id, bool is_variable) = nullptr;
    bool is_of_constants = false;     // of them alone, in a constant evaluation (trace/deferred.hpp)
    std::int32_t holders = 0;         // of such a trace
    buffer<detail::deferred*> pinned; // its constants that tensors don't hold, for which it stays until it is adopted
    buffer<trace_scope*> adopted;
    buffer<detail::custom_rule const*> rules; // by number
    buffer<detail::scope_owned const*> owned;
    // Nodes with collectives, and first outputs of rules that have some, that were recorded once more, for other values than were
    // meant: nobody needs them, or their derivatives, any more.
    buffer<node_id> examples;
    buffer<std::shared_ptr<void const>>* kept = nullptr;
    detail::watched_values* watched = nullptr; // of a root
    node_id (*leaf)(trace_scope&, detail::seen_value const&) = nullptr;
    detail::kept_value (*evaluate)(trace_scope&, node_id) = nullptr;
    void (*append)(trace_scope&, graph_view const&, table_view<detail::appended_argument>, node_id* outputs) = nullptr;

private:
    constexpr void let_go_of_adopted() {
        for (std::size_t i = 0; i < adopted.size(); ++i) // more may be found
            for (std::size_t k = 0; k < adopted[i]->adopted.size(); ++k) adopt(*adopted[i]->adopted[k]);
        for (trace_scope* constants : adopted) ++constants->holders;
        for (trace_scope* constants : adopted) {
            for (detail::deferred* constant : constants->pinned) constant->let_go();
            constants->pinned.clear();
        }
        for (trace_scope* constants : adopted)
            if (--constants->holders == 0) delete constants;
    }
};

} // namespace tx
