// This file tests one op on tensors, of so few elements that its routine alone computes it, and of more: operands of equal size,
// of one element, and C++ numbers.
#include <tracexpr/tracexpr.hpp>

#include <messages.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

template <class T> T number(std::int64_t i, int of) { return static_cast<T>(static_cast<float>((i * 7 + of * 3) % 9 + 1)); }
template <class T> tensor<T, shape<dyn>> row(std::int64_t n, int of) {
    tensor<T, shape<dyn>> out(n);
    T* const to = out.mutable_data();
    for (std::int64_t i = 0; i < n; ++i) to[i] = number<T>(i, of);
    return out;
}
// Each element is what f makes of one of each operand, of which there is one or as many.
template <class Got, class F, class... X> void check(Got const& got, F const& f, X const&... x) {
    std::int64_t const n = std::max({x.size()...}), least = std::min({x.size()...});
    REQUIRE(got.size() == (least == 0 ? 0 : n));
    auto const at = [](auto const& a, std::int64_t i) { return a.data()[a.size() == 1 ? 0 : i]; };
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < got.size(); ++i) wrong += !(got.data()[i] == f(at(x, i)...));
    CHECK(wrong == 0);
}
constexpr std::int64_t sizes[]{0, 1, 2, 7, 255, 256, 257, 1000, 100'000};

} // namespace

TEST_CASE_TEMPLATE("small programs: operands of one element", T, float, double, int, std::uint8_t, std::int64_t) {
    tensor<T, shape<dyn>> const one = row<T>(1, 2);
    tensor<T, shape<>> const scalar(T(3));
    for (std::int64_t const n : sizes) {
        CAPTURE(n);
        auto const x = row<T>(n, 0), y = row<T>(n, 1);
        auto const minus = [](T a, T b) { return static_cast<T>(a - b); };
        check(x - y, minus, x, y);
        check(x - one, minus, x, one);
        check(one - x, minus, one, x);
        check(x - scalar, minus, x, scalar);
        check(scalar - x, minus, scalar, x);
        check(x - 2, minus, x, row<T>(1, 0) + T(1));
        check(2 - x, minus, row<T>(1, 0) + T(1), x);
        check(tx::maximum(scalar, x), [](T a, T b) { return std::max(a, b); }, scalar, x);
        check(tx::hypot(tx::cast<double>(x), 3.0), [](T a) { return tx::hypot(static_cast<double>(a), 3.0); }, x);
        check(x < scalar, [](T a, T b) { return a < b; }, x, scalar);
        auto const is_small = x < T(5);
        auto const choice = [](bool c, T a, T b) { return c ? a : b; };
        check(tx::where(is_small, x, y), choice, is_small, x, y);
        check(tx::where(is_small, one, y), choice, is_small, one, y);
        check(tx::where(is_small, x, T(9)), choice, is_small, x, row<T>(1, 0) + T(8));
        check(tx::where(tensor<bool, shape<>>(true), x, y), choice, tensor<bool, shape<>>(true), x, y);
        check(tx::cast<float>(x), [](T a) { return static_cast<float>(a); }, x);
        check(tx::cast<bool>(x - T(1)), [](T a) { return a != T(1); }, x);
    }
}

TEST_CASE_TEMPLATE("small programs: halves and complex numbers", T, tx::half, tx::bfloat16, std::complex<float>,
                   std::complex<double>) {
    auto const plain = [](T a) {
        if constexpr (tx::is_complex(tx::dtype_of<T>)) return a;
        else return static_cast<float>(a);
    };
    tensor<T, shape<>> const scalar(number<T>(0, 1));
    for (std::int64_t const n : sizes) {
        CAPTURE(n);
        auto const x = row<T>(n, 0), y = row<T>(n, 1);
        auto const times = [&](T a, T b) { return static_cast<T>(plain(a) * plain(b)); };
        check(x * y, times, x, y);
        check(scalar * x, times, scalar, x);
        check(x * scalar, times, x, scalar);
        check(x == scalar, [&](T a, T b) { return plain(a) == plain(b); }, x, scalar);
    }
}

TEST_CASE("small programs: the result's extents are those that broadcasting gives") {
    tensor<float, shape<dyn, dyn>> const square(3, 3), one(1, 1);
    tensor<float, shape<dyn>> const five(5), single(1), none(0);
    CHECK((one + five).dimensions() == tx::dims{{1, 5}, 2});
    CHECK((five + one).dimensions() == tx::dims{{1, 5}, 2});
    CHECK((square + one).dimensions() == tx::dims{{3, 3}, 2});
    CHECK((single + square).dimensions() == tx::dims{{3, 3}, 2});
    CHECK((single + one).dimensions() == tx::dims{{1, 1}, 2});
    CHECK((one + single).dimensions() == tx::dims{{1, 1}, 2});
    CHECK((single + none).dimensions() == tx::dims{{0}, 1});
    CHECK((none + 1).dimensions() == tx::dims{{0}, 1});
    CHECK((square + row<float>(3, 0)).dimensions() == tx::dims{{3, 3}, 2});
    CHECK(message_of([&] { (void)(five + row<float>(3, 0)); }).find("(5,)") != std::string::npos);
}

TEST_CASE("small programs: rows, for each place of the axes before") {
    for (std::int64_t const columns : {0, 1, 3, 40, 300})
        for (std::int64_t const rows : {0, 1, 2, 5, 16, 17, 100}) {
            CAPTURE(columns);
            CAPTURE(rows);
            tensor<float, shape<dyn, dyn>> x(rows, columns);
            auto const y = row<float>(columns, 1);
            for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = number<float>(i, 0);
            auto const behind = x - y, before = y - x;
            auto const chosen = tx::where(x > y, y, 2.0f), power = tx::pow(x, tx::maximum(y, 1));
            REQUIRE(behind.dimensions() == x.dimensions());
            REQUIRE(before.dimensions() == x.dimensions());
            REQUIRE(chosen.dimensions() == x.dimensions());
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < x.size(); ++i) {
                float const a = x.data()[i], b = y.data()[i % columns];
                wrong += behind.data()[i] != a - b || before.data()[i] != b - a || chosen.data()[i] != (a > b ? b : 2.0f);
                wrong += std::abs(power.data()[i] / std::pow(a, b) - 1) > 1e-5f;
            }
            CHECK(wrong == 0);
        }
    tensor<float, shape<dyn, dyn, dyn>> const deep(2, 3, 4);
    tensor<float, shape<dyn, dyn>> const flat(3, 4), column(3, 1);
    CHECK((deep + flat).dimensions() == tx::dims{{2, 3, 4}, 3});
    CHECK((flat + deep).dimensions() == tx::dims{{2, 3, 4}, 3});
    CHECK((deep + column).dimensions() == tx::dims{{2, 3, 4}, 3});
    CHECK((column + row<float>(4, 0)).dimensions() == tx::dims{{3, 4}, 2});
}

TEST_CASE("small programs: tapes record them, traces take them in") {
    auto const x = row<double>(4, 0);
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = x * x, z = 3 * y;
    auto const slope = tape.gradient(tx::sum(z), x);
    for (int i = 0; i < 4; ++i) CHECK(slope(i) == doctest::Approx(6 * x(i)));
    tx::function const f{[&](auto a) { return a + x * 2; }};
    auto const got = f(x);
    for (int i = 0; i < 4; ++i) CHECK(got(i) == doctest::Approx(3 * x(i)));
}
