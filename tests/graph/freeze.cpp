#include <graph_helper.hpp>
#include <random_graph.hpp>
#include <tracexpr/base/freeze.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/verify.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using namespace tx::testing;
using tx::graph;
using tx::node_id;
using tx::op;

namespace {

struct empty {
    static constexpr graph make() { return {}; }
};
struct small {
    static constexpr graph make() {
        graph g;
        node_id const x = parameter(g, {2, 3});
        g.add_output(append(g, op::sum, {append(g, op::multiply, {x, literal(g, 3)})}, {1, 0, 1}));
        return g;
    }
};
// More nodes, attributes, shapes and operands than the draft has room for.
struct large {
    static constexpr graph make() {
        graph g;
        node_id last = parameter(g, {1});
        for (int i = 0; i < 60; ++i)
            last = append(g, op::concatenate, {last, last, last, last, last}, {0}),
            last = append(g, op::slice, {last}, {0, i + 2, 1});
        std::uint64_t words[40]{};
        g.add_output(append(g, op::add, {last, g.append_constant(tx::dtype::float32, extents({40, 1}), words)}));
        return g;
    }
};
template <std::uint64_t Seed> struct random_owner {
    static constexpr graph make() { return tx::random_graph(Seed); }
};

float captured_numbers[3]{1, 2, 3};
struct with_capture {
    static constexpr graph make() {
        graph g;
        g.add_output(g.append_capture(
            tx::dtype::float32, extents({3}),
            {captured_numbers, [](void const* data) { return data; }, [](void const*) { return extents({3}); }}));
        return g;
    }
};

} // namespace

TEST_CASE("freeze: an empty graph") {
    static_assert(tx::frozen<empty>::view().size() == 0);
    static_assert(tx::verify(tx::frozen<empty>::view()) == nullptr);
    CHECK(tx::same_graph(tx::frozen<empty>::view(), empty::make()));
}

TEST_CASE("freeze: tables have exactly the graph's sizes") {
    static_assert(tx::frozen<small>::view().size() == 4);
    static_assert(tx::frozen<small>::view().nodes.size() == 4);
    static_assert(tx::frozen<small>::view().attributes.size() == 3);
    static_assert(tx::frozen<small>::view().blob.size() == 0);
    static_assert(tx::verify(tx::frozen<small>::view()) == nullptr);
    static_assert(tx::same_graph(tx::frozen<small>::view(), small::make()));
    CHECK(tx::same_graph(tx::frozen<small>::view(), small::make()));
}

TEST_CASE("freeze: larger than the draft") {
    using frozen = tx::frozen<large>;
    static_assert(frozen::view().nodes.size() == 123);
    static_assert(frozen::view().more_operands.size() == 300);
    static_assert(frozen::view().blob.size() == 40);
    static_assert(tx::verify(frozen::view()) == nullptr);
    CHECK(tx::same_graph(frozen::view(), large::make()));
}

TEST_CASE("freeze: captures keep their address and run") {
    tx::captured const& what = tx::frozen<with_capture>::view().captures[0];
    CHECK(what.address == captured_numbers);
    CHECK(what.data(what.address) == captured_numbers);
    CHECK(what.shape(what.address) == extents({3}));
    CHECK(tx::run_reference(tx::frozen<with_capture>::view(), {})[0].data<float>()[2] == 3);
}

TEST_CASE("freeze: random graphs are the same in the compiler and at run time") {
    auto const check = []<std::uint64_t... Seed>(std::integer_sequence<std::uint64_t, Seed...>) {
        static_assert(((tx::verify(tx::frozen<random_owner<Seed>>::view()) == nullptr) && ...));
        bool const same[]{tx::same_graph(tx::frozen<random_owner<Seed>>::view(), tx::random_graph(Seed))...};
        for (bool each : same) CHECK(each);
    };
    check(std::make_integer_sequence<std::uint64_t, 12>{});
}
