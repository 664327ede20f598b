// scan and map: trees, dtypes, lengths and directions, as in JAX's tests/lax_control_flow_test.py.
#include <run/ways_to_run.hpp>

using tx::shape;
using tx::tensor;
using tx::testing::in_every_way;
using tx::testing::in_run_time_ways;
using tx::testing::near;
using single = tensor<double, shape<>>;
using int0 = tensor<int, shape<>>;
using vec4 = tensor<double, shape<4>>;
using open_line = tensor<double, shape<tx::dyn>>;

namespace {

struct state {
    tensor<double, shape<>> total;
    tensor<int, shape<>> count;
};

} // namespace

TEST_CASE("scan: a carry that is a struct, xs that are a pair, ys that are a tuple of dtypes") {
    in_every_way(
        [](state start, auto xs, auto flags) {
            return tx::scan(
                [](state s, auto const& both) {
                    auto const& [x, flag] = both;
                    auto const total = tx::where(flag, s.total + tx::sum(x), s.total);
                    return std::pair(state{total, s.count + tx::cast<int>(flag)}, std::tuple(x * total, !flag, s.count));
                },
                start, std::pair(xs, flags));
        },
        [](auto const& f) {
            auto const [end, ys] = f(state{single(1.0), int0(10)}, tensor<double, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}},
                                     tensor<bool, shape<3>>{true, false, true});
            CHECK(end.total.item() == 15);
            CHECK(end.count.item() == 12);
            auto const& [scaled, flipped, counts] = ys;
            CHECK(tx::equal(scaled, tensor<double, shape<3, 2>>{{4, 8}, {12, 16}, {75, 90}}));
            CHECK(tx::equal(flipped, tensor<bool, shape<3>>{false, true, false}));
            CHECK(tx::equal(counts, tensor<int, shape<3>>{10, 11, 11}));
        });
}

TEST_CASE("scan: reversed, ys stand where their xs do") { // test_scan_reverse: suffix sums
    in_every_way(
        [](auto x) { return tx::scan([](auto s, auto v) { return std::pair(s + v, s + v); }, 0.0, x, {.reverse = true}); },
        [](auto const& f) {
            auto const [end, ys] = f(vec4{1, 2, 3, 4});
            CHECK(end.item() == 10);
            CHECK(tx::equal(ys, vec4{10, 9, 7, 4}));
            CHECK(tx::equal(f(open_line{1, 2}).second, open_line{3, 2}));
            CHECK(f(open_line{}).first.item() == 0);
            CHECK(f(tensor<double, shape<0>>{}).second.size() == 0);
            CHECK(tx::equal(f(tensor<double, shape<1>>{5}).second, tensor<double, shape<1>>{5}));
        });
    auto const weighted = [](auto x) {
        auto const [end, ys] =
            tx::scan([](auto s, auto v) { return std::pair(s * v, s + v); }, tx::sum(x) * 0 + 1, x, {.reverse = true});
        return end + tx::vecdot(ys, tx::arange<double>(4));
    };
    // end = abcd; ys: bcd + a, cd + b, d + c, 1 + d with weights 0, 1, 2, 3
    in_every_way(tx::grad(weighted),
                 [](auto const& g) { CHECK(tx::equal(g(vec4{2, 3, 5, 7}), vec4{105, 70 + 1, 42 + 7 + 2, 30 + 5 + 2 + 3})); });
    tx::check_gradients<2>(weighted, vec4{2, 3, 5, 7});
}

TEST_CASE("scan: carries and ys of no use, constants, the carry as it is") {
    in_every_way(
        [](auto x) {
            auto const [end, ys] = tx::scan([](auto s, auto) { return std::pair(s, 3); }, x * 2, x);
            return std::tuple(end, ys);
        },
        [](auto const& f) {
            auto const [end, ys] = f(vec4{1, 2, 3, 4});
            CHECK(tx::equal(end, vec4{2, 4, 6, 8}));
            for (int i = 0; i < 4; ++i) CHECK(ys(i) == 3);
        });
    in_every_way( // no ys
        [](auto x) { return tx::scan([](auto s, auto v) { return std::pair(s + v, std::tuple<>{}); }, 0.0, x).first; },
        [](auto const& f) { CHECK(f(vec4{1, 2, 3, 4}).item() == 10); });
    in_every_way( // ys of a rank of their own, constant along the scan
        [](auto x) { return tx::scan([x](auto s, auto v) { return std::pair(s + 1, tx::outer(x, x) * v); }, 0, x).second; },
        [](auto const& f) {
            auto const cube = f(vec4{1, 2, 3, 4});
            static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(cube)>::shape_type, shape<4, 4, 4>>);
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) CHECK(cube(2, i, j) == 3 * (i + 1) * (j + 1));
        });
}

TEST_CASE("scan: a counter among the state has no derivative, the rest has") { // test_scan_grad with integers in carry
    auto const f = [](auto x) {
        auto const [end, ys] = tx::scan(
            [](state s, auto v) { return std::pair(state{s.total * v + tx::cast<double>(s.count), s.count + 1}, s.count); },
            state{single(1.0), int0(0)}, x);
        return end.total + tx::cast<double>(end.count) + tx::cast<double>(tx::sum(ys));
    };
    // (((a b) + 1) c + 2) d + 3
    in_every_way(f, [](auto const& g) { CHECK(g(vec4{2, 3, 5, 7}).item() == ((6 + 1) * 5 + 2) * 7 + 3 + 4 + 6); });
    in_every_way(tx::grad(f), [](auto const& g) { CHECK(tx::equal(g(vec4{2, 3, 5, 7}), vec4{105, 70, 49, 37})); });
    in_run_time_ways(tx::hessian(f),
                     [](auto const& h) { CHECK(tx::equal(tx::slice(h(vec4{2, 3, 5, 7}), tx::at<0>), vec4{0, 35, 21, 15})); });
}

TEST_CASE("map: elements of every rank, trees, dtypes, nothing") { // testMap, testMapEmpty
    in_every_way([](auto x) { return tx::map([](auto v) { return std::pair(v * 2, v > 1); }, x); },
                 [](auto const& f) {
                     auto const [twice, more] = f(vec4{0, 1, 2, 3});
                     CHECK(tx::equal(twice, vec4{0, 2, 4, 6}));
                     CHECK(tx::equal(more, tensor<bool, shape<4>>{false, false, true, true}));
                     CHECK(f(tensor<double, shape<0, 2>>{}).first.size() == 0);
                     CHECK(f(open_line{}).second.size() == 0);
                 });
    in_every_way(
        [](auto x, auto y) { return tx::map([](auto const& p) { return p.first + tx::sum(p.second); }, std::pair(x, y)); },
        [](auto const& f) {
            CHECK(
                tx::equal(f(tensor<int, shape<2>>{1, 2}, tensor<int, shape<2, 2>>{{1, 2}, {3, 4}}), tensor<int, shape<2>>{4, 9}));
        });
    in_run_time_ways(tx::jacrev([](auto x) { return tx::map([](auto v) { return v * v; }, x); }),
                     [](auto const& j) { CHECK(tx::equal(j(vec4{1, 2, 3, 4}), tx::diag(vec4{2, 4, 6, 8}))); });
}
