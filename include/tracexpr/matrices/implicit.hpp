// This file gives derivatives to solutions of linear systems whose matrix is known only by its products. They follow from the
// equations that the solution satisfies, not from the steps of the solver. With A(p) x = b the tangent solves A dx = db - (dA) x;
// for a cotangent u of x, the cotangent of b is l with A^T l = u, and that of p is the gradient of -l^T A(p) x, with l and x
// fixed. (Christianson, Reverse accumulation and implicit functions, 1998)
#pragma once

#include <tracexpr/transforms/custom_derivative.hpp>

namespace tx::detail {

// A linear_system names recorded nodes which derivatives copy with other inputs: the product with the matrix as a function of
// `vector`, and the solutions as functions of `sides`, with the matrix ([0]) and with its transpose ([1]), which may be the same
// nodes.
struct linear_system final : scope_owned {
    std::size_t first = 0; // index of the first node that may be copied; all nodes named here are newer
    node_id vector{}, product{};
    node_id sides[2]{}, solutions[2]{};

    constexpr ~linear_system() override {}
};

// Records the derivatives of one of the solutions of a linear_system, with respect to its right side and to the nodes of the
// trace that the product reads.
class solution_rule final : public custom_rule {
public:
    constexpr solution_rule(trace_scope& scope, linear_system const& system, bool transposed)
        : scope_{scope}, system_{system}, transposed_{transposed} {}
    constexpr ~solution_rule() override {} // g++ 12 uses the implicit one before it defines it

    TRACEXPR_ONCE constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool>) const override {
        node_id const dual = solution(!transposed_, cotangents[0]);
        node_id const at = transposed_ ? dual : outputs[0];
        node_id const seeds[]{negated(transposed_ ? outputs[0] : dual)}, of[]{system_.product};
        buffer<node_id> out;
        out.push_back(dual);
        for (node_id const id : ad::cotangents(scope_, read_nodes(), of, seeds))
            out.push_back(id == node_id::none ? id : copied_with(system_.vector, at, id));
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        graph& g = scope_.recorded;
        node_id place = system_.vector;
        node_id of[]{system_.product};
        if (transposed_) { // the transposed product, which is linear in the placeholder `place`
            place = g.append_placeholder(g[outputs[0]].type, dims(g.shape_of(outputs[0])));
            node_id const from[]{system_.vector}, seeds[]{place};
            of[0] = ad::cotangents(scope_, from, of, seeds)[0];
        }
        buffer<node_id> steps;
        for (std::size_t k = 1; k < tangents.size(); ++k) steps.push_back(tangents[k]);
        node_id side = tangents[0];
        if (of[0] != node_id::none && !steps.empty()) {
            node_id const change = ad::tangents(scope_, read_nodes(), steps, of, {})[0];
            if (change != node_id::none) side = difference(side, copied_with(place, outputs[0], change));
        }
        buffer<node_id> out;
        out.push_back(solution(transposed_, side));
        return out;
    }

private:
    // Gives the nodes that the product reads, without the right side.
    TRACEXPR_ONCE constexpr buffer<node_id> read_nodes() const {
        buffer<node_id> out;
        for (std::size_t k = 1; k < inputs.size(); ++k) out.push_back(inputs[k]);
        return out;
    }
    // Appends a copy of `target` that reads the node `by` in place of the node `place`.
    TRACEXPR_ONCE constexpr node_id copied_with(node_id place, node_id by, node_id target) const {
        node_id const places[]{place}, others[]{by}, targets[]{target};
        return ad::substituted(scope_, system_.first, places, others, targets)[0];
    }
    constexpr node_id solution(bool transposed, node_id side) const {
        return copied_with(system_.sides[transposed], side, system_.solutions[transposed]);
    }
    constexpr node_id negated(node_id x) const { return (-ad::value(scope_.recorded, x)).id(); }
    TRACEXPR_ONCE constexpr node_id difference(node_id a, node_id b) const {
        return (ad::value(scope_.recorded, a) - ad::value(scope_.recorded, b)).id();
    }

    trace_scope& scope_;
    linear_system const& system_;
    bool transposed_;
};

