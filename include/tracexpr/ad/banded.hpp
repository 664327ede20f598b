// This file takes derivatives along every direction of a vector at once where most of them are zero. The directions form the unit
// matrix. Pointwise ops, slices and their adjoints on a (directions, elements) matrix leave all but some diagonals zero, and only
// those diagonals are kept, as vectors: the Hessian of interactions between neighbours costs n, not n^2. Where an op fills the
// matrix, batching continues as for any batch.
#pragma once

#include <tracexpr/ad/batching.hpp>

namespace tx::ad {

// diagonal_part is a part of one diagonal of the (directions, elements) matrix: element j, for `count` elements from `first` on,
// has a slope in direction j + offset.
struct diagonal_part {
    std::int64_t offset = 0, first = 0, count = 0;
    value entries; // The shape is (count), or () where one number stands for all of them.

    constexpr bool has_place_of(diagonal_part const& b) const {
        return offset == b.offset && first == b.first && count == b.count;
    }
    constexpr diagonal_part with(value const& other) const { return {offset, first, count, other}; }
    // Gives x at this part's elements; x has one number for each element of the vector or one for all.
    constexpr value at_elements(value const& x) const {
        if (x.rank() == 0) return x;
        if (x.shape()[0] == 1) return unary(op::squeeze, x, attribute_list(0));
        return first == 0 && count == x.shape()[0] ? x : slice(x, 0, first, first + count);
    }
    // Gives the entries of elements from .. to - 1 as a vector.
    constexpr value vector(std::int64_t from, std::int64_t to) const {
        if (entries.rank() == 0) return unary(op::broadcast_to, entries, attribute_list(to - from));
        return to - from == count ? entries : slice(entries, 0, from - first, to - first);
    }
};

class banded_pass final : public batching_pass {
public:
    // `basis` is the unit matrix.
    constexpr banded_pass(trace_scope& scope, value const& basis)
        : batching_pass(scope, {basis, basis.shape()[0]}), directions_{basis.shape()[0]}, direction_{example_of(basis)} {
        diagonals whole;
        whole.parts.push_back({0, 0, directions_, basis.like(1)});
        whole.is_filled = true;
        remember(direction_, whole);
    }
    constexpr ~banded_pass() override {}
    constexpr replayed for_output(node_id one) override { return batching_pass::for_output(one); }
    constexpr node_id for_input(node_id input, node_id given) override { return batching_pass::for_input(input, given); }

    // Gives the node that stands for any one of the directions.
    constexpr node_id direction() const { return direction_; }
    // Gives what a node that was asked for has become: (directions, elements...), or with directions_last (elements...,
    // directions).
    constexpr value filled(node_id one, bool directions_last) {
        diagonals const* const known = find(one);
        if (known && directions_last) return matrix_of(*known, {graph_, one}, true);
        if (known) fill(one);
        value const all(graph_, batching_pass::for_output(one).id);
        if (!directions_last) return all;
        attribute_list order;
        for (int axis = 1; axis < all.rank(); ++axis) order.push_back(axis);
        order.push_back(0);
        return all.rank() == 1 ? all : unary(op::transpose, all, order);
    }

protected:
    constexpr replayed record(node_id id) override {
        diagonals out;
        value const y(graph_, id);
        bool any = false;
        for (std::size_t k = 0; k < y.get().arity; ++k) any = any || find(y.operand(k).id());
        if (any && y.code() == op::sum && y.operand(0).rank() == 1) return {total_of(y).id(), true};
        if (any && y.rank() == 1 && y.shape().is_static() && stays_banded(y, out) && out.parts.size() <= most_parts) {
            remember(id, out);
            return {direction_, true}; // The direction stands for the result until fill() makes its matrix.
        }
        for (std::size_t k = 0; k < y.get().arity; ++k) fill(y.operand(k).id());
        return batching_pass::record(id);
    }
    constexpr bool differs(node_id id) const override { return batching_pass::differs(id); }

private:
    static constexpr std::size_t most_parts = 16;
    struct diagonals {
        buffer<diagonal_part> parts;
        bool is_filled = false; // This tells whether there is a matrix, too.
    };

