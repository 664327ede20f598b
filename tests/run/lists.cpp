// This file tests tensors made from the standard library's ranges and back, with run-time extents, and joined from lists of them.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <array>
#include <list>
#include <ranges>
#include <span>
#include <string>
#include <vector>

TEST_CASE("tensor: zeros of run-time extents") {
    int const n = 2;
    tx::tensor<float, tx::shape<tx::dyn, tx::dyn>> const z(n, 3);
    CHECK(tx::equal(z, tx::zeros<float>(tx::shape<2, 3>{})));
    tx::tensor<int, tx::shape<tx::dyn>> const one(std::size_t{5}), listed{5};
    CHECK((one.size() == 5 && one(4) == 0 && listed.size() == 1));
    CHECK(tx::tensor<std::string, tx::shape<tx::dyn, 2>>(0, 2).size() == 0);
    CHECK(tx::tensor<std::string, tx::shape<tx::dyn, 2>>(1, 2)(0, 1) == "");
    CHECK_THROWS_AS((tx::tensor<float, tx::shape<tx::dyn, 3>>(2, 4)), tx::shape_error);
    CHECK_THROWS_AS((tx::tensor<float, tx::shape<tx::dyn>>(-1)), tx::shape_error);
    static_assert(tx::tensor<float, tx::shape<tx::dyn, 2>>(3, 2).size() == 6);
    static_assert(!std::is_convertible_v<int, tx::tensor<float, tx::shape<tx::dyn>>>);
}
TEST_CASE("from_range: containers, spans, views, nested ones") {
    std::vector<double> const v{1, 2, 3};
    auto const t = tx::from_range(v);
    static_assert(std::is_same_v<decltype(t), tx::tensor<double, tx::shape<tx::dyn>> const>);
    CHECK(tx::equal(t, tx::tensor<double, tx::shape<3>>{1, 2, 3}));
    CHECK(tx::to_vector(t) == v);
    CHECK(tx::equal(tx::from_range(std::span(v).subspan(1)), tx::tensor<double, tx::shape<2>>{2, 3}));
    CHECK(tx::equal(tx::from_range(std::list<int>{4, 5}), tx::tensor<int, tx::shape<2>>{4, 5}));
    CHECK(tx::equal(tx::from_range(std::views::iota(2, 5)), tx::arange<int>(2, 5)));
    CHECK(tx::equal(tx::from_range(std::vector<bool>{true, false}), tx::tensor<bool, tx::shape<2>>{true, false}));
    CHECK(tx::equal(tx::from_range(std::vector<std::string>{"a", "bc"}), tx::tensor<std::string, tx::shape<2>>{"a", "bc"}));
    std::array<std::array<float, 2>, 3> const fixed{{{1, 2}, {3, 4}, {5, 6}}};
    static_assert(std::is_same_v<decltype(tx::from_range(fixed)), tx::tensor<float, tx::shape<3, 2>>>);
    CHECK(tx::equal(tx::from_range(fixed), tx::tensor<float, tx::shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    std::vector<std::array<float, 2>> const points{{1, 2}, {3, 4}};
    static_assert(std::is_same_v<decltype(tx::from_range(points)), tx::tensor<float, tx::shape<tx::dyn, 2>>>);
    CHECK(tx::equal(tx::from_range(points), tx::tensor<float, tx::shape<2, 2>>{{1, 2}, {3, 4}}));
    CHECK(tx::from_range(std::vector<std::array<float, 2>>{}).dimensions() == tx::dims{{0, 2}, 2});
    CHECK(tx::from_range(std::vector<std::vector<float>>{}).dimensions() == tx::dims{{0, 0}, 2});
    CHECK_THROWS_WITH_AS(tx::from_range(std::vector<std::vector<int>>{{1, 2}, {3}}), doctest::Contains("given 2 and 1 elements along axis 1"), tx::shape_error);
    constexpr auto known = tx::from_range(std::array{1, 2});
    static_assert(known(1) == 2);
}
TEST_CASE("concat, stack: of a list of tensors") {
    using row = tx::tensor<float, tx::shape<tx::dyn, 2>>;
    std::vector<row> parts;
    std::vector<float> all;
    for (int k = 0; k < 7; ++k) {
        row part(k, 2);
        for (int i = 0; i < k; ++i) part(i, 0) = static_cast<float>(10 * k + i), part(i, 1) = -part(i, 0);
        parts.push_back(part);
        all.insert(all.end(), part.begin(), part.end());
        auto const joined = tx::concat(tx::axis<0>, parts);
        CHECK(joined.dimensions() == tx::dims{{static_cast<std::int64_t>(all.size() / 2), 2}, 2});
        CHECK(tx::to_vector(joined) == all);
    }
    std::vector<tx::tensor<int, tx::shape<2>>> const pairs{{1, 2}, {3, 4}, {5, 6}};
    CHECK(tx::equal(tx::stack(tx::axis<0>, pairs), tx::tensor<int, tx::shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    CHECK(tx::equal(tx::stack(tx::axis<-1>, pairs), tx::tensor<int, tx::shape<2, 3>>{{1, 3, 5}, {2, 4, 6}}));
    CHECK(tx::equal(tx::concat(tx::axis<-1>, pairs), tx::tensor<int, tx::shape<6>>{1, 2, 3, 4, 5, 6}));
    CHECK_THROWS_WITH_AS(tx::concat(tx::axis<0>, std::vector<row>{}), doctest::Contains("tx: concat: there must be a tensor; given none"), tx::shape_error);
    CHECK_THROWS_AS(tx::stack(tx::axis<0>, std::vector<row>{row(1, 2), row(2, 2)}), tx::shape_error);
    tx::gradient_tape tape;
    tx::tensor<float, tx::shape<2>> a{1, 2}, b{3, 4};
    tape.watch(a), tape.watch(b);
    auto const y = tx::sum(tx::square(tx::concat(tx::axis<0>, std::vector{a, b, a})));
    auto const [da, db] = tape.gradient(y, std::tuple(a, b));
    CHECK(tx::equal(da, a * 4));
    CHECK(tx::equal(db, b * 2));
}
TEST_CASE("concat, stack: of a list of exprs, as many as the callable makes") {
    auto const powers = [](auto x) {
        std::vector<decltype(x)> all{x};
        for (int k = 1; k < 4; ++k) all.push_back(all.back() * x);
        return std::tuple(tx::stack(tx::axis<0>, all), tx::concat(tx::axis<0>, all));
    };
    tx::tensor<float, tx::shape<3>> const x{1, 2, 3};
    auto const check = [&](auto const& f) {
        auto const [table, row] = f(x);
        for (int k = 0; k < 4; ++k)
            for (int i = 0; i < 3; ++i) CHECK((table(k, i) == std::pow(x(i), static_cast<float>(k + 1)) && row(3 * k + i) == table(k, i)));
    };
    check(tx::static_function{powers});
    check(tx::function{powers, tx::options{.jit = tx::jit::never}});
    check(powers);
}
