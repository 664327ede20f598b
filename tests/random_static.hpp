// This file checks random graphs as static traces: compiled kernels must compute what the reference executor computes.
#pragma once

#include <random_compare.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <utility>

// The four programs of the default build take 48 seeds from here on; tests/random_static_many goes through more.
#ifndef TRACEXPR_FIRST_SEED
#define TRACEXPR_FIRST_SEED 0
#endif

namespace tx::testing {

// The graphs are small, because each one costs its nodes' compile time.
inline constexpr random_graph_options static_options = [] {
    random_graph_options o;
    o.max_nodes = 16;
    return o;
}();

template <std::uint64_t Seed> struct known_extents {
    static constexpr graph make() { return random_graph(Seed, static_options); }
};
template <std::uint64_t Seed> struct open_extents {
    static constexpr graph make() { return with_unknown_extents(random_graph(Seed, static_options), Seed); }
};

// An output between canaries, which a kernel that writes out of bounds would change.
class guarded_array {
public:
    guarded_array(dtype type, dims const& shape) : type_{type}, shape_{shape}, bytes_(size() + 2 * margin, std::byte{0xA5}) {}
    void* data() { return bytes_.data() + margin; }
    bool intact() const {
        for (std::size_t i = 0; i < margin; ++i)
            if (bytes_[i] != std::byte{0xA5} || bytes_[bytes_.size() - 1 - i] != std::byte{0xA5}) return false;
        return true;
    }
    host_array array() const {
        auto const first = bytes_.begin() + std::ptrdiff_t{margin};
        return {type_, shape_, {first, first + static_cast<std::ptrdiff_t>(size())}};
    }

private:
    static constexpr std::size_t margin = 128;
    std::size_t size() const { return static_cast<std::size_t>(shape_.size()) * size_in_bytes(type_); }
    dtype type_;
    dims shape_;
    std::vector<std::byte> bytes_;
};

// Gives what run(plan, io) computes from the arguments.
template <class Stages, class Run> std::vector<host_array> run_guarded(std::vector<array_view> const& arguments, Run run) {
    constexpr graph_view g = Stages::graph();
    std::vector<dims> shapes;
    std::vector<void const*> data;
    for (array_view const& a : arguments) shapes.push_back(a.shape), data.push_back(a.data);
    auto const p = tx::detail::plan_for<Stages>(shapes);
    std::vector<guarded_array> results;
    for (node_id id : g.outputs) results.emplace_back(g[id].type, p.extents[index(id)]);
    std::vector<void*> outputs;
    for (guarded_array& r : results) outputs.push_back(r.data());
    run(p, simd::io{data.data(), outputs.data()});
    std::vector<host_array> got;
    for (guarded_array const& r : results) {
        CHECK(r.intact());
        got.push_back(r.array());
    }
    return got;
}

template <class Trace> void check_static(graph_view const& traced, std::vector<array_view> const& arguments) {
    using stages = tx::detail::stages<Trace>;
    constexpr graph_view g = stages::graph();
    INFO(to_text(stages::trace()));
    INFO(to_text(g));
    CHECK(problem_of(g) == "");
    auto const got = run_guarded<stages>(arguments, [](auto const& p, simd::io const& io) { simd::run_static<stages>(p, io); });
    CHECK(difference(got, run_reference(traced, arguments)) == "");
}

template <std::uint64_t Seed> void check_seed() {
    constexpr auto seed = Seed;
    CAPTURE(seed);
    graph const g = random_graph(Seed, static_options);
    auto const arguments = random_arguments(g, Seed);
    auto const views = views_of(arguments);
    check_static<known_extents<Seed>>(g, views);
    if constexpr (Seed % 3 == 0) check_static<open_extents<Seed>>(g, views);
}
template <std::uint64_t First, std::uint64_t... I> void check_seeds(std::integer_sequence<std::uint64_t, I...>) { (check_seed<First + I>(), ...); }

} // namespace tx::testing
