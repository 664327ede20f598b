// This file tests xtensor's containers, views and expressions as arguments, and tensors as views.
#include "xtensor_checks.hpp"

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

tx::function twice_plus_one{[](auto x) { return x * 2 + 1; }};
tx::function row_sums{[](auto x) { return tx::sum(x, tx::axis<-1>); }};
tx::function add{[](auto x, auto y) { return x + y; }};
struct both_fn {
    constexpr auto operator()(auto pair) const { return pair.first - pair.second; }
};

template <class A> using shape_of_argument = tx::detail::shape_of_expression<A>;

} // namespace

TEST_CASE("xtensor: what an expression's type says about its shape") {
    xt::xtensor<float, 2> const m = matrix();
    static_assert(std::is_same_v<shape_of_argument<xt::xtensor_fixed<float, xt::xshape<2, 3>>>, shape<2, 3>>);
    static_assert(std::is_same_v<shape_of_argument<xt::xtensor<float, 2>>, shape<dyn, dyn>>);
    static_assert(std::is_same_v<shape_of_argument<xt::xtensor<float, 0>>, shape<>>);
    static_assert(std::is_same_v<shape_of_argument<xt::xarray<float>>, any_shape>);
    static_assert(std::is_same_v<shape_of_argument<decltype(xt::view(m, 0, xt::all()))>, shape<dyn>>);
    static_assert(std::is_same_v<shape_of_argument<decltype(m + m)>, shape<dyn, dyn>>);
    static_assert(!tx::xtensor_expression<tensor<float>> && !tx::xtensor_expression<float> &&
                  !tx::xtensor_expression<xt::xarray<char const*>>);
}

TEST_CASE("xtensor: containers as arguments") {
    SUBCASE("xtensor_fixed has a static shape") {
        xt::xtensor_fixed<float, xt::xshape<2, 3>> const x = matrix();
        auto const y = twice_plus_one(x);
        static_assert(std::is_same_v<decltype(y), tensor<float, shape<2, 3>> const>);
        CHECK(tx::equal(y, tensor<float, shape<2, 3>>{{3, 5, 7}, {9, 11, 13}}));
    }
    SUBCASE("xtensor has a rank") {
        auto const y = row_sums(matrix());
        static_assert(std::is_same_v<decltype(y), tensor<float, shape<dyn>> const>);
        CHECK(tx::equal(y, tensor<float, shape<dyn>>{6, 15}));
    }
    SUBCASE("xarray") {
        xt::xarray<double> const x{{1, 2}, {3, 4}};
        CHECK(tx::equal(twice_plus_one(x), tensor<double>{{3, 5}, {7, 9}}));
        xt::xarray<double> const scalar = 4.0;
        CHECK(twice_plus_one(scalar).item() == 9);
    }
    SUBCASE("column-major containers are gathered") {
        xt::xtensor<float, 2, xt::layout_type::column_major> const x = matrix();
        CHECK(tx::equal(twice_plus_one(x), tensor<float, shape<dyn, dyn>>{{3, 5, 7}, {9, 11, 13}}));
    }
    SUBCASE("integers of every spelling, bool and complex") {
        xt::xtensor<long long, 1> const x{1, 2};
        CHECK(tx::equal(twice_plus_one(x), tensor<std::int64_t, shape<dyn>>{3, 5}));
        xt::xtensor<std::complex<float>, 1> const z{{1, 1}, {0, 2}};
        CHECK(tx::equal(add(z, z), tensor<std::complex<float>, shape<dyn>>{{2, 2}, {0, 4}}));
        tx::function negation{[](auto a) { return !a; }};
        xt::xtensor<bool, 1> const flags{true, false, true};
        CHECK(tx::equal(negation(flags), tensor<bool, shape<dyn>>{false, true, false}));
    }
    SUBCASE("empty ones") {
        xt::xtensor<float, 2> const x = xt::zeros<float>({0, 3});
        CHECK(twice_plus_one(x).dimensions() == tx::dims{{0, 3}, 2});
    }
}

TEST_CASE("xtensor: views and lazy expressions as arguments") {
    xt::xtensor<float, 2> const m = matrix();
    CHECK(tx::equal(twice_plus_one(xt::view(m, 1, xt::all())), tensor<float, shape<dyn>>{9, 11, 13}));
    CHECK(tx::equal(twice_plus_one(xt::view(m, xt::all(), 1)), tensor<float, shape<dyn>>{5, 11}));
    CHECK(tx::equal(twice_plus_one(xt::view(m, xt::all(), xt::range(0, 3, 2))), tensor<float, shape<dyn, dyn>>{{3, 7}, {9, 13}}));
    CHECK(tx::equal(twice_plus_one(m * m), tensor<float, shape<dyn, dyn>>{{3, 9, 19}, {33, 51, 73}}));
    CHECK(tx::equal(twice_plus_one(xt::transpose(m)), tensor<float, shape<dyn, dyn>>{{3, 9}, {5, 11}, {7, 13}}));
    CHECK(tx::equal(add(xt::view(m, 0), 1.0f), tensor<float, shape<dyn>>{2, 3, 4}));
    xt::xarray<float> const a = m;
    CHECK(tx::equal(twice_plus_one(xt::view(a, 0)), tensor<float>{3, 5, 7}));
    CHECK(tx::equal(twice_plus_one(a + 1), tensor<float>{{5, 7, 9}, {11, 13, 15}}));
}

