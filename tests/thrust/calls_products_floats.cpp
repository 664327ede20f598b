#include <thrust/calls_products.hpp>

using namespace tx::testing;

TEST_CASE("device calls: products of floating-point matrices, batched, of any strides") {
    check_products<float>(1e-6), check_products<double>(1e-14), check_products<tx::half>(1e-3);
    check_products<tx::bfloat16>(1e-2);
}
