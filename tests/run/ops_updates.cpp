#include <op_cases.hpp>

using namespace tx::testing;

template <class T, std::int64_t... E> using given = tx::tensor<T, tx::shape<E...>>;
constexpr std::int64_t open = tx::dyn;

TEST_CASE("ops: updates of parts and at indices") {
    tx::host_array const numbers = tame_values(tx::dtype::float32, {{4, 3}, 2});
    tx::host_array places{tx::dtype::int32, {{3}, 1}, std::vector<std::byte>(12)};
    std::int32_t const wanted[]{2, 2, -1};
    std::memcpy(places.bytes.data(), wanted, sizeof wanted);
    check_ops<ops::updates, given<float, 4, 3>, given<std::int32_t, 3>>(0, {numbers, places});
    check_ops<ops::updates, given<float, open, open>, given<std::int32_t, open>>(0, {numbers, places});
}
