// This file tests random programs of collectives, branches and loops on several ranks, against the same programs of dual numbers
// in one process that holds the values of all ranks: values, derivatives along a direction, and gradients by the sum over ranks.
//   TRACEXPR_RANDOM_SEEDS=2000 runs all of them; TRACEXPR_RANDOM_FIRST=k starts from number k.
#include <collectives/systems.hpp>

#include <cstdlib>
#include <random>

using namespace tx::testing;
using tx::shape;
namespace mpi = tx::mpi;

namespace {

// What all ranks do: a tree of steps, each of which makes a vector of one.
struct step {
    enum kind { sine, scaled, by_rank, collective, squared, both, stopped, dead, branch, checkpointed, mapped, loop, scanned, kinds } what = sine;
    rank_op op{};
    double factor = 1;
    int rank = 0;              // whose value is stopped
    bool first = true;         // the branch that is taken
    std::vector<step> inner{}; // of a branch, both of them one after the other; of a loop
};
using rng = std::mt19937;
int below(rng& r, int n) { return static_cast<int>(r() % static_cast<unsigned>(n)); }

bool keeps_extent(rank_op const& op) { return !gathers(op.what) && !scatters(op.what) && op.what != tx::collective_kind::replicate; }
template <class X> X finite(X const& x) { return tx::where(tx::isfinite(x), x, 0.5); }

std::vector<step> program(rng& r, int size, int depth, int length) {
    std::vector<step> out;
    std::vector<rank_op> const ops = rank_ops(size);
    for (int k = 0; k < length; ++k) {
        step s;
        s.what = static_cast<step::kind>(below(r, depth > 0 ? step::kinds : step::branch));
        s.factor = 0.25 + below(r, 4) * 0.25;
        s.rank = below(r, size), s.first = below(r, 2) == 0;
        do s.op = ops[r() % ops.size()];
        while (!keeps_extent(s.op) || s.op.is_shared || s.op.by == tx::rank_reduction::product);
        if (s.what >= step::branch) s.inner = program(r, size, depth - 1, 2);
        out.push_back(std::move(s));
    }
    return out;
}

template <class X> X run(std::vector<step> const& steps, X x, communicator const& c);
template <class X> X run(step const& s, X const& x, communicator const& c) {
    switch (s.what) {
    case step::sine: return tx::sin(x);
    case step::scaled: return x * s.factor;
    case step::by_rank: return x * (1.0 + c.rank());
    case step::collective: return finite(applied(s.op, x, c));
    case step::squared: return x * x;
    case step::both: return finite(applied(s.op, x, c)) * x;
    case step::stopped: return c.rank() == s.rank ? X(tx::stop_gradient(x)) : x;
    case step::dead: static_cast<void>(applied(s.op, x, c)); return x;
    case step::branch:
        return tx::cond((s.first ? tx::sum(x * x) : -tx::sum(x * x)) >= (s.first ? 0.0 : 1e-300),
                        [=] { return run<X>(s.inner[0], x, c); }, [=] { return run<X>(s.inner[1], x, c); });
    case step::checkpointed: return tx::checkpoint([=](auto const& t) { return run<X>(s.inner, t, c); })(x);
    case step::mapped: {
        auto const one = [=](auto const& t) { return run<X>(s.inner, t, c); };
        return tx::sum(tx::vmap(one)(tx::stack(tx::axis<0>, x, x * 0.5)), tx::axis<0>);
    }
    case step::loop: return tx::fori_loop(0, 2, [=](auto, auto t) { return tx::tanh(run<X>(s.inner, t, c)); }, x);
    default:
        return tx::scan(
                   [=](auto t, auto k) {
                       X const next = tx::tanh(run<X>(s.inner, t * k, c));
                       return std::pair(next, tx::sum(next));
                   },
                   x, tx::linspace<double, 2>(0.5, 1.0))
            .first;
    }
}
template <class X> X run(std::vector<step> const& steps, X x, communicator const& c) {
    for (step const& s : steps) x = run<X>(s, x, c);
    return x;
}

// The same of all ranks at once: an element is a value and its change along a direction.
using dual = tx::dual<double>;
using all_ranks = std::vector<std::vector<dual>>;

all_ranks of_each(all_ranks x, auto const& f) {
    for (std::size_t r = 0; r < x.size(); ++r)
        for (dual& v : x[r]) v = f(v, r);
    return x;
}
// The change of an extreme is shared evenly by the ranks that have it.
double change_of_extreme(rank_op const& op, all_ranks const& x, std::size_t i, std::size_t r, double value) {
    bool const scans = op.what == tx::collective_kind::scan || op.what == tx::collective_kind::exclusive_scan;
    std::size_t const last = !scans ? x.size() : op.what == tx::collective_kind::scan ? r + 1 : r;
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < last; ++k)
        if (x[k][i].value == value) sum += x[k][i].tangent, ++count;
    return count > 0 ? sum / count : 0;
}
all_ranks collective(rank_op const& op, all_ranks const& x) {
    all_ranks out;
    for (std::size_t r = 0; r < x.size(); ++r) {
        out.push_back(expected(op, x, r));
        bool const is_nothing = op.what == tx::collective_kind::reduce && static_cast<int>(r) != op.root;
        for (std::size_t i = 0; i < out[r].size(); ++i) {
            dual& v = out[r][i];
            if (!op.is_linear() && !is_nothing) v.tangent = change_of_extreme(op, x, i, r, v.value);
            if (!std::isfinite(v.value)) v = dual(0.5);
        }
    }
    return out;
}
all_ranks simulated(std::vector<step> const& steps, all_ranks x);
all_ranks simulated(step const& s, all_ranks const& x) {
    auto const round = [&](double factor) {
        all_ranks const scaled = of_each(x, [&](dual const& v, std::size_t) { return v * dual(factor); });
        return scaled;
    };
    switch (s.what) {
    case step::sine: return of_each(x, [](dual const& v, std::size_t) { return sin(v); });
    case step::scaled: return round(s.factor);
    case step::by_rank: return of_each(x, [](dual const& v, std::size_t r) { return v * dual(1.0 + static_cast<double>(r)); });
    case step::collective: return collective(s.op, x);
    case step::squared: return of_each(x, [](dual const& v, std::size_t) { return v * v; });
    case step::both: {
        all_ranks const all = collective(s.op, x);
        all_ranks out = x;
        for (std::size_t r = 0; r < out.size(); ++r)
            for (std::size_t i = 0; i < out[r].size(); ++i) out[r][i] = all[r][i] * x[r][i];
        return out;
    }
    case step::stopped:
        return of_each(x, [&](dual const& v, std::size_t r) { return static_cast<int>(r) == s.rank ? dual(v.value) : v; });
    case step::dead: return x;
    case step::branch: return simulated(s.inner[s.first ? 0 : 1], x);
    case step::checkpointed: return simulated(s.inner, x);
    case step::mapped: {
        all_ranks out = simulated(s.inner, x);
        all_ranks const second = simulated(s.inner, round(0.5));
        for (std::size_t r = 0; r < out.size(); ++r)
            for (std::size_t i = 0; i < out[r].size(); ++i) out[r][i] = out[r][i] + second[r][i];
        return out;
    }
    default: {
        all_ranks state = x;
        for (double const k : {0.5, 1.0}) {
            if (s.what == step::scanned) state = of_each(state, [&](dual const& v, std::size_t) { return v * dual(k); });
            state = of_each(simulated(s.inner, state), [](dual const& v, std::size_t) { return tanh(v); });
        }
        return state;
    }
    }
}
all_ranks simulated(std::vector<step> const& steps, all_ranks x) {
    for (step const& s : steps) x = simulated(s, x);
    return x;
}