// effects_so_far remembers the effects that a trace has recorded when it is made. Effects happen even if no node reads their
// results.
class effects_so_far {
public:
    constexpr explicit effects_so_far(trace_scope const& scope) : token_{scope.token}, assignments_(scope.assignments) {}

    TRACEXPR_ONCE constexpr bool are_all(trace_scope const& scope) const {
        bool same = scope.token == token_ && scope.assignments.size() == assignments_.size();
        for (std::size_t k = 0; same && k < assignments_.size(); ++k) same = scope.assignments[k].value == assignments_[k].value;
        return same;
    }
    constexpr void restore(trace_scope& scope) const { scope.token = token_, scope.assignments = assignments_; }

private:
    node_id token_;
    buffer<assignment> assignments_;
};

// Computes the product with the transpose of the matrix of a linear callable.
template <class F> struct transposed_product {
    F const& multiply;

    template <class W> constexpr auto operator()(W const& w) const {
        trace_scope& scope = *symbolic_scope(w);
        marker marks(scope);
        buffer<node_id> const to = leaf_nodes(scope, multiply(marks(w))), given = leaf_nodes(scope, w);
        buffer<node_id> from = ad::cotangents(scope, marks.marks(), to, given);
        if (from[0] == node_id::none) from[0] = ad::zeros_like({scope.recorded, given[0]}).id();
        return with_nodes(scope, w, from);
    }
};

// solve(multiply, side) must return the x of multiply(x) = side, and use the matrix only by calling multiply. In a trace the
// solution has the derivatives that follow from the equations; in branches and loops, and for tensors that a tape watches, it has
// those of the solver's steps.
template <bool IsSymmetric, class F, class B, class Solve>
constexpr auto solved_implicitly(F const& multiply, B const& b, Solve const& solve) {
    if constexpr (!expr_type<std::remove_cvref_t<decltype(multiply(b))>>) {
        return solve(multiply, b);
    } else {
        trace_scope& scope = [&]() -> trace_scope& {
            if constexpr (expr_type<B>) return *symbolic_scope(b);
            else return *symbolic_scope(multiply(b));
        }();
        graph& g = scope.recorded;
        auto const given = std::get<0>(inlined_arguments(scope, b));
        using side_type = std::remove_const_t<decltype(given)>;
        auto const placeholder = [&] {
            node_id const like = node_of(scope, given);
            return g.append_placeholder(g[like].type, dims(g.shape_of(like)));
        };
        if (scope.outer) return solve(multiply, given);

        linear_system& system = *scope.own(new linear_system);
        effects_so_far const before(scope);
        system.first = g.size();
        system.vector = placeholder();
        buffer<node_id> const product = leaf_nodes(scope, multiply(leaf_from<side_type>(scope, system.vector)));
        system.product = product[0];
        if (!before.are_all(scope)) { // a callable with effects is called by the solver's steps only
            before.restore(scope);
            return solve(multiply, given);
        }
        buffer<node_id> const read = ad::inputs_of(scope, {}, product, system.first);
        // Records the solver's steps, and gives nodes that stand for the solution and have the derivatives of solution_rule.
        auto const ruled = [&](bool transposed, auto const& side, auto const& product_with) {
            std::size_t const first = g.size();
            buffer<node_id> inputs = leaf_nodes(scope, side);
            system.sides[transposed] = inputs[0];
            for (node_id const id : read)
                if (is_inexact(g[id].type)) inputs.push_back(id);
            std::size_t const known = inputs.size();
            auto const x = solve(product_with, side);
            auto* const rule = new solution_rule(scope, system, transposed);
            auto const out =
                with_nodes(scope, x, ad::append_ruled(scope, rule, std::move(inputs), known, leaf_nodes(scope, x), first, true));
            system.solutions[transposed] = node_of(scope, out);
            return out;
        };
        marker marks(scope);
        auto const x = ruled(false, marks(given), multiply);
        if constexpr (IsSymmetric) {
            system.sides[1] = system.sides[0], system.solutions[1] = system.solutions[0];
        } else {
            ruled(true, leaf_from<side_type>(scope, placeholder()), transposed_product<F>{multiply});
        }
        return x;
    }
}

} // namespace tx::detail
