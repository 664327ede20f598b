// This file tests collectives in checkpoints and in functions with users' derivatives: the forward part runs once, and the
// backward part runs on all ranks, whatever a rank's own values depend on.
#include <collectives/checkpoint_checks.hpp>

TEST_CASE("collectives in checkpoints: first derivatives") {
    CHECK_FIRST(gathered, 1u);
    CHECK_FIRST(from_first, 1u);
    CHECK_FIRST(to_second, 1u);
    CHECK_FIRST(dead, 1u);
    CHECK_FIRST(nested, 1u);
    CHECK_FIRST(looped, 2u);
}

TEST_CASE("collectives in checkpoints: second derivatives") {
    CHECK_SECOND(gathered);
    CHECK_SECOND(from_first);
    CHECK_SECOND(to_second);
    CHECK_SECOND(dead);
    CHECK_SECOND(nested);
    CHECK_SECOND(looped);
}
