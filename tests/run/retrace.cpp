// This file tests input signatures, reduced retracing, and the warning that a function is traced too often.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }
constexpr auto mean_of = [](auto x) { return tx::mean(x * 2); };

} // namespace

TEST_CASE("signature: one trace for every call that fits") {
    tx::function f{mean_of, tx::signature<tx::spec<float, any_shape>>{}};
    CHECK(f(tensor<float>{1, 2, 3}).item() == 4);
    CHECK(f(tensor<float>{{1, 2}, {3, 6}}).item() == 6);
    CHECK(f(tensor<float, shape<2, 1>>{{1}, {2}}).item() == 3);
    CHECK(f(5).item() == 10);
    CHECK(f(2.5).item() == 5);
    CHECK(f({1, 2, 3}).item() == 4);
    CHECK(f({{1, 2}, {3, 6}}).item() == 6);
    CHECK(f.tracing_count() == 1);
    CHECK(f.signatures() == std::vector<std::string>{"(float32[...]) -> float32[]"});
    tensor<float> out;
    f.into(out, {4, 4});
    CHECK(out.item() == 8);
}

TEST_CASE("signature: ranks and extents known") {
    tx::function f{[](auto x, auto s) { return tx::sum(x, tx::axis<0>) * s; }, tx::signature<tx::spec<double, shape<dyn, 2>>, tx::spec<double, shape<>>>{}};
    static_assert(decltype(f)::is_static);
    CHECK(same(f({{1, 2}, {3, 4}}, 2), tensor<double, shape<2>>{8, 12}));
    CHECK(same(f(tensor<double>{{1, 2}}, 1.5), tensor<double, shape<2>>{1.5, 3}));
    CHECK(f.tracing_count() == 1);
    CHECK(f.signatures() == std::vector<std::string>{"(float64[?,2], float64[]) -> float64[2]"});
    SUBCASE("what doesn't fit is an error that says so") {
        CHECK_THROWS_WITH_AS(f(tensor<double>{{1, 2, 3}}, 1), "tx: function: argument 0 must be float64[?,2], as the signature says; given float64[1,3]", tx::signature_error);
        CHECK_THROWS_WITH_AS(f({{1, 2}}, tensor<double>{1, 2}), "tx: function: argument 1 must be float64[], as the signature says; given float64[2]", tx::signature_error);
        CHECK(f.tracing_count() == 1);
    }
    SUBCASE("concrete, and within other functions") {
        auto const c = f.concrete();
        CHECK(same(c(tensor<double, shape<dyn, 2>>{{1, 2}}, tensor<double, shape<>>(2.0)), tensor<double, shape<2>>{2, 4}));
        tx::function outer{[&](auto x) { return f(x, 3.0) + 1; }};
        CHECK(same(outer(tensor<double, shape<1, 2>>{{1, 2}}), tensor<double, shape<2>>{4, 7}));
    }
}

TEST_CASE("signature: trees") {
    using two = std::pair<tx::spec<float, shape<dyn>>, tx::spec<float, shape<dyn>>>;
    tx::function f{[](auto const& p) { return p.first + p.second; }, tx::options{}, tx::signature<two>{}};
    using open = tensor<float, shape<dyn>>;
    CHECK(same(f(std::pair{open{1, 2}, open{3, 4}}), open{4, 6}));
}

TEST_CASE("signature: an op that must know the rank is traced once for each") {
    tx::function f{[](auto x) { return tx::softmax(x, tx::axis<-1>); }, tx::signature<tx::spec<float, any_shape>>{}};
    CHECK(same(f({0, 0}), tensor<float>{0.5f, 0.5f}));
    CHECK(same(f({{0, 0}, {1, 1}}), tensor<float>{{0.5f, 0.5f}, {0.5f, 0.5f}}));
    CHECK(same(f({0, 0, 0, 0}), tensor<float>{0.25f, 0.25f, 0.25f, 0.25f}));
    CHECK(f.tracing_count() <= 2);
}

