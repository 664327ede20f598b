// This file tests rows of several dtypes that a GPU keeps in registers, and those that it doesn't, on threads of the host.
#include <thrust/crew.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

namespace {
struct shares {
    constexpr auto operator()(auto x) const { return x / tx::sum(x, tx::axis<1>, tx::keepdims); }
};
// A value of each row is stored where another one was, which all threads have read.
struct over_a_value {
    constexpr auto operator()(auto a, auto b, auto w) const {
        auto const x = tx::matmul(a, b);
        auto const r = tx::exp(tx::matmul(a, w) * 0.01f) + tx::sum(x, tx::axis<1>) * 2.0f;
        return std::tuple(x + tx::expand_dims<1>(r), r);
    }
};
template <class T, std::int64_t... E> using of = tx::tensor<T, tx::shape<E...>>;
template <class F, class... A> void check_rows(std::int64_t rows, std::vector<tx::host_array> const& arguments) {
    CHECK(check_crew<F, A...>(arguments).tasks_of_known == rows);
}
} // namespace

TEST_CASE("register rows: values that are overwritten go by memory") {
    check_rows<over_a_value, floats<400, 4>, floats<4, 2100>, floats<4>>(0, {array_of<float>(400, 4), array_of<float>(4, 2100), array_of<float>(4)});
}
TEST_CASE("register rows: dtypes") {
    check_rows<shares, of<double, 3, 50>>(3, {array_of<double>(3, 50)});
    check_rows<shares, of<std::int8_t, 3, 48>>(3, {array_of<std::int8_t>(3, 48)});
    check_rows<softmax_of_rows, of<tx::half, 2, 600>>(2, {array_of<tx::half>(2, 600)});
    check_rows<shares, of<std::complex<float>, 3, 41>>(3, {array_of<std::complex<float>>(3, 41)});
}