std::string described(std::vector<step> const& steps) {
    constexpr char const* names[]{"sine", "scaled", "by_rank", "collective", "squared", "both",
                                  "stopped", "dead", "branch", "checkpointed", "mapped", "loop", "scanned"};
    std::string out;
    for (step const& s : steps) {
        out += std::string(out.empty() ? "" : ", ") + names[s.what];
        if (s.what == step::collective || s.what == step::both || s.what == step::dead) out += ' ' + s.op.name();
        if (s.what == step::stopped) out += " on " + std::to_string(s.rank);
        if (s.what == step::branch) out += s.first ? " first" : " second";
        if (!s.inner.empty()) out += " (" + described(s.inner) + ')';
    }
    return out;
}
void check_seed(unsigned seed) {
    rng r(seed);
    int const size = 1 + below(r, 4);
    std::vector<step> const steps = seed % 2 ? program(r, size, 2, 4) : program(r, size, 3, 3);
    lists const x = numbers(size, size, 0), dx = numbers(size, size, 1), ybar = numbers(size, size, 2);
    all_ranks start(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t i = 0; i < x[k].size(); ++i) start[k].push_back(dual(x[k][i], dx[k][i]));
    lists y, dy;
    for (auto const& one : simulated(steps, start)) {
        y.emplace_back(), dy.emplace_back();
        for (dual const& v : one) y.back().push_back(v.value), dy.back().push_back(v.tangent);
    }
    auto const system = [&](communicator const& c) {
        return [&steps, c](auto const& a) { return run<std::remove_cvref_t<decltype(a)>>(steps, a, c); };
    };
    std::string const name = "seed " + std::to_string(seed) + ", " + std::to_string(size) + " ranks: " + described(steps);
    try {
        check_near(values(system, x), y, 1e-9, name + ": value");
        check_near(tangents(system, x, dx), dy, 1e-9, name + ": jvp");
        CHECK_MESSAGE(dot(cotangents(system, x, ybar), dx) == doctest::Approx(dot(ybar, dy)), name, ": vjp");
        auto const gradient = [&](communicator const& c) {
            return tx::grad([f = system(c), c](auto const& a) { return tx::sum(tx::sin(f(a))) * (1.0 + c.rank()); });
        };
        lists const twice = tangents(gradient, x, dx);
        CHECK_MESSAGE(dot(cotangents(gradient, x, ybar), dx) == doctest::Approx(dot(ybar, twice)), name, ": second derivatives");
    } catch (std::exception const& e) {
        FAIL_CHECK(name, ": ", std::string(e.what()));
    }
}

} // namespace

TEST_CASE("collectives: random programs are what one process that has all ranks' values computes") {
    auto const number = [](char const* name, unsigned otherwise) {
        char const* const given = std::getenv(name);
        return given ? static_cast<unsigned>(std::atoi(given)) : otherwise;
    };
    unsigned const first = number("TRACEXPR_RANDOM_FIRST", 0), count = number("TRACEXPR_RANDOM_SEEDS", 200);
    for (unsigned seed = first; seed < first + count; ++seed) check_seed(seed);
}
