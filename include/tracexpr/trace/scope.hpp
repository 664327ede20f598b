// This file holds trace_scope: the graph under construction, and what belongs to it. A scope may be within another, as that of a
// branch is. Ops are recorded in the innermost open scope, whatever scopes their operands come from.
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
// An argument of a graph that is appended to another: a node or, where that is none, elements to be copied.
struct appended_argument {
    node_id id = node_id::none;
    void const* data = nullptr;
    dtype type{};
    dims shape{};
};

// The base of objects that a trace owns until its end, when it calls `discard`. (The destructor is not called directly: as far as
// g++ knows, a virtual call may reach any class that overrides it, so each program with a trace would compile derivatives, which
// checkpoints record.)
struct scope_owned {
    void (*discard)(scope_owned const*) = nullptr;
    constexpr virtual ~scope_owned() {}
};

// A user's rule for the derivative of a part of a trace. It belongs to the op::custom_derivative nodes that have its number.
struct custom_rule : scope_owned {
    buffer<node_id> inputs;        // the leaves of the arguments, then what else the callable uses of the trace
    std::size_t known = 0;         // the number of inputs, from the first, that it has derivatives for; others are refused
    buffer<node_id> outputs;       // the leaves of the result: the custom_derivative nodes
    char const* refused = nullptr; // why it has no derivatives at all, where the rule only refuses; else null
    // The callable's effects are between these tokens in the order of effects; none if it has no effects, or if this is a copy.
    node_id token_before = node_id::none, token_after = node_id::none;
    // whether its derivatives have collectives; then they are computed on every rank, with zeros where need be
    bool has_collectives = false;
    mutable bool is_read = false; // whether derivatives may depend on values that the callable computed on its way
    constexpr ~custom_rule() override {}
    // pull_back records the inputs' cotangents, given those of the outputs; push_forward the outputs' tangents, given those of
    // the inputs. `wanted` says for which inputs; the cotangents of others may be missing.
    constexpr virtual buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const = 0;
    constexpr virtual buffer<node_id> push_forward(table_view<node_id> tangents) const = 0;
};
} // namespace detail

// The graph under construction. `kept`, only in a trace at run time, owns what the graph refers to. `append`, likewise, adds the
// graphs of functions that the compiler traced (a pointer, because most programs need no code for it). `leaf`, only in the scope
// of a gradient tape, gives the node of a concrete tensor. `evaluate`, only in that of a function that runs eagerly, gives the
// elements of a node.
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
    // Holds a constant for tensors that store their elements inside, and so don't hold it, until a trace that adopted this one
    // ends.
    constexpr void pin(detail::deferred* constant) {
        pinned.push_back(constant);
        ++constant->holders;
    }
    // Says that this trace uses a constant of another, so that constants which no tensor holds are released when this trace ends.
    TRACEXPR_ONCE constexpr void adopt(trace_scope& constants) {
        if (root != this) return root->adopt(constants); // the root outlives this scope
        for (trace_scope const* known : adopted)
            if (known == &constants) return;
        if (!constants.pinned.empty()) adopted.push_back(&constants);
        for (std::size_t k = 0; k < constants.adopted.size(); ++k) adopt(*constants.adopted[k]);
    }
    // Gives the node in this scope for a node of `from`, which is this scope or one around it.
    TRACEXPR_ONCE constexpr node_id taken_from(trace_scope const& from, node_id id) {
        if (&from == this) return id;
        if (!outer) detail::throw_foreign_symbol();
        node_id const around = outer->taken_from(from, id);
        return follows_from_extents(outer->recorded, around) ? number_from_outside(around) : take(*this, around, false);
    }
    // A branch has no captures of its own: they are appended to the root and taken from there.
    TRACEXPR_ONCE constexpr node_id append_capture(dtype type, dims const& shape, captured what) {
        auto const append_to = [&](trace_scope& root_scope) { return root_scope.recorded.append_capture(type, shape, what); };
        if (what.access) return value_of(what.address, root, append_to);
        return outer ? take(*this, outer->append_capture(type, shape, what), false) : append_to(*this);
    }
    // Gives the node of a variable: the value assigned to it last, in this scope or one around it; else first(home), its value in
    // the scope `home`.
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
    // Records that a variable has this value from here on. At the scope's end the scope around it, or the end of the trace, takes
    // it over.
    TRACEXPR_ONCE constexpr void assign(detail::any_variable& variable, captured const& what, node_id value) {
        for (detail::assignment& a : assignments)
            if (a.what.address == what.address) return void(a.value = value);
        assignments.push_back({&variable, what, value});
    }
    // Gives the last token, which the next effect takes.
    TRACEXPR_ONCE constexpr node_id last_token() {
        if (token == node_id::none)
            token = outer ? take(*this, outer->last_token(), false) : recorded.append(op::token, dtype::token, dims{}, {});
        return token;
    }

    // Takes over an object, which is deleted as its own type T at the scope's end.
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
    // Takes over a rule and gives its number.
    template <std::derived_from<detail::custom_rule> Rule> constexpr std::uint64_t add(Rule* rule) {
        rules.push_back(own(rule));
        return rules.size() - 1;
    }
    // Gives the user's rule for the derivative of a node; null for other nodes, and where the node's function was traced on its
    // own.
    TRACEXPR_ONCE constexpr detail::custom_rule const* rule_of(node_id id) const {
        node const& n = recorded[id];
        if (n.code != op::custom_derivative || n.bits[0] >= rules.size()) return nullptr;
        for (node_id const out : rules[n.bits[0]]->outputs)
            if (out == id) return rules[n.bits[0]];
        return nullptr;
    }

    graph recorded;
    buffer<detail::assignment> assignments;                  // to variables that belong to a scope around this one
    buffer<detail::loop_variable>* loop_variables = nullptr; // shared by the regions of a loop
    node_id token = node_id::none;                           // the last token; none if there was no effect so far
    node_id derived_token = node_id::none; // in a tape's scope: the last token of derivatives that are still to be run
    trace_scope* root = this;              // the outermost scope
    trace_scope* innermost = this;         // in a root: the innermost open scope
    // In a branch `outer` is the scope of its node, and `take` makes a node of that scope available in this one. (A pointer for
    // the same reason as `append`.)
    trace_scope* outer = nullptr;
    node_id (*take)(trace_scope&, node_id, bool is_variable) = nullptr;
    bool is_of_constants = false;     // whether the trace is of constants alone, in a constant evaluation (trace/deferred.hpp)
    std::int32_t holders = 0;         // how many constants and traces hold a trace of constants
    buffer<detail::deferred*> pinned; // its constants that no tensor holds; they stay until it is adopted
    buffer<trace_scope*> adopted;
    buffer<detail::custom_rule const*> rules; // indexed by their numbers
    buffer<detail::scope_owned const*> owned;
    // Nodes with collectives, and first outputs of rules with collectives, that were recorded again for other values than
    // intended: neither they nor their derivatives are needed any more.
    buffer<node_id> examples;
    buffer<std::shared_ptr<void const>>* kept = nullptr;
    detail::watched_values* watched = nullptr; // in a root
    node_id (*leaf)(trace_scope&, detail::seen_value const&) = nullptr;
    detail::kept_value (*evaluate)(trace_scope&, node_id) = nullptr;
    void (*append)(trace_scope&, graph_view const&, table_view<detail::appended_argument>, node_id* outputs) = nullptr;

