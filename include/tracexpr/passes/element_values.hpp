// This file represents small values, one at each index of a long first axis (a place), by their elements: each element is a node
// whose only axis is the places. This file writes out what each op computes of the elements; an element that is known to be zero
// has no node.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/fold.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// element_index is an index into a value; it runs in row-major order.
struct element_index {
    std::int64_t at[max_rank]{};

    TRACEXPR_ONCE constexpr void next(dims const& d) {
        for (int axis = d.rank; axis-- > 0;) {
            if (++at[axis] < d[axis]) return;
            at[axis] = 0;
        }
    }
    // Returns the number of the element which stands at this index when a value of extents `own` is broadcast to `rank` axes.
    TRACEXPR_ONCE constexpr std::int64_t number_in(dims const& own, int rank) const {
        std::int64_t number = 0;
        for (int axis = 0; axis < own.rank; ++axis)
            number = number * own[axis] + (own[axis] == 1 ? 0 : at[axis + rank - own.rank]);
        return number;
    }
};

class element_values {
public:
    // placed[i] says that the first axis of node i is the places; `like` has as many places along its first axis. `moved` knows
    // what has become of nodes that are not written out.
    constexpr element_values(graph_view const& g, table_view<bool> placed, node_id like, graph& to, graph_copier& moved)
        : g_{g}, placed_{placed}, like_{like}, to_{to}, moved_{moved}, first_(g.size(), -1), places_{g.shape_of(like)[0]} {}
    constexpr ~element_values() {} // nvcc 13 does not take the implicit one for constexpr

    TRACEXPR_ONCE static constexpr bool is_written(node const& n) {
        kind const k = info(n.code).kind;
        return k == kind::pointwise || k == kind::structure || k == kind::reduction || n.code == op::matmul ||
               n.code == op::view_add || (k == kind::view && n.code != op::sum_to && n.code != op::barrier);
    }
    TRACEXPR_ONCE static constexpr bool is_known(node const& n) {
        return n.code == op::literal || n.code == op::constant || (n.code == op::iota && n.arity == 0);
    }
    // Writes out a node whose operands are written out or can be split into elements.
    TRACEXPR_ONCE constexpr void write(node_id id) {
        node const& n = g_[id];
        buffer<node_id> made;
        switch (info(n.code).kind) {
        case kind::leaf: made = numbers(id); break;
        case kind::pointwise: made = pointwise(id); break;
        case kind::view: made = viewed(id); break;
        case kind::structure:
            if (n.code == op::pad) made = padded(id);
            else made = concatenated(id);
            break;
        case kind::reduction: made = reduced(id); break;
        case kind::update: made = updated(id); break;
        default: made = product(id); break;
        }
        keep(id, made);
    }
    // Puts a value together from its elements, for nodes that are not written out.
    TRACEXPR_ONCE constexpr node_id joined(node_id id) {
        dims const d = local(id);
        bool const placed = placed_[index(id)];
        buffer<node_id> pieces;
        for (std::int64_t k = 0; k < d.size(); ++k) {
            node_id const piece = number(element(id, k), g_[id].type);
            pieces.push_back(placed ? spread(piece) : piece);
        }
        int const own = placed ? 1 : 0;
        if (pieces.size() == 1) {
            buffer<std::int64_t> axes;
            for (int axis = own; axis < d.rank; ++axis) axes.push_back(axis);
            return axes.empty() ? pieces[0] : view(op::expand_dims, pieces[0], axes);
        }
        std::int64_t const behind[]{own};
        for (node_id& piece : pieces) piece = view(op::expand_dims, piece, behind);
        dims shape = to_.shape_of(pieces[0]);
        shape[own] = static_cast<std::int64_t>(pieces.size());
        node_id const rows = to_.append(op::concatenate, g_[id].type, shape, pieces, behind);
        return d.rank == own + 1 ? rows : view(op::reshape, rows, extents(id, d));
    }
    constexpr std::size_t size() const { return elements_.size(); }

private:
    // Returns a value's extents at one place.
    TRACEXPR_ONCE constexpr dims local(node_id id) const {
        dims d = g_.shape_of(id);
        if (placed_[index(id)]) d[0] = 1;
        return d;
    }
    TRACEXPR_ONCE constexpr buffer<std::int64_t> extents(node_id id, dims const& d) const {
        buffer<std::int64_t> out;
        for (int axis = 0; axis < d.rank; ++axis) out.push_back(d[axis]);
        if (placed_[index(id)]) out[0] = places_ == dyn ? -2 : places_;
        return out;
    }
    constexpr node_id view(op code, node_id x, table_view<std::int64_t> attributes) {
        return append_view(to_, code, x, attributes);
    }
    constexpr node_id literal(dtype type, literal_bits bits) { return to_.append(op::literal, type, dims{}, {}, {}, bits); }

