// How likely a hidden Markov model makes what was seen: its forward recursion, scaled at each step (Rabiner, 1989).
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr std::int64_t states = 64, steps = 1000;
constexpr auto likelihood = [](auto moves, auto seen) {
    using number = typename decltype(moves)::value_type;
    auto const first = tx::full<number, tx::shape<states>>(number(1) / states);
    auto const made = tx::scan(
        [moves](auto now, auto here) {
            auto const next = tx::matmul(now, moves) * here;
            auto const sum = tx::sum(next);
            return std::tuple(next / sum, tx::log(sum));
        },
        first, seen);
    return tx::sum(std::get<1>(made));
};

programs::registered const program("hidden_markov", [] {
    auto moves = programs::uniform(states * states, 0, 1, 1);
    for (std::int64_t i = 0; i < states; ++i) {
        programs::real sum = 0;
        for (std::int64_t j = 0; j < states; ++j) sum += moves[static_cast<std::size_t>(i * states + j)];
        for (std::int64_t j = 0; j < states; ++j) moves[static_cast<std::size_t>(i * states + j)] /= sum;
    }
    auto const seen = programs::uniform(steps * states, 0.1, 1, 2);
    programs::bench b("hidden_markov");
    b.loop(
        programs::results<programs::real>{1},
        [](auto* out, auto const* m, auto const* s) { loops::hidden_markov(out, m, s, states, steps); }, moves, seen);
    b.ours("static", tx::static_function{likelihood}, programs::fixed<states, states>(moves),
           programs::fixed<steps, states>(seen));
    b.ours("unknown", tx::static_function{likelihood}, programs::partly<states, states>(moves, states, states),
           programs::partly<tx::dyn, states>(seen, steps, states));
});

} // namespace
