// This file computes Jacobians: it batches one derivative over a basis, and so has the derivatives along every direction.
#pragma once

#include <tracexpr/ad/banded.hpp>
#include <tracexpr/ad/forward.hpp>

namespace tx::ad::detail {

// Gives the basis (size of x, x's axes...): part i has a 1 at element i of x, and 0 elsewhere. The cast's bits tell that nothing
// depends on the elements that are 0 (passes/element_values.hpp).
constexpr value basis_of(value const& x) {
    graph& g = x.owner();
    std::int64_t const size = x.shape().size();
    attribute_list const along(0);
    value numbers;
    if (size != dyn) {
        numbers = {g, g.append(op::iota, dtype::int64, dims{{size}, 1}, {}, along)};
    } else {
        node_id const flat[]{(x.rank() == 1 ? x : unary(op::reshape, x, attribute_list(-1))).id()};
        numbers = {g, g.append(op::iota, dtype::int64, dims{{dyn}, 1}, flat, along)};
    }
    value const rows = expand(numbers, 1, x.rank());
    node_id const same[]{equal(rows, reshape_like(numbers, x)).id()};
    return {g, g.append(op::cast, x.type(), dims(g.shape_of(same[0])), same, {}, {1, 0})};
}

// Reshapes elements in row-major order to (a's axes..., b's axes...).
constexpr value shaped_as_both(value const& from, value const& a, value const& b) {
    attribute_list extents;
    int open = 0;
    for (value const& part : {a, b})
        for (int axis = 0; axis < part.rank(); ++axis) {
            extents.push_back(part.shape()[axis]); // tx::dyn is the code for an extent that follows from the size.
            open += part.shape()[axis] == dyn;
        }
    if (open <= 1) return unary(op::reshape, from, extents);
    return record(op::reshape, {from, shape_of_both(expand(a, a.rank(), b.rank()), b)});
}

// Records the Jacobian of each result with respect to each source, (result's axes..., source's axes...).
class jacobian_blocks {
public:
    constexpr jacobian_blocks(trace_scope& scope, table_view<node_id> results, table_view<node_id> sources, bool forward)
        : scope_{scope}, graph_{scope.recorded}, effects_{effects_between::sources_and_now(scope, sources)}, results_(results),
          sources_(sources), forward_{forward}, block_(results.size() * sources.size(), node_id::none) {}

