// This file tests many ONNX files that were changed at random.
#include "../onnx/mutations.hpp"

#include <doctest/doctest.h>

TEST_CASE("onnx: of many mutated models nothing but tx::error comes") {
    std::size_t loaded = 0, ran = 0;
    CHECK(onnx_mutations::problems_of(1'000'000, 100'000, loaded, ran) == "");
    CHECK(loaded > 10'000);
    CHECK(ran > 2'000);
}
