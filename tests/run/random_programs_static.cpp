// This file tests random programs that the compiler traces, whose variables are their own, against the same statements on
// tensors.
#include <random_programs.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

using namespace tx::testing;

namespace {

struct own_variables {
    static constexpr bool may_draw = false;
    tx::variable<double, own_shape> first, second;
    constexpr auto& operator[](std::size_t k) { return k == 0 ? first : second; }
};
template <std::uint64_t Seed> struct program {
    static constexpr random_program statements{Seed, {.draws = false, .most = 5}};

    template <class E> constexpr auto operator()(E const& x, E const& y) const {
        own_variables v{tx::variable<double, own_shape>(x * 0.5), tx::variable<double, own_shape>(y + 0.25)};
        auto const result = interpreter<own_shape, own_variables>(statements, v).run(x, y);
        return std::tuple(result, v.first.value(), v.second.value());
    }
};
bool near(vec const& a, vec const& b) {
    for (int k = 0; k < 3; ++k)
        if (std::abs(a(k) - b(k)) > 1e-9) return false;
    return true;
}

template <std::uint64_t Seed> void check_seed() {
    constexpr std::uint64_t seed = Seed;
    CAPTURE(seed);
    vec const x{0.53, -0.71, 0.29}, y{-0.27, 0.93, 0.41};
    program<Seed> const on_tensors;
    tx::static_function const f{program<Seed>()};
    tx::random::seed(Seed);
    seen().clear();
    std::tuple<vec, vec, vec> const wanted = on_tensors(x, y);
    auto const expected = seen();
    tx::random::seed(Seed);
    seen().clear();
    std::tuple<vec, vec, vec> const given = f(x, y);
    CHECK(near(std::get<0>(given), std::get<0>(wanted)));
    CHECK(near(std::get<1>(given), std::get<1>(wanted)));
    CHECK(near(std::get<2>(given), std::get<2>(wanted)));
    REQUIRE(seen().size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(seen()[k] == doctest::Approx(expected[k]));
}
template <std::uint64_t... Seed> void check_seeds(std::integer_sequence<std::uint64_t, Seed...>) { (check_seed<Seed>(), ...); }

} // namespace

TEST_CASE("random programs: traced by the compiler") { check_seeds(std::make_integer_sequence<std::uint64_t, 6>{}); }
