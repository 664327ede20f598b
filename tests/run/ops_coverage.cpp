// This file tests that every op of op_table is in a family that the executors are tested with.
#include <op_table.hpp>
#include <tracexpr/run/tracing.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

struct codes {
    bool seen[tx::op_count]{};
};
template <class F, class... A> void add(codes& found) {
    tx::graph const traced = tx::detail::compile_time_trace<F, A...>::make();
    for (tx::node const& n : traced.view()) found.seen[static_cast<std::size_t>(n.code)] = true;
}
template <class T, std::int64_t... E> using given = tx::tensor<T, tx::shape<E...>>;

} // namespace

TEST_CASE("ops: none is without a test of the executors") {
    codes found;
    constexpr std::int64_t n = tx::dyn;
    add<ops::unary_floating_a, given<float, n>>(found);
    add<ops::unary_floating_b, given<float, n>>(found);
    add<ops::binary_floating, given<float, n>, given<float, n>>(found);
    add<ops::comparisons, given<float, n>, given<float, n>>(found);
    add<ops::integers, given<int, n>, given<int, n>>(found);
    add<ops::booleans, given<bool, n>, given<bool, n>>(found);
    add<ops::strings, given<std::string, 4, 3>, given<std::string, 4, 3>>(found);
    add<ops::complex_numbers, given<std::complex<float>, n>, given<std::complex<float>, n>>(found);
    add<ops::casts<double>, given<float, n>>(found);
    add<ops::views, given<float, 5, 7>>(found);
    add<ops::structure, given<float, 2, 3>, given<float, 2, 3>>(found);
    add<ops::reductions<0>, given<float, 2, 3>>(found);
    add<ops::along<0>, given<float, 2, 3>>(found);
    add<ops::extremes, given<float, 3, 5>>(found);
    add<ops::lookups, given<float, 4, 3>, given<int, 3>>(found);
    add<ops::updates, given<float, 4, 3>, given<int, 3>>(found);
    add<ops::random_numbers, given<std::uint64_t>>(found);
    add<ops::products, given<float, 4, 4>, given<float, 4, 4>>(found);
    add<ops::decompositions, given<float, 4, 4>, given<float, 4, 4>>(found);
    add<ops::leaves, given<float, n, 3>>(found);
    add<ops::adjoints, given<float, 4, 3>, given<int, 3>>(found);
    for (tx::op_info const& row : tx::op_table) {
        CAPTURE(row.name);
        // A capture is a tensor at namespace scope: tests of tx::function have them. A placeholder reaches no executor. Branches and
        // effects, with their tokens, have tests of their own: run/cond, run/loops, run/print_effects, run/opaque; and so have the ops
        // of families: families/conv_*, families/fft_*, families/matrices_*; what checks their operands: families/open_extents.
        bool const is_elsewhere = row.code == tx::op::capture || row.code == tx::op::placeholder || row.code == tx::op::token ||
                                  row.kind == tx::kind::control || row.kind == tx::kind::effect ||
                                  row.kind == tx::kind::callback || row.kind == tx::kind::routine || row.code == tx::op::checked;
        CHECK((found.seen[static_cast<std::size_t>(row.code)] || is_elsewhere));
    }
}