TEST_CASE("xtensor: row-major elements are read where they are") {
    xt::xtensor<float, 2> const m = matrix();
    auto const row = xt::view(m, 1, xt::all());
    CHECK(tx::detail::borrow(m).elements == m.data());
    CHECK(tx::detail::borrow(row).elements == m.data() + 3);
    CHECK(tx::detail::borrow(xt::view(m, xt::range(0, 1), xt::all())).elements == m.data());
    CHECK(tx::detail::borrow(xt::view(m, xt::all(), xt::range(0, 2))).elements == nullptr);
    CHECK(tx::detail::borrow(m + m).elements == nullptr);
    xt::xtensor_fixed<float, xt::xshape<4>> const fixed{1, 2, 3, 4};
    CHECK(tx::detail::borrow(fixed).elements == fixed.data());
}

TEST_CASE("xtensor: together with tensors, in trees, into a result, in other functions") {
    xt::xtensor<float, 2> const m = matrix();
    tensor<float, shape<3>> const offsets{10, 20, 30};
    CHECK(tx::equal(add(m, offsets), tensor<float, shape<dyn, 3>>{{11, 22, 33}, {14, 25, 36}}));
    CHECK(tx::equal(tx::function{both_fn{}}(std::pair{m, 2 * m}), tensor<float, shape<dyn, dyn>>{{-1, -2, -3}, {-4, -5, -6}}));

    tensor<float, shape<dyn, dyn>> out;
    twice_plus_one.into(out, m);
    CHECK(out(1, 2) == 13);

    tx::function outer{[&](auto x) { return twice_plus_one(x) + add(x, m); }}; // captures: traced at run time
    CHECK(tx::equal(outer(m), tensor<float, shape<dyn, dyn>>{{5, 9, 13}, {17, 21, 25}}));

    tx::run_eagerly(true);
    auto const eager = twice_plus_one(m);
    auto const eager_tree = tx::function{both_fn{}}(std::pair{m, 2 * m});
    tx::run_eagerly(false);
    CHECK(tx::equal(eager, twice_plus_one(m)));
    CHECK(eager_tree(1, 2) == -6);
}

TEST_CASE("xtensor: one trace for tensors and containers of one signature") {
    tx::function f{[](auto x) { return x + 1; }};
    f(matrix());
    f(tensor<float, shape<dyn, dyn>>{{1, 2}});
    f(matrix() + matrix());
    CHECK(f.tracing_count() == 1);
    CHECK(f.signatures() == std::vector<std::string>{"(float32[?,?]) -> float32[?,?]"});
}

TEST_CASE("xtensor: a function with a signature converts to it") {
    tx::function const total{[](auto x) { return tx::sum(x, tx::axis<1>); }, tx::signature<tx::spec<float, shape<dyn, 3>>>{}};
    xt::xarray<int> const x{{1, 2, 3}};
    CHECK(total(x)(0) == 6);
    CHECK(total(matrix() * 2)(1) == 30);
    CHECK(total.tracing_count() == 1);
    std::string const text = message_of<tx::signature_error>([&] { total(xt::view(matrix(), xt::all(), xt::range(0, 2))); });
    CHECK_MESSAGE(contains(text, "must be float32[?,3], as the signature says; given float32[2,2]"), text);
}

TEST_CASE("xtensor: errors name the shapes") {
    xt::xtensor<float, 1> const two{1, 2}, three{1, 2, 3};
    std::string const text = message_of<tx::shape_error>([&] { add(two, three); });
    CHECK_MESSAGE(contains(text, "(2,)"), text);
    CHECK_MESSAGE(contains(text, "(3,)"), text);
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::from_xtensor<shape<3, dyn>>(matrix())); }) ==
          "tx: from_xtensor: the type says shape (3, ?); given shape (2, 3)");
    xt::xarray<float> const nine = xt::zeros<float>(std::vector<std::size_t>(9, 1));
    CHECK(message_of<tx::shape_error>([&] { twice_plus_one(nine); }) == "tx: from_xtensor: a tensor has at most 8 axes; given 9");
}

TEST_CASE("xtensor: from_xtensor and back") {
    xt::xtensor<float, 2> m = matrix();
    tensor<float, shape<dyn, dyn>> const t = tx::from_xtensor(m);
    m(0, 0) = 100;
    CHECK(tx::equal(t, tensor<float, shape<dyn, dyn>>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(tx::from_xtensor<shape<2, 3>>(xt::view(matrix(), xt::all(), xt::all()) + 1),
                    tensor<float, shape<2, 3>>{{2, 3, 4}, {5, 6, 7}}));
    CHECK(tx::equal(tx::exp(tx::from_xtensor(xt::xtensor<float, 1>{0, 0})), tensor<float, shape<dyn>>{1, 1}));

    auto const view = tx::as_xtensor(t);
    CHECK(view.data() == t.data());
    CHECK(view.shape(1) == 3);
    CHECK(xt::sum(view)() == 21);

    tensor<double, shape<2, 2>> fixed{{1, 2}, {3, 4}};
    auto const before = fixed;
    auto writable = tx::as_mutable_xtensor(fixed);
    writable(1, 1) = 40;
    writable += 1;
    CHECK(tx::equal(fixed, tensor<double, shape<2, 2>>{{2, 3}, {4, 41}}));
    CHECK(before(1, 1) == 4);

    static_assert(std::is_same_v<decltype(tx::to_xtensor(fixed)), xt::xtensor_fixed<double, xt::xshape<2, 2>>>);
    static_assert(std::is_same_v<decltype(tx::to_xtensor(t)), xt::xtensor<float, 2>>);
    tensor<float> const open{{1, 2}};
    xt::xarray<float> const copy = tx::to_xtensor(open);
    CHECK(copy.dimension() == 2);
    CHECK(copy(0, 1) == 2);
    tensor<float> const scalar = 3.0f;
    CHECK(tx::as_xtensor(scalar)() == 3);
    tensor<float, shape<>> const known_scalar = 4.0f;
    CHECK(tx::as_xtensor(known_scalar)() == 4);
}
