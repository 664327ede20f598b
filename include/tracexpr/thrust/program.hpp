// This file holds the form in which a device runs a graph that was traced at run time: a plan for arguments of known extents, and
// the plan's tables in the device's memory. It is made once and can be run any number of times, by several threads at once.
#pragma once

#include <tracexpr/backends/region_programs.hpp>
#include <tracexpr/passes/pipeline.hpp>
#include <tracexpr/passes/specialize.hpp>
#include <tracexpr/passes/stops.hpp>
#include <tracexpr/run/made_programs.hpp>
#include <tracexpr/thrust/interpreted_run.hpp>
#include <tracexpr/thrust/row_teams.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

class device_branches;

// How the rows of a nest are run.
struct interpreted_nest {
    std::int32_t team = 0;  // the number of threads for a row; 0 where the step is not a nest
    std::int64_t bytes = 0; // of memory for a team
};

struct device_program {
    tx::graph graph;
    tx::plan plan;
    std::vector<interpreted_nest> nests;      // one for each of the plan's steps
    std::vector<interpreted_form> loops;      // one for each of the plan's loops
    interpreted_loop const* nested = nullptr; // the same loops in the device's memory
    device_block tables;
    std::vector<std::byte*> constants;        // for each buffer its address, if it is a constant
    std::vector<std::byte*> literal_operands; // for each access its address, if it is a call's operand without a buffer
    std::vector<bool> is_used;                // for each buffer whether the device's work uses it
    std::uint32_t types = 0;                  // the dtypes that it computes, a bit for each
    bool stops_midway = false;                // see passes/stops.hpp
    piece_rules rules = on_gpu ? gpu_pieces : host_pieces;
    std::shared_ptr<device_branches> branches;

    dims const& output_extents(std::size_t k) const { return plan.extents[index(graph.outputs()[k])]; }
    dtype output_type(std::size_t k) const { return graph[graph.outputs()[k]].type; }
};

// `traced` may be simplified or not; `arguments` holds the extents of all arguments. Throws shape_error where these don't fit.
template <class Unused = void>
std::shared_ptr<device_program const> make_device_program(device_queue& queue, graph_view const& traced,
                                                          table_view<dims> arguments, pass_options const& options,
                                                          piece_rules const& rules = on_gpu ? gpu_pieces : host_pieces);

// The programs of a graph's regions.
class device_branches {
public:
    device_branches(device_queue& queue, pass_options const& options, piece_rules const& rules)
        : queue_{queue}, options_{options}, rules_{rules} {}
    std::shared_ptr<device_program const> find(graph_view const& g, std::int64_t region, table_view<dims> operands) {
        return all_.find(g, region, operands,
                         [&](graph_view const& of) { return make_device_program<>(queue_, of, operands, options_, rules_); });
    }

private:
    device_queue& queue_;
    pass_options options_;
    piece_rules rules_;
    region_programs<device_program> all_;
};

// Splits these nests, which are named by their first loops, into loops that are each run over all rows, by as many threads as
// there are.
inline clusters split_nests(clusters c, std::vector<std::uint32_t> const& nests) {
    buffer<step> steps;
    for (step const& s : c.steps) {
        if (std::find(nests.begin(), nests.end(), s.loops.first) == nests.end() || s.loops.count == 0) {
            steps.push_back(s);
            continue;
        }
        for (std::uint32_t k = 0; k < s.loops.count; ++k) {
            loop_info& loop = c.loops[static_cast<std::size_t>(c.order[s.loops.first + k])];
            loop.nest = -1;
            steps.push_back({.loops = {s.loops.first + k, 1}, .stage = loop.stage, .space = loop.space});
        }
    }
    c.steps = std::move(steps);
    return c;
}
// Gives the number of threads that run a row of a step's nest. It is 0 where the loops are better run alone: where they have more
// values than a thread has slots of its own, or sums of more terms than a thread should add.
inline std::int32_t team_of_nest(plan_view const& p, plan_step const& s, bool teams) {
    interpreted_tables tables;
    interpreted_building building(p, tables);
    row_size row;
    bool sums = false;
    for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l) {
        plan_loop const& loop = p.loops[l];
        building.add(s, loop, true, {});
        if ((loop.reduces && loop.columns) || tables.loops.back().loop.slots > own_slots) return 0;
        row.points = std::max(row.points, loop.inner.size());
        sums = sums || loop.reduces;
    }
    row.units = (row.points + points_at_once - 1) / points_at_once;
    std::int32_t const team = team_of_rows(s.outer.size(), row, teams);
    return sums && row.points > most_terms * team ? 0 : team;
}

