// This file tests elements that are written to.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <vector>

namespace {
using matrix = tx::tensor<float, tx::shape<2, 3>>;
matrix const given{{1, 2, 3}, {4, 5, 6}};
} // namespace

TEST_CASE_TEMPLATE("elements: what is assigned to them goes to the tensor, and to no copy of it", T, float, double, std::int8_t, std::uint16_t,
                   std::int64_t, std::complex<float>, tx::half, tx::bfloat16) {
    tx::tensor<T, tx::shape<2, 3>> known{{T(1), T(2), T(3)}, {T(4), T(5), T(6)}};
    tx::tensor<T> open = known;
    auto const check = [](auto& a) {
        auto const before = a;
        a(0, 1) = T(7);
        a(-1, -1) += T(2);
        a(1, 0) = a(0, 0);
        a(0, 2) *= a(0, 1);
        CHECK(tx::equal(a, tx::tensor<T, tx::shape<2, 3>>{{T(1), T(7), T(21)}, {T(1), T(5), T(8)}}));
        CHECK(tx::equal(before, tx::tensor<T, tx::shape<2, 3>>{{T(1), T(2), T(3)}, {T(4), T(5), T(6)}}));
        swap(a(0, 0), a(0, 1));
        CHECK(a(0, 0) == T(7));
        auto value = a(0, 0);
        value = T(3);
        CHECK(value == T(3));
        CHECK(a(0, 0) == T(7));
        CHECK_THROWS_WITH_AS(a(2, 0) = T(1), doctest::Contains("given (2, 0)"), tx::shape_error);
    };
    check(known);
    check(open);
}
TEST_CASE("elements: they are numbers") {
    matrix a = given;
    ++a(0, 0), --a(1, 2), a(0, 1) += 0.5, a(0, 2) -= 1, a(1, 0) /= 8;
    CHECK(tx::equal(a, matrix{{2, 2.5f, 2}, {0.5f, 5, 5}}));
    CHECK(std::sqrt(a(0, 0) * 2) == 2.0f);
    CHECK(std::abs(a(0, 1) - a(0, 0)) == doctest::Approx(0.5));
    CHECK(std::vector<float>{a(0, 0), a(1, 1)} == std::vector<float>{2, 5});
    tx::tensor<std::int32_t, tx::shape<4>> bits{1, 6, 12, 5};
    bits(0) <<= 3, bits(1) |= 9, bits(2) &= 5, bits(3) ^= 1;
    CHECK(tx::equal(bits, tx::tensor<std::int32_t, tx::shape<4>>{8, 15, 4, 4}));
    bits(0) %= 5, bits(1) >>= 2;
    CHECK(bits(0) + bits(1) == 6);
    tx::tensor<std::string, tx::shape<2>> names{"ann", "bob"};
    names(1) = "cy", names(0) += "a";
    CHECK(names(0) + names(1) == "annacy");
    tx::tensor<bool, tx::shape<2>> flags{true, false};
    flags(1) = true;
    CHECK((flags(0) && flags(1)));
    constexpr auto made = [] {
        tx::tensor<int, tx::shape<2>> out{1, 2};
        out(1) += 5;
        return out;
    }();
    static_assert(made(1) == 7);
}
TEST_CASE_TEMPLATE("elements: static_cast makes any number of one", T, bool, std::int8_t, std::uint64_t, float, double, tx::half, tx::bfloat16,
                   tx::dual<float>, tx::dual<tx::dual<double>>) {
    tx::tensor<T, tx::shape<2>> a{T(0), T(1)};
    auto one = a(1);
    CHECK(static_cast<int>(one) == 1);
    CHECK(static_cast<char>(one) == '\1');
    CHECK(static_cast<bool>(one));
    CHECK(static_cast<float>(one) == 1);
    CHECK(static_cast<long double>(one) == 1);
    CHECK(static_cast<tx::half>(one) == tx::half(1));
    CHECK(static_cast<tx::bfloat16>(a(1)) == tx::bfloat16(1));
    if constexpr (!std::is_integral_v<T>) CHECK(static_cast<std::complex<double>>(std::as_const(one)) == std::complex<double>(1));
    if constexpr (std::is_class_v<T>) CHECK(static_cast<std::complex<float>>(one) == std::complex<float>(1));
    CHECK(tx::primal(static_cast<tx::dual<tx::dual<double>>>(a(1))) == 1);
    if constexpr (!std::is_same_v<T, tx::dual<tx::dual<double>>>) CHECK(static_cast<tx::dual<float>>(one).value == 1);
}
TEST_CASE("elements: they are operands and arguments, weak as numbers are") {
    tx::tensor<tx::half, tx::shape<2>> const h{2, 3};
    matrix a = given;
    static_assert(std::is_same_v<decltype(h * a(1, 0))::value_type, tx::half>);
    CHECK(tx::equal(a(1, 0) * h, tx::tensor<tx::half, tx::shape<2>>{8, 12}));
    tx::function const scaled{[](auto x, auto k) { return x * k; }};
    CHECK(tx::equal(scaled(h, a(0, 1)), tx::tensor<tx::half, tx::shape<2>>{4, 6}));
    CHECK(tx::equal(scaled(a, a(0, 1)), given * 2));
    CHECK(scaled.tracing_count() == 2);
}
TEST_CASE("elements: reading one does not take a tensor off a tape") {
    matrix a = given;
    tx::gradient_tape tape;
    tape.watch(a);
    auto const loss = tx::sum(a * a) * a(0, 0);
    CHECK(tx::equal(tape.gradient(loss, a), given * 2));
}
