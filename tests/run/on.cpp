// This file tests functions on several threads: they give the same bits as on one, for loops of every form, and the same errors.
#include <run/on_checks.hpp>

#include <functional>
#include <thread>

using tx::testing::check_on_threads, tx::testing::numbers;

namespace {

constexpr auto pointwise = [](auto const& x, auto const& y) { return std::tuple(tx::exp(-x * x) * y + tx::tanh(x), x + y); };
constexpr auto totals = [](auto const& x, auto const& y) { return std::tuple(tx::sum((x - y) * (x - y)), tx::max(x * y), tx::mean(x), tx::prod(1.0f + x * 1e-6f)); };
template <class T, std::int64_t... E> using array = tx::tensor<T, tx::shape<E...>>;
constexpr std::int64_t n = tx::dyn;

} // namespace

TEST_CASE("on: several threads give the bits of one") {
    for (std::int64_t length : {0, 5, 1000, 131'072 + 5, 300'000, 1'000'003}) {
        CAPTURE(length);
        check_on_threads(pointwise, numbers<float, tx::shape<n>>({{length}, 1}), numbers<float, tx::shape<n>>({{length}, 1}));
        if (length) check_on_threads(totals, numbers<float, tx::shape<n>>({{length}, 1}), numbers<float, tx::shape<n>>({{length}, 1}));
    }
    check_on_threads(pointwise, numbers<double, tx::shape<500'001>>({{500'001}, 1}), numbers<double, tx::shape<1>>({{1}, 1}));
    check_on_threads(totals, numbers<float, tx::shape<700'001>>({{700'001}, 1}), numbers<float, tx::shape<700'001>>({{700'001}, 1}));
}
TEST_CASE("on: derivatives, functions, other functions' calls") {
    auto const x = numbers<float, tx::shape<n>>({{200'000}, 1});
    auto const loss = [](auto const& a) { return tx::sum(tx::tanh(a) * a); };
    auto const gradient = tx::on(tx::cpu{2}, tx::grad(loss));
    CHECK(tx::all(gradient(x) == tx::function{tx::grad(loss)}(x)).item());
    static auto const inner = tx::on(tx::cpu{2}, loss);
    tx::static_function const outer{[](auto const& a) { return inner(a) + 1.0f; }};
    CHECK(outer(x).item() == inner(x).item() + 1);
    tx::function const own{loss};
    auto const placed = tx::on(tx::cpu{2}, own);
    static_assert(decltype(placed)::is_static);
    CHECK(placed(x).item() == own(x).item());
    CHECK(placed.tracing_count() == 1);
    CHECK(placed.signatures()[0] == "(float32[?]) -> float32[]");
    float const two = 2; // captured, so that these are traced at run time: other loops, whose sums are rounded otherwise
    CHECK(tx::function{[=](auto const& a) { return placed(a) * two; }}(x).item() == doctest::Approx(own(x).item() * 2));
    CHECK(tx::function{[=](auto const& a) { return placed(a) * two; }}(x).item() == tx::function{[=](auto const& a) { return loss(a) * two; }}(x).item());
    auto const taped = [&](auto const& f) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.gradient(f(x), x);
    };
    CHECK(tx::all(taped(placed) == taped(own)).item());
}
struct scaling {
    tx::tensor<float, tx::shape<n>> by{1, 2};
    constexpr auto operator()(auto const& x) const { return x * by; }
};
TEST_CASE("on: what a function refers to, its signature and its options stay") {
    using vec = array<float, n>;
    SUBCASE("references") {
        scaling s;
        auto const direct = tx::on(tx::cpu{2}, std::ref(s));
        auto const of_function = tx::on(tx::cpu{2}, tx::function{std::ref(s)});
        auto const gradient = tx::on(tx::cpu{2}, tx::grad([f = tx::function{std::ref(s)}](auto const& x) { return tx::sum(f(x)); }));
        auto const bound = tx::on(tx::cpu{2}, tx::function{[](auto const& x, auto const& w) { return x * w; }}.bind(s.by));
        static_assert(decltype(direct)::is_static && decltype(of_function)::is_static && decltype(bound)::is_static);
        vec const x{1, 1};
        CHECK(tx::equal(direct(x), vec{1, 2}));
        s.by = {5, 6};
        CHECK(tx::equal(direct(x), vec{5, 6}));
        CHECK(tx::equal(of_function(x), vec{5, 6}));
        CHECK(tx::equal(gradient(x), vec{5, 6}));
        CHECK(tx::equal(bound(x), vec{5, 6}));
        vec out{0, 0};
        of_function.into(out, x);
        CHECK(tx::equal(out, vec{5, 6}));
    }
    SUBCASE("bound to a placed function") {
        vec w{1, 2};
        auto const f = tx::on(tx::cpu{2}, [](auto const& x, auto const& by) { return x * by; }).bind(w);
        w = {3, 4};
        CHECK(tx::equal(f(vec{1, 1}), vec{3, 4}));
    }
    SUBCASE("a signature") {
        auto const f = tx::on(tx::cpu{2}, tx::function{[](auto const& x) { return tx::sum(x); }, tx::signature<tx::spec<double, tx::shape<n, 2>>>{}});
        CHECK(f({{1, 2}, {3, 4}}).item() == 10);
        CHECK(f(tx::tensor<double>{{1, 2}}).item() == 3);
        CHECK(f.tracing_count() == 1);
        CHECK_THROWS_WITH_AS(f(tx::tensor<double>{{1, 2, 3}}), "tx: function: argument 0 must be float64[?,2], as the signature says; given float64[1,3]", tx::signature_error);
    }
    SUBCASE("options") {
        int traced = 0;
        auto const f = tx::on(tx::cpu{2}, tx::function{[&](auto const& x) {
                                                           ++traced;
                                                           return tx::sum(x);
                                                       },
                                                       tx::options{.reduce_retracing = true}});
        for (std::int64_t length = 1; length < 8; ++length) CHECK(f(tx::tensor<float>(tx::ones<float, tx::shape<n>>(length))).item() == static_cast<float>(length));
        CHECK(traced == 2);
        auto const never = tx::on(tx::cpu{2}, tx::function{[](auto const& x) { return x.item(); }, tx::options{.jit = tx::jit::never}});
        CHECK_THROWS_AS(never(array<float>(1.0f)), tx::trace_error);
    }
}
TEST_CASE("on: any number of calls at once") {
    auto const x = numbers<float, tx::shape<n>>({{300'000}, 1});
    auto const f = tx::on(tx::cpu{3}, [](auto const& a) { return tx::sum(tx::exp(a)); });
    tx::testing::check_called_at_once(f, x);
}
TEST_CASE("on: errors") {
    auto const zeroes = [](auto const& x) { return x * 0.0f; };
    CHECK_THROWS_WITH_AS(tx::on(tx::cpu{.threads = -1}, zeroes), "tx: on: cpu::threads must be 0 or more; given -1", tx::device_error);
    CHECK(tx::on(tx::cpu{}, zeroes)(array<float, 2>{1, 2})(0) == 0);
}
TEST_CASE("thread pool: tasks that throw, tasks within tasks") {
    auto& pool = tx::detail::thread_pool::shared();
    std::atomic<int> done = 0;
    CHECK_THROWS_AS(pool.run(3, 100,
                             [&](std::int64_t i) {
                                 ++done;
                                 if (i == 7) throw tx::shape_error("seven");
                             }),
                    tx::shape_error);
    CHECK(done >= 8);
    done = 0;
    pool.run(2, 4, [&](std::int64_t) { pool.run(2, 5, [&](std::int64_t) { ++done; }); });
    CHECK(done == 20);
    pool.run(4, 0, [&](std::int64_t) { ++done; });
    CHECK(done == 20);
}
