#include <op_cases.hpp>

using namespace tx::testing;

TEST_CASE_TEMPLATE("ops: integers", T, std::int8_t, std::uint8_t, std::int32_t, std::uint64_t) { check_binary<ops::integers, T>(0); }
TEST_CASE("ops: bool") { check_binary<ops::booleans, bool>(0); }