class device_program_building {
public:
    device_program_building(device_queue& queue, device_program& out)
        : queue_{queue}, out_{out}, g_{out.graph.view()}, p_{out.plan.view()} {}

    void run() {
        add_loops();
        out_.is_used.assign(p_.buffers.size(), false);
        for (interpreted_form const& l : out_.loops) out_.types |= l.types;
        for (interpreted_access const& a : tables_.accesses) note(a.buffer);
        std::size_t const lines = add(tables_.lines), accesses = add(tables_.accesses), literals = add(tables_.literals);
        std::size_t const nested = add(out_.loops.size() * sizeof(interpreted_loop));
        add_constants();
        for (plan_step const& s : p_.steps)
            if (s.call != node_id::none) add_call(s);
        out_.tables = device_block(queue_, static_cast<std::int64_t>(bytes_.size()));
        std::byte* const at = out_.tables.data();
        for (std::size_t l = 0; l < out_.loops.size(); ++l) {
            interpreted_form& form = out_.loops[l];
            form.loop.lines = reinterpret_cast<interpreted_line const*>(at + lines) + form.first_line;
            form.loop.accesses = reinterpret_cast<interpreted_access const*>(at + accesses) + form.first_access;
            form.loop.literals = reinterpret_cast<interpreted_literal const*>(at + literals) + form.first_literal;
            std::memcpy(bytes_.data() + nested + l * sizeof(interpreted_loop), &form.loop, sizeof(interpreted_loop));
        }
        out_.nested = reinterpret_cast<interpreted_loop const*>(at + nested);
        queue_.to_device(at, bytes_.data(), out_.tables.bytes());
        for (auto const& [b, place] : constants_) out_.constants[b] = at + place;
        for (auto const& [a, place] : operands_) out_.literal_operands[a] = at + place;
    }

private:
    void add_loops() {
        interpreted_building loops(p_, tables_);
        for (plan_step const& s : p_.steps) {
            interpreted_nest& nest = out_.nests[static_cast<std::size_t>(&s - p_.steps.data())];
            std::vector<std::int64_t> in_team(p_.buffers.size(), -1);
            if (nest.team > 0) nest.bytes = place_row_buffers(p_, s, in_team.data());
            for (std::uint32_t l = 0; l < s.loops.count; ++l)
                loops.add(s, p_.loops[s.loops.first + l], nest.team > 0, {in_team.data(), in_team.size()});
        }
        out_.loops = std::move(tables_.loops);
    }
    void note(std::int32_t b) {
        if (b >= 0) out_.is_used[static_cast<std::size_t>(b)] = true;
    }
    // Reserves bytes in the tables, and gives their offset.
    std::size_t add(std::size_t bytes) {
        std::size_t const at = bytes_.size();
        bytes_.resize(at + (bytes + 63) / 64 * 64);
        return at;
    }
    template <class T> std::size_t add(std::vector<T> const& all) {
        std::size_t const at = add(all.size() * sizeof(T));
        if (!all.empty()) std::memcpy(bytes_.data() + at, all.data(), all.size() * sizeof(T));
        return at;
    }
    void add_constants() {
        out_.constants.assign(p_.buffers.size(), nullptr);
        for (std::size_t b = 0; b < p_.buffers.size(); ++b)
            if (p_.buffers[b].place == buffer_place::constant)
                constants_.push_back({b, constant_elements(g_[p_.buffers[b].node])});
    }
    std::size_t constant_elements(node const& n) {
        std::size_t const bytes = size_in_bytes(n.type), stride = words_of(n.type),
                          count = static_cast<std::size_t>(n.bits[1]) / stride, at = add(count * bytes);
        std::uint64_t const* const words = g_.blob.data() + n.bits[0];
        with_element(n.type, [&]<class T>(T const&) {
            for (std::size_t i = 0; i < count; ++i) {
                T const value = from_words<T>(words + i * stride);
                std::memcpy(bytes_.data() + at + i * bytes, &value, bytes);
            }
        });
        return at;
    }
    void add_call(plan_step const& s) {
        node const& n = g_[s.call];
        out_.literal_operands.resize(p_.accesses.size(), nullptr);
        if (s.strategy == strategy::effect || s.strategy == strategy::routine) return; // the host runs these
        for (std::uint32_t k = 0; k < s.operands.count; ++k) {
            std::size_t const number = s.operands.first + k;
            plan_access const& a = p_.accesses[number];
            note(a.buffer);
            if (a.buffer >= 0 || a.stores) continue;
            node_id from = g_.operand(n, k);
            while (g_[from].code != op::literal) from = g_.operand(g_[from], 0);
            interpreted_literal const value = literal_of(g_[from].type, {g_[from].bits[0], g_[from].bits[1]});
            std::size_t const at = add(sizeof value);
            std::memcpy(bytes_.data() + at, value.bytes, sizeof value.bytes);
            operands_.push_back({number, at});
        }
        kind const what = info(n.code).kind;
        bool const moves =
            what == kind::structure || what == kind::lookup || sets_elements(n.code) || s.strategy != strategy::any_call;
        if (!has_regions(n) && !moves) out_.types |= dtype_bit(g_[g_.operand(n, 0)].type);
    }

