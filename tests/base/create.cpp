#include <messages.hpp>

#include <tracexpr/base/create.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

using tx::dyn;
using tx::equal;
using tx::shape;
using tx::tensor;

namespace {

} // namespace

TEST_CASE("create: zeros, ones, full of a static shape") {
    constexpr auto zeros = tx::zeros<float>(shape<3, 4>{});
    static_assert(std::is_same_v<decltype(zeros), tensor<float, shape<3, 4>> const>);
    static_assert(zeros(2, 3) == 0);
    constexpr auto ones = tx::ones<int>(shape<2>{});
    static_assert(ones(0) == 1 && ones(1) == 1);
    constexpr auto full = tx::full<tx::half>(shape<2, 2>{}, 2.5);
    static_assert(full(1, 1) == tx::half(2.5f));
    CHECK(tx::zeros<double>(shape<100, 100>{})(99, 99) == 0);
    CHECK(tx::ones<std::complex<double>>(shape<100, 100>{})(99, 99) == std::complex<double>(1));
    CHECK(tx::full<bool>(shape<>{}, true).item());
    CHECK(equal(tx::zeros<float, shape<2, 2>>(), tx::zeros<float>(shape<2, 2>{})));
    CHECK_THROWS_AS((void)tx::full<std::int8_t>(shape<2>{}, 128), tx::type_error);
}

TEST_CASE("create: run-time extents in order, all axes given") {
    int const n = 3;
    auto const zeros = tx::zeros<double, shape<dyn, 4>>(n, 4);
    CHECK(zeros.extents() == std::array{3, 4});
    CHECK(equal(zeros, tx::zeros<double>(shape<3, 4>{})));
    CHECK(equal(tx::ones<double, shape<dyn, 4>>(n, 4), tx::ones<double>(shape<3, 4>{})));
    CHECK(equal(tx::full<double, shape<dyn, 4>>(7, n, 4), tx::full<double>(shape<3, 4>{}, 7)));
    CHECK(tx::zeros<float, tx::any_shape>(2, 3, 4).extents() == std::array{2, 3, 4});
    CHECK(tx::ones<float, tx::any_shape>().rank() == 0);
    CHECK(tx::zeros<float, shape<dyn>>(0).size() == 0);
    CHECK(message_of([] { (void)tx::zeros<double, shape<dyn, 4>>(3, 5); }) ==
          "tx: zeros: the type says shape (?, 4); given shape (3, 5)");
    CHECK(message_of([] { (void)tx::ones<double, shape<2, 4>>(3, 5); }) == "tx: ones: the type says shape (2, 4); given shape (3, 5)");
    CHECK(message_of([] { (void)tx::full<double, shape<dyn>>(1, -3); }) ==
          "tx: full: extents must not be negative, nor ask for more memory than can be addressed; given (-3,)");
    CHECK_THROWS_AS((void)(tx::zeros<double, shape<2, 4>>(4, 2)), tx::shape_error);
    std::string const refused = ": extents must not be negative, nor ask for more memory than can be addressed; given ";
    CHECK(message_of([] { (void)tx::zeros<float, shape<dyn>>(-1); }) == "tx: zeros" + refused + "(-1,)");
    CHECK(message_of([] { (void)tx::linspace<float>(0, 1, -1); }) == "tx: linspace" + refused + "(-1,)");
    CHECK(message_of([] { (void)tx::eye<float>(-1); }) == "tx: eye" + refused + "(-1, -1)");
}

TEST_CASE("create: the shape as an argument, run-time extents behind it") {
    int const n = 3;
    auto const zeros = tx::zeros<double>(shape<dyn, 4>{}, n, 4);
    static_assert(std::is_same_v<decltype(zeros), tensor<double, shape<dyn, 4>> const>);
    CHECK(zeros.extents() == std::array{3, 4});
    CHECK(equal(zeros, tx::zeros<double>(shape<3, 4>{})));
    CHECK(equal(tx::ones<int>(shape<dyn, 4>{}, n, 4), tx::ones<int>(shape<3, 4>{})));
    CHECK(equal(tx::full<tx::half>(shape<dyn, 4>{}, 7, n, 4), tx::full<tx::half>(shape<3, 4>{}, 7)));
    CHECK(equal(tx::full<float>(shape<2>{}, 7, 2), tx::full<float>(shape<2>{}, 7)));
    CHECK(tx::zeros<float>(tx::any_shape{}, 2, 3, 4).extents() == std::array{2, 3, 4});
    CHECK(tx::zeros<bool>(tx::any_shape{}).rank() == 0);
    CHECK(tx::ones<float>(tx::any_shape{}, std::int64_t{0}).size() == 0);
    CHECK(message_of([] { (void)tx::zeros<double>(shape<dyn, 4>{}, 3, 5); }) ==
          "tx: zeros: the type says shape (?, 4); given shape (3, 5)");
    CHECK(message_of([] { (void)tx::ones<double>(shape<2, 4>{}, 3, 5); }) == "tx: ones: the type says shape (2, 4); given shape (3, 5)");
    CHECK(message_of([] { (void)tx::full<double>(shape<dyn>{}, 1, -3); }) ==
          "tx: full: extents must not be negative, nor ask for more memory than can be addressed; given (-3,)");
    CHECK_THROWS_AS((void)(tx::full<std::int8_t>(shape<dyn>{}, 128, 2)), tx::type_error);
}

