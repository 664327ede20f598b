// This file holds the bodies of run/made_programs.hpp.
#pragma once

#include <tracexpr/backends/tiles/run.hpp>
#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/made_programs.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

template <class Unused> std::shared_ptr<program const> find_or_make_program(made_programs const& known, graph_view const& traced,
                                                                            graph_view const& g, table_view<dims> arguments,
                                                                            pass_options const& options) {
    buffer<dims> key(arguments);
    for (captured const& c : g.captures) key.push_back(c.shape(c.address)); // captures of branches are among them
    if (auto found = known.find(&this_target, key)) return std::static_pointer_cast<program const>(std::move(found));
    check_arguments(traced, arguments);
    auto made = tiles::make_program<Unused>(g, arguments, options);
    known.add(&this_target, key, made);
    return made;
}

// Allocates memory for a program's outputs, from number `first` on.
inline std::vector<host_array> make_outputs(program const& p, std::size_t first = 0) {
    std::vector<host_array> out(value_outputs(p.graph.view()) - first);
    for (std::size_t k = 0; k < out.size(); ++k) {
        dims const& d = p.output_extents(first + k);
        dtype const type = p.output_type(first + k);
        out[k] = host_array::of(type, d);
    }
    return out;
}
template <class Unused> std::vector<host_array> run_to_arrays(program const& p, void const* const* arguments) {
    std::vector<host_array> out = make_outputs(p);
    std::vector<void*> outputs;
    for (host_array& array : out) outputs.push_back(array.bytes.data());
    outputs.push_back(nullptr); // a token has no memory
    tiles::run_program<Unused>(p, {arguments, outputs.data()});
    return out;
}
template <class Unused> std::vector<host_array> run_once(graph_view const& g, void const* const* arguments,
                                                         table_view<dims> extents, pass_options const& options) {
    return run_to_arrays<Unused>(*tiles::make_program<Unused>(g, extents, options), arguments);
}

template <class Unused>
bool reads(program const& p, void const* const* arguments, std::size_t count, void const* at, std::int64_t bytes) {
    graph_view const g = p.graph.view();
    auto const bytes_of_node = [&](node const& n) {
        return g.shape_of(n).size() * static_cast<std::int64_t>(size_in_bytes(n.type));
    };
    for (std::size_t k = 0; k < count && k < g.parameters.size(); ++k)
        if (g.parameters[k] != node_id::none && overlap(at, bytes, arguments[k], bytes_of_node(g[g.parameters[k]]))) return true;
    for (std::size_t i = 0; g.captures.size() > 0 && i < g.size(); ++i) {
        node const& n = g.nodes[i];
        if (n.code != op::capture) continue;
        captured const& c = g.captures[static_cast<std::size_t>(n.bits[0])];
        if (overlap(at, bytes, c.data(c.address), bytes_of_node(n))) return true;
    }
    return false;
}

// programs_by_graph holds a thread's programs of graphs that are recorded anew each time.
template <class Unused> class programs_by_graph {
public:
    std::shared_ptr<program const> find_or_make(graph const& g) {
        std::uint64_t const hash = hash_of(g.view());
        for (entry const& e : all_)
            if (e.made && e.hash == hash && same_graph(e.of.view(), g.view())) return e.made;
        buffer<dims> extents;
        for (node_id const id : g.view().parameters) extents.push_back(id == node_id::none ? dims{} : g.shape_of(id));
        auto made = tiles::make_program<Unused>(g.view(), extents, {});
        if (is_worth_remembering(g.view())) {
            entry& oldest = all_[next_++ % remembered];
            oldest.made = nullptr;
            oldest.of = g, oldest.hash = hash;
            oldest.made = made;
        }
        return made;
    }

private:
    struct entry {
        std::uint64_t hash = 0;
        graph of;
        std::shared_ptr<program const> made;
    };
    static constexpr std::size_t remembered = 32;
    std::array<entry, remembered> all_;
    std::size_t next_ = 0;
};

template <class Unused> std::shared_ptr<program const> program_of_equal_graph(graph const& g) {
    return per_thread<programs_by_graph<Unused>>().find_or_make(g);
}

} // namespace tx::detail::inline TRACEXPR_RUNS
