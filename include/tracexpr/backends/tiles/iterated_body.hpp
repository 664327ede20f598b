// This file runs the body of a loop: if it is a few ops on small values, their routines run without tiles.
#pragma once

#include <tracexpr/backends/nodes/small_program.hpp>
#include <tracexpr/backends/tiles/program.hpp>

#include <algorithm>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

template <class Unused> class program_run;

template <class Unused> class iterated_body {
public:
    // `extents` are those of the parameters.
    iterated_body(program const& of, table_view<dims> extents)
        : of_{of}, small_(of.graph.view(), most_nodes), memory_(small_.is_empty() ? 0 : of.graph.size()),
          values_(reinterpret_cast<std::byte*>(memory_.data())) {
        if (small_.is_empty()) return;
        for (auto const& [parameter, node] : small_.arguments())
            values_.set(node, nullptr, [&, at = parameter] { return extents[at]; });
        is_small_ = is_short(of.graph.view()) && small_.infer_extents(values_);
    }
    iterated_body(iterated_body const&) = delete;
    iterated_body& operator=(iterated_body const&) = delete;

    void operator()(io const& args) {
        if (!is_small_) return program_run<Unused>(of_, args).run();
        for (auto const& [parameter, node] : small_.arguments())
            values_[node].at = static_cast<std::byte const*>(args.arguments[parameter]);
        small_.run(values_, args.outputs);
    }

private:
    // Tiles fuse ops, which pays on more elements than these.
    static bool is_short(graph_view const& g) {
        constexpr std::int64_t most_elements = 128;
        return std::all_of(g.begin(), g.end(), [&](node const& n) { return g.shape_of(n).size() <= most_elements; });
    }

    static constexpr std::size_t most_nodes = 256;

    program const& of_;
    nodes::small_program small_;
    std::vector<nodes::small_program::node_values> memory_;
    nodes::small_program::values values_;
    bool is_small_ = false;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