TEST_CASE("create: eye") {
    CHECK(equal(tx::eye<int>(2), tensor<int>{{1, 0}, {0, 1}}));
    static_assert(equal(tx::eye<float>(shape<2, 3>{}), tensor<float, shape<2, 3>>{{1, 0, 0}, {0, 1, 0}}));
    static_assert(equal(tx::eye<float>(shape<2, 3>{}, 1), tensor<float, shape<2, 3>>{{0, 1, 0}, {0, 0, 1}}));
    static_assert(equal(tx::eye<int>(shape<3, 3>{}, -1), tensor<int, shape<3, 3>>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
    CHECK(equal(tx::eye<int>(shape<2, 2>{}, 5), tx::zeros<int>(shape<2, 2>{})));
    CHECK(equal(tx::eye<int>(shape<2, 2>{}, -5), tx::zeros<int>(shape<2, 2>{})));
    CHECK(equal(tx::eye<int>(2, 3, 1), tensor<int>{{0, 1, 0}, {0, 0, 1}}));
    CHECK(tx::eye<float>(shape<100, 100>{})(99, 99) == 1);
    CHECK_THROWS_AS((void)tx::eye<float>(-1, 2), tx::shape_error);
}

TEST_CASE("create: arange") {
    CHECK(equal(tx::arange<int>(5), tensor<int>{0, 1, 2, 3, 4}));
    CHECK(equal(tx::arange<float>(1, 2.5f, 0.5f), tensor<float>{1, 1.5, 2}));
    CHECK(equal(tx::arange<int>(5, 0, -2), tensor<int>{5, 3, 1}));
    CHECK(equal(tx::arange<double>(1, 0, -0.25), tensor<double>{1, 0.75, 0.5, 0.25}));
    CHECK(equal(tx::arange<tx::half>(0, 3), tensor<tx::half>{0, 1, 2}));
    CHECK(equal(tx::arange<std::uint8_t>(250, 255, 2), tensor<std::uint8_t>{250, 252, 254}));
    CHECK(equal(tx::arange<std::int8_t>(-128, 127, 100), tensor<std::int8_t>{-128, -28, 72}));
    CHECK(tx::arange<std::int64_t>(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::max())
              .extents() == std::array{3});
    CHECK(tx::arange<int>(5, 0).size() == 0);
    CHECK(tx::arange<double>(1, 1).size() == 0);
    CHECK(tx::arange<double>(0, 1, 0.1).size() == 10);
    static_assert(equal(tx::arange<int, 4>(), tensor<int, shape<4>>{0, 1, 2, 3}));
    static_assert(equal(tx::arange<float, 3>(1, 0.5f), tensor<float, shape<3>>{1, 1.5, 2}));
    CHECK(message_of([] { (void)tx::arange<int>(0, 5, 0); }) == "tx: arange: the step must not be zero; given 0");
    CHECK(message_of([] { (void)tx::arange<double>(0, std::numeric_limits<double>::infinity()); }) ==
          "tx: arange: start, stop and step must give a finite number of elements");
    CHECK_THROWS_AS((void)tx::arange<double>(0, std::numeric_limits<double>::quiet_NaN()), tx::shape_error);
}

TEST_CASE("create: linspace") {
    static_assert(equal(tx::linspace<float, 5>(0, 1), tensor<float, shape<5>>{0, 0.25, 0.5, 0.75, 1}));
    static_assert(equal(tx::linspace<double, 1>(3, 4), tensor<double, shape<1>>{3}));
    auto const a = tx::linspace<double>(0, 1, 50);
    CHECK(a.size() == 50);
    CHECK(a(49) == 1);
    CHECK(a(7) == 7 * (1. / 49));
    CHECK(tx::linspace<float>(0, 1).size() == 50);
    CHECK(tx::linspace<float>(0, 1, 0).size() == 0);
    CHECK_THROWS_AS((void)tx::linspace<float>(0, 1, -1), tx::shape_error);
}

TEST_CASE("create: like another tensor") {
    auto const like = tx::zeros<float, shape<dyn, 2>>(3, 2);
    CHECK(equal(tx::zeros_like(like), like));
    CHECK(equal(tx::ones_like(like), tx::ones<float>(shape<3, 2>{})));
    CHECK(equal(tx::full_like(like, 2.5), tx::full<float>(shape<3, 2>{}, 2.5)));
    static_assert(equal(tx::zeros_like(tensor<int, shape<2>>{1, 2}), tensor<int, shape<2>>{}));
    static_assert(equal(tx::full_like(tensor<int, shape<2>>{1, 2}, 7), tensor<int, shape<2>>{7, 7}));
    static_assert(std::is_same_v<decltype(tx::ones_like(like)), tensor<float, shape<dyn, 2>>>);
}

TEST_CASE("create: from_data copies") {
    float values[]{1, 2, 3, 4, 5, 6};
    auto const a = tx::from_data<shape<2, 3>>(values);
    auto const b = tx::from_data<shape<dyn>>(static_cast<float const*>(values), 4);
    auto const c = tx::from_data<tx::any_shape>(values, 3, 2);
    values[0] = 9;
    CHECK(equal(a, tensor<float>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(equal(b, tensor<float>{1, 2, 3, 4}));
    CHECK(equal(c, tensor<float>{{1, 2}, {3, 4}, {5, 6}}));
    static_assert(std::is_same_v<decltype(b), tensor<float, shape<dyn>> const>);
    float const* const null = nullptr;
    CHECK(tx::from_data<shape<dyn>>(null, 0).size() == 0);
    CHECK(message_of([&] { (void)tx::from_data<shape<dyn>>(null, 2); }) ==
          "tx: from_data: the pointer must not be null; given null for shape (2,)");
    CHECK_THROWS_AS((void)(tx::from_data<shape<2, 3>>(values, 3, 2)), tx::shape_error);
}
