// This file tests how much the elements pass unrolls: few products of small matrices, and no long chains of them, whose kernels
// would keep the compiler busy for minutes.
#include <tracexpr/passes/pipeline.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

using tx::dims, tx::dtype, tx::node_id, tx::op;

struct program {
    tx::graph g;
    node_id make(op code, std::vector<node_id> operands, std::vector<std::int64_t> attributes = {}) {
        std::vector<dims> shapes;
        for (node_id const id : operands) shapes.push_back(g.shape_of(id));
        return g.append(code, dtype::float32, tx::infer_or_throw(code, {}, shapes, attributes), operands, attributes);
    }
};
// a + a^2 / 2 + a^3 / 6 + ... of n x n matrices, with that many products.
constexpr std::int64_t places = 1000;
tx::graph powers(std::int64_t n, int products) {
    program p;
    node_id const a = p.g.append_parameter(dtype::float32, dims{{places, n, n}, 3});
    node_id t = a, s = a;
    for (int k = 2; k < products + 2; ++k) {
        node_id const number = p.g.append(op::literal, dtype::float32, dims{}, {}, {}, tx::real_literal(k));
        t = p.make(op::divide, {p.make(op::matmul, {t, a}), number});
        s = p.make(op::add, {s, t});
    }
    p.g.add_output(s);
    return std::move(p.g);
}
// cumulative sums, flips and slices of [n, c], one after the other.
tx::graph moves(std::int64_t c, int steps) {
    program p;
    node_id const a = p.g.append_parameter(dtype::float32, dims{{places, c}, 2});
    node_id x = a;
    for (int k = 0; k < steps; ++k) {
        node_id const first = p.make(op::slice, {x}, {tx::slice_open, tx::slice_open, 1, 0, c - 1, 1});
        node_id const last = p.make(op::slice, {x}, {tx::slice_open, tx::slice_open, 1, c - 1, c, 1});
        x = p.make(op::multiply, {p.make(op::add, {p.make(op::concatenate, {last, first}, {1}), x}), a});
    }
    p.g.add_output(x);
    return std::move(p.g);
}
struct counted {
    std::size_t before, after;
};
counted count(tx::graph const& traced) {
    tx::graph const simple = tx::simplify(traced.view());
    return {simple.size(), tx::with_elements(simple, {}).size()};
}
bool is_written(tx::graph const& traced) {
    auto const [before, after] = count(traced);
    return after != before;
}

} // namespace

TEST_CASE("elements: few products of small matrices are written out, long chains stay as they are") {
    CHECK(is_written(powers(2, 10)));
    CHECK(is_written(powers(3, 4)));
    CHECK(is_written(powers(4, 2)));
    CHECK(!is_written(powers(4, 3)));
    CHECK(!is_written(powers(3, 20)));
    CHECK(is_written(moves(8, 10)));
    CHECK(!is_written(moves(16, 40)));
}
TEST_CASE("elements: what is written out has a bound, however long a program is") {
    for (std::int64_t const n : {2, 3, 4, 5, 6, 8})
        for (int const products : {1, 2, 3, 5, 8, 13, 21, 34}) {
            auto const [before, after] = count(powers(n, products));
            CHECK((after == before || after <= 400));
        }
}