TEST_CASE("reduce_retracing: differing extents become unknown, the closest trace is used") {
    tx::function f{[](auto x, auto y) { return tx::sum(x * y); }, tx::options{.reduce_retracing = true}};
    auto const filled = [](std::int64_t n, std::int64_t m) { return tensor<float>(tx::full<float, shape<dyn, dyn>>(1.f, n, m)); };
    CHECK(f(filled(2, 3), 1).item() == 6);
    CHECK(f.tracing_count() == 1);
    CHECK(f(filled(4, 3), 1).item() == 12);
    CHECK(f.tracing_count() == 2);
    CHECK(f(filled(7, 3), 2).item() == 42);
    CHECK(f(filled(2, 3), 1).item() == 6);
    CHECK(f.tracing_count() == 2);
    CHECK(f(filled(7, 5), 1).item() == 35);
    CHECK(f.tracing_count() == 3);
    CHECK(f(filled(1, 1), 1).item() == 1);
    CHECK(f(tensor<float>{1, 2}, 1).item() == 3); // another rank
    CHECK(f.signatures() == std::vector<std::string>{"(float32[2,3], weak int32[]) -> float32[]", "(float32[?,3], weak int32[]) -> float32[]",
                                                     "(float32[?,?], weak int32[]) -> float32[]", "(float32[2], weak int32[]) -> float32[]"});
}

TEST_CASE("reduce_retracing: all that has differed stays unknown") {
    int traced = 0;
    tx::function f{[&](auto x) {
                       ++traced;
                       return tx::sum(x * 2);
                   },
                   tx::options{.reduce_retracing = true}};
    auto const ones = [](std::int64_t n, std::int64_t m) { return tensor<float>(tx::ones<float, shape<dyn, dyn>>(n, m)); };
    CHECK(f(ones(1, 2)).item() == 4);
    CHECK(f(ones(1, 3)).item() == 6);
    CHECK(f(ones(2, 2)).item() == 8);
    CHECK(f(ones(3, 1)).item() == 6);
    CHECK(f(ones(7, 9)).item() == 126);
    CHECK(f.signatures() == std::vector<std::string>{"(float32[1,2]) -> float32[]", "(float32[1,?]) -> float32[]", "(float32[?,?]) -> float32[]"});
    CHECK(traced == 3);
}

TEST_CASE("signatures: a C++ scalar, which takes on others' dtypes, is told from a tensor") {
    tx::function f{[](auto x, auto s) { return x * s; }};
    tensor<float, shape<2>> const x{1, 2};
    static_assert(std::is_same_v<decltype(f(x, 2.0)), tensor<float, shape<2>>>);
    static_assert(std::is_same_v<decltype(f(x, tensor<double, shape<>>(2.0))), tensor<double, shape<2>>>);
    f(x, 2.0), f(x, tensor<double, shape<>>(2.0));
    float const one = 1;
    tx::function at_run_time{[one](auto a, auto s) { return a * s * one; }};
    at_run_time(x, 2.0), at_run_time(x, tensor<double, shape<>>(2.0));
    std::vector<std::string> const wanted{"(float32[2], weak float64[]) -> float32[2]", "(float32[2], float64[]) -> float64[2]"};
    CHECK(f.signatures() == wanted);
    CHECK(at_run_time.signatures() == wanted);
}

