// This file prints what the passes make of a graph as text. Nodes keep the numbers that they have in the graph, so that clusters
// and plans can be read next to it.
#pragma once

#include <tracexpr/graph/print_bodies.hpp>
#include <tracexpr/passes/pipeline.hpp>

#include <string>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace detail {

TRACEXPR_ONCE std::string axes_text(std::uint32_t axes) {
    buffer<std::int64_t> numbers;
    for (int axis = 0; axis < max_rank; ++axis)
        if (axes >> axis & 1u) numbers.push_back(axis);
    return listed(attribute_span(numbers.data(), numbers.size()));
}
inline std::string extents_text(walk const& w) {
    std::string out;
    for (int axis = 0; axis < w.rank; ++axis) out += (axis ? " x " : "") + std::to_string(w.extent[axis]);
    return w.rank ? out : "1";
}

TRACEXPR_ONCE std::string loop_text(graph_view const& g, clusters_view const& c, std::int32_t number) {
    loop_info const& l = c.loops[static_cast<std::size_t>(number)];
    std::string out = "loop over " + to_string(g.shape_of(to_id(l.space)));
    if (l.reduced) out += ", reduces axes " + axes_text(l.reduced);
    out += ", stores";
    for (std::size_t i = 0; i < g.size(); ++i)
        if (c.loop_of[i] == number) out += ' ' + node_number(to_id(i));
    return out;
}

inline std::string buffer_text(graph_view const& g, plan_buffer const& b) {
    switch (b.place) {
    case buffer_place::argument: return "arg" + std::to_string(b.number);
    case buffer_place::capture: return "capture" + std::to_string(b.number);
    case buffer_place::constant: return "constant(" + constant_text(g, g[b.node], false) + ')';
    case buffer_place::output: return "result" + std::to_string(b.number);
    default: return "arena+" + std::to_string(b.offset);
    }
}

// The names are in the order of the enum; a name is empty where a step's line says it already.
inline constexpr std::string_view strategy_names[]{{},
                                                   {},
                                                   {},
                                                   {},
                                                   {},
                                                   {},
                                                   "small_product",
                                                   "small_products",
                                                   "small_update",
                                                   "small_join",
                                                   "epilogue",
                                                   "known_row",
                                                   "open_row",
                                                   "short_rows",
                                                   "packed_rows",
                                                   "register_tile",
                                                   "rows",
                                                   "columns",
                                                   "tiles",
                                                   "nest",
                                                   "strided"};
static_assert(std::size(strategy_names) == static_cast<std::size_t>(strategy::strided) + 1);
// Returns for example "small_product" or "packed_rows of 8, past the caches"; empty if there is nothing to tell.
inline std::string strategy_words(tx::strategy way, tx::sharing sharing, plan_loop const& l) {
    std::string out(strategy_names[static_cast<std::size_t>(way)]);
    if (l.known_length) out += " of " + std::to_string(l.known_length);
    if (l.tile.lanes >= 0) out += " of " + std::to_string(l.tile.copies) + " x " + std::to_string(l.tile.along * l.lanes);
    auto const add = [&](char const* words) { out += (out.empty() ? "" : ", ") + std::string(words); };
    if (l.streams && way != strategy::nest) add("past the caches");
    if (sharing != sharing::none) add("shared by threads");
    return out;
}
inline std::string strategy_text(plan_step const& s, plan_loop const& l = {}) {
    std::string const words = strategy_words(s.strategy, s.sharing, l);
    bool const is_named = !strategy_names[static_cast<std::size_t>(s.strategy)].empty();
    return words.empty() ? words : (is_named ? ", as " : ", ") + words;
}

// Returns the lines of a loop's kernel, as in "a = load arg0; b = a * a", in the notation of nodes; $k is line k.
inline std::string kernel_text(graph_view const& g, plan_view const& p, plan_loop const& loop) {
    std::string out;
    auto const place = [&](std::int32_t access) {
        std::int32_t const b = p.accesses[loop.accesses.first + static_cast<std::size_t>(access)].buffer;
        return b < 0 ? std::string("counter") : buffer_text(g, p.buffers[static_cast<std::size_t>(b)]);
    };
    for (std::uint32_t k = 0; k < loop.lines.count; ++k) {
        kernel_line const& l = p.lines[loop.lines.first + k];
        auto const line = [](int number) { return '$' + std::to_string(number); };
        std::string const self = line(static_cast<int>(k)) + " = ";
        out += "    ";
        switch (l.role) {
        case role::load:
        case role::index:
        case role::place: out += self + place(l.a); break;
        case role::lookup: out += self + place(l.b) + '[' + line(l.a) + ']'; break;
        case role::literal: {
            literal_value const& value = p.literals[loop.literals.first + static_cast<std::size_t>(l.a)];
            out += self + value_text(value.type, value.bits, false);
            break;
        }
        case role::compute:
            out += self + std::string(name(l.code)) + '(' + line(l.a);
            for (int operand : {l.b, l.c})
                if (operand >= 0) out += ", " + line(operand);
            out += ')';
            break;
        case role::reduce: out += place(l.b) + " = " + std::string(name(l.code)) + '(' + line(l.a) + ')'; break;
        case role::store: out += place(l.b) + " = " + line(l.a); break;
        }
        out += " : " + std::string(name(l.type)) + '\n';
    }
    return out;
}

} // namespace detail

