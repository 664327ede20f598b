// This file tests that loops stay short enough for their programs' words, however much of a graph runs over one space.
#include <tracexpr/passes/pipeline.hpp>

#include <doctest/doctest.h>

using tx::dims;
using tx::dtype;
using tx::node_id;
using tx::op;

TEST_CASE("long loops: thousands of reductions over one space are several loops") {
    tx::graph g;
    std::int64_t const all[]{0, 0};
    for (int k = 0; k < 6000; ++k) {
        node_id const x = g.append_parameter(dtype::float32, dims{{100}, 1});
        g.add_output(g.append(op::sum, dtype::float32, dims{}, {&x, 1}, all));
    }
    tx::compiled_graph const c = tx::run_passes(g.view());
    std::size_t reductions = 0;
    for (tx::plan_loop const& l : c.plan.loops) {
        CHECK(l.lines.count < 4095);
        for (std::uint32_t k = 0; k < l.lines.count; ++k) {
            tx::kernel_line const& line = c.plan.lines[l.lines.first + k];
            reductions += line.role == tx::role::reduce;
            tx::kernel_line const again = tx::decode(tx::encode({line.role, line.code, line.type, line.a, line.b, line.c}, line.mode));
            CHECK((again.a == line.a && again.b == line.b && again.c == line.c && again.code == line.code));
        }
    }
    CHECK(reductions == 6000);
    CHECK(c.plan.loops.size() > 1);
}

TEST_CASE("long loops: a word never holds another line's number") {
    CHECK(tx::decode(tx::encode({tx::role::compute, op::add, dtype::float32, 4094, 0, -1}, {})).a == 4094);
    CHECK_THROWS_AS(tx::encode({tx::role::compute, op::add, dtype::float32, 4095, 0, -1}, {}), tx::error);
}
