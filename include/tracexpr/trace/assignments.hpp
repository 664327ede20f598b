// What a trace assigns to variables: a variable's value is the node that was assigned last. A region has assignments of its own,
// until its node gives what it left.
#pragma once

#include <tracexpr/base/identity.hpp>
#include <tracexpr/graph/graph.hpp>

namespace tx {

struct trace_scope;

namespace detail {

// What all variables are, their types forgotten; a constant evaluation may go back from it.
struct any_variable {};

// How a variable is given a value.
struct variable_access {
    any_variable* (*from)(void* address);
    // Memory for the next value, of these extents; throws where the variable can't have them. Its value stays until `commit`,
    // which can't fail.
    void* (*prepare)(any_variable& variable, dims const& extents);
    // The same for elements on a device, which it takes over. Null where a variable has its elements inside.
    void (*take_remote)(any_variable& variable, remote_elements* next, dims const& extents);
    void (*commit)(any_variable& variable);
    // In a trace: v.assign(node), and the node that it is.
    void (*assign)(any_variable& variable, trace_scope& scope, node_id value);
    node_id (*value)(any_variable const& variable, trace_scope& scope);
};

// What a traced callable may do to a variable of type V.
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
// In the regions of a loop a variable has a parameter of its own: the loop may assign to it.
struct loop_variable {
    void const* address = nullptr;
    node_id around = node_id::none; // its value before the loop
    std::size_t parameter = 0;
};

} // namespace detail
} // namespace tx
