// This file tests the strategies of the steps of known programs, as the compiler chooses them for a processor with long vectors
// and for one with short ones, and what explain_passes says of them.
#include <tracexpr/passes/print.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace {

using tx::axis, tx::dyn, tx::shape, tx::strategy;
template <std::int64_t... E> using floats = tx::tensor<float, shape<E...>>;

constexpr tx::plan_target long_vectors{.register_bytes = 64, .registers = 32},
    short_vectors{.register_bytes = 16, .registers = 16};
constexpr tx::pass_options threads{.threads = true};

template <class F, class... A> using stages = tx::detail::stages<tx::detail::compile_time_trace<std::remove_const_t<F>, A...>>;
template <class... A, class F>
constexpr tx::plan planned(F, tx::pass_options const& options = {}, tx::plan_target const& target = long_vectors) {
    using of = stages<F, A...>;
    tx::buffer<tx::dims> const extents = tx::assumed_extents(of::graph());
    return tx::make_plan(of::graph(), of::clusters(), extents, options, target);
}
template <class... A, class F>
constexpr bool chooses(F f, std::initializer_list<strategy> wanted, tx::plan_target const& target = long_vectors) {
    tx::plan const made = planned<A...>(f, {}, target);
    if (made.steps.size() != wanted.size()) return false;
    for (std::size_t s = 0; s < wanted.size(); ++s)
        if (made.steps[s].strategy != wanted.begin()[s]) return false;
    return true;
}
template <class... A> bool explains(auto f, std::string const& part, tx::pass_options const& options = {}) {
    std::string const text = tx::explain_passes(stages<decltype(f), A...>::trace(), options, long_vectors);
    INFO(text);
    return text.find(part) != std::string::npos;
}

constexpr auto scaled = [](auto x) { return x * 2 + 1; };
constexpr auto all = [](auto x) { return tx::sum(x); };
constexpr auto along = [](auto x) { return tx::sum(x, axis<1>); };
constexpr auto down = [](auto x) { return tx::sum(x, axis<0>); };
constexpr auto biased = [](auto x, auto b) { return x + b; };
constexpr auto turned = [](auto x, auto y) { return tx::transpose(x) + y; };
constexpr auto around = [](auto x) { return tx::sum(x, axis<0, 2>); };
constexpr auto softmax = [](auto x) { return tx::softmax(x); };
constexpr auto product = [](auto a, auto b) { return tx::matmul(a, b); };
constexpr auto layer = [](auto a, auto b) { return tx::relu(tx::matmul(a, b)); };
constexpr auto used_again = [](auto a, auto b) {
    auto const c = tx::matmul(a, b);
    return tx::matmul(tx::relu(c), c);
};
constexpr auto part = [](auto x) { return tx::sum(tx::slice(x, tx::range<1, 4>)); };
constexpr auto cross = [](auto x) {
    using tx::slice, tx::range;
    return slice(x, range<0, -2>, range<1, -1>) + slice(x, range<2, tx::open>, range<1, -1>) + slice(x, range<1, -1>, range<2, tx::open>);
};
constexpr auto bag = [](auto x, auto i) { return tx::sum(tx::take(x, i, axis<0>), axis<1>); };
constexpr auto windowed = [](auto x, auto w) { return tx::matmul(tx::sliding_window_view<7>(x), w); };
constexpr auto pairs = [](auto x, auto y) { return tx::sum(1 / (1 + tx::expand_dims<1>(x) * y), axis<1>); };
constexpr auto pooled = [](auto x) { return tx::max(x, axis<1, 3>); };
constexpr auto looked_up = [](auto x, auto i) { return tx::take(x, i, axis<0>) * 2; };