TEST_CASE("tracing_count: a call that throws leaves no trace, of the compiler's neither") {
    tx::function f{[](auto x, auto at) { return tx::take(x, at, tx::axis<0>) * 2; }};
    static_assert(decltype(f)::is_static);
    tensor<float, shape<3>> const x{1, 2, 3};
    using place = tensor<int, shape<1>>;
    tensor<float, shape<1>> out;
    CHECK_THROWS_AS(f(x, place{3}), tx::shape_error);
    CHECK_THROWS_AS(f.into(out, x, place{3}), tx::shape_error);
    CHECK(f.tracing_count() == 0);
    CHECK(f(x, place{2})(0) == 6);
    CHECK(f.tracing_count() == 1);
    CHECK_THROWS_AS(f(x, place{-4}), tx::shape_error);
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("reduce_retracing: a callable that must know extents is traced for each") {
    tx::function f{[](auto x) {
                       float const n = static_cast<float>(x.extent(0));
                       return x * n;
                   },
                   tx::options{.reduce_retracing = true}};
    CHECK(same(f(tensor<float>{1, 2}), tensor<float>{2, 4}));
    CHECK(same(f(tensor<float>{1, 2, 3}), tensor<float>{3, 6, 9}));
    CHECK(same(f(tensor<float>{1, 2, 3, 4}), tensor<float>{4, 8, 12, 16}));
    CHECK(f.tracing_count() == 3);
}

TEST_CASE("on_retrace_warning: five traces in ten calls, once, naming what differed") {
    std::vector<std::string> said;
    tx::on_retrace_warning([&](std::string const& text) { said.push_back(text); });
    SUBCASE("shapes") {
        tx::function f{mean_of};
        for (std::int64_t n = 1; n < 9; ++n) f(tensor<float>(tx::ones<float, shape<dyn>>(n)));
        REQUIRE(said.size() == 1);
        CHECK(said[0].find("traced 5 times in 5 calls") != std::string::npos);
        CHECK(said[0].find("Argument 0 was float32[4], then float32[5].") != std::string::npos);
    }
    SUBCASE("keys, among the rest") {
        tx::function f{[](auto x, int n) { return x * static_cast<float>(n); }};
        for (int n = 0; n < 6; ++n) f(tensor<float>{1, 2}, tx::key(n));
        REQUIRE(said.size() == 1);
        CHECK(said[0].find("Argument 1 was 3, then 4.") != std::string::npos);
        CHECK(said[0].find("Argument 0") == std::string::npos);
    }
    SUBCASE("not the compiler's, which cost nothing") {
        tx::function f{mean_of};
        f(tensor<float, shape<1>>{}), f(tensor<float, shape<2>>{}), f(tensor<float, shape<3>>{}), f(tensor<float, shape<4>>{});
        f(tensor<float, shape<5>>{}), f(tensor<float, shape<6>>{});
        CHECK(f.tracing_count() == 6);
        CHECK(said.empty());
        for (std::int64_t n = 1; n < 5; ++n) f(tensor<float>(tx::ones<float, shape<dyn>>(n)));
        CHECK(said.empty());
        f(tensor<float, shape<7>>{}), f(tensor<float>(tx::ones<float, shape<dyn>>(5)));
        REQUIRE(said.size() == 1);
        CHECK(said[0].find("Argument 0 was float32[4], then float32[5].") != std::string::npos);
    }
    SUBCASE("advising nothing that is on already") {
        tx::function f{[](auto x, int n) { return x * static_cast<float>(n); }, tx::options{.reduce_retracing = true}};
        for (int n = 0; n < 6; ++n) f(tensor<float>{1, 2}, tx::key(n));
        tx::function without{[](auto x, int n) { return x * static_cast<float>(n); }};
        for (int n = 0; n < 6; ++n) without(tensor<float>{1, 2}, tx::key(n));
        REQUIRE(said.size() == 2);
        CHECK(said[0].find("reduce_retracing") == std::string::npos);
        CHECK(said[1].find("reduce_retracing") != std::string::npos);
    }
    SUBCASE("calls that throw are not counted") {
        tx::function f{[](auto x, int n) {
            if (n < 0) throw tx::trace_error("tx: test: negative");
            return x * static_cast<float>(n);
        }};
        for (int n = 1; n < 7; ++n) {
            CHECK_THROWS_AS(f(tensor<float>{1, 2}, tx::key(-n)), tx::trace_error);
            CHECK(f(tensor<float>{1, 2}, tx::key(n))(1) == 2 * static_cast<float>(n));
        }
        CHECK(f.tracing_count() == 6);
        REQUIRE(said.size() == 1);
        CHECK(said[0].find("traced 5 times in 5 calls") != std::string::npos);
    }
    SUBCASE("not where traces are rare") {
        tx::function f{mean_of};
        for (std::int64_t n = 1; n < 9; ++n)
            for (int i = 0; i < 3; ++i) f(tensor<float>(tx::ones<float, shape<dyn>>(n)));
        CHECK(said.empty());
    }
    tx::on_retrace_warning([](std::string const&) {});
}
