// This file tests a file that has neither passes nor kernels (TRACEXPR_KERNELS_NONE): functions are traced while the program
// runs, and ops call the compiled library.
#include <tracexpr/tracexpr.hpp>

#include "messages.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <utility>
#include <vector>

using tx::dyn, tx::shape, tx::tensor;

namespace {

using vec = tensor<double, shape<3>>;
using row = tensor<double, shape<dyn>>;
constexpr auto cubes = [](auto x) { return tx::sum(x * x * x); };

void check(auto const& got, std::vector<double> const& expected) {
    REQUIRE(got.size() == static_cast<std::int64_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(static_cast<double>(got.data()[i]) == doctest::Approx(expected[i]).epsilon(1e-9));
}

struct line {
    tensor<double, shape<>> slope, offset;
    auto operator()(auto x) const { return slope * x + offset; }
};

} // namespace

TEST_CASE("TRACEXPR_KERNELS_NONE: no function is static, and says why") {
    tx::function f{cubes};
    static_assert(!decltype(f)::is_static);
    CHECK(std::string(decltype(f)::why_not_static).find("TRACEXPR_KERNELS_NONE") != std::string::npos);
    CHECK(f(vec{1, 2, 3}).item() == 36);
    CHECK(f(vec{1, 2, 4}).item() == 73);
    CHECK(f.tracing_count() == 1);
    CHECK(f.signatures() == std::vector<std::string>{"(float64[3]) -> float64[]"});
    CHECK(f(row{1, 2}).item() == 9);
    CHECK(f.tracing_count() == 2);
    tx::function const insists{cubes, tx::options{.jit = tx::jit::always}};
    CHECK_THROWS_AS(insists(vec{1, 2, 3}), tx::trace_error);
    auto const c = f.concrete<tx::spec<double, shape<dyn>>>();
    CHECK(c.signature() == "(float64[?]) -> float64[]");
    CHECK(c(row{2}).item() == 8);
    CHECK(c.explain_passes().find("after plan") != std::string::npos);
    CHECK(c.graph().to_text().find("sum") != std::string::npos);
}

TEST_CASE("TRACEXPR_KERNELS_NONE: ops on tensors, inside their objects and not, of any rank") {
    vec const x{1, -2, 3};
    check(x + x * 2, {3, -6, 9});
    check(tx::abs(x) - row{1, 1, 1}, {0, 1, 2});
    check(tensor<double>(x) * tensor<double>(row{2}), {2, -4, 6});
    check(tx::matmul(tensor<double, shape<2, 3>>{{1, 0, 2}, {0, 1, 1}}, x), {7, 1});
    check(tx::where(x > 0, x, 0), {1, 0, 3});
    check(tx::cumsum(x), {1, -1, 2});
    check(tx::sort(x), {-2, 1, 3});
    check(tx::concat(tx::axis<0>, x, row{7}), {1, -2, 3, 7});
    check(tx::mean(x), {2.0 / 3});
    check(tx::quantile(x, 0.5), {1});
    check(tx::linalg::norm(x), {std::sqrt(14.0)});
    CHECK(tx::argmin(x).item() == 1);
    CHECK(tx::sum(tensor<std::int8_t, shape<3>>{100, 27, -7}).item() == 120);
    CHECK((tensor<std::complex<float>, shape<1>>{{0, 1}} * tensor<std::complex<float>, shape<1>>{{0, 1}})(0) ==
          std::complex<float>(-1, 0));
    CHECK((tensor<std::string, shape<2>>{"a", "b"} == tensor<std::string, shape<2>>{"a", "c"})(1) == false);
    CHECK((tensor<std::int8_t, shape<2>>{1, 2} < 1000)(1));
    CHECK_THROWS_AS((tensor<std::int8_t, shape<2>>{1, 2} + 1000), tx::type_error);
    CHECK(message_of([&] { static_cast<void>(tx::ones<double, shape<dyn>>(2) + tx::ones<double, shape<dyn>>(4)); }).find("add") !=
          std::string::npos);
    CHECK(tx::to_string(tensor<float, shape<2, 2>>{{1, 2}, {3, 4}}) == "[[1. 2.]\n [3. 4.]]");
}

TEST_CASE("TRACEXPR_KERNELS_NONE: places that the run tells, variables, captured values") {
    row const x{0, 1, 2, 3, 4};
    for (std::int64_t k = 0; k < 5; ++k) {
        CHECK(tx::slice(x, tx::range(k, tx::open)).size() == 5 - k);
        CHECK(tx::slice(x, tx::range(k, k + 1)).item() == static_cast<double>(k));
    }
    tx::variable<double, shape<3>> v{vec{1, 2, 3}};
    check(v + 1, {2, 3, 4});
    check(tx::sum(v * v), {14});
    v.assign(v * 2);
    check(v.value(), {2, 4, 6});
    double k = 3;
    tx::function by_value{[k](auto y) { return y * k; }};
    check(by_value(x), {0, 3, 6, 9, 12});
    tx::function with_variable{[&v](auto y) {
        v.assign(v + y);
        return tx::sum(v);
    }};
    CHECK(with_variable(vec{1, 1, 1}).item() == 15);
    check(v.value(), {3, 5, 7});
    tx::function model{line{2.0, 1.0}};
    check(model(x), {1, 3, 5, 7, 9});
    tx::function applied{[](auto l, auto y) { return l(y); }};
    check(applied(line{-1.0, 0.0}, vec{1, 2, 3}), {-1, -2, -3});
}

TEST_CASE("TRACEXPR_KERNELS_NONE: numbers alone, and constants") {
    static_assert(tx::sqrt(4.0) == 2.0 && tx::maximum(3, 7) == 7);
    constexpr vec given{1, 2, 3};
    static_assert(given(2) == 3);
    for (double const a : {0.1, 1.0, 2.5, 30.0}) {
        CHECK(tx::exp(a) == doctest::Approx(std::exp(a)).epsilon(1e-14));
        CHECK(tx::pow(a, 3) == doctest::Approx(a * a * a).epsilon(1e-14));
        CHECK(tx::log(static_cast<float>(a)) == std::log(static_cast<float>(a)));
    }
    CHECK(std::isnan(tx::sqrt(-1.0)));
    CHECK(tx::bitwise_count(std::uint8_t{7}) == 3);
    CHECK(tx::abs(std::complex<double>(3, 4)) == 5);
}

TEST_CASE("TRACEXPR_KERNELS_NONE: derivatives in every mode and order") {
    vec const x{1, 2, 3}, t{1, 0, -1};
    check(tx::grad(cubes)(x), {3, 12, 27});
    check(tx::function{tx::value_and_grad(cubes)}(x).second, {3, 12, 27});
    check(tx::jvp(cubes)(x, t).second, {-24});
    check(tx::hvp(cubes)(x, t), {6, 0, -18});
    check(tx::hessian(cubes)(x), {6, 0, 0, 0, 12, 0, 0, 0, 18});
    constexpr auto both = [](auto a) { return tx::stack(tx::axis<0>, tx::sum(a), tx::sum(a * a)); };
    check(tx::jacfwd(both)(x), {1, 1, 1, 2, 4, 6});
    check(tx::jacrev(both)(x), {1, 1, 1, 2, 4, 6});
    check(tx::vmap(tx::grad(cubes))(tensor<double, shape<2, 3>>{{1, 2, 3}, {0, 1, -1}}), {3, 12, 27, 0, 3, 3});
    check(tx::grad(tx::checkpoint(cubes))(x), {3, 12, 27});
    auto const clipped = tx::custom_jvp([](auto a) { return tx::sum(a); }, [](auto a, auto d) { return std::pair(tx::sum(a), -7 * tx::sum(d * a)); });
    CHECK(tx::jvp(clipped)(x, t).second.item() == 14);
    auto const [value, along] = tx::linearize(cubes)(x);
    check(along(t), {-24});
    tx::check_gradients([](auto a) { return tx::sum(tx::sin(a) * a); }, x);
    CHECK_THROWS_AS(tx::check_gradients(clipped, x), tx::error);
}

TEST_CASE("TRACEXPR_KERNELS_NONE: tapes and accumulators") {
    tx::variable<double, shape<3>> w{vec{1, 2, 3}};
    tx::gradient_tape tape{{.persistent = true}};
    auto const y = tx::function{cubes}(w) + tx::sum(tx::exp(0 * w));
    check(tape.gradient(y, w), {3, 12, 27});
    check(tape.jacobian(w * w, w), {2, 0, 0, 0, 4, 0, 0, 0, 6});
    CHECK(tape.explain(y, w) == "y depends on x, and the tape has its gradient");
    vec const x{1, 2, 3}, dx{1, 1, 1};
    tx::forward_accumulator acc{{x, dx}};
    check(acc.jvp(x * x), {2, 4, 6});
    row z{1, 2};
    tx::gradient_tape other;
    other.watch(z);
    row copy = z * 2;
    copy(0) *= 3;
    check(other.gradient(tx::sum(copy), z), {6, 2});
}

TEST_CASE("TRACEXPR_KERNELS_NONE: loops, branches, lists, random numbers, threads") {
    vec const x{1, 2, 3};
    check(tx::function{[](auto a) { return tx::fori_loop(0, 3, [](auto, auto s) { return s * 2; }, a); }}(x), {8, 16, 24});
    auto const [last, all] = tx::scan([](auto s, auto e) { return std::pair(s + e, s * e); }, tensor<double, shape<>>{0}, x);
    check(last, {6});
    check(all, {0, 2, 9});
    tx::function choose{[](auto a) { return tx::cond(tx::sum(a) > 0, [&] { return a; }, [&] { return -a; }); }};
    check(choose(-x), {1, 2, 3});
    check(tx::grad([&](auto a) { return tx::sum(choose(a)); })(-x), {-1, -1, -1});
    std::map<std::string, row> const given{{"a", row{1, 2}}, {"b", row{3}}};
    tx::function doubling{[](auto m) {
        for (auto& [name, part] : m) part = part * 2;
        return m;
    }};
    auto const doubled = doubling(given);
    check(doubled.at("a"), {2, 4});
    check(doubled.at("b"), {6});
    tx::random::key const key(3);
    auto const once = tx::random::stateless_normal<double>(key, shape<4>{});
    CHECK(tx::to_string(once) == tx::to_string(tx::function{[](auto k) {
              return tx::random::stateless_normal<double>(k, shape<4>{});
          }}(key)));
    auto const f = tx::on(tx::cpu{.threads = 2}, [](auto a) { return tx::sum(tx::sin(a) * tx::sin(a) + tx::cos(a) * tx::cos(a)); });
    CHECK(f(tx::linspace<double>(0, 9, 100'000)).item() == doctest::Approx(100'000).epsilon(1e-12));
}

TEST_CASE("TRACEXPR_KERNELS_NONE: results that are there are written over, and stay where a call throws") {
    tx::function f{[](auto a) { return a + 1; }};
    row const x = tx::linspace<double>(0, 9, 100);
    row out;
    f.into(out, x);
    double const* const before = out.data();
    f.into(out, x);
    CHECK(out.data() == before);
    tx::function fails{[](auto a) {
        tx::assert_that(tx::all(a < 5), "all below 5");
        return a + 2;
    }};
    CHECK_THROWS_AS(fails.into(out, x), tx::assertion_error);
    CHECK(out(99) == 10);
    tx::function empty{[](auto a) {
        tx::print("{}", tx::sum(a));
        return std::tuple<>{};
    }};
    std::string printed;
    tx::on_print([&](std::string const& text) { printed += text; });
    static_cast<void>(empty(vec{1, 2, 3}));
    tx::on_print(nullptr);
    CHECK(printed == "6.0");
    tx::run_eagerly(true);
    CHECK(f(vec{1, 2, 3})(2) == 4);
    tx::run_eagerly(false);
}
