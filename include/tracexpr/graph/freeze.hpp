// A graph built during constant evaluation, kept in arrays of exactly its size, so that a static constexpr member can hold it.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx {

// The lengths of a graph's tables.
struct graph_sizes {
    std::size_t nodes, more_operands, attributes, shapes, blob, captures, parameters, outputs;
    constexpr graph_sizes(std::size_t all) : nodes{all}, more_operands{all}, attributes{all}, shapes{all}, blob{all}, captures{all}, parameters{all}, outputs{all} {}
    constexpr graph_sizes(graph_view const& g)
        : nodes{g.nodes.size()}, more_operands{g.more_operands.size()}, attributes{g.attributes.size()}, shapes{g.shapes.size()},
          blob{g.blob.size()}, captures{g.captures.size()}, parameters{g.parameters.size()}, outputs{g.outputs.size()} {}
    constexpr bool fit_in(graph_sizes const& room) const {
        return nodes <= room.nodes && more_operands <= room.more_operands && attributes <= room.attributes && shapes <= room.shapes &&
               blob <= room.blob && captures <= room.captures && parameters <= room.parameters && outputs <= room.outputs;
    }
};

namespace detail {
template <std::size_t Capacity, class T> constexpr auto frozen_copy(table_view<T> from) {
    std::array<T, Capacity> out{};
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = from[i];
    return out;
}
} // namespace detail

template <std::size_t Nodes, std::size_t MoreOperands, std::size_t Attributes, std::size_t Shapes, std::size_t Blob, std::size_t Captures,
          std::size_t Parameters, std::size_t Outputs>
struct frozen_graph {
    graph_sizes sizes{0};
    std::array<node, Nodes> nodes{};
    std::array<node_id, MoreOperands> more_operands{};
    std::array<std::int64_t, Attributes> attributes{};
    std::array<dims, Shapes> shapes{};
    std::array<std::uint64_t, Blob> blob{};
    std::array<captured, Captures> captures{};
    std::array<node_id, Parameters> parameters{};
    std::array<node_id, Outputs> outputs{};

    constexpr frozen_graph(graph_view const& g) : sizes{g} {
        if (!sizes.fit_in(room())) return;
        nodes = detail::frozen_copy<Nodes>(g.nodes);
        more_operands = detail::frozen_copy<MoreOperands>(g.more_operands);
        attributes = detail::frozen_copy<Attributes>(g.attributes);
        shapes = detail::frozen_copy<Shapes>(g.shapes);
        blob = detail::frozen_copy<Blob>(g.blob);
        captures = detail::frozen_copy<Captures>(g.captures);
        parameters = detail::frozen_copy<Parameters>(g.parameters);
        outputs = detail::frozen_copy<Outputs>(g.outputs);
    }
    static constexpr graph_sizes room() {
        graph_sizes r{Nodes};
        r.more_operands = MoreOperands, r.attributes = Attributes, r.shapes = Shapes, r.blob = Blob;
        r.captures = Captures, r.parameters = Parameters, r.outputs = Outputs;
        return r;
    }
    constexpr bool fits() const { return sizes.fit_in(room()); }
    constexpr graph_view view() const {
        auto const part = []<class T, std::size_t N>(std::array<T, N> const& table, std::size_t count) { return table_view<T>(table.data(), count); };
        return {part(nodes, sizes.nodes),   part(more_operands, sizes.more_operands), part(attributes, sizes.attributes),
                part(shapes, sizes.shapes), part(blob, sizes.blob),                   part(captures, sizes.captures),
                part(parameters, sizes.parameters), part(outputs, sizes.outputs)};
    }
};

// Owner::make() returns a graph. Evaluated once where the graph is small, twice (once for its sizes) where not.
template <class Owner> struct frozen {
private:
    static constexpr auto draft = [] {
        graph const g = Owner::make();
        return frozen_graph<48, 16, 64, 16, 32, 8, 16, 16>(g.view());
    }();
    template <class Make> static constexpr auto exact(Make make) {
        constexpr graph_sizes s = draft.sizes;
        return frozen_graph<s.nodes, s.more_operands, s.attributes, s.shapes, s.blob, s.captures, s.parameters, s.outputs>(make());
    }
    static constexpr auto final_copy() {
        if constexpr (draft.fits()) {
            return exact([] { return draft.view(); });
        } else {
            constexpr graph_sizes s = draft.sizes;
            graph const g = Owner::make();
            return frozen_graph<s.nodes, s.more_operands, s.attributes, s.shapes, s.blob, s.captures, s.parameters, s.outputs>(g.view());
        }
    }

public:
    static constexpr auto value = final_copy();
    static constexpr graph_view view() { return value.view(); }
};

} // namespace tx
