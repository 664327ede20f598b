// This file tests attention with grouped heads, other dtypes and no keys; and in blocks, which give what all rows at once give.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

auto const k = made<2, 5, 4>(0.3);
auto const v = made<2, 5, 2>(0.9);

// Attention of all rows at once.
template <class Q, class K, class V> auto at_once(Q const& q, K const& k_, V const& v_, bool is_causal) {
    auto const scores = tx::matmul(q, tx::matrix_transpose(k_)) * 0.5;
    auto const rows = tx::expand_dims<1>(tx::arange<std::int64_t>(q.dimensions()[1])) + (k_.dimensions()[1] - q.dimensions()[1]);
    auto const seen = tx::logical_or(rows >= tx::arange<std::int64_t>(k_.dimensions()[1]), !is_causal);
    return tx::matmul(tx::softmax(tx::where(seen, scores, -1e300)), v_);
}

} // namespace

TEST_CASE("nn: attention of grouped heads: each of k and v serves as many of q") {
    auto const q = made<4, 3, 4>(0.7);
    auto const middle = tx::slice(tx::nn::attention(q, k, v), tx::range<1, 3>);
    CHECK(difference(middle,
                     wanted<2, 3, 2>({0.0993004797107, 0.284364981441, 0.433305097952, 0.281601568992, 0.0522238463917,
                                      0.0550246822283, -0.350070303432, -0.454523518248, -0.166297845273, 0.0163693221187,
                                      -0.323926200377, -0.504061173185}),
                     1e-9, 1e-9) == "");
    auto const all = [](auto a, auto c, auto d) { return tx::nn::attention(a, c, d, tx::causal); };
    auto const apart = all(q, tx::repeat<2>(k, tx::axis<0>), tx::repeat<2>(v, tx::axis<0>));
    // How many queries a head of k serves must be known by types.
    auto const of_causal = [](auto a, auto c, auto d) { return tx::nn::attention(a, c, d, tx::causal); };
    CHECK(difference(tx::function{of_causal}(q, k, v), apart, 1e-9, 1e-9) == "");
    auto const batch =
        tx::vmap(of_causal)(tx::stack(tx::axis<0>, q, q), tx::stack(tx::axis<0>, k, k), tx::stack(tx::axis<0>, v, v));
    CHECK(difference(tx::slice(batch, tx::at<1>), apart, 1e-9, 1e-9) == "");
    auto const bias = made<4, 1, 5>(0.4);
    CHECK(difference(tx::nn::attention(q, k, v, bias),
                     tx::nn::attention(q, tx::repeat<2>(k, tx::axis<0>), tx::repeat<2>(v, tx::axis<0>), bias), 1e-9) == "");
    tx::check_gradients([](auto a, auto c, auto d) { return tx::sum(tx::sin(tx::nn::attention(a, c, d))); }, made<4, 2, 3>(0.7),
                        made<2, 2, 3>(0.3), made<2, 2, 1>(0.2));
}
TEST_CASE("nn: attention of no keys, of one, of half and of integers") {
    CHECK(
        tx::equal(tx::nn::attention(made<3, 4>(0.7), tx::zeros<double>(tx::shape<0, 4>{}), tx::zeros<double>(tx::shape<0, 2>{})),
                  tx::zeros<double>(tx::shape<3, 2>{})));
    CHECK(difference(tx::nn::attention(made<3, 4>(0.7), made<1, 4>(0.2), made<1, 2>(0.2)),
                     tx::broadcast_to(made<1, 2>(0.2), tx::shape<3, 2>{}), 1e-12) == "");
    // More queries than keys: the first see none.
    CHECK(tx::equal(tx::slice(tx::nn::attention(made<3, 4>(0.7), made<1, 4>(0.2), made<1, 2>(0.2), tx::causal), tx::range<0, 2>),
                    tx::zeros<double>(tx::shape<2, 2>{})));
    auto const h = tx::cast<tx::half>(k);
    auto const half = tx::nn::attention(h, h, h);
    static_assert(std::is_same_v<decltype(half)::value_type, tx::half>);
    CHECK(difference(tx::cast<double>(half), tx::nn::attention(k, k, k), 2e-3, 2e-3) == "");
    tx::tensor<int, tx::shape<2, 1>> const i{{1}, {2}};
    static_assert(std::is_same_v<decltype(tx::nn::attention(i, i, i))::value_type, double>);
}
TEST_CASE("nn: attention of many rows goes in blocks") {
    auto const q = made<1, 1030, 4>(0.37);
    auto const keys = made<1, 4096, 4>(0.71);
    auto const values = made<1, 4096, 3>(0.13);
    static_assert(tx::detail::goes_in_blocks<std::remove_cvref_t<decltype(q)>, std::remove_cvref_t<decltype(keys)>>);
    CHECK(difference(tx::nn::attention(q, keys, values), at_once(q, keys, values, false), 1e-9, 1e-12) == "");
    CHECK(difference(tx::nn::attention(q, keys, values, tx::causal), at_once(q, keys, values, true), 1e-9, 1e-12) == "");
    auto const none = tx::zeros<double>(tx::shape<1030, 4096>{});
    CHECK(difference(tx::nn::attention(q, keys, values, none), at_once(q, keys, values, false), 1e-9, 1e-12) == "");
    auto const slopes = tx::grad<0, 1, 2>([](auto a, auto c, auto d) { return tx::sum(tx::square(tx::nn::attention(a, c, d))); })(
        q, keys, values);
    auto const other = tx::grad<0, 1, 2>([](auto a, auto c, auto d) {
        return tx::sum(tx::square(tx::matmul(tx::softmax(tx::matmul(a, tx::matrix_transpose(c)) * 0.5), d)));
    })(q, keys, values);
    CHECK(difference(std::get<0>(slopes), std::get<0>(other), 1e-8, 1e-10) == "");
    CHECK(difference(std::get<1>(slopes), std::get<1>(other), 1e-8, 1e-10) == "");
    CHECK(difference(std::get<2>(slopes), std::get<2>(other), 1e-8, 1e-10) == "");
}
TEST_CASE("nn: attention of causal queries goes in parts") {
    auto const q = made<1, 200, 4>(0.37);
    auto const keys = made<1, 260, 4>(0.71);
    CHECK(difference(tx::nn::attention(q, keys, keys, tx::causal), at_once(q, keys, keys, true), 1e-9, 1e-12) == "");
    tx::tensor<bool, tx::shape<1, 260>> const all = tx::full<bool>(tx::shape<1, 260>{}, true);
    CHECK(difference(tx::nn::attention(q, keys, keys, all, tx::causal), at_once(q, keys, keys, true), 1e-9, 1e-12) == "");
}
