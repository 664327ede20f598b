#include <op_cases.hpp>

using namespace tx::testing;

using all = ops::casts<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, tx::half, tx::bfloat16, float, double,
                       std::complex<float>, std::complex<double>>;

TEST_CASE_TEMPLATE("ops: casts", T, bool, std::int8_t, std::int32_t, std::uint64_t, tx::half, float, double, std::complex<float>) {
    for (std::int64_t n : {0, 1, 7, 8, 9, 17, 65}) check_ops<all, tx::tensor<T, tx::shape<tx::dyn>>>(0, {special_values(tx::dtype_of<T>, {{n}, 1})});
}