    constexpr diagonals* find(node_id id) {
        std::size_t const i = index(id);
        return i < place_.size() && place_[i] ? &known_[place_[i] - 1] : nullptr;
    }
    constexpr void remember(node_id id, diagonals const& d) {
        if (index(id) >= place_.size()) {
            buffer<std::uint32_t> more(2 * index(id) + 1);
            for (std::size_t i = 0; i < place_.size(); ++i) more[i] = place_[i];
            place_ = std::move(more);
        }
        known_.push_back(d);
        place_[index(id)] = static_cast<std::uint32_t>(known_.size());
    }
    constexpr void fill(node_id id) {
        diagonals* const d = find(id);
        if (!d || d->is_filled) return;
        d->is_filled = true;
        replace(id, {matrix_of(*d, {graph_, id}, false).id(), true});
    }
    constexpr value zeros(value const& like, std::int64_t count) const {
        return unary(op::broadcast_to, like.like(0), attribute_list(count));
    }

    constexpr value matrix_of(diagonals const& d, value const& one, bool directions_last) const {
        std::int64_t const n = directions_, m = one.shape()[0], row = directions_last ? n : m;
        value flat = zeros(one, n * m);
        for (diagonal_part const& part : d.parts) {
            std::int64_t const from = part.first > -part.offset ? part.first : -part.offset;
            std::int64_t const behind = part.first + part.count, to = behind < n - part.offset ? behind : n - part.offset;
            if (from >= to) continue;
            std::int64_t const start = from * (row + 1) + part.offset * (directions_last ? 1 : m);
            flat = view_add(flat, part.vector(from, to), op::slice,
                            attribute_list(start, start + (to - from - 1) * (row + 1) + 1, row + 1));
        }
        return unary(op::reshape, flat, directions_last ? attribute_list(m, n) : attribute_list(n, m));
    }
    // Gives the sum of a vector's elements for each direction.
    constexpr value total_of(value const& y) {
        value out = zeros(y, directions_);
        for (diagonal_part const& part : find(y.operand(0).id())->parts) {
            std::int64_t const from = part.first > -part.offset ? part.first : -part.offset;
            std::int64_t const behind = part.first + part.count,
                               to = behind < directions_ - part.offset ? behind : directions_ - part.offset;
            if (to - from == directions_ && out.code() == op::broadcast_to) out = part.vector(from, to);
            else if (from < to)
                out = view_add(out, part.vector(from, to), op::slice, attribute_list(from + part.offset, to + part.offset, 1));
        }
        return y.rank() == 1 ? unary(op::expand_dims, out, attribute_list(1)) : out;
    }

    // Adds the diagonals of operand k, moved by `moved_by` elements, to `out`; a constant zero has none. Gives false for an
    // operand that is neither.
    constexpr bool takes(value const& y, std::size_t k, diagonals& out, std::int64_t moved_by = 0) {
        value const x = y.operand(k);
        if (diagonals const* const known = find(x.id())) {
            for (diagonal_part part : known->parts) {
                part.first += moved_by, part.offset -= moved_by;
                add(out, part);
            }
            return true;
        }
        return !changes(x.id()) && is_literal(x, 0);
    }
    static constexpr void add(diagonals& to, diagonal_part const& more) {
        for (diagonal_part& part : to.parts)
            if (part.has_place_of(more)) {
                part.entries = part.entries + more.entries;
                return;
            }
        to.parts.push_back(more);
    }
    template <class F> static constexpr void change_entries(diagonals& d, F const& f) {
        for (diagonal_part& part : d.parts) part.entries = f(part);
    }
    constexpr bool has_own_extent(value const& y, std::size_t k) const { return y.operand(k).shape() == y.shape(); }

