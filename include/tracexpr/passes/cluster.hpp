// This pass decides which nodes share a loop. A loop visits the elements of one shape, its space. It computes all elementwise ops
// and views that its stored or reduced values are made of; what another loop needs of them goes through a buffer.
//
// A node's stage is how many values must have been stored, one after the other, before it can be computed: a reduction must have
// seen all elements before anybody can use its result. A loop of stage s reads only what earlier stages have stored, so loops of
// the same stage and space don't need each other, and become one loop.
//
// Without options.cluster every op has a loop of its own, and a buffer.
#pragma once

#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/passes/options.hpp>
#include <tracexpr/passes/row_nests.hpp>

#include <algorithm>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail {

// These tables hold what is known of each node after each of four walks over the graph. For a large graph the compiler makes each
// walk a constant evaluation of its own, which begins with the last one's tables: an evaluation's steps are limited.
template <template <class> class Table> struct clustering_tables {
    Table<std::uint32_t> space;                     // equal for nodes that surely have the same extents
    Table<storage_of> storage;                      // where the node's value lies, if not only in a loop's registers
    Table<std::int32_t> level, settled, cost, uses; // see assign_levels, cache_cost and value_uses

    template <class F> constexpr auto with_tables(F f) const { return f(space, storage, level, settled, cost, uses); }
    constexpr clustering_tables<table_view> view() const { return {space, storage, level, settled, cost, uses}; }
};

class clustering {
public:
    constexpr clustering(graph_view const& g, pass_options const& options)
        : g_{g}, merges_{options.cluster}, points_{options.points}, finds_places_{finds_places(options)},
          space_(equal_extents(g)), storage_(g.size(), storage_of::none), level_(g.size(), 0), settled_(g.size(), 0),
          cost_(g.size(), 0), uses_(g.size(), 0) {}
    constexpr clustering(graph_view const& g, pass_options const& options, clustering_tables<table_view> const& found)
        : g_{g}, merges_{options.cluster}, points_{options.points}, finds_places_{finds_places(options)}, space_(found.space),
          storage_(found.storage), level_(found.level), settled_(found.settled), cost_(found.cost), uses_(found.uses) {}
    constexpr ~clustering() {} // nvcc 13 does not take the implicit one for constexpr

    // walk(0) to walk(3) must be called in this order.
    static constexpr int walks = 4;
    TRACEXPR_ONCE constexpr void walk(int number) {
        switch (number) {
        case 0: uses_ = value_uses(g_); break;
        case 1: choose_forced(); break;
        case 2: assign_levels(); break;
        default: choose_shared(); break;
        }
    }
    TRACEXPR_ONCE constexpr clustering_tables<buffer> found() && {
        return {std::move(space_),   std::move(storage_), std::move(level_),
                std::move(settled_), std::move(cost_),    std::move(uses_)};
    }
    // Returns the clusters; all walks must have been made.
    TRACEXPR_ONCE constexpr clusters formed() && {
        make_loops();
        make_steps();
        return {std::move(storage_), std::move(space_), std::move(loop_of_),
                std::move(loops_),   std::move(order_), std::move(steps_)};
    }

private:
    // A value that several loops need is computed in each of them if its cost (the sum of op_info::cost over the ops that make
    // it) is at most this; a costlier one is stored by one loop and read by the others. If they run over the same space, it is
    // read from the cache.
    static constexpr int cache_cost = 3, memory_cost = 8, saturated = 1000;
    static constexpr std::int32_t most_members = 256;     // reductions and stores of a loop
    static constexpr std::uint32_t loop_size_limit = 224; // pointwise ops of one stage and space; more make several loops

