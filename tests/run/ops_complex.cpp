#include <op_cases.hpp>

using namespace tx::testing;

TEST_CASE_TEMPLATE("ops: complex numbers", T, std::complex<float>, std::complex<double>) {
    for (std::int64_t n : {0, 1, 3, 4, 5, 8, 17})
        check_ops<ops::complex_numbers, tx::tensor<T, tx::shape<tx::dyn>>, tx::tensor<T, tx::shape<tx::dyn>>>(16, {tame_values(tx::dtype_of<T>, {{n}, 1}, 1), tame_values(tx::dtype_of<T>, {{n}, 1}, 2)});
}