    TRACEXPR_ONCE constexpr void keep(node_id id, table_view<node_id> made) {
        first_[index(id)] = static_cast<std::int64_t>(elements_.size());
        for (node_id const e : made) elements_.push_back(e);
    }
    // Returns the node of an element; none says that it is zero, even if multiplied by an infinity or a NaN.
    TRACEXPR_ONCE constexpr node_id element(node_id of, std::int64_t k) {
        if (first_[index(of)] < 0) split(of);
        return elements_[static_cast<std::size_t>(first_[index(of)] + k)];
    }
    constexpr node_id number(node_id element, dtype type) { return element == node_id::none ? literal(type, {}) : element; }
    // Splits a value that is not written out into its elements.
    TRACEXPR_ONCE constexpr void split(node_id id) {
        dims const d = local(id);
        std::int64_t const count = d.size();
        int const own = placed_[index(id)] ? 1 : 0;
        node_id x = moved_[id];
        buffer<node_id> out;
        buffer<std::int64_t> axes;
        for (int axis = own; axis < d.rank; ++axis) axes.push_back(axis);
        if (axes.empty()) {
            out.push_back(x);
        } else if (count == 1) {
            out.push_back(view(op::squeeze, x, axes));
        } else {
            dims const flat = own ? dims{{1, count}, 2} : dims{{count}, 1};
            if (d.rank != flat.rank) x = view(op::reshape, x, extents(id, flat));
            std::int64_t const swapped[]{1, 0}, first_axis[]{0};
            if (own) x = view(op::transpose, x, swapped);
            for (std::int64_t k = 0; k < count; ++k) {
                buffer<std::int64_t> bounds;
                for (std::int64_t const bound : {k, k + 1, std::int64_t{1}}) bounds.push_back(bound);
                if (own)
                    for (std::int64_t const bound : {slice_open, slice_open, std::int64_t{1}}) bounds.push_back(bound);
                out.push_back(view(op::squeeze, view(op::slice, x, bounds), first_axis));
            }
        }
        keep(id, out);
    }
    // Broadcasts a number to all places.
    TRACEXPR_ONCE constexpr node_id spread(node_id x) {
        if (to_.shape_of(x).rank == 1) return x;
        std::int64_t const target[]{places_};
        if (places_ != dyn) return view(op::broadcast_to, x, target);
        node_id const operands[]{x, element(like_, 0)};
        return to_.append(op::broadcast_to, to_[x].type, dims{{dyn}, 1}, operands);
    }

    // `type` is the result's dtype, `from` that of the operands other than a condition.
    TRACEXPR_ONCE constexpr node_id applied(op code, dtype type, dtype from, table_view<node_id> given) {
        node_id const none = node_id::none, a = given[0], b = given.size() > 1 ? given[1] : none;
        node_id const c = given.size() > 2 ? given[2] : none;
        switch (code) {
        case op::negative:
        case op::cast:
            if (a == none && is_floating(type)) return none;
            break;
        case op::add:
            if (a == none || b == none) return a == none ? b : a;
            break;
        case op::subtract:
            if (b == none) return a;
            if (a == none) return applied(op::negative, type, type, {&b, 1});
            break;
        case op::multiply:
            if (a == none || b == none) return none;
            break;
        case op::divide:
            if (a == none) return none;
            break;
        case op::where:
            if (b == none && c == none) return none;
            break;
        case op::fma:
            if (a == none || b == none) return c;
            if (c == none) return applied(op::multiply, type, type, given.subspan(0, 2));
            break;
        default: break;
        }
        buffer<node_id> operands;
        literal_bits bits[3]{};
        bool all_known = true, placed = false;
        for (std::size_t k = 0; k < given.size(); ++k) {
            operands.push_back(number(given[k], from));
            node const& x = to_[operands[k]];
            all_known = all_known && x.code == op::literal;
            bits[k] = {x.bits[0], x.bits[1]};
            placed = placed || to_.shape_of(operands[k]).rank == 1;
        }
        if (all_known) {
            rules::folded const known =
                code == op::cast ? rules::fold_cast(bits[0], to_[operands[0]].type, type) : fold(code, from, bits);
            if (known.known) return literal(type, known.bits);
        }
        return to_.append(code, type, placed ? dims{{places_}, 1} : dims{}, operands);
    }
    TRACEXPR_ONCE constexpr bool is_zero(node_id e) const {
        return e != node_id::none && to_[e].code == op::literal && to_[e].bits[0] == 0 && to_[e].bits[1] == 0;
    }

