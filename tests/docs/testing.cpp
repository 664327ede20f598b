// Testing: comparisons for tests of your own, which print where tensors differ. `#include <tracexpr/testing.hpp>`.
#include <tracexpr/testing.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

TEST_CASE("compare_close, compare_equal, comparison") {
    tx::tensor<double, tx::shape<2>> const x{1, 2}, y{1, 2.5};
    CHECK(tx::compare_close(x, y, {.atol = 0.5})); // in GoogleTest: EXPECT_TRUE(tx::compare_close(...))
    tx::comparison const c = tx::compare_equal(x, y);
    CHECK(!c);
    CHECK(c.differences() == "1 of 2 elements differ\n  (1): 2, expected 2.5\nthe largest difference is 0.5, at (1)");
}

TEST_CASE("compared_operand") {
    static_assert(tx::compared_operand<tx::tensor<float, tx::shape<3>>> && tx::compared_operand<double>);
    CHECK(tx::compare_equal(tx::zeros<float>(tx::shape<3>{}), 0)); // a number is expected of all elements
}
