// This file tests the results of collectives on logical values and integers.
#include <collectives/value_checks.hpp>

TEST_CASE_TEMPLATE("collectives: each op is what it means", T, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
    tx::testing::check_values<T>();
}
