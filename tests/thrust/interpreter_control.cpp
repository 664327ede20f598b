// This file tests traces that are made at run time, on a device of Thrust's: captures, conditions, loops, effects, and user
// functions, against the reference executor.
#include <thrust/traced_call.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace tx::testing;
using tx::shape;
using tx::tensor;

namespace {

using vec = tensor<float, shape<tx::dyn>>;
using scalar = tensor<float, shape<>>;

constexpr std::uint32_t types = tx::detail::interpreted_dtypes<float, double, std::int64_t, std::uint64_t>();

template <class F, class... A> std::vector<tx::host_array> on_a_device(F const& f, A const&... a) {
    traced_call<A...> const call(f, a...);
    return run_interpreted<types>(call.graph(), call.arguments);
}
template <class F, class... A> void check(F const& f, A const&... a) {
    traced_call<A...> const call(f, a...);
    std::int64_t const before = device().bytes_in_use();
    auto const wanted = tx::run_reference(call.trace.traced, call.arguments);
    INFO(tx::to_text(call.graph()));
    CHECK(difference(run_interpreted<types>(call.graph(), call.arguments), wanted) == "");
    CHECK(difference(run_interpreted<types>(call.graph(), call.arguments, {}, tx::detail::gpu_pieces), wanted) == "");
    CHECK(device().bytes_in_use() == before);
}
vec counted(std::int64_t n) { return tx::arange<float>(n) * 0.25f - 3.0f; }
vec live = counted(4);
struct device_block_of_ones {
    tx::detail::device_block memory{device(), 20};
    device_block_of_ones() {
        float const ones[]{1, 1, 1, 1, 1};
        device().to_device(memory.data(), ones, sizeof ones);
    }
};
auto matrix(std::int64_t rows, std::int64_t columns) { return tx::reshape<shape<tx::dyn, tx::dyn>>(counted(rows * columns), rows, columns); }
template <class T = float> T number(std::vector<tx::host_array> const& results, std::size_t k = 0) {
    T out{};
    std::memcpy(&out, results[k].bytes.data(), sizeof out);
    return out;
}

} // namespace

