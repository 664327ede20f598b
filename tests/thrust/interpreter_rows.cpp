// This file tests row nests on the interpreter of a device of Thrust's: a team runs all loops of a row. The teams of a GPU are
// threads of the host here.
#include <thrust/crew_queue.hpp>
#include <thrust/row_programs.hpp>
#include <thrust/traced_call.hpp>

using namespace tx::testing;
using tx::detail::gpu_pieces;
using tx::detail::host_pieces;

namespace {

constexpr std::uint32_t types = tx::detail::interpreted_dtypes<float, double>();
using program = std::shared_ptr<tx::detail::device_program const>;

std::vector<std::int32_t> teams_of(program const& p) {
    std::vector<std::int32_t> out;
    for (tx::detail::interpreted_nest const& nest : p->nests)
        if (nest.team > 0) out.push_back(nest.team);
    return out;
}
// Of a program that has loops only.
std::vector<tx::host_array> run_with_crew(tx::detail::device_program const& of, std::vector<tx::array_view> const& arguments) {
    tx::plan_view const p = of.plan.view();
    crew_queue queue{device()};
    device_results results;
    for (std::size_t r = 0; r < value_outputs(of.graph.view()); ++r) results.add(of.output_type(r), of.output_extents(r));
    on_device const given(arguments);
    std::vector<std::byte> arena(static_cast<std::size_t>(p.arena_bytes[0]) + 1);
    std::vector<std::byte*> buffers;
    for (std::size_t b = 0; b < p.buffers.size(); ++b) {
        tx::plan_buffer const& at = p.buffers[b];
        switch (at.place) {
        case tx::buffer_place::argument: buffers.push_back(static_cast<std::byte*>(const_cast<void*>(given.data[static_cast<std::size_t>(at.number)]))); break;
        case tx::buffer_place::output: buffers.push_back(static_cast<std::byte*>(results.addresses()[at.number])); break;
        case tx::buffer_place::arena: buffers.push_back(arena.data() + at.offset); break;
        default: buffers.push_back(of.constants[b]);
        }
    }
    for (std::size_t k = 0; k < p.steps.size(); ++k) {
        tx::plan_step const& s = p.steps[k];
        REQUIRE(s.call == tx::node_id::none);
        if (of.nests[k].team > 0) tx::detail::run_interpreted_rows<types>(queue, of, s, of.nests[k], buffers.data());
        else
            for (std::uint32_t l = 0; l < s.loops.count; ++l) tx::detail::interpreted_run<types>(device(), of.loops[s.loops.first + l], buffers.data(), of.rules).run();
    }
    return results.fetch();
}
// Gives the teams of the nests that a GPU has.
template <class F, class... A> std::vector<std::int32_t> check_rows(F const& f, A const&... a) {
    traced_call<A...> const call(f, a...);
    auto const wanted = tx::run_reference(call.trace.traced, call.arguments);
    std::vector<tx::dims> shapes{a.dimensions()...};
    CAPTURE(shapes[0][0]);
    CAPTURE(shapes[0][1]);
    CHECK(difference(run_interpreted<types>(call.graph(), call.arguments), wanted) == "");
    program const p = tx::detail::make_device_program<>(device(), call.graph(), shapes, {}, gpu_pieces);
    CHECK(difference(run_interpreted<types>(*p, call.arguments), wanted) == "");
    auto const by_crew = run_with_crew(*p, call.arguments);
    CHECK(difference(by_crew, wanted) == "");
    auto const again = run_with_crew(*p, call.arguments);
    for (std::size_t k = 0; k < again.size(); ++k) CHECK(again[k].bytes == by_crew[k].bytes);
    return teams_of(p);
}

// More values at once than a thread of the interpreter has slots of its own.
struct many_values {
    constexpr auto operator()(auto x) const {
        auto const shifted = [&](int k) { return tx::sin(x + static_cast<float>(k)); };
        std::array<decltype(shifted(0)), 30> all{shifted(0),  shifted(1),  shifted(2),  shifted(3),  shifted(4),  shifted(5),  shifted(6),  shifted(7),
                                                 shifted(8),  shifted(9),  shifted(10), shifted(11), shifted(12), shifted(13), shifted(14), shifted(15),
                                                 shifted(16), shifted(17), shifted(18), shifted(19), shifted(20), shifted(21), shifted(22), shifted(23),
                                                 shifted(24), shifted(25), shifted(26), shifted(27), shifted(28), shifted(29)};
        auto e = all[0] + 1.0f;
        for (std::size_t k = 0; k < all.size(); ++k) e = e * 0.5f + all[all.size() - 1 - k];
        return e / tx::sum(e * e, tx::axis<1>, tx::keepdims);
    }
};
// Sums of rows of integers, the largest of which bounds them, and of a mask.
struct mixed_rows {
    constexpr auto operator()(auto x, auto n) const {
        auto const most = tx::max(n, tx::axis<1>, tx::keepdims);
        auto const chosen = n * 2 > most;
        auto const share = tx::where(chosen, x, 0.0) / tx::cast<double>(most + 1);
        return std::tuple(share - tx::mean(share, tx::axis<1>, tx::keepdims), tx::sum(n, tx::axis<1>), tx::any(chosen, tx::axis<1>));
    }
};

// Sums of rows of 0.1.
struct with_sums {
    constexpr auto operator()(auto x) const {
        auto const s = tx::sum(x, tx::axis<1>, tx::keepdims);
        return std::tuple(tx::exp(x - s), s);
    }
};

template <class T> tx::tensor<T, tx::shape<tx::dyn, tx::dyn>> matrix(std::int64_t m, std::int64_t n) {
    tx::tensor<T, tx::shape<tx::dyn, tx::dyn>> out = tx::zeros<T>(m, n);
    for (std::int64_t i = 0; i < m * n; ++i) out.mutable_data()[i] = static_cast<T>(static_cast<double>((i * 37 + 11) % 101) / 16 - 3);
    return out;
}
tx::tensor<float, tx::shape<tx::dyn>> vector(std::int64_t n) { return tx::reshape(matrix<float>(1, n), n); }
using teams = std::vector<std::int32_t>;

} // namespace

