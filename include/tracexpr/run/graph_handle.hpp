// This file holds graph_handle, a graph as users see it.
#pragma once

#include <tracexpr/graph/print.hpp>

namespace tx {

namespace detail {
// Drawings are compiled only by programs that include tracexpr/inspect.hpp, which defines these.
struct graph_pictures;
template <class F, class... A> struct pictures; // draw what runs of a trace

template <class Pictures> constexpr bool require_inspect() {
    constexpr bool is_included = requires { sizeof(Pictures); };
    static_assert(
        is_included,
        "tx: to_svg, to_html, and to_dot of a concrete function, are in a header of their own; include <tracexpr/inspect.hpp>");
    return is_included;
}
} // namespace detail

// graph_handle is a graph: its nodes in order, and as text for people and for programs. It refers to the function that made it.
struct graph_handle : graph_view {
    constexpr explicit graph_handle(graph_view const& g) : graph_view(g) {}

    std::string to_text() const { return tx::to_text(*this); }
    std::string to_dot() const { return tx::to_dot(*this); }
    std::string to_json() const { return tx::to_json(*this); }
    // Return drawings that need no other program; need tracexpr/inspect.hpp.
    template <class Pictures = detail::graph_pictures> std::string to_svg() const {
        if constexpr (detail::require_inspect<Pictures>()) return Pictures::svg(*this);
        else return {};
    }
    template <class Pictures = detail::graph_pictures> std::string to_html() const {
        if constexpr (detail::require_inspect<Pictures>()) return Pictures::html(*this);
        else return {};
    }
};

} // namespace tx