    // Finding the place of an extreme is a call, unless the loop that computes the compared values can find it as a reduction.
    TRACEXPR_ONCE constexpr kind kind_of(node const& n) const {
        kind const k = info(n.code).kind;
        return k == kind::arg_reduction && finds_places_ && is_found_by_loop(g_, n) ? kind::reduction : k;
    }
    static constexpr bool finds_places(pass_options const& options) { return options.cluster && !options.points; }
    TRACEXPR_ONCE constexpr bool is_call(node const& n) const {
        kind const k = kind_of(n);
        return may_take_token(n.code) || k == kind::structure || k == kind::arg_reduction || k == kind::scan ||
               k == kind::order || k == kind::lookup || k == kind::contraction || k == kind::decomposition ||
               k == kind::routine || k == kind::update || k == kind::random;
    }
    // Does a loop at one element of the node read the same element of its operands? Elementwise ops, reductions, and broadcasts
    // that repeat nothing do; other views read other elements.
    TRACEXPR_ONCE constexpr bool reads_in_place(std::size_t i) const {
        node const& n = g_.nodes[i];
        if (n.code == op::broadcast_to || n.code == op::sum_to) return space_of(g_.operand(n, 0)) == space_[i];
        return kind_of(n) == kind::pointwise || kind_of(n) == kind::reduction;
    }
    constexpr std::uint32_t space_of(node_id id) const { return space_.data()[index(id)]; }
    constexpr bool one_element(node_id id) const { return g_.shape_of(id).size() == 1; }
    // Is `from` repeated along some axis of `to`? Then a loop over `to` would compute its elements several times.
    TRACEXPR_ONCE constexpr bool enlarges(node_id from, node const& to) const {
        if (kind_of(to) == kind::reduction) return false;
        dims const &a = g_.shape_of(from), &b = g_.shape_of(to);
        if (a.rank < b.rank) return true;
        for (int axis = 0; axis < a.rank; ++axis)
            if (a[axis] == 1 && b[axis] != 1) return true;
        return false;
    }

    TRACEXPR_ONCE constexpr void store(node_id id) {
        if (storage_[index(id)] == storage_of::none) storage_[index(id)] = storage_of::loop, cost_[index(id)] = 0;
    }
    constexpr bool has_buffer(node_id id) const { return storage_[index(id)] != storage_of::none; }