private:
    // Tells whether a scalar is integer arithmetic on literals and extents. (A counting number; counting.hpp has their values.)
    TRACEXPR_ONCE static constexpr bool follows_from_extents(graph const& g, node_id id, int most_levels = 5) {
        node const& n = g[id];
        if (n.code == op::literal) return true;
        if (!is_integer(n.type) || g.shape_of(id).rank != 0) return false;
        if (n.code == op::axis_size) return n.type == dtype::int64;
        bool follows = info(n.code).kind == kind::pointwise && most_levels > 0;
        for (std::size_t k = 0; follows && k < n.arity; ++k) follows = follows_from_extents(g, g.operand(n, k), most_levels - 1);
        return follows;
    }
    // Gives such a number of the scope around this one, so that shapes which follow from it are known here as soon as they are
    // there. Of an extent, what is passed to the branch is a value without elements that has it.
    TRACEXPR_ONCE constexpr node_id number_from_outside(node_id id) {
        for (std::size_t k = 0; k < numbers_outside_.size(); ++k)
            if (numbers_outside_[k] == id) return numbers_here_[k];
        node const n = outer->recorded[id];
        node_id here = node_id::none;
        if (n.code == op::axis_size) {
            std::int64_t const from_operand[]{-1}, axis[]{0};
            node_id const shaped =
                outer->recorded.append(op::extents, dtype::boolean, dims{{dyn}, 1}, {&id, 1}, {from_operand, 1});
            node_id const taken = take(*this, shaped, false);
            here = recorded.append(op::axis_size, n.type, dims{}, {&taken, 1}, {axis, 1});
        } else {
            buffer<node_id> operands;
            for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(number_from_outside(outer->recorded.operand(n, k)));
            here = recorded.append_copy(outer->recorded.view(), n, operands);
        }
        numbers_outside_.push_back(id), numbers_here_.push_back(here);
        return here;
    }
    buffer<node_id> numbers_outside_, numbers_here_;

    TRACEXPR_ONCE constexpr void let_go_of_adopted() {
        for (std::size_t i = 0; i < adopted.size(); ++i) // adopt may add further ones
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