TEST_CASE("run on a device: what is captured, as it is when it runs") {
    vec const bias = counted(40);
    float scale = 2;
    check([&](auto x) { return tx::softmax(x * scale + bias); }, counted(40));
    tx::variable<float, shape<tx::dyn>> v{counted(3)};
    vec const x = counted(3);
    traced_call<vec> const call([&](auto a) { return tx::sum(a * v.value()) * scale; }, x);
    CHECK(number(run_interpreted<types>(call.graph(), call.arguments)) == doctest::Approx(2 * (9 + 2.75 * 2.75 + 2.5 * 2.5)));
    v = vec{1, 1, 1};
    CHECK(number(run_interpreted<types>(call.graph(), call.arguments)) == doctest::Approx(2 * (-3 - 2.75 - 2.5)));
}
TEST_CASE("run on a device: calls between loops") {
    float one = 1;
    auto const m = matrix(5, 6);
    check([&](auto x) { return tx::matmul(x * one, tx::transpose(x)) + one; }, m);
    check([&](auto x) { return std::tuple(tx::cumsum(x + one, tx::axis<1>), tx::argmax(x, tx::axis<0>), tx::concat(tx::axis<0>, x, x * one), tx::pad(x, tx::widths<1>)); }, m);
    tensor<std::int32_t, shape<tx::dyn>> const places{4, 0, -1, 4};
    check([&](auto x, auto i) { return std::tuple(tx::take(x, i, tx::axis<0>) * one, tx::take(x + one, i, tx::axis<1>)); }, m, places);
    check([&](auto x, auto i) { return tx::grad([&](auto y) { return tx::sum(tx::square(tx::take(y * one, i, tx::axis<0>))); })(x); }, m, places);
}
TEST_CASE("run on a device: an index that is out of bounds") {
    float one = 1;
    tensor<std::int32_t, shape<tx::dyn>> const places{1, 9, -12};
    std::int64_t const before = device().bytes_in_use();
    CHECK_THROWS_WITH_AS(on_a_device([&](auto x, auto i) { return tx::take(x * one, i, tx::axis<0>) + one; }, counted(9), places),
                         "tx: take: index 9 is out of bounds for axis 0 with size 9", tx::shape_error);
    CHECK(device().bytes_in_use() == before);
}
TEST_CASE("run on a device: cond, within another, with results that nobody needs") {
    float k = 3;
    auto const f = [&](auto x) {
        auto const [a, b] = tx::cond(tx::sum(x) > 0, [&] { return std::pair(x * k, tx::sum(x)); },
                                     [&] { return tx::cond(tx::max(x) > 1, [&] { return std::pair(x - k, tx::max(x)); }, [&] { return std::pair(x, tx::min(x)); }); });
        return a + 1;
    };
    check(f, counted(40));
    check(f, counted(5));
    check(f, counted(20));
}
TEST_CASE("run on a device: while_loop, with its count and without") {
    float limit = 100;
    check([&](auto x) { return tx::while_loop([&](auto a) { return tx::sum(a) < limit; }, [](auto a) { return a * 2; }, x); }, tx::abs(counted(7)));
    check([&](auto x) { return tx::while_loop([&](auto a) { return tx::sum(a) < -limit; }, [](auto a) { return a * 2; }, x); }, tx::abs(counted(7)));
    check([&](auto x) {
        return tx::while_loop([&](auto a, auto n) { return tx::max(a) < limit && n < 20; }, [&](auto a, auto n) { return std::tuple(a * 1.5f + 1, n + 1); }, x, 0);
    }, counted(7));
}
TEST_CASE("run on a device: the gradient of a while_loop, which is a scan over as many numbers as it took iterations") {
    float two = 2;
    auto const root = [&](auto a) {
        return tx::while_loop([=](auto x) { return tx::abs(x * x - a) > 1e-4f; }, [=, &two](auto x) { return (x + a / x) / two; }, a * 0.5f + 0.5f);
    };
    check([&](auto a) { return tx::grad(root)(a); }, scalar(10.f));
    check([&](auto a) { return tx::grad(root)(a); }, scalar(1.f)); // no iterations
}
TEST_CASE("run on a device: scan, forwards and backwards, over nothing, and its gradient") {
    float w = 0.5f;
    auto const xs = matrix(6, 7);
    for (bool const reverse : {false, true}) {
        auto const f = [&, reverse](auto c, auto x) {
            return tx::scan([&](auto state, auto row) {
                auto const next = tx::tanh(state * w + row);
                return std::pair(next, tx::sum(next * row));
            }, c, x, {.reverse = reverse});
        };
        check(f, counted(7), xs);
        check(f, counted(7), matrix(0, 7));
        check([&](auto c, auto x) { return tx::grad([&](auto s) { return tx::sum(std::get<0>(f(s, x))); })(c); }, counted(7), xs);
    }
}
TEST_CASE("run on a device: random numbers of a key") {
    float one = 1;
    check([&](auto key, auto x) { return tx::random::stateless_uniform<float>(key, shape<100>{}) + tx::sum(x) * one; }, tx::random::key(42).number, counted(3));
}
TEST_CASE("run on a device: a function of the user's, with results that nobody needs") {
    int calls = 0;
    float one = 1;
    using spec = tx::spec<float, shape<3>>;
    auto const own = [&](vec const& x, scalar const& y) {
        ++calls;
        return std::tuple(tensor<float, shape<3>>{x(0), x(1), y.item()}, tensor<float, shape<3>>{1, 2, 3});
    };
    auto const f = [&](auto x) { return std::get<0>(tx::opaque<spec, spec>(own, x * 2, tx::sum(x))) + one; };
    auto const got = on_a_device(f, counted(3));
    CHECK(calls == 1);
    float values[3];
    std::memcpy(values, got[0].bytes.data(), sizeof values);
    CHECK(values[0] == -5);
    CHECK(values[1] == -4.5f);
    CHECK(values[2] == doctest::Approx(-7.25));
}
TEST_CASE("run on a device: a function of the user's that throws leaves nothing behind") {
    float one = 1;
    vec const x = counted(1000);
    traced_call<vec> const call([&](auto a) {
        auto const y = tx::opaque<tx::spec<float, shape<>>>([](vec const& v) -> float { if (v(0) < 0) throw std::runtime_error("negative"); return v(0); }, tx::exp(a) - 2);
        return a * y + one;
    }, x);
    auto const program = tx::detail::make_device_program<>(device(), call.graph(), std::vector<tx::dims>{x.dimensions()}, {});
    std::int64_t const before = device().bytes_in_use();
    CHECK_THROWS_WITH_AS(run_interpreted<types>(*program, call.arguments), "negative", std::runtime_error);
    CHECK(device().bytes_in_use() == before);
}
TEST_CASE("run on a device: captured tensors that lie there already") {
    static device_block_of_ones ones;
    tx::variable<float, shape<tx::dyn>> v{counted(5)};
    vec const x = counted(5);
    traced_call<vec> const call([&](auto a) { return tx::sum(a * v.value()); }, x);
    auto const program = tx::detail::make_device_program<>(device(), call.graph(), std::vector<tx::dims>{x.dimensions()}, {});
    on_device const given(call.arguments);
    tx::detail::device_block const out(device(), 4);
    void* outputs[]{out.data(), nullptr};
    tx::detail::run_device_program<types>(device(), *program, {given.data.data(), outputs},
                                          [](tx::detail::device_queue&, tx::captured const&) -> std::byte const* { return ones.memory.data(); });
    float sum = 0;
    device().to_host(&sum, out.data(), 4);
    CHECK(sum == -3 - 2.75f - 2.5f - 2.25f - 2);
}
TEST_CASE("run on a device: a program that several threads run at once") {
    float one = 1;
    vec const x = counted(1000);
    traced_call<vec> const call([&](auto a) { return std::tuple(tx::softmax(a * one), tx::cond(tx::sum(a) > 0, [&] { return tx::max(a); }, [&] { return tx::min(a); })); }, x);
    auto const wanted = tx::run_reference(call.trace.traced, call.arguments);
    auto const program = tx::detail::make_device_program<>(device(), call.graph(), std::vector<tx::dims>{x.dimensions()}, {});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k < 10; ++k) wrong += difference(run_interpreted<types>(*program, call.arguments), wanted) != "";
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}
TEST_CASE("run on a device: assertions") {
    float limit = 0;
    auto const f = [&](auto x) {
        tx::assert_that(tx::min(x) > limit, "too small: {}", tx::min(x));
        return x * 2;
    };
    CHECK(number(on_a_device(f, counted(20) + 4.0f)) == 2);
    std::int64_t const before = device().bytes_in_use();
    CHECK_THROWS_WITH_AS(on_a_device(f, counted(20)), doctest::Contains("too small: -3"), tx::error);
    CHECK(device().bytes_in_use() == before);
}
TEST_CASE("run on a device: programs are found again by extents and what is captured") {
    float one = 1;
    traced_call<vec> const call([&](auto x) { return x * one + tx::sum(live); }, counted(4));
    tx::detail::made_programs const known;
    auto const found = [&](std::int64_t n) { return tx::detail::find_or_make_device_program<>(device(), known, call.graph(), call.graph(), std::vector<tx::dims>{tx::dims{{n}, 1}}, {}); };
    auto const first = found(4);
    CHECK(found(4) == first);
    CHECK(found(5) != first);
    CHECK(found(4) == first);
    live = counted(6);
    CHECK(found(4) != first);
}