// One row.
static_assert(chooses<floats<100>>(scaled, {strategy::known_row}));
static_assert(chooses<floats<4, 25>>(scaled, {strategy::known_row}));
static_assert(chooses<floats<>>(scaled, {strategy::known_row}));
static_assert(chooses<floats<100'000>>(scaled, {strategy::open_row}));
static_assert(chooses<floats<dyn>>(scaled, {strategy::open_row}));
static_assert(chooses<floats<8'192>>(all, {strategy::known_row}));
static_assert(chooses<floats<8'192>>(all, {strategy::open_row}, short_vectors));
static_assert(planned<floats<100>>(scaled).loops[0].known_length == 100);
static_assert(planned<floats<dyn>>(scaled).loops[0].known_length == 0);

// Rows and columns.
static_assert(chooses<floats<50, 100>>(along, {strategy::short_rows}));
static_assert(chooses<floats<50, 100>>(along, {strategy::rows}, short_vectors));
static_assert(chooses<floats<dyn, 100>>(along, {strategy::short_rows}));
static_assert(chooses<floats<50, 1000>>(along, {strategy::rows}));
static_assert(chooses<floats<dyn, dyn>>(along, {strategy::rows}));
static_assert(chooses<floats<100, 50>>(down, {strategy::columns}));
static_assert(chooses<floats<dyn, 50>>(down, {strategy::columns}));
static_assert(chooses<floats<50, 40>, floats<40>>(biased, {strategy::rows}));
static_assert(chooses<floats<70, 80>, floats<80, 70>>(turned, {strategy::tiles}));

// Slices of unknown extents are as long as each other, and shorter than what they are taken from.
static_assert(chooses<floats<dyn, dyn>>(cross, {strategy::rows}));
static_assert(stages<decltype(cross), floats<dyn, dyn>>::clusters().loops.size() == 1);
static_assert(planned<floats<dyn, dyn>>(cross).loops[0].inner.extent[0] == 65'534);

// Many rows at once, several kept indices at once.
static_assert(chooses<floats<50, 5>, floats<5>>(biased, {strategy::packed_rows}));
static_assert(chooses<floats<dyn, 5>, floats<5>>(biased, {strategy::packed_rows}));
static_assert(chooses<floats<50, 20>, floats<20>>(biased, {strategy::packed_rows}));
static_assert(chooses<floats<50, 20>, floats<20>>(biased, {strategy::rows}, short_vectors));
static_assert(chooses<floats<3, 5>, floats<5>>(biased, {strategy::rows}));
static_assert(chooses<floats<100, 3>>(down, {strategy::packed_rows}));
static_assert(chooses<floats<20, 30, 40>>(around, {strategy::register_tile}));
static_assert(chooses<floats<dyn, dyn, dyn>>(around, {strategy::register_tile}));
static_assert(chooses<floats<20, 30, 2000>>(around, {strategy::register_tile}));

// Many results side by side in registers: where little is reduced, and where loads are shared.
static_assert(chooses<floats<8, 50>>(down, {strategy::register_tile}));
static_assert(chooses<floats<50, 20>>(along, {strategy::short_rows}));
static_assert(chooses<floats<50, 3>>(along, {strategy::register_tile}));
static_assert(chooses<floats<dyn, 3>>(along, {strategy::register_tile}));
static_assert(chooses<floats<64, 2, 64, 2>>(pooled, {strategy::register_tile}));
static_assert(chooses<floats<100>, floats<7>>(windowed, {strategy::register_tile}));
static_assert(chooses<floats<dyn>, floats<7>>(windowed, {strategy::register_tile}));
static_assert(chooses<floats<100>, floats<7>>(windowed, {strategy::register_tile}, short_vectors));
static_assert(chooses<floats<500>, floats<400>>(pairs, {strategy::register_tile}));
static_assert(chooses<floats<dyn>, floats<dyn>>(pairs, {strategy::register_tile}));
static_assert(chooses<tx::tensor<tx::dual<float>, shape<500>>, tx::tensor<tx::dual<float>, shape<400>>>(pairs, {strategy::short_rows}));
static_assert(planned<floats<500>, floats<400>>(pairs).loops[0].tile.along > 1);

// Nests, whose loops may have a known length.
static_assert(chooses<floats<50, 100>>(softmax, {strategy::nest}));
static_assert(chooses<floats<dyn, dyn>>(softmax, {strategy::nest}));
static_assert(planned<floats<50, 100>>(softmax).loops[0].known_length == 100);
static_assert(planned<floats<dyn, dyn>>(softmax).loops[0].known_length == 0);

// Calls.
static_assert(chooses<floats<4, 4>, floats<4, 4>>(product, {strategy::small_product}));
static_assert(chooses<floats<60, 60>, floats<60, 60>>(product, {strategy::any_call}));
static_assert(chooses<floats<dyn, 4>, floats<4, 4>>(product, {strategy::any_call}));
static_assert(chooses<floats<8, 8>, floats<8, 64>>(product, {strategy::small_product}));
static_assert(chooses<floats<9, 4, 4>, floats<9, 4, 4>>(product, {strategy::small_products}));
static_assert(chooses<floats<dyn, 4, 4>, floats<dyn, 4, 4>>(product, {strategy::small_products}));
static_assert(chooses<floats<dyn, 4, dyn>, floats<dyn, dyn, 4>>(product, {strategy::any_call}));
static_assert(chooses<floats<9, 4, 4>, floats<4, 4>>(product, {strategy::any_call})); // one product
static_assert(chooses<floats<8, 8>, floats<8, 64>>(product, {strategy::any_call}, short_vectors));
static_assert(chooses<floats<4, 4>, floats<4, 4>>(layer, {strategy::small_product, strategy::epilogue}));
static_assert(chooses<floats<64, 64>, floats<64, 64>>(layer, {strategy::any_call, strategy::known_row}));
static_assert(chooses<floats<4, 4>, floats<4, 4>>(used_again,
                                                  {strategy::small_product, strategy::known_row, strategy::small_product}));
static_assert(chooses<floats<9>>(tx::grad(part), {strategy::known_row, strategy::small_update}));
static_assert(chooses<floats<9, 100>, tx::tensor<int, shape<7>>>(looked_up, {strategy::check_indices, strategy::rows}));
static_assert(chooses<floats<9, 100>, tx::tensor<int, shape<7, 5>>>(bag, {strategy::check_indices, strategy::register_tile}));
static_assert(chooses<floats<dyn, 100>, tx::tensor<int, shape<dyn, 5>>>(bag, {strategy::check_indices, strategy::register_tile}));
static_assert(chooses<floats<9, 100>, tx::tensor<int, shape<7, 500>>>(bag, {strategy::check_indices, strategy::register_tile}));
static_assert(chooses<floats<dyn, dyn>, tx::tensor<int, shape<dyn, 5>>>(bag, {strategy::check_indices, strategy::register_tile}));

// Stores past the caches, and threads.
static_assert(planned<floats<1 << 23>>(scaled).loops[0].streams);
static_assert(!planned<floats<1 << 22>>(scaled).loops[0].streams);
static_assert(!planned<floats<1 << 23>>(all).loops[0].streams);
static_assert(planned<floats<1 << 20>>(all, threads).steps[0].sharing == tx::sharing::total);
static_assert(planned<floats<500, 1000>>(along, threads).steps[0].sharing == tx::sharing::pieces);
static_assert(planned<floats<50, 1000>>(along, threads).steps[0].sharing == tx::sharing::none);
static_assert(planned<floats<4, 4>, floats<4, 4>>(layer, threads).steps[1].sharing == tx::sharing::none);

// A plan made at run time, against what the compiler took the extents for.
template <class... A, class F> strategy at_run_time(F, std::initializer_list<tx::dims> extents) {
    using of = stages<F, A...>;
    tx::plan kept = tx::run_passes(of::trace(), {}, tx::table_view<tx::dims>(extents.begin(), extents.size())).plan;
    tx::detail::keep_strategies(of::plan(), kept);
    return kept.loops[0].kept;
}

} // namespace

TEST_CASE("strategies: run time and compile time choose alike") {
    CHECK(chooses<floats<50, 100>>(along, {strategy::short_rows}));
    CHECK(chooses<floats<4, 4>, floats<4, 4>>(layer, {strategy::small_product, strategy::epilogue}));
    CHECK(chooses<floats<100, 3>>(down, {strategy::packed_rows}));
}

TEST_CASE("strategies: a run whose numbers don't fit") {
    CHECK(at_run_time<floats<dyn, 5>, floats<5>>(biased, {{{500, 5}, 2}, {{5}, 1}}) == strategy::packed_rows);
    CHECK(at_run_time<floats<dyn, 5>, floats<5>>(biased, {{{2, 5}, 2}, {{5}, 1}}) == strategy::rows);
    CHECK(at_run_time<floats<dyn, dyn, dyn>>(around, {{{20, 30, 40}, 3}}) == strategy::register_tile);
    CHECK(at_run_time<floats<dyn, dyn, dyn>>(around, {{{20, 3, 5000}, 3}}) == strategy::register_tile);
    CHECK(at_run_time<floats<dyn, dyn, dyn>>(around, {{{20, 1, 5000}, 3}}) == strategy::strided);
    CHECK(at_run_time<floats<dyn, 7>>(along, {{{1000, 7}, 2}}) == strategy::short_rows);
    CHECK(at_run_time<floats<dyn>, floats<dyn>>(pairs, {{{1000}, 1}, {{5}, 1}}) == strategy::register_tile);
    CHECK(at_run_time<floats<dyn>, floats<dyn>>(pairs, {{{2}, 1}, {{3}, 1}}) == strategy::register_tile);
    CHECK(at_run_time<floats<dyn>, floats<dyn>>(pairs, {{{1}, 1}, {{1000}, 1}}) == strategy::strided);
    CHECK(at_run_time<floats<dyn>>(scaled, {{{1000}, 1}}) == strategy::open_row);
    CHECK(at_run_time<floats<dyn>>(scaled, {{{1}, 1}}) == strategy::strided);
    CHECK(at_run_time<floats<dyn, dyn>>(softmax, {{{40, 50}, 2}}) == strategy::nest);
    CHECK(at_run_time<floats<dyn, dyn>>(softmax, {{{40, 1}, 2}}) == strategy::strided);
    // Rows that only the run knows to be short.
    CHECK(at_run_time<floats<dyn, dyn>>(softmax, {{{40, 5}, 2}}) == strategy::strided);
    CHECK(at_run_time<floats<dyn, dyn>>(along, {{{1000, 50}, 2}}) == strategy::rows);
    CHECK(at_run_time<floats<dyn, dyn>>(along, {{{1000, 2}, 2}}) == strategy::strided);
    CHECK(at_run_time<floats<dyn, dyn>, floats<dyn>>(biased, {{{100, 50}, 2}, {{50}, 1}}) == strategy::rows);
    CHECK(at_run_time<floats<dyn, dyn>, floats<dyn>>(biased, {{{100, 3}, 2}, {{3}, 1}}) == strategy::strided);
    // What the shape rules make of one extent.
    CHECK(at_run_time<floats<dyn, dyn>>(cross, {{{100, 50}, 2}}) == strategy::rows);
}

TEST_CASE("strategies: explain_passes tells them") {
    CHECK(explains<floats<100>>(scaled, "\nafter plan for vectors of 64 bytes:\nloop of 1 times 100, as known_row of 100\n"));
    CHECK(explains<floats<dyn>>(scaled, "as open_row\n"));
    CHECK(explains<floats<1 << 23>>(scaled, "as open_row, past the caches\n"));
    CHECK(explains<floats<50, 100>>(along, "loop of 50 times 100, reducing, as short_rows of 100\n"));
    CHECK(explains<floats<500, 1000>>(along, "loop of 500 times 1000, reducing, as rows, shared by threads\n", threads));
    CHECK(explains<floats<50, 100>>(softmax, "loop of 50 times 100, reducing, as nest of 100\n"));
    CHECK(explains<floats<4, 4>, floats<4, 4>>(layer, ", as small_product\nloop of 1 times 16, as epilogue\n"));
    CHECK(explains<floats<60, 60>, floats<60, 60>>(product, "call matmul -> result0\n"));
    CHECK(explains<floats<20, 30, 40>>(around, ", as register_tile of 8 x 16\n"));
}
