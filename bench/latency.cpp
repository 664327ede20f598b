// What a call costs where there is next to nothing to compute: eight elements. "static": the compiler knows the program; "tiles":
// it is traced when the program runs, or recorded by a tape, or the tensors' rank is open.
#include "tiles.hpp"

#include <algorithm>

namespace {

constexpr std::size_t length = 8;
using vector = tx::tensor<float, tx::shape<tx::dyn>>;
using open_tensor = tx::tensor<float>;

// Of 20 ops.
constexpr auto graph_20_ops = [](auto x, auto w) {
    auto y = x;
    for (int k = 0; k < 5; ++k) y = tx::sqrt(y * y + w) - x;
    return y;
};
// Of 10 ops.
constexpr auto loss = [](auto x, auto w) {
    auto y = x;
    for (int k = 0; k < 2; ++k) y = tx::sqrt(y * y + w) - x;
    return tx::sum(tx::square(y));
};

harness::subject subject(char const* name) { return {std::string(name) + "/f32/" + std::to_string(length), 1, 0}; }

vector numbers(std::uint32_t seed) {
    auto const from = harness::uniform<float>(length, 0.5, 1.5, seed);
    return tx::from_data<tx::shape<tx::dyn>>(from.data(), from.size());
}

void add_graph(vector const& x, vector const& w) {
    static tx::static_function const f{graph_20_ops};
    static vector out = x;
    tiles::add(subject("graph_20_ops"), f, out, x, w);
}

void add_eager_ops(vector const& x, vector const& w) {
    harness::add(subject("eager_add"), "static", [x, w] { benchmark::DoNotOptimize(x + w); });
    harness::add(subject("eager_add"), "tiles", [x = open_tensor(x), w = open_tensor(w)] { benchmark::DoNotOptimize(x + w); });
}

vector tape_step(vector const& x, vector const& w) {
    tx::gradient_tape tape;
    tape.watch(x);
    return tape.gradient(loss(x, w), x);
}
void add_tape_step(vector const& x, vector const& w) {
    static tx::static_function const gradient{tx::grad(loss)};
    tiles::require_equal("tape_step", gradient(x, w), tape_step(x, w));
    harness::add(subject("tape_step"), "static", [x, w] { benchmark::DoNotOptimize(gradient(x, w)); });
    harness::add(subject("tape_step"), "tiles", [x, w] { benchmark::DoNotOptimize(tape_step(x, w)); });
}

} // namespace

int main(int argc, char** argv) {
    vector const x = numbers(1), w = numbers(2);
    add_graph(x, w);
    add_eager_ops(x, w);
    add_tape_step(x, w);
    return harness::run(argc, argv);
}