TEST_CASE("interpreted rows: softmax of any length, by a thread, a warp or a block") {
    softmax_of_rows const softmax;
    for (auto const& [m, n, team] : {std::tuple(5, 31, 1), {3, 32, 1}, {7, 33, 32}, {300, 100, 32}, {9, 1024, 32}, {3, 1025, 256}, {2, 5000, 256}})
        CHECK(check_rows(softmax, matrix<float>(m, n)) == teams{team});
    for (auto const& [m, n] : {std::pair(0, 5), {4, 1}, {1, 1}, {1, 70}}) check_rows(softmax, matrix<float>(m, n));
    CHECK(check_rows(softmax, matrix<double>(5, 200)) == teams{32});
}
TEST_CASE("interpreted rows: several results, rows turned around, values of a row") {
    for (auto const& [m, n] : {std::pair(1, 1), {5, 2}, {7, 31}, {9, 64}, {3, 1030}, {300, 40}, {0, 5}}) check_rows(kept_rows{}, matrix<float>(m, n));
    for (int n : {3, 128, 1500}) check_rows(normalized_rows{}, matrix<float>(6, n), vector(n), vector(n));
    for (int n : {1, 40, 2000}) check_rows(mixed_rows{}, matrix<double>(6, n), matrix<int>(6, n));
}
TEST_CASE("interpreted rows: long ones are rounded little") {
    constexpr std::int64_t rows = 8, n = 1 << 18;
    tx::tensor<float, tx::shape<tx::dyn, tx::dyn>> const x = tx::zeros<float>(rows, n) + 0.1f;
    traced_call const call(with_sums{}, x);
    for (auto const& rules : {host_pieces, gpu_pieces}) {
        auto const got = run_interpreted<types>(call.graph(), call.arguments, {}, rules);
        for (std::size_t row = 0; row < rows; ++row) {
            float sum = 0;
            std::memcpy(&sum, got[1].bytes.data() + row * sizeof sum, sizeof sum);
            CHECK(std::abs(double{sum} / (double{0.1f} * n) - 1) < 2e-6);
        }
    }
}
TEST_CASE("interpreted rows: few long ones, and those of many values at once, are done a loop at a time") {
    CHECK(check_rows(softmax_of_rows{}, matrix<float>(2, 40000)).empty());
    CHECK(check_rows(many_values{}, matrix<float>(6, 50)).empty());
}
