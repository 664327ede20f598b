// This file tests C++ characters as operands: they are the numbers that C++'s arithmetic makes of them, and as weak as these.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;

TEST_CASE_TEMPLATE("characters: operands of all ops", T, std::int8_t, std::uint8_t, std::int32_t, std::int64_t, float) {
    tensor<T, shape<4>> const codes{97, 122, 65, 48};
    tensor<bool, shape<4>> const lower{true, true, false, false};
    CHECK(tx::equal(codes >= 'a' && 'z' >= codes, lower));
    static_assert(std::is_same_v<decltype(codes - 'a'), tensor<T, shape<4>>>);
    CHECK(tx::equal(codes - '0', tensor<T, shape<4>>{49, 74, 17, 0}));
    CHECK(tx::equal(tx::maximum(codes, 'a'), tensor<T, shape<4>>{97, 122, 97, 97}));
    tensor<T, shape<4>> const upper{65, 90, 65, 48};
    CHECK(tx::equal(tx::where(codes >= 'a', codes - ('a' - 'A'), codes), upper));
    auto const to_upper = [](auto const& x) { return tx::where(x >= 'a', x - ' ', x); };
    CHECK(tx::equal(tx::static_function{to_upper}(codes), upper));
    CHECK(tx::equal(tx::function{to_upper, tx::options{.jit = tx::jit::never}}(codes), upper));
    CHECK(tx::equal(tx::set(codes, 'A', 0), tensor<T, shape<4>>{65, 122, 65, 48}));
    tensor<T, shape<4>> changed = codes;
    changed -= u8'0';
    CHECK(tx::equal(changed, codes - L'0'));
}
TEST_CASE("characters: one that the dtype lacks") {
    tensor<std::uint8_t, shape<1>> const code{97};
    CHECK_THROWS_AS(static_cast<void>(code + U'\u03a9'), tx::type_error);
}