    constexpr void fill(bool symmetric) {
        if (forward_)
            for (std::size_t k = 0; k < sources_.size(); ++k) fill_columns(k, symmetric);
        else
            for (std::size_t k = 0; k < results_.size(); ++k) fill_rows(k);
    }
    constexpr buffer<node_id> release() { return std::move(block_); }
    constexpr bool has_collectives() const {
        for (bool const is_one : collectives_within(scope_, effects_))
            if (is_one) return true;
        return false;
    }

private:
    constexpr node_id& at(std::size_t result, std::size_t source) { return block_[result * sources_.size() + source]; }
    // Calls derive(direction) once, which is recorded for the directions of all elements of x, and then store(k, result k). A
    // result has the axis of x's elements in front, or behind all others in forward mode. This function stands in front of its
    // callers because Clang evaluates no template whose body comes later.
    template <class Derive, class Store>
    constexpr void for_each_direction(value const& x, Derive const& derive, Store const& store) {
        if (x.rank() < 0) throw_unbatchable(x.shape());
        if (x.rank() == 0) {
            buffer<value> const out = derive(x.like(1));
            for (std::size_t k = 0; k < out.size(); ++k) store(k, out[k]);
            return;
        }
        value const basis = basis_of(x);
        bool const is_vector = x.rank() == 1 && x.shape().is_static() && scope_.rules.empty() && !has_collectives();
        auto* const banded = is_vector ? scope_.own(new banded_pass(scope_, basis)) : nullptr;
        batching_pass* const pass = banded ? banded : scope_.own(new batching_pass(scope_, {basis, x.shape().size()}));
        recorded_so_far const before(scope_);
        buffer<value> const out = derive({graph_, banded ? banded->direction() : pass->example_of(basis)});
        buffer<node_id> targets;
        for (value const& v : out)
            if (!v.is_zero()) targets.push_back(v.id());
        before.add_what_all_ranks_have_since(scope_, targets);
        pass->run(targets);
        if (scope_.token != before.token)
            scope_.token = (*pass)[scope_.token].id; // Collectives are done for all directions at once.
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (out[k].is_zero()) {
                store(k, out[k]);
            } else if (banded) {
                store(k, banded->filled(out[k].id(), forward_));
            } else {
                value const stacked(graph_, pass->for_output(out[k].id()).id);
                store(k, forward_ ? with_moved_axis(stacked, 0, stacked.rank() - 1) : stacked);
            }
        }
    }
    constexpr void fill_columns(std::size_t source, bool symmetric) {
        value const x(graph_, sources_[source]);
        buffer<node_id> results = results_;
        while (symmetric && results.size() > source + 1) results.pop_back();
        for_each_direction(
            x,
            [&](value const& step) {
                forward_pass pass(scope_, sources_, true, {}, effects_);
                pass.set(x.id(), step);
                pass.run(results);
                buffer<value> out;
                for (node_id const y : results) out.push_back(pass.tangent(y));
                return out;
            },
            [&](std::size_t k, value const& y) {
                value const target(graph_, results_[k]);
                if (y.is_zero()) at(k, source) = zeros(target, x).id();
                else at(k, source) = (x.rank() <= 1 ? y : shaped_as_both(y, target, x)).id();
            });
        for (std::size_t k = 0; symmetric && k < source; ++k) {
            int const rank = value(graph_, sources_[k]).rank();
            at(source, k) = mirrored({graph_, at(k, source)}, rank, x.rank()).id();
        }
    }
    // Gives (z..., x..., y...) from (z..., y..., x...), where z are the gradient's own axes, and x and y those of two arguments.
    static constexpr value mirrored(value const& block, int first, int second) {
        int const before = block.rank() - first - second;
        attribute_list order;
        for (int axis = 0; axis < before; ++axis) order.push_back(axis);
        for (int axis = 0; axis < second; ++axis) order.push_back(before + first + axis);
        for (int axis = 0; axis < first; ++axis) order.push_back(before + axis);
        return first && second ? unary(op::transpose, block, order) : block;
    }
    constexpr void fill_rows(std::size_t result) {
        value const y(graph_, results_[result]);
        for_each_direction(
            y,
            [&](value const& cotangent) {
                reverse_pass pass(scope_, sources_, {}, effects_);
                pass.add(y.id(), cotangent);
                pass.run();
                buffer<value> out;
                for (node_id const x : sources_) out.push_back(pass.gradient(x));
                return out;
            },
            [&](std::size_t k, value const& gradient) {
                value const x(graph_, sources_[k]);
                if (gradient.is_zero()) at(result, k) = zeros(y, x).id();
                else at(result, k) = (y.rank() <= 1 ? gradient : shaped_as_both(gradient, y, x)).id();
            });
    }
    constexpr value zeros(value const& y, value const& x) const {
        value const shape = shape_of_both(expand(y, y.rank(), x.rank()), x);
        return broadcast_like((forward_ ? y : x).like(0), shape);
    }

    trace_scope& scope_;
    graph& graph_;
    effects_between effects_; // of the function, before any of its derivatives
    buffer<node_id> results_, sources_;
    bool forward_;
    buffer<node_id> block_;
};
constexpr buffer<node_id> jacobians_here(trace_scope& scope, table_view<node_id> results, table_view<node_id> sources,
                                         bool forward, bool symmetric) {
    jacobian_blocks blocks(scope, results, sources, forward);
    // A custom rule may give what is no gradient, and each rank has its own directions; neither Jacobian need be symmetric.
    blocks.fill(symmetric && results.size() == sources.size() && scope.rules.empty() && !blocks.has_collectives());
    return blocks.release();
}

} // namespace tx::ad::detail
