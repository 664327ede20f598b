// This file tests the tape's derivatives of orders 1 and 2, on tensors, against those of a traced function, for every pointwise
// op.
#include <ad/pointwise_functors.hpp>
#include <ad/tape_checks.hpp>

using namespace tx::testing;
using namespace tx::testing::pointwise;

namespace {

template <std::int64_t... E> using real = real_of_shape<E...>;
tx::host_array line(std::vector<double> const& numbers) { return array_of<double>({{static_cast<std::int64_t>(numbers.size())}, 1}, numbers); }

} // namespace

TEST_CASE("tape and graph: one operand") {
    check_tape<anywhere, real<4>>({line({0.7, -1.45, 1.1, -0.5})});
    check_tape<positive, real<4>>({line({0.7, 1.4, 2.6, 9})});
    check_tape<inside_one, real<4>>({line({0.7, 0.1, -0.3, -0.75})});
}
TEST_CASE("tape and graph: two operands that broadcast") {
    check_tape<pairs, real<2, 1, 2>, real<3, 1>>({array_of<double>({{2, 1, 2}, 3}, {0.8, -1.3, 2.6, -0.45}), array_of<double>({{3, 1}, 2}, {1.1, -0.7, 1.9})});
}
TEST_CASE("tape and graph: three operands") {
    check_tape<three, real<4>, real<2, 1>, real<>>({line({0.8, -1.3, 2.6, -0.45}), array_of<double>({{2, 1}, 2}, {-0.9, 0.3}), array_of<double>({{}, 0}, {1.7})});
}
