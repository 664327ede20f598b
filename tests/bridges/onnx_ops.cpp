// This file tests every op of the registry, written as an ONNX model that is read again.
#include <onnx/exported_families.hpp>

#include <doctest/doctest.h>

namespace tt = tx::testing;

TEST_CASE("onnx: save: every op") {
    tt::exported_families of("op");
    of.check(tt::unary_families()), of.check(tt::binary_families()), of.check(tt::exact_families());
    of.check(tt::view_families()), of.check(tt::reduction_families()), of.check(tt::other_families()),
        of.check(tt::complex_families());
    std::string all;
    for (std::string const& m : of.missing())
        if (m.find("complex64") == m.npos) all += m + "; ";
    CHECK(all == "cholesky; count_leading_zeros; count_trailing_zeros; eigh; greater of strings; greater_equal of strings; less "
                 "of strings; less_equal of strings; "
                 "lgamma; lu; lu, solve; polygamma; population_count; qr; solve_triangular; svd; ");
}
