#include <tracexpr/transforms/check_gradients.hpp>
#include <tracexpr/trace/functions.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

template <std::int64_t... E> using real = tx::tensor<double, tx::shape<E...>>;

template <class F, class... A> std::string complaint(F const& f, A const&... a) {
    try {
        tx::check_gradients(f, a...);
    } catch (tx::error const& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("check_gradients: right derivatives pass") {
    CHECK(complaint([](auto const& x, auto const& y) { return std::tuple(matmul(x, y), sum(exp(x)) * y); }, real<2, 2>{{0.5, -1}, {2, 0.25}}, real<2>{0.3, 1.4}) == "");
    CHECK(complaint([](auto const& x) { return sum(tx::log(x)); }, real<3>{1e-3, 2, 30}) == "");
    CHECK(complaint(tx::custom_gradient([](auto const& x) { return sum(sin(x)); }, [](auto const& x, auto const& g) { return g * cos(x); }), real<2>{0.4, 2}) == "");
    CHECK(complaint([](auto const& x) { return tanh(x) * x; }, tx::tensor<float, tx::shape<2>>{0.5f, -1.5f}) == "");
    double const captured = 3;
    CHECK(complaint([captured](auto const& x) { return captured * x * x; }, real<2>{1, 2}) == "");
}

TEST_CASE("check_gradients: a wrong custom gradient is found, and said where") {
    auto const wrong = tx::custom_gradient([](auto const& x) { return sum(sin(x)); }, [](auto const& x, auto const& g) { return g * cos(x) * 1.01; });
    std::string const text = complaint(wrong, real<2>{0.4, 2});
    CHECK(text.starts_with("tx: check_gradients: jvp must agree with central differences: of result 0, element 0 by number 0 of the arguments it gives 0.37"));
    CHECK(text.find("differences give 0.36") != std::string::npos);
    // Right to the first order only.
    auto const second = tx::custom_gradient([](auto const& x) { return sum(sin(x)); }, [](auto const& x, auto const& g) { return g * tx::stop_gradient(cos(x)); });
    CHECK(complaint(second, real<2>{0.4, 2}).find("jvp of jvp must agree") != std::string::npos);
    CHECK_NOTHROW(tx::check_gradients<1>(second, real<2>{0.4, 2}));
    auto const pushed = tx::custom_jvp([](auto const& x) { return x * x; }, [](auto const& x, auto const& dx) { return std::pair(x * x, dx * x); });
    CHECK(complaint(pushed, real<2>{0.4, 2}) != "");
}
