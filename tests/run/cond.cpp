// This file tests branches on the values of tensors: static functions, traces made at run time, and tensors outside of any must
// give the same results.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>

#include <vector>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;
using open_vec = tensor<float, shape<tx::dyn>>;
using single = tensor<float, shape<>>;

namespace {

struct pair_of {
    vec a;
    single b;
};

// Static, traced at run time, eager.
template <class F, class X> void check_all(F const& f, X const& x, auto const& expected) {
    tx::function const known{f};
    static_assert(decltype(known)::is_static);
    CHECK(tx::equal(known(x), expected));
    int const kept = 1;
    tx::function const traced{[f, kept](auto a) {
        static_cast<void>(kept);
        return f(a);
    }};
    static_assert(!decltype(traced)::is_static);
    CHECK(tx::equal(traced(x), expected));
    CHECK(tx::equal(f(x), expected));
    tensor<float> const open = x;
    CHECK(tx::equal(tx::function{f}(open), expected));
}

tx::variable<float, shape<2>> weight{vec{10, 20}};
int runs_of_then = 0;

} // namespace

TEST_CASE("cond: takes one branch, with what the other has around it") {
    auto const f = [](auto x) {
        auto const y = x * 3;
        return tx::cond(tx::sum(x) > 0, [&](auto a) { return a * y; }, [&](auto a) { return 1 - a; }, x);
    };
    check_all(f, vec{1, 2}, vec{3, 12});
    check_all(f, vec{-1, -2}, vec{2, 3});
    check_all(f, open_vec{1, 2, 3}, open_vec{3, 12, 27});
    check_all(f, open_vec{}, open_vec{});
}

TEST_CASE("cond: branches without operands, within branches, one trace for all values") {
    auto const f = [](auto x) {
        auto const s = tx::sum(x);
        return tx::cond(s > 0, [&] { return tx::cond(s > 10, [&] { return x * 100; }, [&] { return x * s; }); }, [&] { return x * 0; });
    };
    check_all(f, vec{1, 2}, vec{3, 6});
    check_all(f, vec{10, 2}, vec{1000, 200});
    check_all(f, vec{-10, 2}, vec{-0.f, 0});
    tx::function const g{f};
    g(vec{1, 2}), g(vec{-1, -2}), g(vec{10, 20});
    CHECK(g.tracing_count() == 1);
}

TEST_CASE("cond: results are trees") {
    auto const pairs = [](auto x) {
        auto const p = tx::cond(tx::all(x > 0), [&] { return std::pair(x + 1, tx::max(x)); }, [&] { return std::pair(x - 1, tx::min(x)); });
        return p.first * p.second;
    };
    check_all(pairs, vec{1, 2}, vec{4, 6});
    check_all(pairs, vec{-1, 2}, vec{2, -1});
    auto const tuples = [](auto x) {
        auto const [a, b, c] = tx::cond(
            tx::any(x > 5), [&] { return std::tuple(x, std::array{x * 2, x * 3}, tx::argmax<0>(x)); },
            [&] { return std::tuple(-x, std::array{x * 4, x * 5}, tx::argmin<0>(x)); });
        return a + b[0] - b[1] + tx::cast<float>(c);
    };
    check_all(tuples, vec{1, 6}, vec{1, 1});
    check_all(tuples, vec{1, 2}, vec{-2, -4});
    auto const structs = [](auto x) {
        pair_of const p = tx::cond(tx::sum(x) > 0, [&] { return pair_of{x * 2, tx::sum(x)}; }, [&] { return pair_of{x * 3, tx::max(x)}; });
        return p.a + p.b;
    };
    CHECK(tx::equal(tx::function{structs}(vec{1, 2}), vec{5, 7}));
    CHECK(tx::equal(tx::function{structs}(vec{-1, -2}), vec{-4, -7}));
}

TEST_CASE("cond: a C++ scalar takes the other branch's dtype; results of both are broadcast by neither") {
    auto const f = [](auto x) { return tx::cond(tx::sum(x) > 0, [&] { return tx::sum(x); }, [] { return 0.5; }); };
    check_all(f, vec{1, 2}, single(3.f));
    check_all(f, vec{-1, -2}, single(0.5f));
}

TEST_CASE("cond: what is known while the callable is traced chooses there") {
    tx::function const f{[](auto x, auto flag) { return tx::cond(flag, [&] { return x + 1; }, [&] { return x - 1; }); }};
    CHECK(tx::equal(f(vec{1, 2}, std::true_type{}), vec{2, 3}));
    auto const graph = tx::graph_of<tx::spec<float, shape<2>>>([](auto x) { return tx::cond(true, [&] { return x + 1; }, [&] { return x - 1; }); });
    CHECK(graph.to_text().find("cond") == std::string::npos);
    CHECK(tx::equal(f(vec{1, 2}, true), vec{2, 3}));  // an argument: not known
    CHECK(tx::equal(f(vec{1, 2}, false), vec{0, 1}));
}

