// This file tests the static executor's kernel types inside Thrust algorithms, on Thrust's host system: they give the same
// numbers as the reference executor.
#include <thrust/run_on_thrust.hpp>

using namespace tx::testing;

namespace {

template <class Trace> std::string thrust_problem(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments) {
    return difference(run_on_thrust<Trace>(arguments), tx::run_reference(traced, arguments));
}

template <class Trace> void check(std::vector<tx::host_array> const& arguments) {
    CHECK(thrust_problem<Trace>(tx::detail::stages<Trace>::trace(), tx::views_of(arguments)) == "");
}

template <class F, class... A> using traced = tx::detail::compile_time_trace<F, A...>;
template <std::int64_t... E> using floats = tx::tensor<float, tx::shape<E...>>;

tx::host_array numbers(tx::dims shape) {
    tx::reference::values v(tx::dtype::float32, shape);
    for (std::int64_t i = 0; i < v.size(); ++i) v[i] = tx::to_literal(static_cast<double>((i * 37 + 11) % 101) / 16 - 3);
    tx::host_array out{v.type, v.shape, std::vector<std::byte>(v.cells.size() * 4)};
    tx::reference::store(v, out.bytes.data());
    return out;
}

struct elementwise {
    constexpr auto operator()(auto x, auto y) const { return tx::exp(-x * x) * y + tx::tanh(x); }
};
struct whole_sum {
    constexpr auto operator()(auto x, auto y) const { return tx::sum(tx::square(x - y)); }
};
struct over_axes {
    constexpr auto operator()(auto x) const { return std::tuple(tx::sum(x, tx::axis<0>), tx::max(tx::abs(x), tx::axis<1>)); }
};
struct softmax_rows {
    constexpr auto operator()(auto x) const { return tx::softmax(x); }
};
struct product {
    constexpr auto operator()(auto x) const { return tx::tanh(tx::matmul(x, tx::transpose(x))); }
};

struct lookups {
    constexpr auto operator()(auto x, auto i) const {
        return std::tuple(tx::take(x, i, tx::axis<0>) * 2, tx::sum(tx::take(x, i, tx::axis<1>), tx::axis<1>), tx::take_along_axis(x, tx::expand_dims<1>(i), tx::axis<1>) - 1);
    }
};

template <std::uint64_t... Seed> void check_seeds(std::integer_sequence<std::uint64_t, Seed...>) {
    (
        [] {
            CAPTURE(Seed);
            tx::graph const g = tx::random_graph(Seed, static_options);
            auto const arguments = tx::random_arguments(g, Seed);
            CHECK(thrust_problem<known_extents<Seed>>(g, tx::views_of(arguments)) == "");
        }(),
        ...);
}

} // namespace

TEST_CASE("thrust: for_each over the points of a loop") {
    check<traced<elementwise, floats<1000>, floats<1000>>>({numbers({{1000}, 1}), numbers({{1000}, 1})});
    check<traced<elementwise, floats<tx::dyn, tx::dyn>, floats<tx::dyn>>>({numbers({{33, 17}, 2}), numbers({{17}, 1})});
    check<traced<elementwise, floats<tx::dyn, tx::dyn>, floats<tx::dyn>>>({numbers({{0, 17}, 2}), numbers({{1}, 1})});
}
TEST_CASE("thrust: transform_reduce where there is one result, a thread a result otherwise") {
    check<traced<whole_sum, floats<10000>, floats<10000>>>({numbers({{10000}, 1}), numbers({{10000}, 1})});
    check<traced<over_axes, floats<33, 17>>>({numbers({{33, 17}, 2})});
}
TEST_CASE("thrust: row nests, and steps that are calls") {
    check<traced<softmax_rows, floats<20, 37>>>({numbers({{20, 37}, 2})});
    check<traced<product, floats<5, 7>>>({numbers({{5, 7}, 2})});
}
TEST_CASE("thrust: lookups in loops") {
    tx::host_array places{tx::dtype::int8, {{5}, 1}, std::vector<std::byte>(5)};
    for (std::size_t k = 0; k < 5; ++k) places.bytes[k] = static_cast<std::byte>(3 - 2 * static_cast<int>(k)); // 3, 1, -1, -3, -5
    check<traced<lookups, floats<5, 7>, tx::tensor<std::int8_t, tx::shape<5>>>>({numbers({{5, 7}, 2}), places});
    check<traced<lookups, floats<tx::dyn, tx::dyn>, tx::tensor<std::int8_t, tx::shape<tx::dyn>>>>({numbers({{5, 7}, 2}), places});
}
TEST_CASE("thrust: random graphs") { check_seeds(std::make_integer_sequence<std::uint64_t, 6>{}); }