    device_queue& queue_;
    device_program& out_;
    graph_view g_;
    plan_view p_;
    interpreted_tables tables_;
    std::vector<std::byte> bytes_;
    // buffers and accesses, with their offsets in the tables
    std::vector<std::pair<std::size_t, std::size_t>> constants_, operands_;
};

template <class Unused> std::shared_ptr<device_program const> make_device_program(device_queue& queue, graph_view const& traced,
                                                                                  table_view<dims> arguments,
                                                                                  pass_options const& options,
                                                                                  piece_rules const& rules) {
    auto out = std::make_shared<device_program>();
    out->graph = prepared(specialized(traced, arguments).view(), options);
    graph_view const g = out->graph.view();
    pass_options interpreted = options;
    interpreted.points = true; // so that loops don't compute argmax and argmin, either
    clusters loops = cluster(g, interpreted);
    buffer<dims> extents;
    for (node const& n : g) extents.push_back(g.shape_of(n));
    std::vector<std::uint32_t> alone;
    auto const make = [&] {
        out->plan = make_plan(g, loops.view(), {extents.data(), extents.size()}, options, for_points);
        out->nests.clear();
        for (plan_step const& s : out->plan.view().steps) {
            out->nests.push_back({s.loops.count > 1 ? team_of_nest(out->plan.view(), s, rules.alternate) : 0, 0});
            if (s.loops.count > 1 && out->nests.back().team == 0) alone.push_back(s.loops.first);
        }
    };
    make();
    if (!alone.empty()) loops = split_nests(std::move(loops), alone), make();
    out->stops_midway = tx::detail::stops_midway(g, out->plan.view(), loops.view().space);
    out->rules = rules;
    out->branches = std::make_shared<device_branches>(queue, options, rules);
    device_program_building(queue, *out).run();
    return out;
}

// Gives the program of a trace for arguments of some extents on a device, and for captured tensors with their present extents;
// the last few programs are remembered.
template <class Unused = void>
std::shared_ptr<device_program const> find_or_make_device_program(device_queue& queue, made_programs const& known,
                                                                  graph_view const& traced, graph_view const& g,
                                                                  table_view<dims> arguments, pass_options const& options) {
    buffer<dims> key(arguments);
    for (captured const& c : g.captures) key.push_back(c.shape(c.address)); // of captures in branches, too
    if (auto found = known.find(&queue, key)) return std::static_pointer_cast<device_program const>(std::move(found));
    check_arguments(traced, arguments);
    auto made = make_device_program<Unused>(queue, g, arguments, options);
    known.add(&queue, key, made);
    return made;
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