TEST_CASE("cond: every dtype") {
    auto const swap = [](auto x, auto y, auto p) {
        auto const both = tx::cond(p, [&] { return std::pair(x, y); }, [&] { return std::pair(y, x); });
        return both.first;
    };
    tx::function const f{swap};
    auto const check = [&]<class T>(T a, T b) {
        tensor<T, shape<3>> const x{a, a, b}, y{b, a, a};
        CHECK(tx::equal(f(x, y, true), x));
        CHECK(tx::equal(f(x, y, false), y));
    };
    check(true, false);
    check(std::int8_t{1}, std::int8_t{-2}), check(std::uint64_t{1}, std::uint64_t{2}), check(1, 2);
    check(tx::half(1.f), tx::half(2.f)), check(tx::bfloat16(1.f), tx::bfloat16(2.f)), check(1.0, 2.0);
    check(std::complex<float>(1, 2), std::complex<float>(3, 4));
    check(std::string("a"), std::string("bc"));
    check(tx::dual<double>(1, 2), tx::dual<double>(3, 4));
}

TEST_CASE("cond: live values inside, and as the predicate") {
    tx::variable<bool, shape<>> flag{true};
    tx::function const f{[&flag](auto x) { return tx::cond(flag, [&] { return x * weight; }, [&] { return x + tx::sum(weight * weight); }); }};
    CHECK(tx::equal(f(vec{1, 2}), vec{10, 40}));
    flag.assign(false);
    CHECK(tx::equal(f(vec{1, 2}), vec{501, 502}));
    weight.assign(vec{1, 1});
    CHECK(tx::equal(f(vec{1, 2}), vec{3, 4}));
    CHECK(f.tracing_count() == 1);
    weight.assign(vec{10, 20});
}

TEST_CASE("cond: only the branch that is taken is computed, outside of functions, too") {
    runs_of_then = 0;
    auto const f = [](auto x) {
        return tx::cond(tx::sum(x) > 0, [&] { return ++runs_of_then, x; }, [&] { return -x; });
    };
    CHECK(tx::equal(f(vec{-1, 0}), vec{1, -0.f}));
    CHECK(runs_of_then == 0);
    CHECK(tx::equal(f(vec{1, 0}), vec{1, 0}));
    CHECK(runs_of_then == 1);
    // An index that doesn't fit is an error of the branch that has it.
    tx::function const looks{[](auto x, auto i) {
        return tx::cond(tx::sum(x) > 0, [&] { return tx::take<0>(x, i); }, [&] { return tx::sum(x); });
    }};
    CHECK(looks(vec{-1, -2}, 5).item() == -3);
    CHECK_THROWS_AS(looks(vec{1, 2}, 5), tx::shape_error);
    CHECK(looks(vec{1, 2}, 1).item() == 2);
}

TEST_CASE("cond: into, memory of its own for each run") {
    tx::function const f{[](auto x) {
        auto const y = tx::cumsum<0>(tx::exp(x));
        return tx::cond(tx::sum(x) > 0, [&] { return tx::cumsum<0>(y * y) + y; }, [&] { return tx::cumsum<0>(tx::sqrt(y)) * tx::sum(y); });
    }};
    std::int64_t const n = 3000;
    auto const x = tx::full<double, shape<tx::dyn>>(0.001, n);
    for (double const sign : {1.0, -1.0}) {
        auto const given = x * sign;
        auto out = f(given);
        double y = 0, first = 0, second = 0, sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += (static_cast<double>(i) + 1) * std::exp(0.001 * sign);
        for (std::int64_t i = 0; i < n; ++i) {
            y += std::exp(0.001 * sign), first += y * y, second += std::sqrt(y);
            CHECK(out(i) == doctest::Approx(sign > 0 ? first + y : second * sum).epsilon(1e-12));
        }
        f.into(out, given);
        CHECK(tx::equal(out, f(given)));
    }
}

TEST_CASE("cond: errors that only the run shows") {
    tx::function const f{[](auto x, auto y) { return tx::cond(tx::sum(x) > 0, [&] { return x; }, [&] { return y; }); }};
    CHECK(tx::equal(f(open_vec{1, 2}, open_vec{3, 4}), open_vec{1, 2}));
    CHECK(message_of([&] { f(open_vec{1, 2}, open_vec{3}); }) == "tx: cond: both branches must return the same shapes; given (2,), (1,)");
}