// Returns a line for each node of the graph, including those that nothing needs. Regions follow their node.
inline std::string nodes_text(graph_view const& g) {
    std::string out;
    detail::add_nodes(out, g, "");
    return out;
}

// Returns a line for each loop and call, in the order in which they run.
TRACEXPR_ONCE std::string to_text(clusters_view const& c, graph_view const& g) {
    std::string out;
    for (step const& s : c.steps) {
        if (s.call != node_id::none) {
            out += (c.storage[index(s.call)] == storage_of::call ? "call " : "check indices of ") + detail::node_number(s.call) +
                   " = " + detail::node_text(g, g[s.call]) + '\n';
            continue;
        }
        if (s.row_axes) out += "row by row, over " + to_string(g.shape_of(to_id(s.space))) + ":\n";
        for (std::uint32_t k = 0; k < s.loops.count; ++k)
            out += (s.row_axes ? "  " : "") + detail::loop_text(g, c, c.order[s.loops.first + k]) + '\n';
    }
    return out;
}

// Returns each step with its extents and the lines of its kernels, then the copies to outputs, then the size of the arena.
inline std::string to_text(plan_view const& p, graph_view const& g) {
    std::string out;
    for (plan_step const& s : p.steps) {
        if (s.call != node_id::none) {
            std::int32_t const to = p.buffer_of[index(s.call)];
            std::string const code(shown_name(g, g[s.call]));
            out += to < 0 ? (may_take_token(g[s.call].code) ? "call " : "check indices of ") + code + '\n'
                          : "call " + code + " -> " + detail::buffer_text(g, p.buffers[static_cast<std::size_t>(to)]) +
                                detail::strategy_text(s) + '\n';
        }
        for (std::uint32_t k = 0; k < s.loops.count; ++k) {
            plan_loop const& loop = p.loops[s.loops.first + k];
            out += "loop of " + detail::extents_text(s.outer) + " times " + detail::extents_text(loop.inner) +
                   (loop.reduces ? ", reducing" : "") + detail::strategy_text(s, loop) + '\n';
            out += detail::kernel_text(g, p, loop);
        }
    }
    for (output_copy const& c : p.copies)
        out += "copy " + detail::buffer_text(g, p.buffers[static_cast<std::size_t>(c.from)]) + " -> result" +
               std::to_string(c.to) + '\n';
    return out + "arena: " + std::to_string(p.arena_bytes[0]) + " bytes\n";
}

namespace detail::inline TRACEXPR_TARGET {
// Describes how a simplified graph and then its regions run.
inline std::string explained_runs(graph_view const& g, compiled_graph const& made, pass_options const& options,
                                  plan_target const& target) {
    std::string const assumed = g.is_static() ? "" : ", unknown extents taken as " + std::to_string(assumed_extent(g));
    std::string const vectors = " for vectors of " + std::to_string(target.register_bytes) + " bytes";
    std::string out = "\nafter cluster:\n" + to_text(made.clusters.view(), g) + "\nafter plan" + vectors + assumed + ":\n" +
                      to_text(made.plan.view(), g);
    for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t k = 0; has_regions(g.nodes[i]) && k < g.nodes[i].attributes.count; ++k) {
            std::int64_t const number = g.attributes_of(g.nodes[i])[k];
            pass_options const own = tx::detail::region_options(g, number, options);
            compiled_graph const branch = run_passes(g.region(number), own, {}, target);
            out += '\n' + tx::detail::region_name(g.nodes[i], k) + " of " + node_number(to_id(i)) + ":\n" +
                   nodes_text(branch.simplified) + explained_runs(branch.simplified, branch, own, target);
        }
    return out;
}
} // namespace detail::inline TRACEXPR_TARGET

inline namespace TRACEXPR_TARGET {
// Returns the text of the graph before all passes, and after each of them.
inline std::string explain_passes(graph_view const& traced, pass_options const& options = {},
                                  plan_target const& target = this_processor) {
    compiled_graph const made = run_passes(traced, options, {}, target);
    graph_view const g = made.simplified;
    return "traced:\n" + nodes_text(traced) + "\nafter simplify:\n" + nodes_text(g) +
           detail::explained_runs(g, made, options, target);
}
} // namespace TRACEXPR_TARGET
} // namespace tx

TRACEXPR_END_PASSES
