// This file holds the assignments of a trace to variables: a variable's value is the node that was assigned last. Each region
// (the body of a branch or loop) has its own assignments, until the node that owns the region yields the values assigned in it.
#pragma once

#include <tracexpr/base/identity.hpp>
#include <tracexpr/graph/graph.hpp>

namespace tx {

struct trace_scope;

namespace detail {

// The base of all variables, without their types; unlike from a void pointer, a constant evaluation can cast back from it.
struct any_variable {};

// The operations on a variable whose type is erased.
struct variable_access {
    any_variable* (*from)(void* address);
    // Gives memory for the next value, of these extents; throws where the variable cannot have them. The variable's value stays
    // until `commit`, which cannot fail.
    void* (*prepare)(any_variable& variable, dims const& extents);
    // Makes elements on a device the next value, and takes them over. Null where a variable stores its elements in the object.
    void (*take_remote)(any_variable& variable, remote_elements* next, dims const& extents);
    void (*commit)(any_variable& variable);
    // For a trace: `assign` is v.assign(node), `value` gives the node that is the variable's value.
    void (*assign)(any_variable& variable, trace_scope& scope, node_id value);
    node_id (*value)(any_variable const& variable, trace_scope& scope);
};

// The operations on a variable of type V.
template <class V> struct access_to {
    static constexpr auto take_remote() -> void (*)(any_variable&, remote_elements*, dims const&) {
        if constexpr (V::is_inside) return nullptr;
        else
            return [](any_variable& v, remote_elements* next, dims const& extents) {
                static_cast<V&>(v).prepare_remote(next, extents);
            };
    }
    static constexpr variable_access table{
        [](void* v) -> any_variable* { return static_cast<V*>(v); },
        [](any_variable& v, dims const& extents) -> void* { return static_cast<V&>(v).prepare(extents); },
        take_remote(),
        [](any_variable& v) { static_cast<V&>(v).take_next(); },
        [](any_variable& v, trace_scope& scope, node_id id) { static_cast<V&>(v).assign_node(scope, id); },
        [](any_variable const& v, trace_scope& scope) { return static_cast<V const&>(v).node_in(scope); }};
};

struct assignment {
    any_variable* variable = nullptr;
    captured what{};
    node_id value = node_id::none;
};
// A variable that the regions of a loop have a parameter for, as the loop may assign to it.
struct loop_variable {
    void const* address = nullptr;
    node_id around = node_id::none; // its value before the loop
    std::size_t parameter = 0;
};

} // namespace detail
} // namespace tx