    TRACEXPR_ONCE constexpr buffer<node_id> numbers(node_id id) {
        node const& n = g_[id];
        buffer<node_id> out;
        dims const d = g_.shape_of(id);
        std::size_t const words = is_complex(n.type) ? 2 : 1;
        element_index i;
        for (std::int64_t k = 0; k < d.size(); ++k, i.next(d)) {
            literal_bits bits{n.bits[0], n.bits[1]};
            if (n.code == op::iota) {
                std::int64_t const place = i.at[g_.attributes_of(n)[0]];
                bits = rules::fold_cast({static_cast<std::uint64_t>(place), 0}, dtype::int64, n.type).bits;
            } else if (n.code == op::constant) {
                std::uint64_t const* const from = &g_.blob[n.bits[0] + static_cast<std::size_t>(k) * words];
                bits = {from[0], words == 2 ? from[1] : 0};
            }
            out.push_back(literal(n.type, bits));
        }
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> pointwise(node_id id) {
        node const& n = g_[id];
        dims const d = local(id);
        buffer<node_id> out, given;
        element_index i;
        for (std::int64_t k = 0; k < d.size(); ++k, i.next(d)) {
            given.clear();
            for (std::size_t o = 0; o < n.arity; ++o) {
                node_id const x = g_.operand(n, o);
                node_id e = element(x, i.number_in(local(x), d.rank));
                if (n.code == op::where && o == 0) e = number(e, dtype::boolean);
                given.push_back(e);
            }
            node_id const made = applied(n.code, n.type, g_[g_.operand(n, n.arity - 1)].type, given);
            out.push_back(n.code == op::cast && n.bits[0] && is_zero(made) ? node_id::none : made);
        }
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> viewed(node_id id) {
        node const& n = g_[id];
        node_id const x = g_.operand(n, 0);
        dims const d = local(id), from = local(x);
        axis_map const m =
            view_map(n.code, g_.shape_of(x), g_.attributes_of(n), n.arity > 1 ? &g_.shape_of(g_.operand(n, 1)) : nullptr);
        strided_place const place = m.keeps_numbers ? strided_place{} : place_in(from, m);
        buffer<node_id> out;
        element_index i;
        for (std::int64_t k = 0; k < d.size(); ++k, i.next(d)) {
            std::int64_t at = m.keeps_numbers ? k : place.offset;
            for (int axis = 0; axis < d.rank; ++axis) at += place.stride[axis] * i.at[axis];
            out.push_back(element(x, at));
        }
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> concatenated(node_id id) {
        node const& n = g_[id];
        int const along = static_cast<int>(g_.attributes_of(n)[0]);
        dims const d = local(id);
        buffer<node_id> out;
        element_index i;
        for (std::int64_t k = 0; k < d.size(); ++k, i.next(d)) {
            element_index part = i;
            std::size_t o = 0;
            while (part.at[along] >= local(g_.operand(n, o))[along]) part.at[along] -= local(g_.operand(n, o++))[along];
            node_id const x = g_.operand(n, o);
            out.push_back(element(x, part.number_in(local(x), d.rank)));
        }
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> padded(node_id id) {
        node const& n = g_[id];
        node_id const x = g_.operand(n, 0);
        dims const d = local(id), from = local(x);
        buffer<node_id> out;
        element_index i;
        for (std::int64_t k = 0; k < d.size(); ++k, i.next(d)) {
            element_index part = i;
            bool within = true;
            for (int axis = 0; axis < d.rank; ++axis) {
                part.at[axis] -= g_.attributes_of(n)[2 * static_cast<std::size_t>(axis)];
                within = within && part.at[axis] >= 0 && part.at[axis] < from[axis];
            }
            out.push_back(within ? element(x, part.number_in(from, d.rank)) : element(g_.operand(n, 1), 0));
        }
        return out;
    }
    // Combines many values pairwise in a balanced tree, so that sums are rounded less often.
    TRACEXPR_ONCE constexpr node_id combined(op by, dtype type, table_view<node_id> all) {
        if (all.size() == 1) return all[0];
        std::size_t const half = all.size() / 2;
        node_id const two[]{combined(by, type, all.subspan(0, half)), combined(by, type, all.subspan(half))};
        return applied(by, type, type, two);
    }
    TRACEXPR_ONCE constexpr buffer<node_id> reduced(node_id id) {
        node const& n = g_[id];
        node_id const x = g_.operand(n, 0);
        dims const d = local(id), from = local(x);
        attribute_span const attributes = g_.attributes_of(n);
        std::uint32_t reduced_axes = 0;
        for (std::int64_t const axis : attributes.subspan(1)) reduced_axes |= 1u << axis;
        bool const over_places = placed_[index(x)] && (reduced_axes & 1u);
        buffer<buffer<node_id>> groups(static_cast<std::size_t>(d.size()));
        element_index i;
        for (std::int64_t k = 0; k < from.size(); ++k, i.next(from)) {
            std::int64_t number = 0;
            for (int axis = 0; axis < from.rank; ++axis)
                if (!(reduced_axes >> axis & 1u)) number = number * from[axis] + i.at[axis];
            groups[static_cast<std::size_t>(number)].push_back(element(x, k));
        }
        buffer<node_id> out;
        for (buffer<node_id> const& group : groups) {
            node_id e = combined(info(n.code).combines.by, n.type, group);
            if (over_places && !(e == node_id::none && n.code == op::sum)) {
                node_id const operand[]{spread(number(e, n.type))};
                std::int64_t const first_axis[]{attributes[0] & ~std::int64_t{1}, 0};
                e = to_.append(n.code, n.type, dims{}, operand, first_axis);
            }
            out.push_back(e);
        }
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> product(node_id id) {
        node const& n = g_[id];
        node_id const a = g_.operand(n, 0), b = g_.operand(n, 1);
        dims const d = local(id), of_a = local(a), of_b = local(b);
        std::int64_t const inner = of_a[of_a.rank - 1];
        bool const are_flags = n.type == dtype::boolean;
        buffer<node_id> out;
        element_index i;
        for (std::int64_t k = 0; k < d.size(); ++k, i.next(d)) {
            node_id sum = node_id::none;
            for (std::int64_t j = 0; j < inner; ++j) {
                element_index left = i, right = i;
                left.at[d.rank - 1] = right.at[d.rank - 2] = j;
                node_id const two[]{element(a, left.number_in(of_a, d.rank)), element(b, right.number_in(of_b, d.rank))};
                node_id const more[]{sum, applied(are_flags ? op::logical_and : op::multiply, n.type, n.type, two)};
                sum = j == 0 ? more[1] : applied(are_flags ? op::logical_or : op::add, n.type, n.type, more);
            }
            out.push_back(sum);
        }
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> updated(node_id id) {
        node const& n = g_[id];
        node_id const base = g_.operand(n, 0), added = g_.operand(n, 1);
        dims const d = local(id), part = local(added);
        axis_map const m = updated_map(g_.shape_of(base), g_.attributes_of(n));
        strided_place const place = m.keeps_numbers ? strided_place{} : place_in(d, m);
        buffer<node_id> out;
        for (std::int64_t k = 0; k < d.size(); ++k) {
            node_id const e = element(base, k);
            out.push_back(n.bits[0] && is_zero(e) ? node_id::none : e);
        }
        element_index i;
        for (std::int64_t k = 0; k < part.size(); ++k, i.next(part)) {
            std::int64_t at = m.keeps_numbers ? k : place.offset;
            for (int axis = 0; axis < part.rank; ++axis) at += place.stride[axis] * i.at[axis];
            node_id const two[]{out[static_cast<std::size_t>(at)], element(added, k)};
            out[static_cast<std::size_t>(at)] = applied(op::add, n.type, n.type, two);
        }
        return out;
    }

    graph_view g_;
    table_view<bool> placed_;
    node_id like_; // a value that can be split
    graph& to_;
    graph_copier& moved_;
    buffer<std::int64_t> first_; // for each node, its first element in elements_; -1: it has none yet
    buffer<node_id> elements_;
    std::int64_t places_;
};

} // namespace tx::detail

TRACEXPR_END_PASSES