    constexpr bool stays_banded(value const& y, diagonals& out) {
        switch (y.code()) {
        case op::mark: return takes(y, 0, out);
        case op::broadcast_to:
        case op::reshape: return has_own_extent(y, 0) && takes(y, 0, out);
        case op::pad:
            return y.attributes()[0] >= 0 && y.attributes()[1] >= 0 && is_literal(y.operand(1), 0) &&
                   takes(y, 0, out, y.attributes()[0]);
        case op::concatenate: {
            std::int64_t before = 0;
            for (std::size_t k = 0; k < y.get().arity; before += y.operand(k++).shape()[0])
                if (!takes(y, k, out, before)) return false;
            return true;
        }
        case op::view_add: {
            axis_map const to = updated_map(y.shape(), y.attributes());
            return is_stretch(to) && takes(y, 0, out) && takes(y, 1, out, to.start[0]);
        }
        default:
            return info(y.code()).kind == kind::view ? viewed(y, out)
                                                     : info(y.code()).kind == kind::pointwise && pointwise(y, out);
        }
    }
    // Tells whether the map gives consecutive elements of a vector as a vector.
    static constexpr bool is_stretch(axis_map const& m) { return m.shape.rank == 1 && m.count == 1 && m.steps[0].by == 1; }
    constexpr bool viewed(value const& y, diagonals& out) {
        diagonals whole;
        if (y.get().arity != 1 || y.operand(0).rank() != 1) return false;
        axis_map const m = view_map(y.code(), y.operand(0).shape(), y.attributes());
        if (!is_stretch(m) || !takes(y, 0, whole)) return false;
        for (diagonal_part const& part : whole.parts) {
            std::int64_t const behind = part.first + part.count, start = m.start[0], last = start + m.shape[0];
            std::int64_t const from = part.first > start ? part.first : start, to = behind < last ? behind : last;
            if (from >= to) continue;
            value const entries = part.entries.rank() ? part.vector(from, to) : part.entries;
            out.parts.push_back({part.offset + start, from - start, to - from, entries});
        }
        return true;
    }
    // Handles the pointwise ops that are linear in the operands with diagonals.
    constexpr bool pointwise(value const& y, diagonals& out) {
        std::size_t const count = y.get().arity;
        for (std::size_t k = 0; k < count; ++k)
            if (find(y.operand(k).id()) && !has_own_extent(y, k)) return false;
        switch (y.code()) {
        case op::negative:
        case op::cast:
            if (!is_floating(y.type()) || !takes(y, 0, out)) return false;
            change_entries(out, [&](diagonal_part const& part) {
                return y.code() == op::cast ? cast(part.entries, y.type()) : -part.entries;
            });
            return true;
        case op::add: return takes(y, 0, out) && takes(y, 1, out);
        case op::subtract: {
            diagonals second;
            if (!takes(y, 0, out) || !takes(y, 1, second)) return false;
            for (diagonal_part const& part : second.parts) add(out, part.with(-part.entries));
            return true;
        }
        case op::multiply:
        case op::divide: {
            std::size_t const of = find(y.operand(0).id()) ? 0 : 1;
            value const other = y.operand(1 - of);
            if (changes(other.id()) || (of == 1 && y.code() == op::divide) || !takes(y, of, out)) return false;
            change_entries(out, [&](diagonal_part const& part) {
                value const weight = part.at_elements(other);
                return y.code() == op::divide ? part.entries / weight : part.entries * weight;
            });
            return true;
        }
        case op::where: return chosen(y, out);
        default: return false;
        }
    }
    constexpr bool chosen(value const& y, diagonals& out) {
        diagonals second;
        value const condition = y.operand(0);
        if (changes(condition.id()) || !takes(y, 1, out) || !takes(y, 2, second)) return false;
        change_entries(out, [&](diagonal_part const& part) { return where(part.at_elements(condition), part.entries, value{}); });
        for (diagonal_part const& part : second.parts)
            add(out, part.with(where(part.at_elements(condition), value{}, part.entries)));
        return true;
    }

    std::int64_t directions_;
    node_id direction_;
    buffer<diagonals> known_;
    buffer<std::uint32_t> place_; // The place of each node in known_, counted from 1; 0 for none.
};

} // namespace tx::ad