    // Can a call read this operand from a buffer, perhaps through a view?
    TRACEXPR_ONCE constexpr bool reads_view(operand_layout wanted, node_id id) const {
        while (!has_buffer(id)) {
            node const& n = g_[id];
            if (!keeps_layout(g_, wanted, n)) return false;
            id = g_.operand(n, 0);
            if (!view_map(n.code, g_.shape_of(id), g_.attributes_of(n)).is_one_to_one()) return false;
        }
        return true;
    }
    // Returns the node that an update adds: if it adds the same element everywhere, that element instead of a tensor full of it.
    // Among views that only a run can tell more about, a sum_to sums nothing, and a vector stays as it is or is one element.
    TRACEXPR_ONCE constexpr node_id added_by(node const& call) const {
        node_id whole = g_.operand(call, 1);
        while (!has_buffer(whole) && (g_[whole].code == op::sum_to || is_open_vector(g_[whole])))
            whole = g_.operand(g_[whole], 0);
        node_id id = whole;
        while (!has_buffer(id) && g_[id].code == op::broadcast_to) id = g_.operand(g_[id], 0);
        return one_element(id) && (kind_of(g_[id]) != kind::leaf || has_buffer(id) || g_[id].code == op::literal) ? id : whole;
    }
    TRACEXPR_ONCE constexpr bool is_open_vector(node const& n) const {
        return n.code == op::broadcast_to && n.arity == 2 && g_.shape_of(n).rank == 1 && g_.shape_of(g_.operand(n, 0)).rank == 1;
    }
    // Does a lookup pick rows of a few elements? A call copies those faster than a loop, which starts anew for each row.
    TRACEXPR_ONCE constexpr bool looks_up_short_rows(node const& n) const {
        constexpr std::int64_t short_row = 16;
        dims const& d = g_.shape_of(n);
        int const behind = static_cast<int>(g_.attributes_of(n)[0]) + g_.shape_of(g_.operand(n, 1)).rank;
        std::int64_t row = 1;
        for (int axis = behind; axis < d.rank && n.code == op::take; ++axis) row = d[axis] == dyn ? short_row : row * d[axis];
        return row > 1 && row < short_row;
    }
    // Can a lookup be part of a loop? Only if nothing else uses it and the loop needs each element once. The call then only
    // checks the indices, before the loop.
    TRACEXPR_ONCE constexpr bool joins_loop(std::size_t i) {
        if (!merges_ || kind_of(g_.nodes[i]) != kind::lookup || g_.nodes[i].type == dtype::string ||
            looks_up_short_rows(g_.nodes[i]))
            return false;
        if (users_.empty()) {
            users_.assign(g_.size(), node_id::none);
            for (std::size_t user = 0; user < g_.size(); ++user)
                for (std::size_t k = 0, count = value_operands(g_.nodes[user]); k < count; ++k)
                    users_[index(g_.operand(g_.nodes[user], k))] = to_id(user);
        }
        for (std::size_t at = i;;) {
            node_id const user = users_[at];
            if (uses_[at] != 1 || user == node_id::none) return false;
            node const& n = g_[user];
            if (kind_of(n) == kind::pointwise || kind_of(n) == kind::reduction) return !enlarges(to_id(at), n);
            if (n.code != op::expand_dims && n.code != op::squeeze) return false;
            at = index(user);
        }
    }
    // Gives a buffer to the nodes that need one in any case: calls and what they read, reductions, outputs, and what would be
    // computed many times over. It also sums up the costs.
    TRACEXPR_ONCE constexpr void choose_forced() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            kind const k = kind_of(n);
            if (n.code == op::parameter || n.code == op::capture || n.code == op::constant) storage_[i] = storage_of::given;
            if (k == kind::projection) storage_[i] = storage_of::result;
            if (k == kind::leaf || k == kind::projection) continue;
            std::size_t const count = value_operands(n);
            if (joins_loop(i)) {
                if (!reads_view(operand_layout::strided, g_.operand(n, 0))) store(g_.operand(n, 0));
                if (!reads_view(operand_layout::packed, g_.operand(n, 1))) store(g_.operand(n, 1)); // contiguous, to be checked
                cost_[i] = 1;
                continue;
            }
            if (is_call(n)) {
                for (std::size_t o = 0; o < count; ++o) {
                    bool const is_added = k == kind::update && o == 1;
                    node_id const id = is_added ? added_by(n) : g_.operand(n, o);
                    if (!(is_added && g_[id].code == op::literal) && !reads_view(layout_for(n), id)) store(id);
                }
                storage_[i] = storage_of::call;
                continue;
            }
            if (n.code == op::reshape || n.code == op::barrier) {
                for (std::size_t o = 0; o < count; ++o) store(g_.operand(n, o));
                storage_[i] = storage_of::alias;
                continue;
            }
            int cost = k == kind::pointwise ? info(n.code).cost : 0;
            for (std::size_t o = 0; o < count; ++o) {
                node_id const id = g_.operand(n, o);
                bool const repeated = enlarges(id, n) && !one_element(id) && cost_[index(id)] > 1;
                bool const viewed =
                    k == kind::view && !reads_in_place(i) && uses_[index(id)] > 1 && cost_[index(id)] > cache_cost;
                if (repeated || viewed) store(id);
                cost += cost_[index(id)];
            }
            cost_[i] = cost > saturated ? saturated : cost;
            if (k == kind::reduction || gives_rows(g_, n, uses_[i])) storage_[i] = storage_of::loop, cost_[i] = 0;
        }
        for (node_id id : g_.outputs) store(id);
        for (std::size_t i = 0; i < g_.size() && !merges_; ++i)
            if (kind_of(g_.nodes[i]) != kind::leaf) store(to_id(i));
    }

    // A node's level is the stage in which a loop over its own space can compute it. It is settled from the first stage on in
    // which a loop over another space can compute it, because all that it is made of lies in buffers. Nodes behind one that
    // begins an exchange come after it, and a node that waits comes after all nodes before it.
    TRACEXPR_ONCE constexpr void assign_levels() {
        hash_index groups;
        buffer<std::uint64_t> keys;
        buffer<std::uint32_t> sizes;
        std::int32_t least = 0, highest = 0;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            std::int32_t level = least, settled = 0;
            if (kind_of(n) == kind::projection) {
                level_[i] = settled_[i] = level_[index(g_.operand(n, 0))];
                continue;
            }
            for (std::size_t k = value_operands(n); may_take_token(n.code) && k < n.arity; ++k)
                level = std::max(level, level_[index(g_.operand(n, k))]);
            if (is_collective(g_, n, collective_kind::finish)) level = std::max(level, highest);
            bool const fuses = merges_ && reads_in_place(i);
            for (std::size_t k = 0, count = value_operands(n); k < count; ++k) {
                node_id const id = g_.operand(n, k);
                std::size_t const o = index(id);
                bool const fused = fuses && (kind_of(n) == kind::reduction || space_of(id) == space_[i]);
                std::int32_t const ready = fused ? level_[o] : settled_[o];
                if (ready > level) level = ready;
                if (settled_[o] > settled) settled = settled_[o];
            }
            if (kind_of(n) == kind::pointwise) {
                std::uint64_t const key = static_cast<std::uint64_t>(level) << 32 | space_[i];
                std::int32_t group = groups.find(key, [&](std::size_t e) { return keys[e] == key; });
                if (group < 0) {
                    group = static_cast<std::int32_t>(keys.size());
                    keys.push_back(key), sizes.push_back(0), groups.add(key);
                }
                if (++sizes[static_cast<std::size_t>(group)] > loop_size_limit) {
                    for (std::size_t k = 0; k < n.arity; ++k) {
                        node_id const id = g_.operand(n, k);
                        if (kind_of(g_[id]) == kind::pointwise && level_[index(id)] == level)
                            store(id), settled_[index(id)] = level + 1;
                    }
                    ++level;
                }
            }
            if (kind_of(n) == kind::reduction || storage_[i] == storage_of::call) {
                level_[i] = level + 1;
                settled_[i] = level + 1;
            } else {
                level_[i] = level;
                settled_[i] = storage_[i] == storage_of::loop ? level + 1 : settled > level ? settled : level;
            }
            highest = std::max(highest, storage_[i] == storage_of::loop ? settled_[i] : level_[i]);
            if (is_collective(g_, n, collective_kind::begin_exchange)) least = std::max(least, level_[i]);
        }
    }

    // A demand is the earliest loop that needs a node, by its stage and space.
    struct demand {
        std::int32_t stage = -1; // -1: none yet
        std::uint32_t space = 0;
        bool several = false; // more than one loop needs the node
        bool moved = false;   // a loop of that stage runs over another space, or needs the elements in another order
    };
    TRACEXPR_ONCE constexpr void add_demand(buffer<demand>& demands, node_id id, demand const& more) {
        demand& d = demands[index(id)];
        if (d.stage < 0) {
            d = more;
            return;
        }
        bool const same_space = d.space == more.space;
        if (more.several || d.stage != more.stage || !same_space) d.several = true;
        if (more.stage < d.stage) d.stage = more.stage, d.space = more.space, d.moved = more.moved;
        else if (more.stage == d.stage && (more.moved || !same_space)) d.moved = true;
    }
    // Stores values that several loops need and that are too costly to be computed in each.
    TRACEXPR_ONCE constexpr void choose_shared() {
        buffer<demand> demands(g_.size());
        for (std::size_t i = g_.size(); i-- > 0;) {
            node const& n = g_.nodes[i];
            if (kind_of(n) == kind::leaf || kind_of(n) == kind::projection) continue;
            demand d = demands[i];
            // A loop of the node's own stage can't read it from a buffer, which is full only when the stage is over. It can be
            // the loop that computes and stores it, but only if it runs over the same space in the same order.
            bool const too_late = d.stage == level_[i] && (d.moved || d.space != space_[i]);
            if (kind_of(n) == kind::pointwise && storage_[i] == storage_of::none && d.several && !too_late) {
                int const limit = d.space == space_[i] ? cache_cost : memory_cost;
                if (cost_[i] > limit) storage_[i] = storage_of::loop;
            }
            bool const stored = storage_[i] != storage_of::none;
            std::int32_t const stage =
                kind_of(n) == kind::reduction || storage_[i] == storage_of::call ? level_[i] - 1 : level_[i];
            for (std::size_t k = 0, count = value_operands(n); k < count; ++k) {
                node_id const id = g_.operand(n, k);
                bool const view = !reads_in_place(i);
                if (stored)
                    add_demand(demands, id, {stage, kind_of(n) == kind::reduction ? space_of(id) : space_[i], false, view});
                else if (d.stage >= 0) add_demand(demands, id, {d.stage, d.space, d.several, d.moved || view});
            }
        }
    }

    TRACEXPR_ONCE constexpr std::uint32_t reduced_axes(node const& n) const {
        std::uint32_t mask = 0;
        table_view<std::int64_t> const attributes = g_.attributes_of(n);
        for (std::size_t k = 1; k < attributes.size(); ++k) mask |= 1u << attributes[k];
        return mask;
    }

    TRACEXPR_ONCE constexpr std::int32_t loop_for(std::int32_t stage, std::uint32_t space, std::uint32_t reduced) {
        std::uint64_t const key = mix(mix(static_cast<std::uint64_t>(stage), space), reduced);
        auto const is_same = [&](std::size_t e) {
            return loops_[e].stage == stage && loops_[e].space == space && loops_[e].reduced == reduced &&
                   members_[e] < most_members;
        };
        std::int32_t found = merges_ ? loop_index_.find(key, is_same) : -1;
        if (found < 0) {
            found = static_cast<std::int32_t>(loops_.size());
            loops_.push_back({stage, space, reduced});
            loop_index_.add(key);
            members_.push_back(0);
        }
        ++members_.data()[found];
        return found;
    }
    // Is a value one element for each row of something? It gets a loop of its own, which may join a nest of those rows.
    TRACEXPR_ONCE constexpr bool is_of_rows(node_id id) const {
        dims const& d = g_.shape_of(id);
        return d.rank > 1 && d[d.rank - 1] == 1 && d.size() != 1;
    }
    // Makes the loops of reductions first, so that values stored alongside join one of them.
    TRACEXPR_ONCE constexpr void make_loops() {
        loop_of_.assign(g_.size(), -1);
        hash_index reducing;
        buffer<std::int32_t> reducing_loops;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (kind_of(n) != kind::reduction) continue;
            std::uint32_t const space = space_of(g_.operand(n, 0));
            loop_of_[i] = loop_for(level_[i] - 1, space, reduced_axes(n));
            std::uint64_t const key = mix(static_cast<std::uint64_t>(level_[i] - 1), space);
            reducing.add(key);
            reducing_loops.push_back(loop_of_[i]);
        }
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (storage_[i] != storage_of::loop || kind_of(n) == kind::reduction) continue;
            std::uint64_t const key = mix(static_cast<std::uint64_t>(level_[i]), space_[i]);
            auto const is_same = [&](std::size_t e) {
                loop_info const& l = loops_[static_cast<std::size_t>(reducing_loops[e])];
                return l.stage == level_[i] && l.space == space_[i];
            };
            std::int32_t const beside = merges_ && !is_of_rows(to_id(i)) ? reducing.find(key, is_same) : -1;
            loop_of_[i] = beside >= 0 ? reducing_loops[static_cast<std::size_t>(beside)] : loop_for(level_[i], space_[i], 0);
        }
    }

    // Marks the nodes of which a needed node reads the elements, and not only the shape.
    TRACEXPR_ONCE constexpr buffer<std::uint8_t> read_values() const {
        buffer<std::uint8_t> read(g_.size(), 0);
        for (node_id const id : g_.outputs) read[index(id)] = 1;
        for (std::size_t i = g_.size(); i-- > 0;) {
            node const& n = g_.nodes[i];
            bool const keeps_order = may_take_token(n.code);
            if (!read[i] && !keeps_order) continue;
            for (std::size_t k = 0, count = keeps_order ? n.arity : value_operands(n); k < count; ++k)
                read[index(g_.operand(n, k))] = 1;
        }
        return read;
    }
    // Sorts steps by stage; within a stage loops come before calls (they are independent of each other).
    TRACEXPR_ONCE constexpr void make_steps() {
        std::int32_t last = 0;
        for (loop_info const& l : loops_) last = l.stage > last ? l.stage : last;
        for (std::int32_t const level : level_) last = level > last ? level : last;
        buffer<std::int32_t> first(static_cast<std::size_t>(last) + 2, 0);
        buffer<step> unsorted;
        buffer<std::int32_t> members; // loops, in the order of `unsorted`
        buffer<std::uint8_t> const read = read_values();
        auto const add_calls = [&](bool lookups) {
            for (std::size_t i = 0; i < g_.size(); ++i) {
                bool const looks_up = kind_of(g_.nodes[i]) == kind::lookup;
                if (looks_up != lookups || !(looks_up || storage_[i] == storage_of::call)) continue;
                if (storage_[i] == storage_of::none && !read[i]) continue; // at most its shape is needed
                step s;
                s.call = to_id(i);
                s.stage = storage_[i] == storage_of::call ? level_[i] - 1 : settled_[index(g_.operand(g_.nodes[i], 1))];
                unsorted.push_back(s);
            }
        };
        row_nests nests(g_, {storage_, space_, loop_of_, {}, {}, {}}, level_, loops_);
        add_calls(true); // first: an index that is out of range should stop the run before results are written
        for (std::size_t l = 0; l < loops_.size(); ++l) {
            if (loops_[l].nest >= 0) continue;
            step s;
            s.stage = loops_[l].stage;
            s.loops.first = static_cast<std::uint32_t>(members.size());
            // With a thread for each point, a nest over rows whose elements don't lie together is no faster than one loop.
            bool const has_rows = points_ ? trailing_axes(g_, loops_[l]) > 0 : row_axes_of(g_, loops_[l]) != 0;
            if (merges_ && has_rows && axis_of_short_rows(g_, loops_[l], 12) < 0) nests.collect(l, members, s);
            else members.push_back(static_cast<std::int32_t>(l));
            s.loops.count = static_cast<std::uint32_t>(members.size()) - s.loops.first;
            unsorted.push_back(s);
        }
        add_calls(false);
        for (step const& s : unsorted) ++first[static_cast<std::size_t>(s.stage) + 1];
        for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
        steps_.assign(unsorted.size(), step{});
        for (step const& s : unsorted) steps_[static_cast<std::size_t>(first[static_cast<std::size_t>(s.stage)]++)] = s;
        for (step& s : steps_) {
            std::uint32_t const first_member = s.loops.first;
            s.loops.first = static_cast<std::uint32_t>(order_.size());
            for (std::uint32_t k = 0; k < s.loops.count; ++k) order_.push_back(members[first_member + k]);
        }
    }

    graph_view g_;
    bool merges_, points_;
    bool finds_places_; // do loops find the places of extremes?
    buffer<std::uint32_t> space_;
    buffer<storage_of> storage_;
    buffer<std::int32_t> level_, settled_, cost_, uses_;
    buffer<node_id> users_; // the last user of each node, once asked for
    buffer<std::int32_t> loop_of_;
    buffer<loop_info> loops_;
    hash_index loop_index_;
    buffer<std::int32_t> members_; // how many nodes each loop reduces to or stores
    buffer<std::int32_t> order_;
    buffer<step> steps_;
};

} // namespace detail

TRACEXPR_ONCE constexpr clusters cluster(graph_view const& g, pass_options const& options = {}) {
    detail::clustering c(g, options);
    for (int number = 0; number < detail::clustering::walks; ++number) c.walk(number);
    return std::move(c).formed();
}

} // namespace tx

TRACEXPR_END_PASSES
