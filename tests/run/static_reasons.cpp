// This file tests the messages that say why a function isn't static.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <iostream>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using open_rank = tensor<float>;

namespace {

struct with_number {
    vec weights{};
    float by = 1;
    constexpr auto operator()(auto x) const { return x * weights * by; }
};
class hidden {
public:
    explicit hidden(float by) : weights_{by, by, by} {}
    auto operator()(auto x) const { return x * weights_; }

private:
    vec weights_;
};

} // namespace

TEST_CASE("why_not_static: what the callable holds") {
    vec w{1, 2, 3};
    open_rank any_rank{1, 2, 3};
    float by = 2;
    constexpr auto none = [](auto x) { return x; };
    static_assert(tx::function<decltype(none)>::why_not_static.empty());
    tx::function captures{[w = tx::capture(w)](auto x) { return x * w; }};
    static_assert(decltype(captures)::why_not_static.empty());
    CHECK(tx::why_not_static(captures, w) == "");
    tx::function refers{[&by](auto x) { return x * by; }};
    static_assert(
        decltype(refers)::why_not_static.starts_with("the callable captures 8 bytes that are not all tx::capture'd: write [w = "
                                                     "tx::capture(w)]"));
    CHECK(tx::why_not_static(refers, w) == refers.why_not_static);
    CHECK(tx::why_not_static(tx::grad(refers), w) == refers.why_not_static);
    tx::function mixed{[w = tx::capture(w), by](auto x) { return x * w * by; }};
    CHECK(mixed.why_not_static.find(" bytes that are not all tx::capture'd") != std::string_view::npos);
    tx::function of_open_rank{[w = tx::capture(any_rank)](auto x) { return x * w; }};
    CHECK(of_open_rank.why_not_static.find("a type that tells their rank") != std::string_view::npos);
    CHECK(tx::function{with_number{}}.why_not_static.find("a number in a struct") != std::string_view::npos);
    CHECK(tx::function{hidden(1)}.why_not_static.find("make it an aggregate of tensors") != std::string_view::npos);
    tx::function two{[](auto x, auto y) { return x * y; }};
    CHECK(two.bind(any_rank).why_not_static.find("tx::any_shape") != std::string_view::npos);
    CHECK(two.bind(w).why_not_static.empty());
}

TEST_CASE("why_not_static: what it is called with") {
    vec const w{1, 2, 3};
    tx::function f{[](auto x, auto) { return x; }};
    CHECK(tx::why_not_static(f, w, 2) == "");
    CHECK(tx::why_not_static(f, w, open_rank{}) == "argument 1 has tx::any_shape: give the tensor's type a rank");
    CHECK(tx::why_not_static(f, w, tx::key(3)).starts_with("argument 1 is a tx::key"));
    CHECK(tx::why_not_static(f, with_number{}, w).starts_with("argument 0 has a tx::key, or a number in a struct"));
    CHECK(tx::why_not_static(f, w) == "the callable doesn't take these arguments");
    constexpr auto prints = [](auto x) {
        std::cout << "";
        return x;
    };
    CHECK(tx::why_not_static(prints, w).starts_with("the callable can't run in a constant expression"));
    CHECK(tx::why_not_static(tx::function{prints, tx::options{.jit = tx::jit::never}}, w) ==
          "the function was given tx::jit::never");
    tx::function open{[](auto x) { return x; }, tx::signature<tx::spec<float, tx::any_shape>>{}};
    CHECK(open.why_not_static == "argument 0 has tx::any_shape: give the tensor's type a rank");
}
