#include <op_cases.hpp>

using namespace tx::testing;

template <class T, std::int64_t... E> using given = tx::tensor<T, tx::shape<E...>>;
constexpr auto f32 = tx::dtype::float32;
constexpr std::int64_t open = tx::dyn;

TEST_CASE("ops: views") {
    check_ops<ops::views, given<float, 5, 7>>(16, {tame_values(f32, {{5, 7}, 2})});
    for (tx::dims d : {tx::dims{{5, 7}, 2}, tx::dims{{1, 9}, 2}, tx::dims{{33, 1}, 2}, tx::dims{{17, 40}, 2}}) check_ops<ops::views, given<float, open, open>>(64, {tame_values(f32, d)});
}
TEST_CASE("ops: joining and padding") {
    check_ops<ops::structure, given<float, 2, 3>, given<float, 2, 3>>(4, {tame_values(f32, {{2, 3}, 2}, 1), tame_values(f32, {{2, 3}, 2}, 2)});
}
TEST_CASE("ops: leaves") {
    check_ops<ops::leaves, given<float, open, 3>>(64, {tame_values(f32, {{6, 3}, 2})});
    check_ops<ops::leaves, given<float, 4, 3>>(64, {tame_values(f32, {{4, 3}, 2})});
}
TEST_CASE("ops: lookups") {
    tx::host_array const numbers = tame_values(f32, {{4, 3}, 2});
    tx::host_array places{tx::dtype::int32, {{3}, 1}, std::vector<std::byte>(12)};
    std::int32_t const wanted[]{2, 0, -1};
    std::memcpy(places.bytes.data(), wanted, sizeof wanted);
    check_ops<ops::lookups, given<float, 4, 3>, given<std::int32_t, 3>>(0, {numbers, places});
    check_ops<ops::lookups, given<float, open, open>, given<std::int32_t, open>>(0, {numbers, places});
}
TEST_CASE("ops: random numbers") {
    for (int first : {0, 5}) check_ops<ops::random_numbers, given<std::uint64_t>>(0, {tame_values(tx::dtype::uint64, {}, first)});
}
TEST_CASE("ops: products") {
    check_ops<ops::products, given<float, 4, 4>, given<float, 4, 4>>(64, {tame_values(f32, {{4, 4}, 2}, 1), tame_values(f32, {{4, 4}, 2}, 2)});
    for (std::int64_t n : {1, 3, 17})
        check_ops<ops::products, given<float, open, open>, given<float, open, open>>(64, {tame_values(f32, {{5, n}, 2}, 1), tame_values(f32, {{n, 9}, 2}, 2)});
}
