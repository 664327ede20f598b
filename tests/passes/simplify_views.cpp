// This file tests simplify on random chains of views, reductions and broadcasts, with known and unknown extents: it gives the
// same numbers and a clean graph, and leaves nothing to simplify.
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <random_graph.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using tx::dims;
using tx::node_id;
using tx::op;

namespace {

class chain {
public:
    explicit chain(std::uint64_t seed) : bits_{seed} {
        dims shape;
        for (std::int64_t rank = bits_.below(4); shape.rank < rank;) shape.push_back(bits_.one_in(3) ? 1 : 1 + bits_.below(4));
        node_id x = g_.append_parameter(tx::dtype::float64, shape);
        if (bits_.one_in(8)) x = append(op::broadcast_to, {literal()}, extents(shape));
        for (int step = 0; step < 6; ++step) {
            node_id const next = extended(x);
            if (next != node_id::none) x = next;
        }
        g_.add_output(x);
    }
    tx::graph const& graph() const { return g_; }

private:
    using list = std::vector<std::int64_t>;
    static list extents(dims const& d) { return list(d.extent, d.extent + d.rank); }

    node_id append(op code, std::vector<node_id> const& operands, list const& attributes) {
        std::vector<dims> shapes;
        for (node_id id : operands) shapes.push_back(g_.shape_of(id));
        tx::inferred const shape = tx::infer(code, {}, shapes, attributes);
        if (shape.problem || shape.shape.size() > 500) return node_id::none;
        return g_.append(code, tx::dtype::float64, shape.shape, operands, attributes);
    }
    node_id literal() { return g_.append(op::literal, tx::dtype::float64, dims{}, {}, {}, tx::to_literal(2.5)); }
    list some_axes(int rank) {
        list out;
        for (int axis = 0; axis < rank; ++axis)
            if (bits_.one_in(3)) out.push_back(axis);
        return out;
    }

    node_id extended(node_id x) {
        dims const d = g_.shape_of(x);
        list attributes;
        switch (bits_.below(10)) {
        case 0:
            for (int axis = 0; axis < d.rank; ++axis) attributes.insert(attributes.begin() + bits_.below(axis + 1), axis);
            return append(op::transpose, {x}, attributes);
        case 1:
            for (int axis = 0; axis < d.rank; ++axis)
                for (int k = 0; k < 3; ++k) {
                    std::int64_t const step = bits_.below(5) - 2;
                    attributes.push_back(k == 2 ? (step ? step : 1) : bits_.one_in(2) ? tx::slice_open : bits_.below(9) - 4);
                }
            return append(op::slice, {x}, attributes);
        case 2: return append(op::expand_dims, {x}, some_axes(d.rank + 2));
        case 3:
            for (int axis = 0; axis < d.rank; ++axis)
                if (d[axis] == 1 && bits_.one_in(2)) attributes.push_back(axis);
            return append(op::squeeze, {x}, attributes);
        case 4:
            for (std::int64_t more = bits_.below(2); more > 0; --more) attributes.push_back(1 + bits_.below(2));
            for (int axis = 0; axis < d.rank; ++axis)
                attributes.push_back(bits_.one_in(3) ? -1 : d[axis] == 1 ? 1 + bits_.below(3) : d[axis]);
            return append(op::broadcast_to, {x}, attributes);
        case 5: return append(op::reshape, {x}, bits_.one_in(2) ? list{-1} : list{d.size()});
        case 6: // a shape with one axis more, or less, or with copied extents
            attributes = extents(d);
            if (d.rank >= 2 && bits_.one_in(2)) attributes.pop_back(), attributes.back() = -1;
            else if (bits_.one_in(2)) attributes.insert(attributes.begin() + bits_.below(d.rank + 1), 1);
            else
                for (int axis = 0; axis < d.rank; ++axis)
                    if (bits_.one_in(2)) attributes[static_cast<std::size_t>(axis)] = -2 - axis;
            return append(op::reshape, {x}, attributes);
        case 7:
            attributes = some_axes(d.rank);
            attributes.insert(attributes.begin(), bits_.below(2));
            return append(d.size() == 0 || bits_.one_in(2) ? op::sum : op::max, {x}, attributes);
        case 8: { // the operand and a view of it meet again
            node_id const y = extended(x);
            return y == node_id::none ? y : append(op::add, {x, y}, {});
        }
        default: return append(op::multiply, {x, bits_.one_in(2) ? literal() : x}, {});
        }
    }

    tx::random_bits bits_;
    tx::graph g_;
};

void check(tx::graph_view const& g, std::vector<tx::array_view> const& arguments) {
    tx::graph const once = tx::simplify(g);
    std::string const text = tx::to_text(g) + "\n" + tx::to_text(once);
    CAPTURE(text);
    char const* const problem = tx::verify(once);
    CHECK(std::string(problem ? problem : "") == "");
    CHECK(tx::same_graph(once, tx::simplify(once)));
    tx::host_array const a = tx::run_reference(g, arguments)[0], b = tx::run_reference(once, arguments)[0];
    REQUIRE(a.shape == b.shape);
    bool same = true;
    for (std::int64_t i = 0; i < a.shape.size(); ++i) same = same && a.data<double>()[i] == b.data<double>()[i];
    CHECK(same);
}

} // namespace

TEST_CASE("simplify: random chains of views") {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        CAPTURE(seed);
        tx::graph const g = chain(seed).graph();
        auto const arguments = tx::random_arguments(g, seed);
        check(g, tx::views_of(arguments));
        tx::graph const open = tx::with_unknown_extents(g, seed);
        if (tx::verify(open) == nullptr) check(open, tx::views_of(arguments)); // not where an attribute was an extent
    }
}
