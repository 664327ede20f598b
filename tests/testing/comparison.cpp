// This file tests comparisons that say where tensors differ.
#include <tracexpr/testing.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <sstream>
#include <vector>

using tx::shape;
using tx::tensor;
using namespace std::string_literals;

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// What GoogleTest's is to a comparison.
class assertion_result {
public:
    explicit assertion_result(bool holds) : holds_{holds} {}
    explicit operator bool() const { return holds_; }
    char const* failure_message() const { return text_.c_str(); }
    assertion_result& operator<<(std::string const& text) { return text_ += text, *this; }

private:
    bool holds_;
    std::string text_;
};
} // namespace

TEST_CASE("compare_close: where elements differ") {
    tensor<double, shape<2, 3>> const a{{1, 2, 3}, {4, 5.5, 6}}, b{{1, 2, 3}, {4, 5, 6.25}};
    tx::comparison const c = tx::compare_close(a, b);
    CHECK(!c);
    CHECK(c.differences() == "2 of 6 elements differ by more than 1e-08 + 1e-05 |expected|\n"
                             "  (1, 1): 5.5, expected 5\n  (1, 2): 6, expected 6.25\nthe largest difference is 0.5, at (1, 1)");
    CHECK(tx::compare_close(a, b, {.atol = 0.5}));
    CHECK(tx::compare_close(a, b, {.rtol = 0.1}));
    CHECK(tx::compare_close(a, a));
    CHECK(c.differences() != tx::compare_close(b, a).differences());
}

TEST_CASE("compare_equal, compare_close: shapes, numbers, no elements") {
    tensor<float, shape<2>> const a{1, 1};
    CHECK(tx::compare_equal(a, tensor<float, shape<3>>{1, 1, 1}).differences() == "the shape is (2,), expected (3,)");
    CHECK(tx::compare_close(a, tensor<float, shape<1>>{1}).differences() == "the shape is (2,), expected (1,)");
    CHECK(tx::compare_close(a, 1));
    CHECK(tx::compare_equal(a, 1.0));
    CHECK(tx::compare_equal(a, 2).differences() == "2 of 2 elements differ\n  (0): 1, expected 2\n  (1): 1, expected 2\nthe largest difference is 1, at (0)");
    CHECK(tx::compare_equal(tensor<float, shape<0>>{}, tensor<int, shape<0>>{}));
    CHECK(tx::compare_equal(tensor<int, shape<>>(3), 4).differences() == "1 of 1 elements differ\n  (): 3, expected 4\nthe largest difference is 1, at ()");
}

TEST_CASE("compare_equal, compare_close: NaN and infinity") {
    tensor<double, shape<3>> const a{not_a_number, inf, -inf}, b{not_a_number, inf, 1};
    CHECK(!tx::compare_close(a, a));
    CHECK(tx::compare_close(a, a, {.equal_nan = true}));
    CHECK(tx::compare_equal(a, a, true));
    CHECK(!tx::compare_equal(a, a));
    CHECK(!tx::compare_close(a, b, {.rtol = 1, .equal_nan = true}));
    CHECK(!tx::compare_close(b, a, {.rtol = 1, .equal_nan = true}));
}

TEST_CASE("compare_equal, compare_close: dtypes") {
    CHECK(tx::compare_equal(tensor<int, shape<2>>{1, -1}, tensor<double, shape<2>>{1, -1}));
    CHECK(!tx::compare_equal(tensor<std::uint64_t, shape<1>>{~std::uint64_t{0}}, tensor<std::int64_t, shape<1>>{-1}));
    CHECK(!tx::compare_equal(tensor<std::int64_t, shape<1>>{(std::int64_t{1} << 53) + 1}, tensor<std::int64_t, shape<1>>{std::int64_t{1} << 53}));
    CHECK(tx::compare_equal(tensor<bool, shape<2>>{true, false}, tensor<int, shape<2>>{1, 0}));
    constexpr std::int64_t large = std::int64_t{1} << 53; // behind it double lacks every second number
    CHECK(!tx::compare_equal(tensor<std::int64_t, shape<1>>{large + 1}, tensor<double, shape<1>>{double(large)}));
    CHECK(tx::compare_equal(tensor<double, shape<1>>{double(large)}, tensor<std::int64_t, shape<1>>{large}));
    CHECK(!tx::compare_equal(tensor<std::uint64_t, shape<1>>{~std::uint64_t{0}}, tensor<double, shape<1>>{0x1p64}));
    CHECK(!tx::compare_equal(tensor<std::int64_t, shape<1>>{1}, tensor<double, shape<1>>{1.5}));
    CHECK(!tx::compare_equal(tensor<int, shape<1>>{0}, tensor<double, shape<1>>{std::numeric_limits<double>::quiet_NaN()}));
    CHECK(tx::compare_equal(tensor<bool, shape<1>>{true}, false).differences() == "1 of 1 elements differ\n  (0): true, expected false\nthe largest difference is 1, at (0)");
    CHECK(tx::compare_close(tensor<tx::half, shape<1>>{tx::half(0.1f)}, 0.1, {.rtol = 1e-3}));
    CHECK(!tx::compare_close(tensor<tx::bfloat16, shape<1>>{tx::bfloat16(0.1f)}, 0.1, {.rtol = 1e-5}));
    tensor<std::complex<float>, shape<1>> const z{{1, -2}};
    CHECK(tx::compare_close(z, tensor<std::complex<double>, shape<1>>{{1, -2.000001}}));
    CHECK(tx::compare_equal(z, tensor<float, shape<1>>{1}).differences() == "1 of 1 elements differ\n  (0): 1-2i, expected 1\nthe largest difference is 2, at (0)");
    CHECK(tx::compare_equal(tensor<std::string, shape<2>>{"a", "b"}, tensor<std::string, shape<2>>{"a", "c"}).differences() ==
          "1 of 2 elements differ\n  (1): \"b\", expected \"c\"");
    CHECK(tx::compare_equal(tensor<std::string, shape<1>>{"a"}, "a"s));
}

TEST_CASE("comparison: long lists are cut, and frameworks print it") {
    tx::comparison const c = tx::compare_equal(tx::zeros<int>(shape<4, 5>{}), 1);
    CHECK(c.differences().find("20 of 20 elements differ\n  (0, 0): 0, expected 1\n") == 0);
    CHECK(c.differences().find("\n  (1, 2): 0, expected 1\n  and 12 more\nthe largest difference is 1, at (0, 0)") != std::string::npos);
    std::ostringstream shown;
    shown << c << tx::compare_equal(c.differences().size() > 0, true);
    CHECK(shown.str() == c.differences() + "alike");
    assertion_result const held = tx::compare_equal(1, 1), failed = c;
    CHECK(held);
    CHECK(!failed);
    CHECK(failed.failure_message() == c.differences());
}