TEST_CASE("cond: where types leave ranks open, the predicate must be a scalar, and branches have one shape") {
    auto const signs = [](auto x) { return tx::cond(x > 0, [&] { return x; }, [&] { return -x; }); };
    auto const parts = [](auto x) { return tx::cond(tx::sum(x) > 0, [&] { return x; }, [&] { return tx::slice(x, tx::range<1, tx::open>); }); };
    tensor<float> const x{1, -2, 3}, none = tx::zeros<float>(shape<0>{});
    int const kept = 1;
    std::string const wrong = "tx: cond: the predicate must be a bool scalar; reduce it with tx::all or tx::any; given ";
    CHECK(message_of([&] { tx::function{signs}(x); }) == wrong + "(3,)");
    CHECK(message_of([&] { tx::function{signs}(none); }) == wrong + "(0,)");
    CHECK(message_of([&] { tx::function{[&](auto a) { return signs(a) * kept; }}(x); }) == wrong + "(3,)");
    CHECK(message_of([&] { signs(x); }) == wrong + "(3,)");
    CHECK(message_of([&] { tx::vmap(signs)(tensor<float>{{1, -2}, {3, 4}}); }) == wrong + "(2,)");
    tx::function const any{signs, tx::signature<tx::spec<float, tx::any_shape>>{}};
    CHECK(message_of([&] { any(x); }) == wrong + "(3,)");
    CHECK(any(tensor<float>(-2.f)).item() == 2);
    CHECK(message_of([&] { tx::function{parts}(x); }) == "tx: cond: both branches must return the same shapes; given (3,), (2,)");
    CHECK(message_of([&] { tx::function{parts}(-x); }) == "tx: cond: both branches must return the same shapes; given (3,), (2,)");
}

TEST_CASE("cond: a branch that is not taken need not fit the call's extents") {
    auto const largest = [](auto x) { return tx::cond(tx::size(x) > 0, [&] { return tx::max(x); }, [&] { return tx::sum(x); }); };
    auto const sixth = [](auto x) {
        return tx::cond(tx::extent<0>(x) > 5, [&] { return tx::slice(x, tx::at<5>); }, [&] { return tx::slice(x, tx::at<-1>); });
    };
    tx::function const f{largest};
    tx::function const g{sixth};
    static_assert(decltype(f)::is_static && decltype(g)::is_static);
    CHECK(f(open_vec{}).item() == 0);
    CHECK(f(open_vec{1, 3, 2}).item() == 3);
    CHECK(g(open_vec{1, 2, 3}).item() == 3);
    CHECK(g(open_vec{1, 2, 3, 4, 5, 6, 7}).item() == 6);
}

TEST_CASE("cond: run_eagerly") {
    tx::function const f{[](auto x) { return tx::cond(tx::sum(x) > 0, [&] { return x * 2; }, [&] { return x * 3; }); }};
    tx::run_eagerly(true);
    CHECK(tx::equal(f(vec{1, 2}), vec{2, 4}));
    CHECK(tx::equal(f(vec{-1, -2}), vec{-3, -6}));
    tx::run_eagerly(false);
}

TEST_CASE("cond: graphs") {
    constexpr auto g = [](auto x) { return tx::cond(tx::sum(x) > 0, [&] { return x * 2; }, [&] { return x; }); };
    auto const text = tx::graph_of<tx::spec<float, shape<2>>>(g).to_text();
    CHECK(text == "%0 = arg0 : float32[2]\n%1 = sum(%0) {axes=[0], keepdims=0} : float32[]\n%2 = literal(0) : float32[]\n"
                  "%3 = greater(%1, %2) : bool[]\n%4 = cond(%3, %0) : float32[2]\n"
                  "  branch 0:\n    %0 = arg0 : float32[2]\n    %1 = literal(2) : float32[]\n    %2 = multiply(%0, %1) : float32[2]\n    return %2\n"
                  "  branch 1:\n    %0 = arg0 : float32[2]\n    return %0\nreturn %4\n");
    // How branches run is explained behind the rest.
    auto const explained = tx::function{g}.concrete<tx::spec<float, shape<2>>>().explain_passes();
    CHECK(explained.find("\n  branch 1:\n    %0 = arg0 : float32[2]\n    return %0\n") != std::string::npos);
    CHECK(explained.find("\nbranch 0 of %4:\n") != std::string::npos);
    CHECK(explained.find("= multiply($0, $1) : float32\n", explained.find("\nbranch 0 of %4:\n")) != std::string::npos);
    // Equal nodes are one, those with branches, too.
    auto const twice = tx::graph_of<tx::spec<float, shape<2>>>([g](auto x) { return g(x) + g(x); }).to_text();
    CHECK(twice.find("cond", twice.find("cond") + 1) == std::string::npos);
}
