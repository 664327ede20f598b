#include <thrust/calls_products.hpp>

using namespace tx::testing;

TEST_CASE("device calls: products of integer matrices wrap, those of bool are \"or\" of \"and\"") {
    check_products<bool>(), check_products<std::int8_t>(), check_products<std::uint16_t>(), check_products<std::int32_t>();
    check_products<std::int64_t>();
}
