// budget: gcc=16000000 clang=780000 nvcc
// Simplifies 4,000 nodes: a chain of arithmetic and functions with literals, identities and dead nodes. The graph is written down
// node by node, because recording it would cost as much again.
#include <tracexpr/passes/simplify.hpp>

namespace {

constexpr std::size_t node_count = 4000;

struct source {
    tx::node nodes[node_count]{};
    tx::dims shapes[2]{{{}, 0}, {{64}, 1}};
    tx::node_id parameters[2]{tx::to_id(0), tx::to_id(1)};
    tx::node_id outputs[1]{tx::to_id(node_count - 1)};

    constexpr source() {
        std::size_t count = 0;
        auto const push = [&](tx::op code, std::uint32_t shape, tx::node_id a = tx::node_id::none,
                              tx::node_id b = tx::node_id::none, double bits = 0) {
            std::uint32_t const arity = a == tx::node_id::none ? 0 : b == tx::node_id::none ? 1 : 2;
            nodes[count] = {
                code, tx::dtype::float32, shape, arity, {a, b, tx::node_id::none}, {}, {std::bit_cast<std::uint64_t>(bits), 0}};
            return tx::to_id(count++);
        };
        tx::node_id const x = push(tx::op::parameter, 1), y = push(tx::op::parameter, 1), two = push(tx::op::literal, 0);
        nodes[1].bits[0] = 1;
        nodes[2].bits[0] = std::bit_cast<std::uint64_t>(2.0);
        tx::node_id h = x;
        for (int i = 0; count + 10 <= node_count; ++i) {
            tx::node_id const factor = push(tx::op::literal, 0, tx::node_id::none, tx::node_id::none, 3.0 + i);
            tx::node_id const sum = push(tx::op::add, 1, push(tx::op::multiply, 1, h, factor), y);
            push(tx::op::exp, 1, sum); // dead
            tx::node_id const power = push(tx::op::power, 1, push(tx::op::tanh, 1, sum), two);
            tx::node_id const quotient = push(tx::op::divide, 1, power, sum);
            tx::node_id const largest = push(tx::op::maximum, 1, quotient, x);
            h = push(tx::op::add, 1, largest, push(tx::op::subtract, 1, sum, y));
        }
        while (count < node_count) h = push(tx::op::sqrt, 1, h);
    }
    constexpr tx::graph_view view() const { return {nodes, {}, {}, shapes, {}, {}, parameters, outputs, {}, {}, {}, {}}; }
};

constexpr source recorded;
constexpr std::size_t simplified_size = tx::simplify(recorded.view()).size();
static_assert(simplified_size > 3500 && simplified_size < node_count);

} // namespace
