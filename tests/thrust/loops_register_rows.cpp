// This file tests rows that a GPU's warps and blocks keep in registers, on threads of the host.
#include <thrust/crew.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

namespace {
// One value for each row goes in, another one out; what is stored is read again.
struct several_values {
    constexpr auto operator()(auto x, auto scale) const {
        auto const y = x * tx::expand_dims<1>(scale);
        auto const largest = tx::max(y, tx::axis<1>, tx::keepdims);
        auto const e = tx::exp(y - largest);
        auto const total = tx::sum(e, tx::axis<1>, tx::keepdims);
        return std::tuple(e, e / total, tx::log(total) + largest);
    }
};
// Rows of a triangle: each element's place along both axes counts.
struct triangle_rows {
    constexpr auto operator()(auto x) const {
        auto const y = tx::tril(x);
        return y - tx::mean(y, tx::axis<1>, tx::keepdims);
    }
};
struct looked_up_rows {
    constexpr auto operator()(auto x, auto i) const {
        auto const y = tx::take(x, i, tx::axis<0>) + 1.0f;
        return y / tx::sum(y, tx::axis<1>, tx::keepdims);
    }
};
struct last_of_three {
    constexpr auto operator()(auto x) const { return tx::softmax(x); }
};
struct above_mean {
    constexpr auto operator()(auto x) const {
        auto const above = x > tx::mean(x, tx::axis<1>, tx::keepdims);
        return above && tx::any(x < 0.0f, tx::axis<1>, tx::keepdims);
    }
};
template <class T, std::int64_t... E> using of = tx::tensor<T, tx::shape<E...>>;
template <class F, class... A> void check_rows(std::int64_t rows, std::vector<tx::host_array> const& arguments) {
    CHECK(check_crew<F, A...>(arguments).tasks_of_known == rows);
}
} // namespace

TEST_CASE("register rows: as long as the registers of a warp, shorter, odd, and of a block") {
    check_rows<softmax_of_rows, floats<3, 1024>>(3, {array_of<float>(3, 1024)});
    check_rows<softmax_of_rows, floats<3, 100>>(3, {array_of<float>(3, 100)});
    check_rows<softmax_of_rows, floats<3, 37>>(3, {array_of<float>(3, 37)});
    check_rows<softmax_of_rows, floats<2, 2100>>(2, {array_of<float>(2, 2100)});
    check_rows<softmax_of_rows, floats<3, 8>>(0, {array_of<float>(3, 8)}); // a thread has one whole
}
TEST_CASE("register rows: several results, values of a row, lookups, places") {
    check_rows<several_values, floats<5, 60>, floats<5>>(5, {array_of<float>(5, 60), array_of<float>(5)});
    check_rows<triangle_rows, floats<50, 50>>(50, {array_of<float>(50, 50)});
    check_rows<last_of_three, floats<2, 3, 44>>(6, {array_of<float>(2, 3, 44)});
    check_rows<above_mean, floats<4, 64>>(4, {array_of<float>(4, 64)});
    tx::host_array places{tx::dtype::int32, extents(6), std::vector<std::byte>(6 * sizeof(int))};
    for (int k = 0; k < 6; ++k) reinterpret_cast<int*>(places.bytes.data())[k] = k * k % 5 - (k % 2 ? 5 : 0);
    check_crew<looked_up_rows, floats<5, 40>, of<int, 6>>({array_of<float>(5, 40), places});
}
TEST_CASE("register rows: unknown numbers of rows of known length") {
    check_rows<softmax_of_rows, floats<tx::dyn, 100>>(5, {array_of<float>(5, 100)});
    check_rows<last_of_three, floats<tx::dyn, tx::dyn, 64>>(6, {array_of<float>(3, 2, 64)});
}
